"""How many cells of a release a spreadsheet would run as formulas, counted on distinct values where possible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, FromClause, String, cast, func, literal, select, union_all

from toolbox.config.file_names import has_types
from toolbox.config.model import Config
from toolbox.queries.cells import is_formula, match_formula
from toolbox.queries.dialect import count_where, list_cells
from toolbox.release.files.part import Part
from toolbox.store.input.layout import Layout
from toolbox.store.tables import Tables
from toolbox.treatments.treatment import ReleasedColumn

_SIDE_BY_SIDE = 50
"""Columns that are counted in an expression each. The time to plan a statement grows with the square of these, so that
the cells of more columns are looked at one below the other."""


class Formulas(NamedTuple):
    """The formulas of one released column."""

    column: str
    cells: int
    """Cells that a spreadsheet would run."""
    header: bool
    """Whether it would run the name of the column too."""


def find_formula_columns(config: Config, tables: Tables, layout: Layout, parts: Iterable[Part]) -> tuple[Formulas, ...]:
    """List the columns with formulas of a release of delimited text, in their order."""
    if config.output.path is None or has_types(config.output.path):
        return ()
    passed = _count_passing_formulas(config, tables, layout)
    columns = []
    for part in parts:
        of_classes = _count_class_formulas(config, tables, part)
        for column in part.shown:
            header, position = column.header, column.position
            cells = of_classes.get(header, 0) if position is None else passed.get(position, 0)
            formulas = Formulas(_name_column(header, layout), cells, layout.has_header and is_formula(header))
            if formulas.cells or formulas.header:
                columns.append(formulas)
    return tuple(columns)


def _name_column(header: str, layout: Layout) -> str:
    """Return the name of a column, or its number if it has none: a name that we make up is in no file of the user."""
    return header if layout.has_header else re.sub(r"^column_(\d+)$", r"column \1", header)


def _count_class_formulas(config: Config, tables: Tables, part: Part) -> dict[str, int]:
    """Count the formulas in each column that belongs to the class."""
    headers = list(part.texts)
    counts = []
    for number, header in enumerate(headers):
        texts = part.texts[header].subquery()
        cells = func.coalesce(func.sum(cast(texts.c.size, BigInteger)), 0)
        rows = select(literal(number), cells).where(match_formula(texts.c.text))
        counts.append(rows.where(~texts.c.suppressed) if config.output.suppressed == "drop" else rows)
    if not counts:
        return {}
    return {headers[number]: int(cells) for number, cells in tables.store.rows(select(union_all(*counts).subquery()))}


def _count_passing_formulas(config: Config, tables: Tables, layout: Layout) -> dict[int | None, int]:
    """Count the formulas in each column that passes through, in one pass over the records."""
    columns = list(layout.treated.values())
    counts = _count_formulas(tables, columns, drops=False)
    if config.output.suppressed == "drop" and any(counts.values()):
        # Only now does it matter which records stay.
        columns = [column for column in columns if counts[column.position]]
        counts = _count_formulas(tables, columns, drops=True)
    return counts


def _count_formulas(tables: Tables, columns: Sequence[ReleasedColumn], *, drops: bool) -> dict[int | None, int]:
    if not columns:
        return {}
    records = tables.anon_record if drops else tables.kept_records
    rows: FromClause = records
    if drops:
        classes = tables.equivalence
        rows = rows.join(classes, (classes.c.equivalence_id == records.c.equivalence_id) & ~classes.c.suppressed)
    positions = [column.position for column in columns]
    texts = [cast(column.select_from_records(records), String) for column in columns]
    if len(columns) <= _SIDE_BY_SIDE:
        counts = tables.store.row(select(*(count_where(match_formula(text)) for text in texts)).select_from(rows))
        return dict(zip(positions, map(int, counts), strict=True))
    place, text = list_cells(texts)
    cells = select(place.label("place"), text.label("text")).select_from(rows).subquery()
    counted = select(cells.c.place, count_where(match_formula(cells.c.text))).group_by(cells.c.place)
    found = {int(place): int(count) for place, count in tables.store.rows(counted)}
    return {position: found.get(place, 0) for place, position in enumerate(positions)}
