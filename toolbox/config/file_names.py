"""The names of files: what a file holds by its extension, which files an input is, and what a release consists of."""

from __future__ import annotations

import glob
import os
import re
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from stat import S_ISDIR
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol

from toolbox.config.model import Input
from toolbox.config.values import is_object
from toolbox.errors import InputError, UsageError
from toolbox.extensions import Registry

# What a file holds, by its extension: delimited text, Parquet, a workbook, a database, and so on.

_PACKED: Final = (".gz", ".zst")


class FirstBytes(NamedTuple):
    """How files of a program begin, whatever they are called."""

    words: str
    """What messages call such a file."""
    begin: bytes = b""
    extensions: tuple[str, ...] = ()
    """Those of such a file, the usual one first; none: it is not read."""
    place: int = 0
    """Where the bytes stand."""
    remedy: str = "Give it a name that ends in {its}."
    """What to do where the name says something else; ``{its}`` is the usual extension."""


class FileKind(ABC):
    """A kind of file that a table is read from, and a release may be written as.

    It is used as a class: a kind has no settings.

    Examples
    --------
    >>> find_file_kind(Path("people.xlsx")).written
    ('.xlsx',)
    """

    name: ClassVar[str]
    """As lists call it. One of others is called as its extension, without the dot: where it cannot be imported, nobody
    knows its extensions, and the reason is found by this name."""
    words: ClassVar[str]
    """As messages call one of its files."""
    extensions: ClassVar[tuple[str, ...]]
    """Of its files, in lower case and with the dot."""
    written: ClassVar[tuple[str, ...]] = ()
    """Those with which a release may be one."""
    first_bytes: ClassVar[tuple[FirstBytes, ...]] = ()
    """How its files begin; of an extension that stands in none of them, the first bytes may be any."""
    needs: ClassVar[str] = ""
    """The package that reads it, where an installation may be without."""
    has_tables: ClassVar[bool] = False
    """Whether one file may hold several tables, each of which has a name: ``table`` says which."""
    may_be_packed: ClassVar[bool] = False
    """Whether ``.gz`` or ``.zst`` may follow."""
    columns_may_differ: ClassVar[bool] = False
    """Whether a file may have other columns than the one before it; what it lacks is missing."""
    can_be_split: ClassVar[bool] = False
    """Whether a release may be several files of it."""
    rank: ClassVar[int] = 1_000
    """The place among all kinds, the lowest first."""

    @classmethod
    @abstractmethod
    def open_table(cls, path: Path, declared: Input, known: Sequence[str]) -> Any:
        """Open the table of a file, a `toolbox.store.input.formats.table.FileTable`.

        Parameters
        ----------
        path : Path
            It is there, and begins as one of `first_bytes` says.
        declared : Input
            What is said of its reading, such as ``table`` and ``encoding``.
        known : sequence of str
            What the files before it call their columns.
        """

    @classmethod
    def write(cls, store: Any, part: Any, path: Path) -> None:
        """Write a part of a release, if the kind is `written`.

        Parameters
        ----------
        store : toolbox.store.engine.store.Store
        part : toolbox.release.files.part.Part
        path : Path
            A file of the store's folder.
        """
        raise NotImplementedError(f"No release is written as {cls.words}.")

    @classmethod
    def recognise(cls, start: bytes, path: Path) -> FirstBytes | None:
        """Return how a file of this kind begins, if one does.

        Parameters
        ----------
        start : bytes
            The first 65,536 bytes of the file, unpacked.
        path : Path
        """
        return next((mark for mark in cls.first_bytes if start.startswith(mark.begin, mark.place)), None)


class DelimitedText(FileKind):
    """Values between separators, line by line; also every file of an extension that no other kind has."""

    name: ClassVar[str] = "text"
    words: ClassVar[str] = "delimited text"
    extensions: ClassVar[tuple[str, ...]] = (".csv", ".tsv", ".txt", ".psv", ".data")
    written: ClassVar[tuple[str, ...]] = extensions
    may_be_packed: ClassVar[bool] = True
    can_be_split: ClassVar[bool] = True
    rank: ClassVar[int] = 10

    @classmethod
    def open_table(cls, path: Path, declared: Input, known: Sequence[str]) -> Any:
        raise NotImplementedError("The store reads delimited text itself.")


class Parquet(FileKind):
    """Columns of Parquet, which keep their types."""

    name: ClassVar[str] = "parquet"
    words: ClassVar[str] = "Parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet", ".pq")
    written: ClassVar[tuple[str, ...]] = extensions
    first_bytes: ClassVar[tuple[FirstBytes, ...]] = (FirstBytes("Parquet", b"PAR1", extensions),)
    can_be_split: ClassVar[bool] = True
    rank: ClassVar[int] = 20

    @classmethod
    def open_table(cls, path: Path, declared: Input, known: Sequence[str]) -> Any:
        raise NotImplementedError("The store reads Parquet itself.")


def _look(kind: type[FileKind], called: str) -> None:
    """Stop where the kind of another author could not be told from the name of a file."""
    ours = {extension: own.words for own in KINDS.own() for extension in own.extensions}
    ours |= dict.fromkeys(_PACKED, "a compressed file") | {".xml": "a configuration"}
    if isinstance(kind.extensions, str) or not kind.extensions:
        raise UsageError(f"{called} has no tuple of extensions. Write extensions = ('.{kind.name}',).")
    for extension in kind.extensions:
        if not re.fullmatch(r"\.[a-z0-9_]+", extension):
            raise UsageError(f"{called} has the extension {extension!r}. Write a dot, then small letters and digits.")
        if extension in ours:
            raise UsageError(f"{called} has the extension {extension}, which is {ours[extension]}. Use another one.")
    if unread := [extension for extension in kind.written if extension not in kind.extensions]:
        raise UsageError(f"{called} is written as {unread[0]}, which it does not read. Add it to extensions.")
    if kind.written and kind.write.__func__ is FileKind.write.__func__:  # type: ignore[attr-defined]
        raise UsageError(f"{called} is written as {kind.written[0]}, and has no write(). Add it to {kind.__name__}.")


KINDS: Final = Registry("toolbox.file_kinds", FileKind, "file kind", _look)  # type: ignore[type-abstract]
"""The kinds that are installed, ours and those of others."""


def list_file_kinds() -> list[type[FileKind]]:
    """Return all kinds, in the order in which they are shown."""
    return sorted(KINDS.every().classes.values(), key=lambda kind: (kind.rank, kind.name))


def list_written_extensions() -> list[str]:
    """Return the extensions with which a release is no text."""
    return [extension for kind in list_file_kinds() if kind is not DelimitedText for extension in kind.written]


def find_file_kind(path: Path) -> type[FileKind]:
    """Return what a file is by its extension, in any case; delimited text if that is none of another kind.

    Examples
    --------
    >>> [find_file_kind(Path(name)).words for name in ("a.csv.gz", "a.XLSX", "a.jsonl.zst", "a.sav.gz", "a")]
    ['delimited text', 'a workbook', 'JSON lines', 'delimited text', 'delimited text']

    Raises
    ------
    UsageError
        If the kind of its extension cannot be used.
    """
    extension = path.suffix.lower()
    is_packed = extension in _PACKED
    if is_packed:
        extension = Path(path.stem).suffix.lower()
    kind = _find_kind(extension, tuple(sys.path))
    return kind if kind.may_be_packed or not is_packed else DelimitedText


@cache
def _find_kind(extension: str, path: tuple[str, ...]) -> type[FileKind]:
    """Find a kind by an extension, once for each path that is searched; nothing is imported for text and Parquet."""
    for kind in (DelimitedText, Parquet):
        if extension in ("", *kind.extensions):
            return kind
    found = KINDS.find(lambda kind: extension in kind.extensions)
    if found is None and (name := extension.removeprefix(".")) in KINDS:
        KINDS[name]  # raises if it is broken
    return found or DelimitedText


def has_types(path: Path) -> bool:
    """Return whether a file names its columns and says what they hold, as all but delimited text do."""
    return find_file_kind(path) is not DelimitedText


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, by its extension, in any case."""
    return find_file_kind(path) is Parquet


# Which files an input is: a file, a folder, a pattern, or several of these, in the order of their records.

_WILDCARDS = frozenset("*?[")
_NOT_DATA = (".", "_")
"""How the names begin of what other programs put beside their data: ``.crc``, ``_SUCCESS``, ``_metadata``."""


class _CopiesOfObjects(Protocol):
    """What gives files in the place of objects of stores, and of tables of a lake, that are read."""

    def localise(self, source: Input) -> Input:
        """Return an input with copies; the same one where it needs none."""

    def name_objects(self, text: str) -> str:
        """Return a text in which copies are called as the objects are."""


COPIES: Final[ContextVar[_CopiesOfObjects | None]] = ContextVar("copies", default=None)
"""Set by whoever reaches the stores, as long as objects may be read."""


def find_copies(source: Input) -> Input:
    """Return an input with copies in the place of objects, where these may be read now."""
    copies = COPIES.get()
    return source if copies is None or source.remote is not None else copies.localise(source)


def name_objects(text: str) -> str:
    """Return a text in which copies of objects, if there are any, are called as the objects are."""
    copies = COPIES.get()
    return text if copies is None else copies.name_objects(text)


def list_input_files(source: Input) -> list[Path]:
    """List the files of an input, in the order of their records.

    The order is that of the names. A folder or a pattern stands for its files in natural order, which puts ``part-2``
    before ``part-10``.

    Raises
    ------
    InputError
        If a pattern or a folder has no file, a file comes twice, or some files are of another kind than others.
    """
    source = find_copies(source)
    files = [path for name in source.names for path in _list_named_files(name)]
    _refuse_lake(files)
    if len(files) > 1:
        _require_distinct(files)
        _require_one_kind(files)
    return files


def list_partitions(source: Input, files: Sequence[Path]) -> list[tuple[tuple[str, str], ...]]:
    """Return, for each file of an input, the columns that its folders tell, with their texts as they are written there.

    Only folders below the one that is named tell a column, as ``people/year=2020/part.parquet`` does in ``people``.

    Parameters
    ----------
    files : sequence of Path
        Those that `list_input_files` has found.
    """
    roots = [name if is_folder(name) else _split(name)[0] for name in source.names]
    below = (next((file.relative_to(root) for root in roots if file.is_relative_to(root)), file) for file in files)
    return [
        tuple((name, text) for name, equals, text in (part.partition("=") for part in path.parts[:-1]) if equals)
        for path in below
    ]


# Tables of a lake: their folders hold Parquet files of which some, or some records of them, are deleted.


def find_lake(folder: Path) -> str | None:
    """Return what keeps a folder as a table: Delta, Iceberg or Hudi, without whose log nobody may read its files."""
    if is_folder(folder / "_delta_log"):
        return "Delta"
    if is_folder(folder / ".hoodie"):
        return "Hudi"
    return "Iceberg" if list_iceberg_versions(folder) else None


def list_iceberg_versions(folder: Path) -> list[Path]:
    """List the files that tell what a table of Iceberg is, the last version at the end."""
    try:
        return sorted((folder / "metadata").glob("*.metadata.json"), key=_make_natural_key)
    except (OSError, ValueError):
        return []


def needs_copy(path: Path) -> bool:
    """Return whether what a path names is only read as a copy: an object of a store, or a table of a lake."""
    return is_object(path) or find_lake(path) is not None


def make_lake_error(folder: Path, kind: str) -> InputError:
    """Return the error on a table of a lake that cannot be read."""
    call = f"import duckdb; duckdb.connect().install_extension('{kind.lower()}')"
    own = "" if kind == "Hudi" else f' Or install the reader of DuckDB: python -c "{call}"'
    return InputError(
        f"{folder} is a table of {kind}: its Parquet files have deleted records as well, and only its log tells which. "
        f"Export its records to Parquet with the program that wrote it, and name these files.{own}"
    )


def _refuse_lake(files: Iterable[Path]) -> None:
    """Stop where Parquet files are those of a table of a lake, however they are named."""
    parquet = [path for path in files if find_file_kind(path) is Parquet]
    for folder in dict.fromkeys(parent for path in parquet for parent in path.absolute().parents):
        if (kind := find_lake(folder)) is not None:
            raise make_lake_error(folder, kind)


def is_folder(path: Path) -> bool:
    """Return whether there is a folder of this name; False for a name that is too long, where `Path.is_dir` raises."""
    try:
        return S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def is_table_with_names(source: Input) -> bool:
    """Return whether an input names its columns. An input that cannot be listed is judged by its own name.

    Of a prefix in a store only a run knows what is below it: it is taken to have names.
    """
    try:
        first = list_input_files(source)[0]
    except InputError:
        first = source.path
    return source.header or has_types(first) or (is_object(first) and not first.suffix) or find_lake(first) is not None


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
    if Parquet in (kind, find_file_kind(other)):
        parquet, rest = (first, other) if kind is Parquet else (other, first)
        raise InputError(f"{parquet} is Parquet, and {rest} is not. {_format_remedy(rest)}")
    raise InputError(f"{first} is {kind.words}, and {other} is {find_file_kind(other).words}. {_format_remedy(other)}")


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
_NO_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "a document": (".doc", ".docx", ".odt", ".rtf", ".pdf", ".ppt", ".pptx", ".htm", ".html"),
    "an archive": (".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz"),
    "JSON": (".json",),
}
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
    "codebook",
    "internal page",
    "report",
    "lattice",
    "configuration",
    "recoding",
    "certificate",
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
    return 0o666 if content in ("release", "public page", "codebook") else 0o600


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


def find_unwritable_kind(path: Path) -> str | None:
    """Return what a name asks for, if no release is written as such; None if one is.

    Examples
    --------
    >>> [find_unwritable_kind(Path(name)) is None for name in ("a.xlsx", "a.csv.gz", "a.ods", "a.xlsx.gz", "a.jsonl")]
    [True, True, False, False, False]
    """
    inner = path if find_compression(path) is None else Path(path.stem)
    kind = find_file_kind(inner)
    if kind is DelimitedText:
        ending = inner.suffix.lower()
        return next((words for words, extensions in _NO_TABLES.items() if ending in extensions), None)
    if kind is Parquet:
        return None
    return None if path is inner and path.suffix.lower() in kind.written else kind.words
