"""Making a release: the chosen format, written beside its final path and moved there at the end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from sqlalchemy import String, cast, select

from toolbox.config.file_names import (
    DelimitedText,
    Parquet,
    add_suffix_to_stem,
    build_piece_path,
    find_compression,
    find_extension,
    find_file_kind,
    has_types,
    is_parquet,
    keep_for_owner,
)
from toolbox.config.model import Config
from toolbox.errors import OutputError, UsageError, name_option
from toolbox.extensions import raise_named_errors
from toolbox.queries.dialect import Query
from toolbox.release.checksum import FollowingChecksum, compute_sha256
from toolbox.release.columns import Around, treat_values_once
from toolbox.release.files.part import (
    Notation,
    Part,
    has_only_numbers,
    join_record_pieces,
    make_writable_headers,
    rename_columns,
)
from toolbox.release.files.split import split_parquet, split_text, write_partitions
from toolbox.release.placing import flush_in_background, list_leftovers
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout
from toolbox.store.input.source import Rejects, Source
from toolbox.store.tables import Tables
from toolbox.treatments.treatment import ESCAPE, PASS, ReleasedColumn

_RELEASE = "release"
"""How the file of a finished part is called in the store's folder."""


@dataclass(frozen=True)
class Written:
    """Files that are finished but not yet at their final paths."""

    files: dict[Path, Path]
    """From the finished file to its final path."""
    tables: tuple[tuple[Path, ...], ...] = ()
    """Final paths of each table, in the order of its records."""
    leftovers: tuple[Path, ...] = ()
    """Files of an earlier release that would be mistaken for files of this one, as far as they are there by now."""
    split: tuple[Path, ...] = ()
    """The names of the tables before they were split, if they were."""
    checksums: dict[str, str] = field(default_factory=dict)
    """SHA-256 by the final path."""


def release_parts(
    config: Config, tables: Tables, layout: Layout, source: Source | None = None, *, passes_plain: bool = False
) -> list[Part]:
    """Return the finished tables in the chosen format.

    Parameters
    ----------
    source : Source, optional
        The records, where these say more of their columns.
    passes_plain : bool
        Whether no value of the input can need quotes in a release with its separator.
    """
    path = config.output.path
    notation = None if path is None or has_types(path) else _make_notation(config, passes_plain)
    parts = config.output.format.parts(treat_values_once(tables, layout), layout, config, notation)
    return parts if source is None else [part.with_codebooks(source) for part in parts]


def _make_notation(config: Config, passes_plain: bool = False) -> Notation:
    quotes_least = config.compatibility.quotes_least
    treatment = ESCAPE if config.output.escapes_formulas else PASS
    return Notation(config.release_separator, quotes_least, passes_plain, treatment)


def write_release(
    config: Config, parts: list[Part], store: Store, *, has_header: bool, around: Around | None = None
) -> Written:
    """Write every part into the store's folder.

    Parameters
    ----------
    around : Around, optional
        The columns that are not the engine's to write.
    """
    assert config.output.path is not None
    parts = [part if around is None else around.described(part) for part in parts]
    finals = [build_part_path(config.output.path, part) for part in parts]
    followed: dict[Path, FollowingChecksum] = {}
    tables = [
        _write_table(config, part, store, final, followed, has_header=has_header)
        for part, final in zip(parts, finals, strict=True)
    ]
    if around is not None:
        for part, table in zip(parts, tables, strict=True):
            for finished in table:
                around.put_into(finished, part)
    files = {finished: final for table in tables for finished, final in table.items()}
    split = () if config.output.split_size is None else tuple(finals)
    with flush_in_background(files):
        checksums = {
            str(final): followed[finished].result() if finished in followed else compute_sha256(finished)
            for finished, final in files.items()
        }
    return Written(
        files,
        tuple(tuple(table.values()) for table in tables),
        tuple(list_leftovers(split, files.values())),
        split,
        checksums,
    )


def partition_release(config: Config, written: Written, store: Store, *, sorts: bool, has_header: bool) -> Written:
    """Return a release as a folder with files for each value of some columns, if that is asked for.

    Parameters
    ----------
    sorts : bool
        Whether the engine knows all types of its columns.
    has_header : bool
        Whether delimited text begins with the headers.

    Raises
    ------
    UsageError
        If it has no such columns, or none has a name.
    ProofError
        If the folder does not hold the same records.
    """
    columns = config.output.partition_by
    if columns is None or not written.files:
        return written
    ((whole, final),) = written.files.items()
    folder = store.folder / store.fresh(_RELEASE) / final.name
    notation = None if has_types(whole) else replace(_make_notation(config), treatment=PASS)
    if notation is not None and not has_header:
        name = name_option("partition-by")
        raise UsageError(f"{name} names columns, and the release has no header. Write Parquet: NAME.parquet.")
    files = write_partitions(store, whole, folder, columns, notation, sorts=sorts)
    whole.unlink()
    checksums = {str(final / path.relative_to(folder)): compute_sha256(path) for path in files}
    return replace(written, files={folder: final}, checksums=checksums)


def _write_table(
    config: Config,
    part: Part,
    store: Store,
    final: Path,
    followed: dict[Path, FollowingChecksum],
    *,
    has_header: bool,
) -> dict[Path, Path]:
    """Write one part into the store's folder; return its files with their final paths.

    Parameters
    ----------
    followed : dict of Path to FollowingChecksum
        Takes the checksums of the files that are computed as they are written.
    """
    size = config.output.split_size
    folder = store.folder / store.fresh(_RELEASE)
    folder.mkdir()
    # What is cut later is written as text that is not compressed.
    is_cut = size is not None or config.output.partition_by is not None
    whole = folder / f"whole{'.csv' if is_cut and not is_parquet(final) else find_extension(final)}"
    write = partial(write_part, store, part, whole, part.notation or _make_notation(config), header=has_header)
    if size is None and not has_types(whole):
        with FollowingChecksum(whole) as followed[whole]:
            write()
        return {whole: final}
    write()
    if size is None:
        return {whole: final}
    name = partial(build_piece_path, folder / f"piece{find_extension(final)}")
    if is_parquet(final):
        pieces = split_parquet(store, whole, name, size, part)
    else:
        pieces = split_text(whole, name, size, header=has_header)
    whole.unlink()
    return {piece: build_piece_path(final, index) for index, piece in enumerate(pieces, start=1)}


def count_written_bytes(store: Store) -> int | None:
    """Return, in any thread, the size of the parts that are being written."""
    try:
        return sum(path.stat().st_size for path in store.folder.glob(f"{_RELEASE}*/*"))
    except OSError:
        # The engine gives a file its name between two looks.
        return None


def write_rejects(rejects: Rejects, store: Store, final: Path) -> dict[Path, Path]:
    """Write the lines that could not be read, as UTF-8; the file is empty if there are none."""
    finished = store.folder / "rejects"
    if rejects.lines is None:
        finished.touch()
    else:
        store.write_lines(rejects.lines, finished)
    keep_for_owner(finished, "rejects")
    return {finished: final}


# The codebook: what each column of a release is.


class CodebookFacts(NamedTuple):
    """What a codebook says of the columns, by their names."""

    treated: Mapping[str, Mapping[str, Any]]
    """What was done to those that are treated, as reports say it."""
    levels: Mapping[str, tuple[int | None, int | None]]
    """The level and the highest level of those that are generalised; None where there is not one for all values."""
    untrue: Mapping[str, str]
    """What does not hold of those quasi-identifiers that are not generalised."""
    has_groups: bool = False
    """Whether quasi-identifiers are released as they were read, in a table apart from all others."""


def write_codebook(
    config: Config, tables: Iterable[tuple[str, Sequence[Part], Written, CodebookFacts]], store: Store
) -> dict[Path, Path]:
    """Write what each column of a release is, as a Data Package; return its file and where it goes.

    Parameters
    ----------
    tables : iterable of tuple
        The name of each table, its parts and their files, and what is said of its columns.
    """
    if config.output.codebook is None:
        return {}
    resources = [
        {
            "name": f"{name.lower()}{part.suffix.lower()}",
            "path": [path.name for path in paths],
            "schema": {"fields": [_describe_column(column, told) for column in part.shown]},
        }
        for name, parts, written, told in tables
        for part, paths in zip(parts, written.tables, strict=True)
    ]
    document = {"profile": "data-package", "name": "release", "resources": resources}
    finished = store.folder / "codebook.json"
    finished.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    keep_for_owner(finished, "codebook")
    return {finished: config.output.codebook}


def _describe_column(column: ReleasedColumn, facts: CodebookFacts) -> dict[str, Any]:
    """Return the field of a Table Schema for one column; what is done and what is not true are words of our own."""
    name, kept = column.header, {"name": column.header, "type": "any"}
    if column.is_of_record and name in facts.treated:
        said = facts.treated[name]
        told = {key: said[key] for key in ("treatment", "promise", "is_true", "not_true")}
        return {**kept, "description": f"{said['does']}. {said['not_true']}".strip(), **told}
    if column.is_of_record:
        return {**kept, "description": "Released as it was read.", "treatment": "pass", "is_true": True, "not_true": ""}
    if name not in facts.levels:
        return {**kept, "description": "Tells of the class of a record, and not of the record alone.", "is_true": True}
    if not_true := facts.untrue.get(name):
        words = "Grouped: a value stands for all records of its group, and is true of none."
        return {**kept, "description": words, "treatment": "grouped", "is_true": False, "not_true": not_true}
    if facts.has_groups:
        words = "As it was read; suppressed records show the root."
        return {**kept, "description": words, "treatment": "pass", "is_true": True, "not_true": ""}
    level, height = facts.levels[name]
    known = "" if level is None else f" All values are of level {level} of {height}; 0 is as read."
    words = f"Generalised: a value covers the one that was read, and stands for all records of its class.{known}"
    told = {"treatment": "generalised", "level": level, "highest_level": height, "is_true": True}
    return {**kept, "type": "string", "description": words, **told, "not_true": "A value is exact only at level 0."}


# Writing the parts of a release to files.

_BLOCK = 1 << 20


def build_part_path(path: Path, part: Part) -> Path:
    """Return the path of the file of a part: the suffix goes before the extension."""
    return add_suffix_to_stem(path, part.suffix)


def write_part(store: Store, part: Part, path: Path, notation: Notation, *, header: bool) -> None:
    """Write one part as what the extension of the path says: text, compressed or not, or a kind that has types.

    Parameters
    ----------
    path : Path
        A file of the store's folder.
    notation : Notation
        Of delimited text.
    header : bool
        Whether delimited text begins with the headers; all other kinds have them.
    """
    kind = find_file_kind(path)
    if kind is Parquet:
        store.write_parquet(
            rename_columns(part.rows, make_writable_headers(part.headers)), path, arrow_schema=part.arrow_schema
        )
        return
    if kind is not DelimitedText:
        with raise_named_errors(kind, lambda failure: OutputError(f"The release cannot be written: {failure}.")):
            kind.write(store, part, path)
        return
    if part.notation != notation:
        part = replace(part, rows=_write_lines(part, notation), slices=())
    compression = find_compression(path) or "none"
    if part.slices and compression == "none":
        _write_slices(store, part, path, notation, header=header)
        return
    if part.is_sorted:
        _write_sorted(store, part.rows, path, notation, header=header, compression=compression)
    else:
        _write_records(store, part.rows, path, notation, header=header, compression=compression)


def _write_sorted(
    store: Store, pieces: Query, path: Path, notation: Notation, *, header: bool, compression: str = "none"
) -> None:
    """Write the pieces of records as they are sorted."""
    if not has_only_numbers(pieces) or not _can_write_names(pieces, notation):
        _write_records(store, pieces, path, notation, header=header, compression=compression)
        return
    # The engine writes the rows of a table in much less time than those of a sort.
    in_order = store.create_joined("in_order", pieces)
    store.write_table_lines(in_order, path, separator=notation.separator, header=header, compression=compression)
    store.drop(in_order)


def _can_write_names(pieces: Query, notation: Notation) -> bool:
    """Return whether the engine can write the separators and the names of the pieces by itself."""
    names = [piece.name for piece in pieces.selected_columns]
    return len(notation.separator.encode()) == 1 and names == make_writable_headers(names)


def _write_records(
    store: Store, pieces: Query, path: Path, notation: Notation, *, header: bool, compression: str = "none"
) -> None:
    """Write the pieces of records, which the engine joins in the least time if it takes separator and headers."""
    if _can_write_names(pieces, notation):
        rows, separator = pieces, notation.separator
    else:
        rows, separator = join_record_pieces(notation, pieces), ""
    store.write_lines(rows, path, separator=separator, header=header, compression=compression)


def _write_slices(store: Store, part: Part, path: Path, notation: Notation, *, header: bool) -> None:
    """Write one slice of the records after the other; each is appended while the next is made."""
    with path.open("wb") as whole, ThreadPoolExecutor(max_workers=1) as beside:
        if header:
            whole.write(f"{notation.header(part.headers)}\n".encode())
        joining: list[Future[None]] = []
        for index, rows in enumerate(part.slices):
            written = path.with_name(f"{path.name}.{index}")
            _write_sorted(store, rows, written, notation, header=False)
            # No more than one waits, or the disk would have to hold all records twice.
            for future in joining:
                future.result()
            joining = [beside.submit(_append_file, written, whole)]
        for future in joining:
            future.result()


def _append_file(written: Path, whole: IO[bytes]) -> None:
    with written.open("rb") as file:
        shutil.copyfileobj(file, whole, _BLOCK)
    written.unlink()


def _write_lines(part: Part, notation: Notation) -> Query:
    """Write records as lines, from columns that are still separate."""
    named = rename_columns(part.rows, [f"h{index}" for index, _ in enumerate(part.headers)]).subquery()
    record = notation.record(notation.values([cast(column, String) for column in named.c]))
    return select(record.label(notation.header(part.headers)))
