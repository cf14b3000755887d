"""From queries to files of the store's folder."""

from __future__ import annotations

import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import IO

from sqlalchemy import String, cast, select

from toolbox.config.file_names import (
    DelimitedText,
    Parquet,
    add_suffix_to_stem,
    find_compression,
    find_file_kind,
)
from toolbox.errors import OutputError
from toolbox.extensions import raise_named_errors
from toolbox.queries.query import Query
from toolbox.release.files.part import (
    Notation,
    Part,
    has_only_numbers,
    join_record_pieces,
    make_writable_headers,
    rename_columns,
)
from toolbox.store.engine.store import Store

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
