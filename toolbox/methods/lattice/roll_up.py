"""The frequency sets of many nodes out of those of the cube, along paths that they share.

Quasi-identifiers are raised one after the other. Nodes that agree in the first of them share the frequency set on the
way, which is smaller after every step; each quasi-identifier goes from its lowest level to the node's level at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select, union_all

from toolbox.methods.lattice.frequency_sets import FrequencySets, RollUp
from toolbox.methods.lattice.nodes import Levels
from toolbox.queries.query import Query


class Place(NamedTuple):
    """Where the frequency set of a node is."""

    sets: FrequencySets
    number: int


class Wanted(NamedTuple):
    """A node whose frequency set is wanted."""

    start: int
    """Number of the node of its subset in the cube."""
    levels: Levels
    """Of all quasi-identifiers in the packing; the lowest one for those outside its subset."""


def at_nodes(base: FrequencySets, wanted: Sequence[Wanted]) -> FrequencySets:
    """Make the frequency sets of nodes, numbered as they are listed.

    Parameters
    ----------
    base : FrequencySets
        At the lowest levels, one node for each subset.
    """
    lowest = base.packing.lowest
    places = {one._replace(levels=lowest): Place(base, one.start) for one in wanted}
    # Those with most values first: raising them leaves least to do for the others.
    order = sorted(range(len(lowest)), key=lambda index: -base.packing.counts[index])
    made: list[FrequencySets] = []
    for step, index in enumerate(order, start=1):
        raised = set(order[:step])
        next_places = dict.fromkeys(_raised(one, lowest, raised) for one in wanted)
        plans = defaultdict[int, list[RollUp]](list)
        sources: dict[int, FrequencySets] = {}
        fresh = [one for one in next_places if one not in places]
        for number, target in enumerate(fresh):
            below = _raised(target, lowest, raised - {index})
            source = places[below]
            sources[id(source.sets)] = source.sets
            plans[id(source.sets)].append(RollUp(source.number, number, target.levels, below.levels))
        if fresh:
            made.append(combined([sources[key].rolled_up(plan) for key, plan in plans.items()], base))
            places |= {target: Place(made[-1], number) for number, target in enumerate(fresh)}
    return _collected(base, [places[one] for one in wanted], made)


def _raised(one: Wanted, lowest: Levels, raised: set[int]) -> Wanted:
    """Return the node on the way to another one at which only these quasi-identifiers have been raised."""
    return one._replace(
        levels=tuple(level if index in raised else lowest[index] for index, level in enumerate(one.levels))
    )


def combined(parts: Sequence[Sequence[Query]], like: FrequencySets) -> FrequencySets:
    """Put frequency sets of different nodes into one table for each attribute."""
    return like.created([select(union_all(*queries).subquery()) for queries in zip(*parts, strict=True)])


def _collected(base: FrequencySets, places: Sequence[Place], made: Sequence[FrequencySets]) -> FrequencySets:
    """Bring nodes from several tables into one, under new numbers; forget those tables."""
    lowest = base.packing.lowest
    plans = defaultdict[int, list[RollUp]](list)
    sources = {id(place.sets): place.sets for place in places}
    for number, place in enumerate(places):
        plans[id(place.sets)].append(RollUp(place.number, number, lowest, lowest))
    collected = combined([sources[key].rolled_up(plan) for key, plan in plans.items()], base)
    for sets in made:
        sets.drop()
    return collected
