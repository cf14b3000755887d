"""From the partitions that are found to the classes of a release."""

from __future__ import annotations

import numpy as np
from sqlalchemy import literal, select

from toolbox.methods.partitions.local_names import name_values
from toolbox.methods.partitions.partitions import Partitions
from toolbox.methods.partitions.regions import name_regions
from toolbox.store.tables import Tables


def recode(tables: Tables, found: Partitions, *, by_region: bool) -> Tables:
    """Make a class of each partition, named after its values or after its region."""
    rows, named = found.rows, []
    columns = {"combination_id": found.combination_ids, "size": found.sizes}
    for number, (one, name) in enumerate(zip(tables.quasi_identifiers, tables.interval_names, strict=True)):
        if by_region:
            assert found.regions is not None
            intervals, changed = name_regions(tables, one, found.regions.lower[number], found.regions.upper[number])
        else:
            intervals, changed = name_values(tables, one, found.columns[number], found.starts)
        columns[name] = np.repeat(intervals, rows)
        named.append(changed)
    given = tables.store.from_arrays("assignment", columns)
    suppressed = literal(False).label("suppressed")
    intervals_of = (given.c[name] for name in tables.interval_names)
    recoded = tables.recoded(
        select(given.c.combination_id, given.c.size, suppressed, *intervals_of), quasi_identifiers=named
    )
    tables.store.drop(given)
    return recoded
