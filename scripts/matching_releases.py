"""Releases without classes, made from their definitions: (k,k)-anonymity and k-concealment, to see what they hide.

A person fits a row where the row covers all of their values. In a **(k,1)-anonymous** release each row covers k
people, in a **(1,k)-anonymous** one each person fits k rows, and a **(k,k)-anonymous** one is both (Gionis, Mazza and
Tassa 2008). A release is **k-concealed** if k rows remain for each person when everybody must have one (Tassa, Mazza
and Gionis 2012), and on both sides if k people remain for each row as well.

These are for measuring. They are no releases to publish, which is what the measurement shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

Numbers = NDArray[np.int64]
Figures = NDArray[np.float64]
_SAME = 1e-9
_TRIED = 50
"""Members of a group that are looked at for the cheapest row to widen."""


@dataclass(frozen=True, eq=False)
class People:
    """People by their combinations of values.

    Parameters
    ----------
    codes : sequence of sequence of array of int
        Of each column, at each of its levels, what every person is there, as a number. The last level is the root.
    """

    codes: Sequence[Sequence[Numbers]]

    @cached_property
    def _combined(self) -> tuple[Numbers, Numbers, Numbers]:
        ground = np.stack([levels[0] for levels in self.codes])
        _, first, which, sizes = np.unique(ground, axis=1, return_index=True, return_inverse=True, return_counts=True)
        return first, which.ravel(), sizes

    @property
    def which(self) -> Numbers:
        """The combination of each person."""
        return self._combined[1]

    @property
    def sizes(self) -> Numbers:
        """The people of each combination."""
        return self._combined[2]

    @cached_property
    def values(self) -> list[list[Numbers]]:
        """Of each column, at each level, what each combination is there."""
        return [[level[self._combined[0]] for level in levels] for levels in self.codes]

    @cached_property
    def tops(self) -> Numbers:
        """The level of the root of each column."""
        return np.array([len(levels) - 1 for levels in self.codes])

    @cached_property
    def meets(self) -> list[Numbers]:
        """Of each column, for each pair of values, the lowest level at which they are one."""
        return [_meets([level[self._combined[0]] for level in levels]) for levels in self.codes]

    def lowest(self, combination: int) -> Numbers:
        """Return the lowest levels (column, other) at which one combination and each other are one."""
        ground = (levels[0] for levels in self.values)
        return np.stack([meet[of[combination]][of] for meet, of in zip(self.meets, ground, strict=True)])


def _meets(levels: Sequence[Numbers]) -> Numbers:
    count = int(levels[0].max()) + 1
    table = np.zeros((len(levels), count), dtype=np.int64)
    for level, labels in enumerate(levels):
        table[level, levels[0]] = labels
    meets = np.full((count, count), len(levels) - 1)
    for level in reversed(range(len(levels))):
        meets[table[level][:, None] == table[level][None, :]] = level
    return meets


def prices(people: People, levels: Numbers | None = None) -> list[Figures]:
    """Return what each combination pays at each level of each column: bits of non-uniform entropy.

    Parameters
    ----------
    levels : array of int (column, combination), optional
        Of the release at whose margin is priced: each step is priced among those who take it, as the loss is concave.
        By default of one in which all take all steps.
    """
    of_all = np.broadcast_to(people.tops[:, None], (len(people.tops), len(people.sizes)))
    taken = of_all if levels is None else levels
    return [_prices(column, taken[place], people.sizes) for place, column in enumerate(people.values)]


def _prices(column: Sequence[Numbers], taken: Numbers, sizes: Numbers) -> Figures:
    paid = np.zeros((len(column), len(sizes)))
    for level in range(1, len(column)):
        takers = np.where(taken >= level, sizes, 0)
        below, above = (np.bincount(column[at], takers)[column[at]] for at in (level - 1, level))
        # Whoever would be the first to take the step would be alone with those who do.
        below = np.where(below == 0, 1, below)
        paid[level] = paid[level - 1] + np.log2(np.maximum(above, below) / below)
    return paid


def covering(people: People, k: int, *, rounds: int = 0) -> Numbers:
    """Make a (k,1)-anonymous release: each row at the cheapest levels at which it covers k people.

    Parameters
    ----------
    rounds : int
        How often prices are those at the margin of the release before, and rows are chosen anew.

    Returns
    -------
    array of int (column, combination)
        Levels; the rows of a combination are equal.
    """
    nodes = np.array(list(product(*(range(top + 1) for top in people.tops))))
    covers = np.stack([_covers(people, node) >= k for node in nodes])
    levels = _cheapest(nodes, covers, prices(people))
    for _ in range(rounds):
        levels = _cheapest(nodes, covers, prices(people, levels))
    return levels


def _covers(people: People, node: Numbers) -> Numbers:
    """Count the people whom each combination covers at a node."""
    group = _groups([column[level] for column, level in zip(people.values, node, strict=True)])
    return np.bincount(group, people.sizes)[group].astype(np.int64)


def _groups(columns: Sequence[Numbers]) -> Numbers:
    """Return numbers of the distinct rows, from 0."""
    key = columns[0]
    for column in columns[1:]:
        key = key * (int(column.max()) + 1) + column
    return np.unique(key, return_inverse=True)[1].ravel()


def _cheapest(nodes: Numbers, covers: NDArray[np.bool_], paid: list[Figures]) -> Numbers:
    best, chosen = np.full(covers.shape[1], np.inf), np.zeros(covers.shape[1], dtype=np.int64)
    for place, node in enumerate(nodes):
        cost = np.add.reduce([column[level] for column, level in zip(paid, node, strict=True)])
        is_better = covers[place] & (cost < best - _SAME)
        best[is_better], chosen[is_better] = cost[is_better], place
    return nodes[chosen].T


def fitting(people: People, levels: Numbers, k: int) -> Numbers:
    """Widen rows until each person fits k: then a (k,1)-anonymous release is (k,k)-anonymous.

    As in the paper of 2008: one person after the other, in their order, is added to the rows to which that
    adds least.

    Parameters
    ----------
    levels : array of int (column, combination)

    Returns
    -------
    array of int (column, person)
    """
    which, paid = people.which, prices(people)
    rows = levels[:, which].copy()
    for combination in which:
        needed = people.lowest(combination)[:, which]
        fits = (needed <= rows).all(axis=0)
        if (lacking := k - int(fits.sum())) > 0:
            wider = np.maximum(rows, needed)
            steps = zip(paid, wider, rows, strict=True)
            added = np.add.reduce([of[new, which] - of[old, which] for of, new, old in steps])
            nearest = np.argsort(np.where(fits, np.inf, added), kind="stable")[:lacking]
            rows[:, nearest] = wider[:, nearest]
    return rows


def concealed(people: People, levels: Numbers, k: int) -> tuple[Numbers, Numbers]:
    """Make a (k,1)-anonymous release k-concealed on both sides, with very few rows that say nothing.

    Rows that are all roots fit everybody, so that anybody could have one; their owners then need a row, which somebody
    else has given up. If everybody's row can be reached so, all that fits remains. For this one row of each group of
    people whom nobody outside reaches is widened to the nearest person outside, until a few groups are left; an owner
    of each of these gets a row of roots, at least k - 1 in all.

    Returns
    -------
    array of int (column, person)
    array of int
        The people whose rows say nothing.
    """
    which, paid = people.which, prices(people)
    first = np.unique(which, return_index=True)[1]
    rows = levels[:, which].copy()
    most = 2 * (k - 1)
    while len(sources := _sources(people, rows)) > most:
        for members in sources:
            _widen(people, rows, first, members, paid)
    owners = [int(first[members[0]]) for members in sources]
    others = (int(person) for person in first[np.argsort(people.sizes)] if person not in owners)
    while len(owners) < k - 1:
        owners.append(next(others))
    rows[:, owners] = people.tops[:, None]
    return rows, np.array(owners)


def _sources(people: People, rows: Numbers) -> list[Numbers]:
    """List the groups of combinations whose people could have other rows, while nobody outside could have theirs.

    A class, whose people fit all of its rows and no other row, needs nobody.
    """
    person, owner = _fits(people, rows)
    count = len(people.sizes)
    graph = csr_array((np.ones(len(person), dtype=np.int8), (person, owner)), shape=(count, count))
    groups, group = connected_components(graph, directed=True, connection="strong")
    leaves = group[person] != group[owner]
    is_reached, leads = np.zeros(groups, dtype=bool), np.zeros(groups, dtype=bool)
    is_reached[group[owner[leaves]]] = True
    leads[group[person[leaves]]] = True
    is_source = ~is_reached & (leads | (np.bincount(group, minlength=groups) > 1))
    order = np.argsort(group, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group, minlength=groups))[:-1])
    return [members[number] for number in np.flatnonzero(is_source)]


def _fits(people: People, rows: Numbers) -> tuple[Numbers, Numbers]:
    """List who fits a row of whom, by their combinations."""
    kinds = np.unique(np.vstack([people.which, rows]), axis=1)
    nodes, at = np.unique(kinds[1:], axis=1, return_inverse=True)
    persons, owners = [], []
    for place, node in enumerate(nodes.T):
        mine = kinds[0, at.ravel() == place]
        group = _groups([column[level] for column, level in zip(people.values, node, strict=True)])
        order = np.argsort(group, kind="stable")
        begin, end = (np.searchsorted(group[order], group[mine], side) for side in ("left", "right"))
        counts = end - begin
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        persons.append(order[np.repeat(begin, counts) + within])
        owners.append(np.repeat(mine, counts))
    return np.concatenate(persons), np.concatenate(owners)


def _widen(people: People, rows: Numbers, first: Numbers, members: Numbers, paid: list[Figures]) -> None:
    """Widen the row of a group that is widened most cheaply to a person outside."""
    found: list[tuple[float, int, Numbers]] = []
    for combination in members[:_TRIED]:
        person = int(first[combination])
        old = rows[:, person]
        wider = np.maximum(old[:, None], people.lowest(int(combination)))
        own = [of[:, combination] for of in paid]
        cost = np.add.reduce([of[new] for of, new in zip(own, wider, strict=True)])
        cost[members] = np.inf
        nearest = int(np.argmin(cost))
        already = sum(of[level] for of, level in zip(own, old, strict=True))
        found.append((float(cost[nearest] - already), person, wider[:, nearest]))
    _, person, levels = min(found, key=lambda option: option[:2])
    rows[:, person] = levels
