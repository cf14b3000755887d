"""What changes when somebody writes to a table, or puts another one there."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolbox import Project

Stamps = tuple[tuple[str, int, int, int], ...]
_NOT_DATA = (".", "_")
_MOST = 1000
"""Files that are looked at: a page waits for this."""


def stamps_of(project: Project) -> Stamps:
    """Return the stamps of all tables that a project is about: its own, and that of the population."""
    return stamps([*project.source, *([] if project.population is None else [project.population])])


def stamps(sources: Iterable[Path]) -> Stamps:
    """Return the name, the size, the time and the inode of each file of a table; of its first thousand, if it has more.

    Parameters
    ----------
    sources : paths
        Files, folders and patterns, as `toolbox.Project.source`. What cannot be read has no stamp.
    """
    found = []
    for file in islice((file for source in sources for file in _files(source)), _MOST):
        try:
            status = file.stat()
        except OSError:
            continue
        found.append((str(file), status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(sorted(found))


def _files(source: Path) -> Iterator[Path]:
    # A name that cannot be one is a fault that whoever reads the table tells.
    with suppress(OSError, ValueError):
        if source.is_dir():
            yield from (path for path in source.rglob("*") if path.is_file() and not _is_hidden(path, source))
        elif source.exists():
            yield source
        else:
            yield from map(Path, glob.iglob(str(source), recursive=True))  # noqa: PTH207 - the pattern may be absolute


def _is_hidden(path: Path, folder: Path) -> bool:
    """Whether a file is no part of the table, such as the log of this application, which each page changes."""
    return any(name.startswith(_NOT_DATA) for name in path.relative_to(folder).parts)
