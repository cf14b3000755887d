"""From the partitions that are found to the classes of a release."""

from __future__ import annotations

import numpy as np

from toolbox.methods.arrays.recoding import recode
from toolbox.methods.arrays.types import Whole
from toolbox.methods.mondrian.names import name_values
from toolbox.methods.mondrian.partitions import Partitions
from toolbox.methods.mondrian.regions import name_regions
from toolbox.store.tables import QuasiIdentifierTables, Tables


def recode_partitions(tables: Tables, partitions: Partitions, *, by_region: bool) -> Tables:
    """Make a class of each partition, named after its values or after its region."""
    intervals: list[Whole] = []
    named: list[QuasiIdentifierTables] = []
    for index, column in enumerate(tables.quasi_identifiers):
        if by_region:
            regions = partitions.regions
            assert regions is not None
            names, extended = name_regions(tables, column, regions.lower[index], regions.upper[index])
        else:
            names, extended = name_values(tables, column, partitions.columns[index], partitions.starts)
        intervals.append(names)
        named.append(extended)
    return recode(
        tables,
        partitions.combination_ids,
        partitions.records.astype(partitions.sizes.dtype),
        intervals,
        classes=np.repeat(np.arange(partitions.count, dtype=np.int32), partitions.rows),
        quasi_identifiers=named,
    )
