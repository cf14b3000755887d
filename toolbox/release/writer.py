"""From queries to files: written aside, then moved to their names all together or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sqlalchemy import String, case, cast, func, literal, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import is_parquet
from toolbox.config.outputs import compression_of, with_suffix_to_stem
from toolbox.errors import OutputError
from toolbox.queries.query import Query
from toolbox.release.formats import Part
from toolbox.store.store import FOLDER_PREFIX, Store

_SEPARATOR_OF_LINES = "\x1f"


def part_path(path: Path, part: Part) -> Path:
    """Name the file of a part: the suffix goes before the extension of the file name."""
    return with_suffix_to_stem(path, part.suffix)


def write_part(
    store: Store, part: Part, path: Path, *, separator: str, header: bool, quotes_least: bool = False
) -> None:
    """Write one part as Parquet or as text, compressed or not, by the extension of the path, rows in their order.

    Parameters
    ----------
    path : Path
        A file of the store's folder.
    separator : str
        For delimited text; of any length.
    header : bool
        Whether delimited text begins with the headers; Parquet always has them.
    quotes_least : bool
        Whether only a value that holds the separator or a line end is quoted.
    """
    if is_parquet(path):
        store.copy_to(headed(part.rows, writable_headers(part.headers)), path, {"format": "parquet"})
        return
    rows, options = _delimited(part, separator, header=header, quotes_least=quotes_least)
    store.copy_to(rows, path, {"format": "csv", "compression": compression_of(path) or "none", **options})


def _delimited(part: Part, separator: str, *, header: bool, quotes_least: bool) -> tuple[Query, dict[str, str | bool]]:
    """Choose how to write delimited text: the rows to copy, and the options of the copy."""
    if quotes_least or len(separator.encode()) > 1:
        rows = _under_header(part) if header else part.rows
        options: dict[str, str | bool] = {"delimiter": _SEPARATOR_OF_LINES, "quote": "", "escape": ""}
        return _lines(rows, separator, quotes_least=quotes_least), {**options, "header": False}
    options = {"delimiter": separator, "quote": '"', "escape": '"'}
    if header and writable_headers(part.headers) != list(part.headers):
        # The engine would rename the second of two equal headers, and a nameless one.
        return _under_header(part), {**options, "header": False}
    return headed(part.rows, part.headers), {**options, "header": header}


def headed(rows: Query, headers: Sequence[str]) -> Query:
    """Give the columns of a query their headers as names, its order untouched."""
    labelled = (column.label(header) for column, header in zip(rows.selected_columns, headers, strict=True))
    return rows.with_only_columns(*labelled, maintain_column_froms=True)


def writable_headers(headers: Sequence[str]) -> list[str]:
    """Tell headers apart that would be one name to the engine, which ignores case, and name the nameless."""
    taken: set[str] = set()
    result = []
    for position, header in enumerate(headers):
        name, number = header or f"column_{position}", 1
        while name.casefold() in taken:
            number += 1
            name = f"{header}_{number}"
        taken.add(name.casefold())
        result.append(name)
    return result


def _under_header(part: Part) -> Query:
    """Put the headers above the rows, as a row of their own."""
    names = [f"h{number}" for number, _ in enumerate(part.headers)]
    rows = headed(part.rows, names).subquery()
    head = select(*(literal(header).label(name) for header, name in zip(part.headers, names, strict=True)))
    both = union_all(head, select(*(cast(rows.c[name], String).label(name) for name in names))).subquery()
    return select(*(both.c[name] for name in names))


def _lines(rows: Query, separator: str, *, quotes_least: bool) -> Query:
    """Write whole lines, quoted as delimited text is, for separators that the engine's writer does not take."""
    names = [f"h{number}" for number, _ in enumerate(rows.selected_columns)]
    given = headed(rows, names).subquery()
    # A single character of the separator is enough: at the end of a value it would join the separator that follows.
    special = {separator, "\r", "\n"} if quotes_least else {*separator, '"', "\r", "\n"}
    fields = [_field(cast(given.c[name], String), special) for name in names]
    return select(func.concat_ws(separator, *fields).label("line")).select_from(given)


def _field(text: ColumnElement[str], special: Collection[str]) -> ColumnElement[str]:
    needs_quotes = or_(text == "", *(func.contains(text, one) for one in sorted(special)))
    quoted = func.concat('"', func.replace(text, '"', '""'), '"')
    return case((text.is_(None), ""), (needs_quotes, quoted), else_=text)


def move_together(files: Mapping[Path, Path], folder: Path) -> None:
    """Move finished files to their names: all of them, or, if one cannot be moved, none.

    Parameters
    ----------
    files : mapping of finished file to its final path
        Each move is a single step, also to another file system.
    folder : Path
        Where earlier files wait until all new ones are in place.

    Raises
    ------
    OutputError
        If a file cannot be moved; what stood at the final paths before is there again.
    """
    earlier: dict[Path, Path | None] = {}
    for number, (finished, final) in enumerate(files.items()):
        try:
            earlier[final] = _keep_earlier(final, folder / f"earlier_{number}")
            _place(finished, final)
        except BaseException as error:
            # Also on an interrupt: half of an anatomy beside an older half would be worse than none.
            for placed, kept in earlier.items():
                with suppress(OSError):
                    placed.unlink() if kept is None else _place(kept, placed)
            if isinstance(error, OSError):
                raise OutputError(f"{final} cannot be written: {error.strerror}. Nothing was released.") from error
            raise


def _place(finished: Path, final: Path) -> None:
    """Move a finished file to its name in one step, so that no reader ever sees half of it."""
    _to_disk(finished)
    try:
        finished.replace(final)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # On another file system the step has to start from there.
        beside = final.with_name(f"{FOLDER_PREFIX}{secrets.token_hex(8)}")
        try:
            shutil.copyfile(finished, beside)
            _to_disk(beside)
            beside.replace(final)
        finally:
            beside.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Make sure that a finished file survives a power cut before its name points at it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _keep_earlier(path: Path, kept: Path) -> Path | None:
    """Keep a second name of an earlier file, or a copy where the file system has no second names."""
    if not path.exists():
        return None
    try:
        os.link(path, kept)
    except OSError:
        shutil.copy2(path, kept)
    return kept
