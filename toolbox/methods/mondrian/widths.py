"""How wide partitions are in each dimension: the rules by which a column is chosen to be cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.types import Codes, Reals
from toolbox.methods.mondrian.partitions import Partitions
from toolbox.methods.mondrian.regions import Domain, read_domain
from toolbox.store.tables import Tables

Measure = Callable[[Partitions, Codes, Codes], Reals]
"""Measures partitions (axis 1) in each dimension (axis 0), given their lowest and their highest ranks."""


def measure_of(dimension: str, tables: Tables) -> Measure:
    """Return the rule of this name: ``range``, ``distinct`` or ``interval``; widths are shares of the whole table."""
    if dimension == "distinct":
        return _by_distinct([column.values for column in tables.quasi_identifiers])
    domains = [read_domain(tables, column) for column in tables.quasi_identifiers]
    if dimension == "range":
        return _by_range(domains)
    return _by_region(domains)


def _by_range(domains: Sequence[Domain]) -> Measure:
    # Halves, because the difference of two large numbers may be beyond the largest.
    halves = [domain.values / 2 for domain in domains]
    whole = np.array([half[-1] - half[0] for half in halves])[:, None]

    def measured(parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        each = zip(halves, lowest, highest, strict=True)
        return _shares(np.stack([half[high] - half[low] for half, low, high in each]), whole)

    return measured


def _by_distinct(values: Sequence[int]) -> Measure:
    whole = np.array(values, np.float64)[:, None]

    def measured(parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        return _shares(np.stack([parts.distinct(index) for index, _ in enumerate(values)]), whole)

    return measured


def _by_region(domains: Sequence[Domain]) -> Measure:
    whole = np.array([domain.high / 2 - domain.low / 2 for domain in domains])[:, None]

    def measured(parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        regions = parts.regions
        assert regions is not None
        each = zip(domains, regions.lower, regions.upper, strict=True)
        return _shares(
            np.stack([domain.highs(upper) / 2 - domain.lows(lower) / 2 for domain, lower, upper in each]), whole
        )

    return measured


def _shares(widths: NDArray[Any], whole: Reals) -> Reals:
    """Divide widths by that of the whole. If the quotient is too large for a double, any width counts as the widest."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(widths / whole, nan=np.inf, posinf=np.inf)
