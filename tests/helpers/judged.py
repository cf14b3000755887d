"""What the texts of one released column are taken for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from helpers.comparisons import Row, records
from sqlalchemy import select

from toolbox.config.model import QuasiIdentifier
from toolbox.published.cells.meanings import find_cell_meanings
from toolbox.published.domains import build_people
from toolbox.published.tables import Cells, Domain, Release, build_release_classes
from toolbox.store.engine.store import Store


class Meaning(NamedTuple):
    """What one text stands for."""

    form: str
    level: int | None
    labels: list[str | None]
    """The values, in their order."""


def domain(store: Store, attribute: QuasiIdentifier, values: Sequence[str | None]) -> Domain:
    """Order all that one column of some people can be."""
    rows: list[Row] = [(value,) for value in values]
    return build_people(store, records(store, rows).counted, [attribute], [None], "the original").domains[0]


def release_of(store: Store, texts: Sequence[str | None]) -> Release:
    rows: list[Row] = [(text,) for text in texts]
    return build_release_classes(store, records(store, rows).counted, name="the release", quasi_identifiers=["column"])


def cells_of(store: Store, of: Domain, texts: Sequence[str | None]) -> tuple[Release, Cells]:
    release = release_of(store, texts)
    (cells,) = find_cell_meanings(store, [(release.cells[0], of)], release.name)
    return release, cells


def meanings(
    store: Store, attribute: QuasiIdentifier, values: Sequence[str | None], texts: Sequence[str | None]
) -> dict[str | None, Meaning]:
    """Find out what each text stands for, given what people can be."""
    of = domain(store, attribute, values)
    release, cells = cells_of(store, of, texts)
    cell, meaning, spans, known = release.cells[0], cells.meanings, cells.spans, of.values
    rows = select(cell.c.text, meaning.c.form, meaning.c.level, cell.c.cell_id)
    joined = rows.join_from(cell, meaning, meaning.c.cell_id == cell.c.cell_id)
    found = {}
    for text, form, level, number in store.rows(joined):
        inside = known.c.value_id.between(spans.c.first, spans.c.last)
        labels = select(known.c.label).join_from(known, spans, inside).where(spans.c.cell_id == number)
        covered = [label for (label,) in store.rows(labels.order_by(known.c.value_id))]
        found[text] = Meaning(form, level, covered)
    return found


def measures(
    store: Store, attribute: QuasiIdentifier, values: Sequence[str | None], texts: Sequence[str | None]
) -> dict[str | None, tuple[float | None, float | None, int, int]]:
    """Return the bounds of each text, and how many values and people it covers."""
    release, cells = cells_of(store, domain(store, attribute, values), texts)
    cell, meaning = release.cells[0], cells.meanings
    columns = [meaning.c[name] for name in ("low", "high", "values", "people")]
    rows = select(cell.c.text, *columns).join_from(cell, meaning, meaning.c.cell_id == cell.c.cell_id)
    return {text: tuple(rest) for text, *rest in store.rows(rows)}  # type: ignore[misc]
