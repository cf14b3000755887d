"""The distinct combinations of a table as arrays, in an order that does not depend on that of its records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sqlalchemy import Integer, SmallInteger, cast, select

from toolbox.methods.arrays.types import Whole
from toolbox.store.tables import PopulationTables, Tables


class Combinations(NamedTuple):
    """The distinct combinations of quasi-identifier values, in the order of these values."""

    ids: Whole
    sizes: Whole
    """Records of each combination, or people."""
    values: list[Whole]
    """For each quasi-identifier the rank of the value, in two bytes where that is enough."""


def combinations_of(tables: Tables, people: PopulationTables | None = None) -> Combinations:
    """Fetch the initial combinations, or those of a population."""
    combination = (tables if people is None else people).combinations.c
    columns = [
        cast(combination[name], SmallInteger if column.values < 2**15 else Integer).label(name)
        for name, column in zip(tables.interval_names, tables.quasi_identifiers, strict=True)
    ]
    fetched = tables.store.to_arrays(select(combination.combination_id, combination.size, *columns))
    ids = fetched["combination_id"]
    # Combinations are numbered in the order of their values. A table nearly always comes as it is stored; but an engine
    # may return rows in any order, and to sort them there would take longer than to look.
    if (ids[1:] < ids[:-1]).any():
        order = np.argsort(ids)
        fetched = {name: column[order] for name, column in fetched.items()}
    return Combinations(fetched["combination_id"], fetched["size"], [fetched[name] for name in tables.interval_names])
