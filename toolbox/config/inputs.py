"""Which files an input is: a file, a folder, a pattern, or several of these, in the order of their records."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from stat import S_ISDIR

from toolbox.config.file_kinds import PARQUET, has_types, kind_of
from toolbox.config.model import Input
from toolbox.errors import InputError

_WILDCARDS = frozenset("*?[")
_NOT_DATA = (".", "_")
"""How the names begin of what other programs put beside their data: ``.crc``, ``_SUCCESS``, ``_metadata``."""


def input_files(source: Input) -> list[Path]:
    """List the files of an input, in the order of their records.

    The order is that of the names. A folder or a pattern stands for its files in natural order, which puts ``part-2``
    before ``part-10``.

    Raises
    ------
    InputError
        If a pattern or a folder has no file, a file comes twice, or some files are of another kind than others.
    """
    files = [path for name in source.names for path in _files_of(name)]
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
        first = input_files(source)[0]
    except InputError:
        first = source.path
    return source.header or has_types(first)


def _files_of(name: Path) -> list[Path]:
    if is_folder(name):
        return _of_folder(name)
    root, pattern = _split(name)
    # A file may be called like a pattern, and what has no wildcard is a file, even if it is not there.
    if os.path.lexists(name) or not _WILDCARDS & set(pattern):
        return [name]
    # Not Path.glob, which finds hidden files.
    paths = [root / match for match in glob.glob(pattern, root_dir=root, recursive=True)]  # noqa: PTH207
    files = {file for path in paths for file in (_of_folder(path) if is_folder(path) else [path])}
    if not files:
        raise InputError(f"{name}: no file has a name of this pattern. Is the folder right?")
    return sorted(files, key=_natural)


def _split(name: Path) -> tuple[Path, str]:
    """Cut a path behind the last folder that exists just as it is written: only the rest can be a pattern."""
    known = name
    while known != known.parent and not os.path.lexists(known):
        known = known.parent
    return known, str(name.relative_to(known))


def _of_folder(folder: Path) -> list[Path]:
    files = sorted(_below(folder, frozenset()), key=_natural)
    if not files:
        raise InputError(f"{folder} is a folder without files that could be read. Name another one, or a file.")
    return files


def _below(folder: Path, above: frozenset[str]) -> Iterator[Path]:
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
            yield from _below(path, above | {real}) if is_folder(path) else [path]


def _natural(path: Path) -> tuple[Sequence[Sequence[str | int]], str]:
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
    first, kind = files[0], kind_of(files[0])
    other = next((path for path in files if kind_of(path) is not kind), None)
    if other is None:
        return
    if PARQUET in (kind, kind_of(other)):
        parquet, rest = (first, other) if kind is PARQUET else (other, first)
        raise InputError(f"{parquet} is Parquet, and {rest} is not. {_remedy(rest)}")
    raise InputError(f"{first} is {kind.name}, and {other} is {kind_of(other).name}. {_remedy(other)}")


def _remedy(path: Path) -> str:
    return (
        f"A table has files of one kind; name the files that belong to it, such as {path.parent / f'*{path.suffix}'}."
    )
