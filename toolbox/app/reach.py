"""Which files a project may name: those below the root, and those that its owner has named on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from toolbox.app.files import is_below
from toolbox.errors import UsageError, quote

if TYPE_CHECKING:
    from toolbox import Project


class Reach:
    """Tells which files may be read and written.

    Parameters
    ----------
    root : path
        Whatever is below it may be.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._granted: frozenset[str] = frozenset()

    def grant(self, named: Iterable[str]) -> None:
        """Allow files outside the root: those of the project that the owner of the files has named."""
        self._granted |= {_place(name) for name in named}

    def require(self, project: Project) -> None:
        """Stop where a project, which may come from anybody, names a file that no page could name.

        Raises
        ------
        UsageError
            With the first of them.
        """
        for named, files in project.named_files().items():
            if _place(named) in self._granted:
                continue
            for name in (named, *files):
                if _is_url(name) or not is_below(self._root, Path(name)):
                    said = name.removeprefix(f"{project.path.parent}/")
                    raise UsageError(
                        f"{quote(project.path.name)} names {quote(said)}, which is not below {self._root}, where the "
                        "application looks for files. If the project is yours, start the application with it: "
                        "toolbox app PROJECT; or with --root and a folder that holds both."
                    )


def _is_url(name: str) -> bool:
    return "://" in name  # which no path has that was put together


def _place(name: str) -> str:
    try:
        return name if _is_url(name) else str(Path(name).resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle
        return name
