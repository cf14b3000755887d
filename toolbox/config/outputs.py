"""The names of the files that a release consists of."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final, Literal

from toolbox.config.file_kinds import TEXT, FileKind, is_parquet, kind_of

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


def compression_of(path: Path) -> str | None:
    """Return how a file of delimited text is compressed, by its extension: gzip, zstd or, None, not at all."""
    return _COMPRESSIONS.get(path.suffix.lower())


def extension(path: Path) -> str:
    """Return the extension of a file name: that of ``release.csv.gz`` is ``.csv.gz``.

    Examples
    --------
    >>> extension(Path("a.csv")), extension(Path("a.b.csv.gz")), extension(Path("a.zst")), extension(Path("a"))
    ('.csv', '.csv.gz', '.zst', '')
    """
    return (Path(path.stem).suffix if compression_of(path) else "") + path.suffix


def with_suffix_to_stem(path: Path, suffix: str) -> Path:
    """Insert a suffix before the extension of a file name.

    Examples
    --------
    >>> with_suffix_to_stem(Path("release.csv.gz"), "_QIT").name
    'release_QIT.csv.gz'
    """
    ending = extension(path)
    return path.with_name(f"{path.name.removesuffix(ending)}{suffix}{ending}")


def piece_path(path: Path, index: int) -> Path:
    """Return the path of one of the files into which a table is split, numbered from 1."""
    return with_suffix_to_stem(path, f"-{index:05}")


def existing_pieces(path: Path) -> list[Path]:
    """List the files that are named like a piece of a table."""
    name = _piece_name(path)
    try:
        return sorted(piece for piece in path.parent.iterdir() if name.fullmatch(piece.name))
    except OSError:
        return []  # a folder that is not there, which is a fault of its own


def may_be_piece(other: Path, path: Path) -> bool:
    """Return whether a path has the name of a piece of a table; the file need not exist."""
    is_beside = os.path.realpath(other.parent) == os.path.realpath(path.parent)
    return is_beside and _piece_name(path).fullmatch(other.name) is not None


def _piece_name(path: Path) -> re.Pattern[str]:
    ending = extension(path)
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


def mode_of(content: Content) -> int:
    """Return the mode with which a file is made: what tells more than the release is for its owner alone.

    What is published keeps what the user allows (the umask).

    Examples
    --------
    >>> [oct(mode_of(content)) for content in ("release", "public page", "internal page")]
    ['0o666', '0o666', '0o600']
    """
    return 0o666 if content in ("release", "public page") else 0o600


def keep_for_owner(path: Path, content: Content) -> None:
    """Give a finished file its mode, if it is not for everybody."""
    if (mode := mode_of(content)) == 0o600:
        path.chmod(mode)


def obstacle(path: Path) -> str | None:
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
    return compression_of(path) is not None and is_parquet(Path(path.stem))


def unwritable_kind(path: Path) -> FileKind | None:
    """Return the kind of file that a name asks for, if no release is written as one; None if one is.

    Examples
    --------
    >>> [unwritable_kind(Path(name)) is None for name in ("a.xlsx", "a.csv.gz", "a.ods", "a.xlsx.gz", "a.jsonl")]
    [True, True, False, False, False]
    """
    inner = path if compression_of(path) is None else Path(path.stem)
    kind = kind_of(inner)
    if kind is TEXT:
        ending = inner.suffix.lower()
        return next((other for other in _NO_TABLES if ending in other.extensions), None)
    if is_parquet(inner):
        return None
    return None if path is inner and path.suffix.lower() in kind.written else kind
