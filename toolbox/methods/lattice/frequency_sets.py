"""Frequency sets of many lattice nodes side by side, each made from a smaller one where there is one.

References
----------
LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164;
roll-up and, in section 3.3.2, the data cube.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import BigInteger, FromClause, Table, and_, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.lattice.nodes import Levels
from toolbox.methods.lattice.packing import Packing, pack, packed_combinations
from toolbox.privacy.classes import Classes, described_by
from toolbox.queries.query import Query
from toolbox.store.tables import Tables


class RollUp(NamedTuple):
    """A node that is made from another one."""

    source: int
    """Number of the other node."""
    number: int
    """The number that it gets."""
    levels: Levels
    """Its levels, of all quasi-identifiers in the packing; the lowest one for those outside its subset."""
    below: Levels
    """The levels of the other node."""


@dataclass(frozen=True)
class FrequencySets:
    """Frequency sets of nodes, told apart by the numbers of the nodes.

    One table for each sensitive attribute that is judged, ``equivalence_id, value, records``; where there is none, one
    of sizes, ``equivalence_id, size``. The ``equivalence_id`` is the packed number of a class.
    """

    tables: Tables
    packing: Packing
    attributes: tuple[str | None, ...]
    """Sensitive attributes; just None if only sizes are judged."""
    sets: tuple[Table, ...]

    def classes(self, attribute: str | None) -> Classes:
        """Show the classes of all nodes to a model of this attribute."""
        given = self.attributes[0] if attribute is None else attribute
        counted = self.sets[self.attributes.index(given)]
        return described_by(None if given is None else self.tables.sensitive[given], counted)

    def class_counts(self) -> dict[int, int]:
        """Count the classes of each node."""
        number = self.sets[0].c.equivalence_id
        node = self.packing.node(number)
        classes = func.count() if self.attributes[0] is None else func.count(number.distinct())
        return dict(map(tuple, self.tables.store.rows(select(node, classes).group_by(node))))

    def drop(self) -> None:
        """Forget them."""
        self.tables.store.drop(*self.sets)

    def rolled_up(self, plan: Sequence[RollUp]) -> list[Query]:
        """Generalise nodes into others, in as many quasi-identifiers as they differ in.

        Returns
        -------
        list of Select
            One for each table of frequency sets, with the same columns.
        """
        indices = [index for index, _ in enumerate(self.packing.places)]
        raised = [index for index in indices if any(one.levels[index] != one.below[index] for one in plan)]
        columns = {"source": [one.source for one in plan], "shift": [one.number - one.source for one in plan]}
        columns |= {f"level_{index}": [one.levels[index] for one in plan] for index in raised}
        columns |= {f"origin_{index}": [one.below[index] for one in plan] for index in raised}
        steps = self.tables.store.create_constant("plan", {name: (int, numbers) for name, numbers in columns.items()})
        return [self._rolled_up(counted, steps, raised) for counted in self.sets]

    def _rolled_up(self, counted: Table, steps: Table, raised: Sequence[int]) -> Query:
        packing, number = self.packing, counted.c.equivalence_id
        joined = counted.join(steps, steps.c.source == packing.node(number))
        moved: ColumnElement[int] = self._at_target(number, steps)
        for index in raised:
            moves = packing.moves[index].alias()
            same = and_(
                moves.c.origin == steps.c[f"origin_{index}"],
                moves.c.level == steps.c[f"level_{index}"],
                moves.c.code == packing.part(number, index),
            )
            joined = joined.outerjoin(moves, same)
            moved = moved + func.coalesce(moves.c.addend, 0)
        return self._grouped(counted, joined, moved)

    def left_out(self, plan: Sequence[tuple[int, int, int]]) -> list[Query]:
        """Leave one quasi-identifier out of each node.

        Parameters
        ----------
        plan : sequence of (source, number, index)
            The node, the number of the new one, and which quasi-identifier of the packing is left out.
        """
        sources, numbers, indices = zip(*plan, strict=True)
        columns = {
            "source": sources,
            "shift": [number - source for source, number in zip(sources, numbers, strict=True)],
            "radix": [self.packing.radix(index) for index in indices],
            "values": [self.packing.counts[index] for index in indices],
        }
        steps = self.tables.store.create_constant("plan", {name: (int, numbers) for name, numbers in columns.items()})
        queries = []
        for counted in self.sets:
            number = counted.c.equivalence_id
            joined = counted.join(steps, steps.c.source == self.packing.node(number))
            part = number.op("//")(steps.c.radix).op("%")(steps.c["values"]) * steps.c.radix
            queries.append(self._grouped(counted, joined, self._at_target(number, steps) - part))
        return queries

    def _at_target(self, number: ColumnElement[int], steps: Table) -> ColumnElement[int]:
        """Give the class of a node the number of the same class at the node that is made from it."""
        return number + cast(steps.c.shift, self.packing.number_type) * literal(self.packing.span)

    def _grouped(self, counted: Table, joined: FromClause, moved: ColumnElement[int]) -> Query:
        """Merge the classes that have become one."""
        key = cast(moved, self.packing.number_type)
        measure = list(counted.c)[-1]
        total = cast(func.sum(measure), BigInteger).label(measure.name)
        kept = [counted.c.value] if "value" in counted.c else []
        return select(key.label("equivalence_id"), *kept, total).select_from(joined).group_by(key, *kept)

    def created(self, queries: Sequence[Query]) -> FrequencySets:
        """Return other frequency sets of the same attributes, out of one query for each."""
        sets = tuple(self.tables.store.create("frequencies", query) for query in queries)
        return FrequencySets(self.tables, self.packing, self.attributes, sets)


def of_combinations(tables: Tables, places: Levels, lowest: Levels, attributes: Sequence[str | None]) -> FrequencySets:
    """Count the classes of one node, number 0: some quasi-identifiers, each at its lowest level."""
    packing = pack(tables, places, lowest)
    joined, number = packed_combinations(tables, packing)
    combination = tables.combinations
    queries = []
    for attribute in attributes:
        if attribute is None:
            size = cast(func.sum(combination.c.size), BigInteger).label("size")
            queries.append(select(number.label("equivalence_id"), size).select_from(joined).group_by(number))
            continue
        held = tables.sensitive[attribute].histogram
        records = cast(func.sum(held.c.records), BigInteger).label("records")
        both = joined.join(held, held.c.combination_id == combination.c.combination_id)
        keys = (number, held.c.value)
        queries.append(select(number.label("equivalence_id"), held.c.value, records).select_from(both).group_by(*keys))
    sets = tuple(tables.store.create("frequencies", query) for query in queries)
    return FrequencySets(tables, packing, tuple(attributes), sets)
