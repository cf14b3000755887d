"""From queries to files of the store's folder."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from sqlalchemy import String, case, cast, func, literal, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import is_parquet
from toolbox.queries.query import Query
from toolbox.release.formats import Part
from toolbox.store.store import Store

_SEPARATOR_OF_LINES = "\x1f"


def part_path(path: Path, part: Part) -> Path:
    """Name the file of a part: the suffix goes before the last dot of the file name."""
    return path.with_name(f"{path.stem}{part.suffix}{path.suffix}")


def write_part(
    store: Store, part: Part, path: Path, *, separator: str, header: bool, quotes_least: bool = False
) -> None:
    """Write one part as Parquet or delimited text, by the extension of the path, rows in their order.

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
        store.copy_to(headed(part.rows, _distinct(part.headers)), path, {"format": "parquet"})
        return
    rows, options = _delimited(part, separator, header=header, quotes_least=quotes_least)
    store.copy_to(rows, path, {"format": "csv", **options})


def _delimited(part: Part, separator: str, *, header: bool, quotes_least: bool) -> tuple[Query, dict[str, str | bool]]:
    """Choose how to write delimited text: the rows to copy, and the options of the copy."""
    if quotes_least or len(separator.encode()) > 1:
        rows = _under_header(part) if header else part.rows
        options: dict[str, str | bool] = {"delimiter": _SEPARATOR_OF_LINES, "quote": "", "escape": ""}
        return _lines(rows, separator, quotes_least=quotes_least), {**options, "header": False}
    options = {"delimiter": separator, "quote": '"', "escape": '"'}
    if header and _distinct(part.headers) != list(part.headers):
        # The engine would rename the second of two equal headers, and a nameless one.
        return _under_header(part), {**options, "header": False}
    return headed(part.rows, part.headers), {**options, "header": header}


def headed(rows: Query, headers: Sequence[str]) -> Query:
    """Give the columns of a query their headers as names, its order untouched."""
    labelled = (column.label(header) for column, header in zip(rows.selected_columns, headers, strict=True))
    return rows.with_only_columns(*labelled, maintain_column_froms=True)


def _distinct(headers: Sequence[str]) -> list[str]:
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
