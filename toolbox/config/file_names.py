"""The names of files: what a file holds by its extension, which files an input is, and what a release consists of."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR
from typing import Final, Literal

from toolbox.config.model import Input
from toolbox.errors import InputError

# What a file holds, by its extension: delimited text, Parquet, a workbook, a database, and so on.

_PACKED: Final = (".gz", ".zst")


@dataclass(frozen=True)
class FileKind:
    """A kind of file that a table is read from."""

    name: str
    """As messages call it."""
    extensions: tuple[str, ...] = ()
    has_tables: bool = False
    """Whether one file may hold several tables, each of which has a name."""
    may_be_packed: bool = False
    """Whether ``.gz`` or ``.zst`` may follow."""
    written: tuple[str, ...] = ()
    """The extensions with which a release may be one."""


TEXT: Final = FileKind("delimited text", may_be_packed=True)
PARQUET: Final = FileKind("Parquet", (".parquet", ".pq"), written=(".parquet", ".pq"))
WORKBOOK: Final = FileKind(
    "a workbook", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), has_tables=True, written=(".xlsx",)
)
STATISTICS: Final = FileKind(
    "a file of a statistics package", (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"), written=(".sav", ".dta")
)
JSON_LINES: Final = FileKind("JSON lines", (".jsonl", ".ndjson"), may_be_packed=True)
DATABASE: Final = FileKind("a database", (".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb"), has_tables=True)
KINDS: Final = (PARQUET, WORKBOOK, STATISTICS, JSON_LINES, DATABASE)
"""All but delimited text, which a file is whose extension is none of theirs."""
WRITTEN: Final = tuple(extension for kind in KINDS for extension in kind.written)


def find_file_kind(path: Path) -> FileKind:
    """Return what a file is by its extension, in any case.

    Examples
    --------
    >>> [find_file_kind(Path(name)).name for name in ("a.csv.gz", "a.XLSX", "a.jsonl.zst", "a.sav.gz", "a")]
    ['delimited text', 'a workbook', 'JSON lines', 'delimited text', 'delimited text']
    """
    extension = path.suffix.lower()
    is_packed = extension in _PACKED
    if is_packed:
        extension = Path(path.stem).suffix.lower()
    for kind in KINDS:
        if extension in kind.extensions and (kind.may_be_packed or not is_packed):
            return kind
    return TEXT


def has_types(path: Path) -> bool:
    """Return whether a file names its columns and says what they hold, as all but delimited text do."""
    return find_file_kind(path) is not TEXT


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, by its extension, in any case."""
    return find_file_kind(path) is PARQUET


# Which files an input is: a file, a folder, a pattern, or several of these, in the order of their records.

_WILDCARDS = frozenset("*?[")
_NOT_DATA = (".", "_")
"""How the names begin of what other programs put beside their data: ``.crc``, ``_SUCCESS``, ``_metadata``."""


def list_input_files(source: Input) -> list[Path]:
    """List the files of an input, in the order of their records.

    The order is that of the names. A folder or a pattern stands for its files in natural order, which puts ``part-2``
    before ``part-10``.

    Raises
    ------
    InputError
        If a pattern or a folder has no file, a file comes twice, or some files are of another kind than others.
    """
    files = [path for name in source.names for path in _list_named_files(name)]
    if len(files) > 1:
        _require_distinct(files)
        _require_one_kind(files)
    return files


def is_folder(path: Path) -> bool:
    """Return whether there is a folder of this name; False for a name that is too long, where `Path.is_dir` raises."""
    try:
        return S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def is_table_with_names(source: Input) -> bool:
    """Return whether an input names its columns. An input that cannot be listed is judged by its own name."""
    try:
        first = list_input_files(source)[0]
    except InputError:
        first = source.path
    return source.header or has_types(first)


def _list_named_files(name: Path) -> list[Path]:
    if is_folder(name):
        return _list_folder_files(name)
    root, pattern = _split(name)
    # A file may be called like a pattern, and what has no wildcard is a file, even if it is not there.
    if os.path.lexists(name) or not _WILDCARDS & set(pattern):
        return [name]
    # Not Path.glob, which finds hidden files.
    paths = [root / match for match in glob.glob(pattern, root_dir=root, recursive=True)]  # noqa: PTH207
    files = {file for path in paths for file in (_list_folder_files(path) if is_folder(path) else [path])}
    if not files:
        raise InputError(f"{name}: no file has a name of this pattern. Is the folder right?")
    return sorted(files, key=_make_natural_key)


def _split(name: Path) -> tuple[Path, str]:
    """Cut a path behind the last folder that exists just as it is written: only the rest can be a pattern."""
    known = name
    while known != known.parent and not os.path.lexists(known):
        known = known.parent
    return known, str(name.relative_to(known))


def _list_folder_files(folder: Path) -> list[Path]:
    files = sorted(_walk_folder(folder, frozenset()), key=_make_natural_key)
    if not files:
        raise InputError(f"{folder} is a folder without files that could be read. Name another one, or a file.")
    return files


def _walk_folder(folder: Path, above: frozenset[str]) -> Iterator[Path]:
    """Yield the files of a folder and its folders. Links to folders are followed, but no folder twice in one path."""
    real = os.path.realpath(folder)
    if real in above:
        return
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - the names are all that is needed
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}.") from error
    for name in names:
        if not name.startswith(_NOT_DATA):
            path = folder / name
            yield from _walk_folder(path, above | {real}) if is_folder(path) else [path]


def _make_natural_key(path: Path) -> tuple[Sequence[Sequence[str | int]], str]:
    """Return a sort key that orders names as people do, with numbers as numbers."""
    parts = [re.split(r"([0-9]+)", part) for part in path.parts]
    # Texts and numbers take turns, so that like is compared with like.
    return [[int(piece) if index % 2 else piece for index, piece in enumerate(part)] for part in parts], str(path)


def _require_distinct(files: Iterable[Path]) -> None:
    """Stop where a file would be read twice: each record would then hide behind its own copy."""
    seen: dict[tuple[int, int], Path] = {}
    for path in files:
        try:
            status = path.stat()
        except OSError:
            continue  # whoever reads it says what is wrong
        other = seen.setdefault((status.st_dev, status.st_ino), path)
        if other is not path:
            problem = "is named twice" if other == path else f"is the same file as {other}"
            raise InputError(f"{path} {problem}, so that its records would be doubled. Name every file once.")


def _require_one_kind(files: Sequence[Path]) -> None:
    first, kind = files[0], find_file_kind(files[0])
    other = next((path for path in files if find_file_kind(path) is not kind), None)
    if other is None:
        return
    if PARQUET in (kind, find_file_kind(other)):
        parquet, rest = (first, other) if kind is PARQUET else (other, first)
        raise InputError(f"{parquet} is Parquet, and {rest} is not. {_format_remedy(rest)}")
    raise InputError(f"{first} is {kind.name}, and {other} is {find_file_kind(other).name}. {_format_remedy(other)}")


def _format_remedy(path: Path) -> str:
    return (
        f"A table has files of one kind; name the files that belong to it, such as {path.parent / f'*{path.suffix}'}."
    )


# The names of the files that a release consists of.

MOST_PIECES = 99_999
"""As many as five digits can number."""
_STREAM = re.compile(r"/dev/(stdin|stdout|stderr|fd)(/|$)|/proc/[^/]+/(task/[^/]+/)?fd(/|$)")
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
PAGES: Final = (".html", ".htm")
"""What the name of a page ends in."""
_NO_TABLES: Final = (
    FileKind("a document", (".doc", ".docx", ".odt", ".rtf", ".pdf", ".ppt", ".pptx", ".htm", ".html")),
    FileKind("an archive", (".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz")),
    FileKind("JSON", (".json",)),
)
"""What text would be called wrongly, so that the programs of these files could not open it."""


def find_compression(path: Path) -> str | None:
    """Return how a file of delimited text is compressed, by its extension: gzip, zstd or, None, not at all."""
    return _COMPRESSIONS.get(path.suffix.lower())


def find_extension(path: Path) -> str:
    """Return the extension of a file name: that of ``release.csv.gz`` is ``.csv.gz``.

    Examples
    --------
    >>> [find_extension(Path(name)) for name in ("a.csv", "a.b.csv.gz", "a.zst", "a")]
    ['.csv', '.csv.gz', '.zst', '']
    """
    return (Path(path.stem).suffix if find_compression(path) else "") + path.suffix


def add_suffix_to_stem(path: Path, suffix: str) -> Path:
    """Insert a suffix before the extension of a file name.

    Examples
    --------
    >>> add_suffix_to_stem(Path("release.csv.gz"), "_QIT").name
    'release_QIT.csv.gz'
    """
    ending = find_extension(path)
    return path.with_name(f"{path.name.removesuffix(ending)}{suffix}{ending}")


def build_piece_path(path: Path, index: int) -> Path:
    """Return the path of one of the files into which a table is split, numbered from 1."""
    return add_suffix_to_stem(path, f"-{index:05}")


def list_existing_pieces(path: Path) -> list[Path]:
    """List the files that are named like a piece of a table."""
    name = _build_piece_pattern(path)
    try:
        return sorted(piece for piece in path.parent.iterdir() if name.fullmatch(piece.name))
    except OSError:
        return []  # a folder that is not there, which is a fault of its own


def may_be_piece(other: Path, path: Path) -> bool:
    """Return whether a path has the name of a piece of a table; the file need not exist."""
    is_beside = os.path.realpath(other.parent) == os.path.realpath(path.parent)
    return is_beside and _build_piece_pattern(path).fullmatch(other.name) is not None


def _build_piece_pattern(path: Path) -> re.Pattern[str]:
    ending = find_extension(path)
    return re.compile(rf"{re.escape(path.name.removesuffix(ending))}-[0-9]{{5}}{re.escape(ending)}", re.DOTALL)


def is_stream(path: Path) -> bool:
    """Return whether a name stands for a file that a process already has open, such as ``/dev/stdout``."""
    return _STREAM.match(os.path.normpath(path)) is not None


Content = Literal[
    "release",
    "public page",
    "internal page",
    "report",
    "lattice",
    "configuration",
    "hierarchy",
    "rejects",
    "store",
    "results of a study",
]
"""What is in a file that the toolbox writes."""


def choose_file_mode(content: Content) -> int:
    """Return the mode with which a file is made: what tells more than the release is for its owner alone.

    What is published keeps what the user allows (the umask).

    Examples
    --------
    >>> [oct(choose_file_mode(content)) for content in ("release", "public page", "internal page")]
    ['0o666', '0o666', '0o600']
    """
    return 0o666 if content in ("release", "public page") else 0o600


def keep_for_owner(path: Path, content: Content) -> None:
    """Give a finished file its mode, if it is not for everybody."""
    if (mode := choose_file_mode(content)) == 0o600:
        path.chmod(mode)


def find_obstacle(path: Path) -> str | None:
    """Return what stands at a path where a file is to be written; None if nothing does, or a file that may be replaced.

    A link is not followed: in a folder that others write to, it may lead anywhere. Nor is it replaced: whoever made it
    expects that it stays.
    """
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):
        return None  # whoever writes there says what is wrong
    if stat.S_ISLNK(mode):
        return f"a symbolic link to {os.readlink(path)!r}"  # noqa: PTH115 - as it is written, also an empty one
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    return None if stat.S_ISREG(mode) else kinds.get(stat.S_IFMT(mode), "a device")


def is_compressed_parquet(path: Path) -> bool:
    """Return whether a name asks for Parquet within a compressed file, which nobody reads."""
    return find_compression(path) is not None and is_parquet(Path(path.stem))


def find_unwritable_kind(path: Path) -> FileKind | None:
    """Return the kind of file that a name asks for, if no release is written as one; None if one is.

    Examples
    --------
    >>> [find_unwritable_kind(Path(name)) is None for name in ("a.xlsx", "a.csv.gz", "a.ods", "a.xlsx.gz", "a.jsonl")]
    [True, True, False, False, False]
    """
    inner = path if find_compression(path) is None else Path(path.stem)
    kind = find_file_kind(inner)
    if kind is TEXT:
        ending = inner.suffix.lower()
        return next((other for other in _NO_TABLES if ending in other.extensions), None)
    if is_parquet(inner):
        return None
    return None if path is inner and path.suffix.lower() in kind.written else kind
