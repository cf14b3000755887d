"""The search for all minimal satisfying nodes: subsets of the quasi-identifiers, both prunings, roll-up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from sqlalchemy import func, select, union

from toolbox.errors import UsageError
from toolbox.methods.lattice.cube import Cube
from toolbox.methods.lattice.frequency_sets import FrequencySets, RollUp, of_combinations
from toolbox.methods.lattice.nodes import Cells, Levels, Subset, SubsetLattice, lattice_over, subsets_of_size
from toolbox.methods.lattice.packing import Packing
from toolbox.methods.lattice.roll_up import Wanted, at_nodes, combined
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Node, Tables

_MOST_NODES = 50_000_000
"""Nodes of all subsets' lattices together, beyond which a search is not begun."""


@dataclass
class LatticeSearch:
    """One search of the lattices of one table.

    Parameters
    ----------
    tables : Tables
    models : sequence of PrivacyModel
        Monotone ones.
    threshold : int
        Most records that may be in violating classes, which are then suppressed.
    """

    tables: Tables
    models: Sequence[PrivacyModel]
    threshold: int

    def __post_init__(self) -> None:
        self._heights = [one.height for one in self.tables.quasi_identifiers]
        if prod(height + 2 for height in self._heights) > _MOST_NODES:
            nodes = prod(height + 1 for height in self._heights)
            raise UsageError(
                f"The lattice has {nodes:,} nodes, too many to search. Use fewer quasi-identifiers, or Mondrian."
            )
        judged = dict.fromkeys(model.attribute for model in self.models if model.attribute is not None)
        self._attributes: tuple[str | None, ...] = tuple(judged) or (None,)
        self._classes: dict[Levels, int] = {}

    def minimal_nodes(self) -> list[Node]:
        """Find every minimal node over all quasi-identifiers that satisfies the models."""
        size = len(self._heights)
        lattices = [self._alone(place) for place in range(size)]
        if size > 1:
            lowest = tuple(lattice.minimal()[0][0] for lattice in lattices)
            cube = Cube(self.tables, lowest, self._attributes)
            for larger in range(2, size + 1):
                known = {lattice.subset: lattice.satisfying for lattice in lattices}
                lattices = self._over_subsets(larger, cube, known)
                cube.drop(larger)
        return [Node(levels, self._classes[levels]) for levels in lattices[0].minimal()]

    def _alone(self, place: int) -> SubsetLattice:
        """Search the levels of one quasi-identifier by itself."""
        lattice = lattice_over((place,), self._heights, {})
        base = of_combinations(self.tables, (place,), (0,), self._attributes)
        self._walk([lattice], base, {lattice.subset: 0})
        base.drop()
        return lattice

    def _over_subsets(self, size: int, cube: Cube, known: dict[Subset, Cells]) -> list[SubsetLattice]:
        """Search the lattices of all subsets of a size."""
        subsets = subsets_of_size(len(self._heights), size)
        found = {subset: lattice_over(subset, self._heights, known) for subset in subsets}
        for batch in cube.batches(subsets):
            numbers = {subset: cube.number(subset) for subset in batch}
            self._walk([found[subset] for subset in batch], cube.of_size(size), numbers)
        return list(found.values())

    def _walk(self, lattices: Sequence[SubsetLattice], base: FrequencySets, numbers: Mapping[Subset, int]) -> None:
        """Go up lattices of one size, all nodes of a height at once.

        Parameters
        ----------
        base : FrequencySets
            At the lowest levels.
        numbers : mapping of subset to int
            The nodes of the subsets in it.
        """
        packing = base.packing
        roots = [(lattice, levels) for lattice in lattices for levels in lattice.roots()]
        wanted = [Wanted(numbers[one.subset], _in_packing(packing, one.subset, levels)) for one, levels in roots]
        checked = at_nodes(base, wanted)
        made = [checked]
        failed = self._checked(checked, roots)
        for height in range(max(lattice.height for lattice in lattices) + 1):
            nodes = [(lattice, levels) for lattice in lattices for levels in lattice.to_check(height)]
            if nodes:
                made.append(self._one_higher(nodes, failed))
                failed |= self._checked(made[-1], nodes)
        for sets in made:
            sets.drop()

    def _checked(
        self, sets: FrequencySets, nodes: Sequence[tuple[SubsetLattice, Levels]]
    ) -> dict[tuple[Subset, Levels], _Failed]:
        """Check nodes, numbered as they are listed; return those that fail."""
        self.tables.report(f"{len(nodes[0][1])} quasi-identifiers together: {len(nodes):,} nodes")
        classes, failing = sets.class_counts(), self._failing(sets)
        good, bad = defaultdict[SubsetLattice, list[Levels]](list), defaultdict[SubsetLattice, list[Levels]](list)
        failed = {}
        for number, (lattice, levels) in enumerate(nodes):
            if number in failing:
                bad[lattice].append(levels)
                failed[lattice.subset, levels] = _Failed(classes[number], sets, number)
            else:
                good[lattice].append(levels)
                self._classes[levels] = classes[number]
        for lattice in {*good, *bad}:
            lattice.mark(good[lattice], bad[lattice])
        return failed

    def _one_higher(
        self, nodes: Sequence[tuple[SubsetLattice, Levels]], failed: Mapping[tuple[Subset, Levels], _Failed]
    ) -> FrequencySets:
        """Roll the smallest frequency set below each node up by one level; what is open is above what has failed."""
        plans = defaultdict[int, list[RollUp]](list)
        sources: dict[int, FrequencySets] = {}
        for number, (lattice, levels) in enumerate(nodes):
            below = {one: failed[lattice.subset, one] for one in _below(levels) if (lattice.subset, one) in failed}
            lower, source = min(below.items(), key=lambda item: item[1].classes)
            packing = source.sets.packing
            target, origin = (_in_packing(packing, lattice.subset, one) for one in (levels, lower))
            sources[id(source.sets)] = source.sets
            plans[id(source.sets)].append(RollUp(source.number, number, target, origin))
        first = next(iter(sources.values()))
        return combined([sources[key].rolled_up(plan) for key, plan in plans.items()], first)

    def _failing(self, made: FrequencySets) -> set[int]:
        """Find the nodes that do not satisfy the models, after suppression where it is allowed."""
        each = (model.violations(made.classes(model.attribute)).subquery() for model in self.models)
        violating = union(*(select(one.c.equivalence_id) for one in each)).subquery()
        node = made.packing.node(violating.c.equivalence_id)
        failing = select(node).distinct()
        if self.threshold:
            sizes = made.classes(None).sizes
            joined = violating.join(sizes, sizes.c.equivalence_id == violating.c.equivalence_id)
            failing = select(node).select_from(joined).group_by(node).having(func.sum(sizes.c.size) > self.threshold)
        return {int(number) for (number,) in self.tables.store.rows(failing)}


class _Failed(NamedTuple):
    """A node that does not satisfy the models, from whose frequency set others can be made."""

    classes: int
    sets: FrequencySets
    number: int


def _below(levels: Levels) -> Iterator[Levels]:
    """List the nodes from which one step leads to a node."""
    for index, level in enumerate(levels):
        if level:
            yield (*levels[:index], level - 1, *levels[index + 1 :])


def _in_packing(packing: Packing, subset: Subset, levels: Levels) -> Levels:
    """Give a level to every quasi-identifier of a packing: the lowest one to those outside the subset."""
    given = dict(zip(subset, levels, strict=True))
    return tuple(given.get(place, low) for place, low in zip(packing.places, packing.lowest, strict=True))
