"""From the classes that are found to those of a release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import literal, select

from toolbox.methods.local_recoding.classes import Classes
from toolbox.methods.local_recoding.columns import Rows
from toolbox.store.tables import Tables


def recode(tables: Tables, rows: Rows, found: Classes) -> Tables:
    """Give each class the values at its levels."""
    store, names = tables.store, tables.interval_names
    first = np.unique(found.of_row, return_index=True)[1]
    columns: dict[str, NDArray[np.integer]] = {
        "part": np.arange(found.count),
        "size": np.bincount(found.of_row, rows.sizes).astype(np.int64),
    }
    for name, column, value, level in zip(names, rows.columns, rows.values, found.levels, strict=True):
        columns[name] = np.stack(column.codes)[level, value[first]].astype(np.int32)
    parts = store.from_arrays("parts", columns)
    members = store.from_arrays("members", {"combination_id": rows.combination_ids, "part": found.of_row})
    assignment = select(
        parts.c.part, parts.c.size, literal(False).label("suppressed"), *(parts.c[name] for name in names)
    )
    recoded = tables.recoded(assignment, members=select(members))
    store.drop(parts, members)
    return recoded
