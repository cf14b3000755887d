"""The files that a page can name: below the root, and those that the owner of a project has named."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolbox.errors import UsageError, quote
from toolbox.messages import mark, say

if TYPE_CHECKING:
    from toolbox import Project


# The files below the root of the application: the only ones that a page can name.

_WILDCARDS: Final = re.compile(r"[*?\[\]]")


def find_path_below(root: Path, text: str) -> Path:
    """Return the path that somebody has named, if it is below the root; links that lead out of it are not.

    Raises
    ------
    UsageError
        If it is not, or names nothing.
    """
    if not text.strip() or "\0" in text:
        raise UsageError(say("No file is named. Write the path of a table or of a project."))
    path = root / text.strip()
    if not is_below(root, path):
        raise UsageError(
            say(
                "%(path)s is not below %(root)s, where the application looks for files. "
                "Start it with --root to let it see another folder.",
                path=quote(text),
                root=root,
            )
        )
    return path.resolve()


def is_below(root: Path, path: Path) -> bool:
    """Return whether a path is below the root, wherever links lead."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle
        return False


def format_path(root: Path, path: str | Path | None) -> str:
    """Return a path as it is written into a field: from the root; nothing for one that is elsewhere."""
    try:
        return str(Path(path).resolve().relative_to(root.resolve())) if path else ""
    except ValueError:
        return ""


def find_source_below(root: Path, text: str) -> Path:
    """Return the file that somebody has named; or the folder or the pattern of files that are one table together.

    Raises
    ------
    UsageError
        If there is none below the root.
    """
    path = find_path_below(root, text)
    _require_nameable(path)
    if path.is_file():
        return path
    if path == root.resolve():
        # The project would lie among the files of its own table.
        raise UsageError(
            say("%(path)s is the whole folder. Name a folder in it, or a pattern such as 2026-*.csv.", path=quote(text))
        )
    # A file may be a link that leads out of the root.
    files = list(path.rglob("*")) if path.is_dir() else _find_matching_files(root, path)
    found = [
        find_path_below(root, str(file)) for file in files if not file.is_dir() and not file.name.startswith((".", "_"))
    ]
    if not found:
        if path.is_dir():
            words = mark(
                "%(path)s is a folder without a file. Name a table, such as a CSV file, or the XML file of a project."
            )
        else:
            words = mark(
                "%(path)s is no file that there is. Name a table, such as a CSV file, or the XML file of a project."
            )
        raise UsageError(say(words, path=quote(text)))
    return path


def _require_nameable(path: Path) -> None:
    """Stop at a name that no system of files would take, or where nobody may look."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return  # It may be a pattern.
    except OSError as error:
        shown = str(path.name)[:40]
        raise UsageError(
            say(
                "%(path)s cannot be opened: %(reason)s. Name a table or a project.",
                path=quote(shown),
                reason=error.strerror,
            )
        ) from None


def _find_matching_files(root: Path, pattern: Path) -> list[Path]:
    top = root.resolve()
    return list(top.glob(pattern.relative_to(top).as_posix())) if _WILDCARDS.search(pattern.name) else []


def find_project_folder(root: Path, data: Path) -> Path:
    """Return the folder of the project of a table: beside it, or in the root for a table that is not below that.

    Examples
    --------
    >>> [find_project_folder(Path("/root"), Path(path)) for path in ("/root/a/people.csv", "/b/people.csv")]
    [PosixPath('/root/a/people-project'), PosixPath('/root/people-project')]
    """
    stem = _WILDCARDS.sub("_", data.stem)
    # A pattern of folders is no folder, but what is above it.
    beside = next(folder for folder in data.parents if folder.is_dir() or not _WILDCARDS.search(str(folder)))
    return (beside if data.is_relative_to(root) else root) / f"{stem}-project"


# Which files a project may name: those below the root, and those that its owner has named on the command line.


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
        for named, files in project.find_named_files().items():
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


# A table of made-up people, for whoever wants to look before they bring their own.

RECORDS: Final = 300
NAME: Final = "example.csv"
