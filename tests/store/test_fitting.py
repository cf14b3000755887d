"""Rows of values and rows of cells, paired where each cell covers its value."""

from __future__ import annotations

from itertools import product

from sqlalchemy import select

from toolbox.store.engine.store import Store
from toolbox.store.prefix_join import build_side, pair_fitting_rows


def test_rows_fit_where_every_cell_covers_its_value(store: Store) -> None:
    """Cells 0 and 1 cover the values 0 and 1, 2 to 3; cell 2 covers 0 and 3, in two ranges."""
    spans = {0: [(0, 1)], 1: [(2, 3)], 2: [(0, 0), (3, 3)]}
    values, cells = list(product(range(4), repeat=2)), list(product(range(3), repeat=2))

    def table(rows: list[tuple[int, int]]):
        columns = {"id": (int, range(len(rows))), "size": (int, [1] * len(rows))}
        own = {name: (int, [row[place] for row in rows]) for place, name in enumerate(("a", "b"))}
        return store.create_constant("rows", {**columns, **own})

    people, classes = (build_side(store, table(rows), "id", ["a", "b"]) for rows in (values, cells))
    listed = [(cell, *span) for cell, ranges in spans.items() for span in ranges]
    covered = store.create_constant(
        "spans",
        {name: (int, [row[place] for row in listed]) for place, name in enumerate(("cell_id", "first", "last"))},
    )
    pairs = pair_fitting_rows(store, people, classes, [covered, covered])
    person, shown = people.table, classes.table
    joined = select(person.c.code_1, person.c.code_2, shown.c.code_1, shown.c.code_2).join_from(
        pairs, person, person.c.prefix_2 == pairs.c.value
    )
    found = store.rows(joined.join(shown, shown.c.prefix_2 == pairs.c.cell))

    def covers(cell: int, value: int) -> bool:
        return any(first <= value <= last for first, last in spans[cell])

    expected = [(*value, *cell) for value in values for cell in cells if all(map(covers, cell, value))]
    assert sorted(map(tuple, found)) == sorted(expected)
