"""The files that a page can name: below the root, and those that the owner of a project has named."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from toolbox.errors import OutputError, UsageError, quote

if TYPE_CHECKING:
    from toolbox import Project


# The files below the root of the application: the only ones that a page can name.

_PACKED: Final = (".gz", ".zst")
_PROJECT: Final = ".xml"
_WILDCARDS: Final = re.compile(r"[*?\[\]]")
_MOST_SHOWN: Final = 200


@dataclass(frozen=True)
class FileEntry:
    """A folder or a file that could be opened."""

    name: str
    path: str
    """Relative to the root."""
    is_folder: bool
    is_project: bool
    size: int


def find_path_below(root: Path, text: str) -> Path:
    """Return the path that somebody has named, if it is below the root; links that lead out of it are not.

    Raises
    ------
    UsageError
        If it is not, or names nothing.
    """
    if not text.strip() or "\0" in text:
        raise UsageError("No file is named. Write the path of a table or of a project.")
    path = root / text.strip()
    if not is_below(root, path):
        raise UsageError(
            f"{quote(text)} is not below {root}, where the application looks for files. "
            "Start it with --root to let it see another folder."
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
        raise UsageError(f"{quote(text)} is the whole folder. Name a folder in it, or a pattern such as 2026-*.csv.")
    # A file may be a link that leads out of the root.
    files = list(path.rglob("*")) if path.is_dir() else _find_matching_files(root, path)
    found = [
        find_path_below(root, str(file)) for file in files if not file.is_dir() and not file.name.startswith((".", "_"))
    ]
    if not found:
        what = "a folder without a file" if path.is_dir() else "no file that there is"
        raise UsageError(f"{quote(text)} is {what}. Name a table, such as a CSV file, or the XML file of a project.")
    return path


def _require_nameable(path: Path) -> None:
    """Stop at a name that no system of files would take, or where nobody may look."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return  # It may be a pattern.
    except OSError as error:
        shown = str(path.name)[:40]
        raise UsageError(f"{quote(shown)} cannot be opened: {error.strerror}. Name a table or a project.") from None


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


@contextmanager
def make_temporary_folder(folder: Path) -> Iterator[None]:
    """Make a folder and its parents while the block runs; remove those that are still empty at the end.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder} cannot be made: {error.strerror}. Name another folder.") from None
        yield
    finally:
        with suppress(OSError):  # of the first that holds something
            for each in missing:
                each.rmdir()


def list_entries(root: Path, folder: Path) -> tuple[list[FileEntry], bool]:
    """List the folders, tables and projects of a folder, and tell whether there are more."""
    found = sorted(_read_entries(root, folder), key=lambda entry: (not entry.is_folder, entry.name.casefold()))
    return found[:_MOST_SHOWN], len(found) > _MOST_SHOWN


def list_completions(root: Path, text: str) -> list[str]:
    """Return paths that begin with a text."""
    start, _, begin = text.rpartition("/")
    try:
        folder = find_path_below(root, start or ".")
    except UsageError:
        return []
    found, _ = list_entries(root, folder)
    return [
        f"{entry.path}{'/' if entry.is_folder else ''}"
        for entry in found
        if entry.name.casefold().startswith(begin.casefold())
    ][:20]


def _read_entries(root: Path, folder: Path) -> list[FileEntry]:
    """List what could be opened, by the endings of the names; any other file can be named as well."""
    from toolbox import Project

    wanted = frozenset((*Project.table_extensions(), *_PACKED, _PROJECT))
    try:
        with os.scandir(folder) as listed:
            found = [_read_entry(root, folder, one, wanted) for one in listed if not one.name.startswith(".")]
    except OSError:
        return []
    return [entry for entry in found if entry is not None]


def _read_entry(root: Path, folder: Path, one: os.DirEntry[str], wanted: Collection[str]) -> FileEntry | None:
    suffix = Path(one.name).suffix.lower()
    try:
        is_folder = one.is_dir(follow_symlinks=False)
        is_wanted = is_folder or (one.is_file(follow_symlinks=False) and suffix in wanted)
        size = 0 if is_folder else one.stat(follow_symlinks=False).st_size
        path = (folder / one.name).relative_to(root.resolve()).as_posix()
        path.encode()
    except (OSError, ValueError):
        return None
    return FileEntry(one.name, path, is_folder, suffix == _PROJECT, size) if is_wanted else None


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
_NAMES: Final = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kim", "Lou", "Mia", "Noa")
_SURNAMES: Final = (
    "Adler",
    "Berg",
    "Costa",
    "Dahl",
    "Egger",
    "Fox",
    "Gruber",
    "Hahn",
    "Ivers",
    "Jung",
    "Klein",
    "Lang",
)
_TOWNS: Final = {"8010": "Graz", "8020": "Graz", "4020": "Linz", "4030": "Linz", "1010": "Wien", "1220": "Wien"}
_ILLNESSES: Final = ("asthma", "broken arm", "diabetes", "flu", "migraine", "pneumonia")


def write_example(folder: Path) -> Path:
    """Write the table to a folder, unless it is there, and return its path."""
    path = folder / NAME
    if not path.exists():
        with path.open("x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("name", "born", "sex", "postcode", "town", "illness", "nights"))
            writer.writerows(_make_example_records())
    return path


def _make_example_records() -> list[tuple[str, ...]]:
    # The same people for everybody.
    chance = Random(20)
    found: list[tuple[str, ...]] = []
    for _ in range(RECORDS):
        postcode = chance.choice(list(_TOWNS))
        born = f"{chance.randint(1935, 2005)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        person = f"{chance.choice(_NAMES)} {chance.choice(_SURNAMES)}"
        nights = str(min(chance.randint(1, 9), chance.randint(1, 30)))
        found.append((person, born, chance.choice("FM"), postcode, _TOWNS[postcode], chance.choice(_ILLNESSES), nights))
    return found
