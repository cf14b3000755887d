"""The class of a record at a lattice node as one number, so that generalising it is an addition.

The number is the codes of the generalised values in a mixed radix, plus the number of the node times the count of all
such codes. So one table holds the classes of many nodes, and one statement generalises all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add

from sqlalchemy import BigInteger, FromClause, Integer, Table, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import UsageError
from toolbox.methods.lattice.nodes import Levels, Subset
from toolbox.queries.query import Query
from toolbox.store.statements import HugeInteger
from toolbox.store.tables import QuasiIdentifierTables, Tables

_LARGEST = 2**62
_LARGEST_HUGE = 2**126
_MOST_NODES = 2**26
"""Nodes that are numbered together, at most: more than a search is begun with."""


@dataclass(frozen=True)
class Packing:
    """How the codes of some quasi-identifiers become one number.

    Each of them begins at a lowest level, below which no node of interest lies.
    """

    places: Subset
    lowest: Levels
    counts: tuple[int, ...]
    """Number of values of each at its lowest level."""
    codes: tuple[Table, ...]
    """For each ``level_0, code``: the number of its value at the lowest level."""
    moves: tuple[Table, ...]
    """For each ``origin, level, code, addend``: what raises a value from one level to another, by its code at the
    first; from the lowest level to every higher one, and from every level to the next."""

    number_type: BigInteger | HugeInteger
    """Holds the classes of all nodes."""

    @property
    def span(self) -> int:
        """Count of all combinations of codes."""
        return prod(self.counts)

    def node(self, number: ColumnElement[int]) -> ColumnElement[int]:
        """Read the node out of the number of a class."""
        return cast(number.op("//")(literal(self.span)), BigInteger)

    def part(self, number: ColumnElement[int], index: int) -> ColumnElement[int]:
        """Read the code of one quasi-identifier, the index-th of the packing, out of the number of a class."""
        return number.op("//")(literal(self.radix(index))).op("%")(literal(self.counts[index]))

    def radix(self, index: int) -> int:
        """Return what one step in the code of a quasi-identifier adds."""
        return prod(self.counts[:index])


def pack(tables: Tables, places: Subset, lowest: Levels) -> Packing:
    """Give numbers to the values of quasi-identifiers at their lowest levels and above.

    Raises
    ------
    UsageError
        If the numbers of their classes are beyond all types.
    """
    store = tables.store
    quasi_identifiers = [tables.quasi_identifiers[place] for place in places]
    coded = [store.create("coded", _coded(one, level)) for one, level in zip(quasi_identifiers, lowest, strict=True)]
    own = [table.c[f"code_{level}"] for table, level in zip(coded, lowest, strict=True)]
    counts = tuple(int(store.scalar(select(func.max(code) + 1))) for code in own)
    if prod(counts) * _MOST_NODES >= _LARGEST_HUGE:
        raise UsageError(
            "The quasi-identifiers have too many values for a search of their lattice. Use fewer, or Mondrian."
        )
    number_type = BigInteger() if prod(counts) * _MOST_NODES < _LARGEST else HugeInteger()
    codes = [select(table.c.level_0, code.label("code")) for table, code in zip(coded, own, strict=True)]
    moves = [
        _moves(table, (level, one.height), prod(counts[:index]), number_type)
        for index, (one, level, table) in enumerate(zip(quasi_identifiers, lowest, coded, strict=True))
    ]
    return Packing(
        places=places,
        lowest=lowest,
        counts=counts,
        codes=tuple(store.create("codes", rows) for rows in codes),
        moves=tuple(store.create("moves", rows) for rows in moves),
        number_type=number_type,
    )


def packed_combinations(tables: Tables, packing: Packing) -> tuple[FromClause, ColumnElement[int]]:
    """Join every combination to its codes; return the join and the number of its class at node 0."""
    joined: FromClause = tables.combinations
    terms: list[ColumnElement[int]] = []
    for index, (place, codes) in enumerate(zip(packing.places, packing.codes, strict=True)):
        joined = joined.join(codes, codes.c.level_0 == tables.combinations.c[tables.interval_names[place]])
        terms.append(cast(codes.c.code, packing.number_type) * literal(packing.radix(index)))
    return joined, reduce(add, terms)


def _coded(one: QuasiIdentifierTables, lowest: int) -> Query:
    """Give numbers to the values at each level from the lowest on: ``level_0, code_<lowest> ..``."""
    levels = range(lowest, one.height + 1)
    ranks = (cast(func.dense_rank().over(order_by=one.level(level)) - 1, Integer) for level in levels)
    return select(
        one.ground.c.level_0, *(rank.label(f"code_{level}") for level, rank in zip(levels, ranks, strict=True))
    )


def _moves(coded: Table, levels: tuple[int, int], radix: int, number_type: BigInteger | HugeInteger) -> Query:
    lowest, highest = levels
    steps = [(origin, level) for level in range(lowest + 1, highest + 1) for origin in {lowest, level - 1}]
    each = [
        select(
            literal(origin).label("origin"),
            literal(level).label("level"),
            coded.c[f"code_{origin}"].label("code"),
            (cast(coded.c[f"code_{level}"] - coded.c[f"code_{origin}"], number_type) * radix).label("addend"),
        ).distinct()
        for origin, level in steps or [(lowest, lowest)]
    ]
    return select(union_all(*each).subquery())
