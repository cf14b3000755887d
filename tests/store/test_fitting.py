"""Rows of values and rows of cells, paired where each cell covers its value."""

from __future__ import annotations

from itertools import product

import pytest
from sqlalchemy import select

from toolbox.store.engine.store import Store
from toolbox.store.prefix_join import build_side, pair_fitting_rows

SPANS = {0: [(0, 1)], 1: [(2, 3)], 2: [(0, 0), (3, 3)], 3: [(0, 3)]}
"""Cell 0 covers the values 0 and 1, cell 2 covers 0 and 3, in two ranges."""


@pytest.mark.parametrize(("columns", "cells"), [(2, (0, 1, 2)), (3, (0, 1, 2, 3)), (4, (0, 1, 2, 3))])
def test_rows_fit_where_every_cell_covers_its_value(store: Store, columns: int, cells: tuple[int, ...]) -> None:
    """Few rows are compared at once; in the last case so many are left to each other that beginnings are."""
    names = [f"column_{place}" for place in range(columns)]

    def table(rows: list[tuple[int, ...]]):
        own = {name: (int, [row[place] for row in rows]) for place, name in enumerate(names)}
        return store.create_constant("rows", {"id": (int, range(len(rows))), "size": (int, [1] * len(rows)), **own})

    values, released = list(product(range(4), repeat=columns)), list(product(cells, repeat=columns))
    people, classes = (build_side(store, table(rows), "id", names) for rows in (values, released))
    listed = [(cell, *span) for cell, ranges in SPANS.items() for span in ranges]
    covered = store.create_constant(
        "spans",
        {name: (int, [row[place] for row in listed]) for place, name in enumerate(("cell_id", "first", "last"))},
    )
    pairs = pair_fitting_rows(store, people, classes, [covered] * columns)
    person, shown = people.table, classes.table
    joined = select(person.c.id, shown.c.id).join_from(pairs, person, person.c[people.last] == pairs.c.value)
    found = store.rows(joined.join(shown, shown.c[classes.last] == pairs.c.cell))

    def covers(cell: int, value: int) -> bool:
        return any(first <= value <= last for first, last in SPANS[cell])

    expected = [
        (place, number)
        for place, value in enumerate(values)
        for number, cell in enumerate(released)
        if all(map(covers, cell, value))
    ]
    assert sorted(map(tuple, found)) == sorted(expected)
