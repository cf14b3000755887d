"""From levels to the classes of a release."""

from __future__ import annotations

import numpy as np
from sqlalchemy import literal, select

from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.methods.prioprivacy.combinations import Combinations
from toolbox.methods.prioprivacy.state import State, values_of
from toolbox.store.tables import Tables


def recode(tables: Tables, combinations: Combinations, ids: Numbers, state: State) -> Tables:
    """Give each combination its values at its levels. Nobody is left out: a class of roots is one like others."""
    columns: dict[str, Whole] = {"combination_id": ids, "size": combinations.sizes}
    for number, (one, name) in enumerate(zip(tables.quasi_identifiers, tables.interval_names, strict=True)):
        values = values_of(combinations, state, number)
        root = combinations.roots[number]
        columns[name] = np.where(state.levels[number] == root, one.root, values).astype(np.int64)
    given = tables.store.from_arrays("generalised", columns)
    named = (given.c[name] for name in tables.interval_names)
    assignment = select(given.c.combination_id, given.c.size, literal(False).label("suppressed"), *named)
    recoded = tables.recoded(assignment)
    tables.store.drop(given)
    return recoded
