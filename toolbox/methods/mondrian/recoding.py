"""From the partitions that are found to the classes of a release."""

from __future__ import annotations

import numpy as np
from sqlalchemy import literal, select

from toolbox.methods.arrays.types import Whole
from toolbox.methods.mondrian.names import name_values
from toolbox.methods.mondrian.partitions import Partitions
from toolbox.methods.mondrian.regions import name_regions
from toolbox.store.tables import Tables


def recode(tables: Tables, found: Partitions, *, by_region: bool) -> Tables:
    """Make a class of each partition, named after its values or after its region."""
    store, named = tables.store, []
    parts = np.arange(found.count, dtype=np.int32)
    columns: dict[str, Whole] = {"part": parts, "size": found.records.astype(found.sizes.dtype)}
    for number, (one, name) in enumerate(zip(tables.quasi_identifiers, tables.interval_names, strict=True)):
        if by_region:
            assert found.regions is not None
            columns[name], changed = name_regions(tables, one, found.regions.lower[number], found.regions.upper[number])
        else:
            columns[name], changed = name_values(tables, one, found.columns[number], found.starts)
        named.append(changed)
    given = store.from_arrays("parts", columns)
    members = store.from_arrays(
        "members", {"combination_id": found.combination_ids, "part": np.repeat(parts, found.rows)}
    )
    values = (given.c[name] for name in tables.interval_names)
    assignment = select(given.c.part, given.c.size, literal(False).label("suppressed"), *values)
    recoded = tables.recoded(assignment, members=select(members), quasi_identifiers=named)
    store.drop(given, members)
    return recoded
