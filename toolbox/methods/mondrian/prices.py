"""What a cell costs by a loss metric that is a sum over cells, in classes that have some of the values of a column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from sqlalchemy import select, union

from toolbox.methods.arrays.types import Flags, Numbers, Reals, Whole
from toolbox.store.tables import QuasiIdentifierTables, Tables

_Cost: TypeAlias = Callable[..., Reals]
"""From what the values of cells add up to, to what these cost; both finite, also where there is no value."""


class Price(ABC):
    """The cost of a cell of one column in some classes, by the values that occur in them."""

    @abstractmethod
    def of(self, ranks: Whole, held: Flags, starts: Numbers) -> Reals:
        """Return what a cell of each class costs; anything finite for one without values.

        Parameters
        ----------
        ranks : array
            Ascending ranks of values, class by class.
        held : array of bool
            Which of them the class has.
        starts : array
            Where each class begins.
        """


@dataclass(frozen=True)
class RangePrice(Price):
    """Of a class that is named by its lowest and its highest value, and covers all between."""

    ends: tuple[tuple[Reals, Reals], ...]
    """For each amount, from where it counts if a rank is the lowest, and to where if it is the highest."""
    cost: _Cost

    def of(self, ranks: Whole, held: Flags, starts: Numbers) -> Reals:
        lowest = np.minimum.reduceat(np.where(held, ranks, len(self.ends[0][0]) - 1), starts)
        highest = np.maximum.reduceat(np.where(held, ranks, 0), starts)
        return self.cost(*(until[highest] - since[lowest] for since, until in self.ends))


@dataclass(frozen=True)
class SetPrice(Price):
    """Of a class that is named by the set of its values."""

    amounts: tuple[Reals, ...]
    """What adds up, of each rank."""
    cost: _Cost

    def of(self, ranks: Whole, held: Flags, starts: Numbers) -> Reals:
        return self.cost(*(np.add.reduceat(np.where(held, amount[ranks], 0.0), starts) for amount in self.amounts))


def column_prices(tables: Tables, columns: Sequence[Whole], sizes: Whole, metric: str) -> list[tuple[Price, float]]:
    """Return for each column what its cells cost, and by how much they count beside those of others.

    Parameters
    ----------
    columns : sequence of array
        The rank of the value of each combination.
    sizes : array
        The records of each combination.
    metric : str
        ``lm``, ``granularity``, ``ncp``, ``conditional-entropy`` or ``normalised-conditional-entropy``.
    """
    found = []
    for column, ranks in zip(tables.quasi_identifiers, columns, strict=True):
        if metric.endswith("conditional-entropy"):
            found.append((_entropy(column, np.bincount(ranks, sizes, column.values).astype(np.float64)), 1.0))
        elif metric == "ncp":
            found.append((_certainty(tables, column), 1.0 if column.weight is None else column.weight))
        else:
            known = _known(tables, column)
            found.append((_others(tables, column, known), 1 - 1 / len(known) if metric == "granularity" else 1.0))
    return found


def _entropy(column: QuasiIdentifierTables, records: Reals) -> Price:
    """Charge the bits that it takes to tell the value of a record of the input that is among those of a cell."""
    amounts = records, records * np.log2(np.maximum(records, 1))

    def bits(covered: Reals, information: Reals) -> Reals:
        some = np.maximum(covered, 1)
        return np.maximum(np.log2(some) - information / some, 0)

    return RangePrice(tuple(map(_running, amounts)), bits) if _is_range(column) else SetPrice(amounts, bits)


def _certainty(tables: Tables, column: QuasiIdentifierTables) -> Price:
    """Cost of a cell: the share of occurring values that it covers, or of the width for numbers."""
    if (width := _width(tables, column)) is not None:
        return width
    each = np.ones(column.values)

    def share(count: Reals) -> Reals:
        return np.where(count > 1, count / column.values, 0.0)

    return RangePrice((_running(each),), share) if _is_range(column) else SetPrice((each,), share)


def _others(tables: Tables, column: QuasiIdentifierTables, known: Reals) -> Price:
    """Charge the other values that a cell covers as a share of all others, or the share of the width of numbers."""
    if (width := _width(tables, column)) is not None:
        return width
    others = max(len(known) - 1, 1)
    if not _is_range(column):
        return SetPrice((np.ones(column.values),), lambda count: (count - 1) / others)
    places = np.searchsorted(known, _values(tables, column)).astype(np.float64)
    return RangePrice(((places, places),), lambda between: between / others)


def _width(tables: Tables, column: QuasiIdentifierTables) -> Price | None:
    """Charge the share of the width of numbers; None for a column whose values are counted."""
    if column.kind != "number" or column.has_hierarchy:
        return None
    # Halves, because the difference of two large numbers may be beyond the largest.
    halves = _values(tables, column) / 2
    whole = halves[-1] - halves[0]
    if not whole > 0:
        return None
    return RangePrice(((halves, halves),), lambda between: between / whole)


def _is_range(column: QuasiIdentifierTables) -> bool:
    """Return whether a class is named by its ends, and not by the set of its values."""
    return column.kind == "number" or (column.is_ordered and not column.has_hierarchy)


def _running(amounts: Reals) -> tuple[Reals, Reals]:
    until = np.cumsum(amounts)
    return until - amounts, until


def _values(tables: Tables, column: QuasiIdentifierTables) -> Reals:
    ground = column.ground.c
    values: Reals = tables.store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    return values


def _known(tables: Tables, column: QuasiIdentifierTables) -> Reals:
    """Return all values of a column, those among them that only its hierarchy lists."""
    known = union(select(column.ground.c.value), select(column.codes.c.value)).subquery()
    listed = tables.store.to_arrays(select(known.c.value))["value"]
    every: Reals = np.union1d(listed, np.array(column.listed, np.float64))
    return every
