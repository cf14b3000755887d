"""Where each combination of another table is among the classes of a saved recoding, and how a class becomes wider."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import and_, func, select

from toolbox.errors import UsageError
from toolbox.methods.arrays.combinations import (
    Flags,
    Numbers,
    Reals,
    Whole,
    combinations_of,
    list_level_codes,
    number_rows,
)
from toolbox.methods.arrays.models import ClassJudge, find_judge
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import QuasiIdentifierTables, Tables

_DAMAGED: Final = "The recoding is damaged: {}. Write it anew: toolbox anonymize .. --save-recoding FILE."


def refuse_damaged(what: str) -> UsageError:
    """Return the error about a document that contradicts itself."""
    return UsageError(_DAMAGED.format(what))


@dataclass(frozen=True)
class ClassQuestion:
    """What every class must satisfy, asked about classes of combinations."""

    ids: Whole
    """The combinations."""
    sizes: Numbers
    """The records of each."""
    least: int
    """Fewest records of a class."""
    judge: ClassJudge | None
    """Refuses classes for other reasons; None: the number of records says it all."""

    def mark_refused(self, rows: Numbers, classes: Numbers, count: int) -> Flags:
        """Mark the classes that do not satisfy every model.

        Parameters
        ----------
        rows : array
            The places of combinations.
        classes : array
            The class of each, numbered from 0; none is empty.
        count : int
            Number of classes.
        """
        refused: Flags = np.bincount(classes, self.sizes[rows], count) < self.least
        if self.judge is None or refused.all():
            return refused
        asked = ~refused[classes]
        numbers = (np.cumsum(~refused) - 1)[classes[asked]]
        found = self.judge.mark_refused(self.ids[rows[asked]], self.sizes[rows[asked]], numbers, int((~refused).sum()))
        refused[np.flatnonzero(~refused)[found]] = True
        return refused


class ClassPlaces(ABC):
    """The class of each combination, by what the recoding says; classes that are too small become wider."""

    ids: Whole
    """The combinations."""
    sizes: Numbers
    """The records of each."""
    quasi_identifiers: Sequence[QuasiIdentifierTables]
    """With the intervals that are names of classes."""
    unseen: list[Flags]
    """For each quasi-identifier, which combinations have a value that the recoding does not know."""
    first: Numbers
    """The class of each combination by the recoding alone."""

    @property
    @abstractmethod
    def names(self) -> list[Whole]:
        """For each quasi-identifier, the interval that each combination is called by."""

    @abstractmethod
    def number(self) -> tuple[Numbers, int]:
        """Return the class of each combination, numbered from 0, and how many classes there are."""

    @abstractmethod
    def settle(self, left: Flags, question: ClassQuestion) -> tuple[Flags, Flags]:
        """Make the classes of marked combinations wider until each satisfies the models.

        Where that is not enough, the smallest other class within such a class joins it. All others keep their names.

        Returns
        -------
        left : array of bool
            Combinations that are in no satisfying class.
        moved : array of bool
            Combinations whose class has another name now.
        """

    def begin(self, ids: Whole, sizes: Whole) -> Self:
        """Note the combinations, their records, and what the recoding calls them; return the same."""
        self.ids, self.sizes = ids, sizes.astype(np.int64)
        self.first, _ = self.number()
        return self

    def ask(self, tables: Tables, models: Sequence[PrivacyModel]) -> ClassQuestion:
        """Return what every class must satisfy."""
        least = max(model.least_records for model in models)
        return ClassQuestion(self.ids, self.sizes, least, find_judge(tables, models))

    def mark_failing(self, question: ClassQuestion) -> Flags:
        """Mark the combinations whose class does not satisfy every model."""
        classes, count = self.number()
        failing: Flags = question.mark_refused(np.arange(len(classes)), classes, count)[classes]
        return failing

    def count_unseen(self, tables: Tables) -> dict[str, int]:
        """Count the records with a value that the recoding does not know, by column."""
        counts = {
            column.name: int(self.sizes[unseen].sum())
            for column, unseen in zip(tables.quasi_identifiers, self.unseen, strict=True)
        }
        return {name: count for name, count in counts.items() if count}

    def list_unseen(self, tables: Tables) -> list[dict[str, int]]:
        """List for each quasi-identifier the values that the recoding does not know, each with its records."""
        found = []
        for column, values, unseen in zip(
            tables.quasi_identifiers, combinations_of(tables)[2], self.unseen, strict=True
        ):
            counts = np.bincount(values[unseen], self.sizes[unseen], column.values).astype(np.int64)
            ranks = np.flatnonzero(counts)
            names = tables.store.rows(select(column.ground.c.label).order_by(column.ground.c.level_0))
            order = ranks[np.argsort(-counts[ranks], kind="stable")].tolist()
            found.append({names[rank][0]: int(counts[rank]) for rank in order})
        return found


def choose_smallest(holder: Numbers, sizes: Numbers, count: int) -> Numbers:
    """Choose for each holder the smallest class that it holds, -1 where it holds none.

    Parameters
    ----------
    holder : array
        For each class its holder, -1 for none.
    sizes : array
        The records of each class.
    count : int
        Number of holders.

    Examples
    --------
    >>> choose_smallest(np.array([1, -1, 1, 0]), np.array([9, 2, 7, 5]), 3).tolist()
    [3, 2, -1]
    """
    chosen = np.full(count, -1)
    held = np.flatnonzero(holder >= 0)
    # The smallest comes last, and of several values for one place the last one stays.
    order = held[np.lexsort((-held, -sizes[held]))]
    chosen[holder[order]] = order
    return chosen


# Classes by levels of hierarchies: each column of a class has an interval of its own.

Keys: TypeAlias = NDArray[np.uint64]


class LevelPlaces(ClassPlaces):
    """Classes whose names are nodes of hierarchies, or values.

    What is in a class that is too small is generalised to one choice of levels after the other, those that lose least
    first. At each of them, all that look alike by then form a class, or join one that has this name already.

    Parameters
    ----------
    tables : Tables
    values : sequence of arrays
        For each quasi-identifier the rank of the value of each combination.
    climb : sequence of pairs
        A column and the level from which it goes up, the first step first.
    """

    def __init__(self, tables: Tables, values: Sequence[Whole], climb: Sequence[Sequence[int]]) -> None:
        self.quasi_identifiers = tables.quasi_identifiers
        self._values = values
        self._trees = [_IntervalTree.of(tables, column) for column in tables.quasi_identifiers]
        self._codes = [tree.codes for tree in self._trees]
        self.unseen = [tree.unknown[value] for tree, value in zip(self._trees, values, strict=True)]
        self._names = self._generalise([0] * len(values), values)
        self._nodes = self._list_steps([0] * len(values), climb)
        generator = np.random.default_rng(0)
        self._digits = [generator.integers(0, 2**64, len(tree.level), np.uint64) for tree in self._trees]

    def _list_steps(self, levels: Sequence[int], climb: Sequence[Sequence[int]]) -> Numbers:
        """List choices of levels from some on up to the roots (axis 1), one step at a time."""
        tops = np.array([len(codes) - 1 for codes in self._codes])
        steps = [(column, level) for column, level in climb if column < len(tops) and level < tops[column]]
        # A hierarchy that a builder has made of other values may be higher.
        steps += [(column, level) for column, top in enumerate(tops) for level in range(top)]
        listed = [np.minimum(levels, tops)]
        for column, level in steps:
            if listed[-1][column] <= level:
                raised = listed[-1].copy()
                raised[column] = level + 1
                listed.append(raised)
        return np.stack(listed, axis=1)

    @property
    def names(self) -> list[Whole]:
        return self._names

    def start_at(self, levels: Sequence[int], climb: Sequence[Sequence[int]]) -> None:
        """Give each combination the class that it has if every column has one level."""
        if len(levels) != len(self._codes):
            raise refuse_damaged("it has not one level for each column")
        for column, codes, level in zip(self.quasi_identifiers, self._codes, levels, strict=True):
            if level >= len(codes):
                raise refuse_damaged(f"{column.name} has no level {level}, since its root is level {len(codes) - 1}")
        self._names = self._generalise(levels, self._values)
        self._nodes = self._list_steps(levels, climb)

    def start_in(self, tables: Tables, described: Any, *, covers_all: bool = False) -> None:
        """Give each combination the first class that covers it; those that none covers stay as they are.

        Parameters
        ----------
        tables : Tables
        described : mapping
            The classes as in the document, the narrowest first.
        covers_all : bool
            Whether those that none covers get the roots instead.
        """
        cells = _find_cell_intervals(tables, described)
        count = len(cells[0])
        if covers_all:
            self._names = self._generalise([len(codes) - 1 for codes in self._codes], self._values)
        if not count:
            return
        levels = np.stack([tree.level[cell] for tree, cell in zip(self._trees, cells, strict=True)])
        nodes, of_cell = np.unique(levels, axis=1, return_inverse=True)
        first = np.full(len(self._values[0]), count)
        for node in range(nodes.shape[1]):
            here = np.flatnonzero(of_cell.ravel() == node)
            own = _look_up(self._generalise(nodes[:, node], self._values), [cell[here] for cell in cells])
            first = np.minimum(first, np.where(own >= 0, here[own], count))
        is_covered = first < count
        for names, cell in zip(self._names, cells, strict=True):
            names[is_covered] = cell[first[is_covered]]
        self._nodes = np.unique(np.concatenate([self._nodes, nodes], axis=1), axis=1)

    def _generalise(self, levels: Sequence[int] | Numbers, values: Sequence[Whole]) -> list[Whole]:
        return [codes[level][value] for codes, level, value in zip(self._codes, levels, values, strict=True)]

    def number(self) -> tuple[Numbers, int]:
        return number_rows(self._names)

    def _compute_keys(self, names: Sequence[Whole]) -> Keys:
        """Return the sum of a random number of each interval: the same for rows with the same intervals."""
        total = np.zeros(len(names[0]), np.uint64)
        for digits, name in zip(self._digits, names, strict=True):
            total += digits[name]
        return total

    def settle(self, left: Flags, question: ClassQuestion) -> tuple[Flags, Flags]:
        left, before = left.copy(), [names.copy() for names in self._names]
        keys = self._compute_keys(self._names)
        nodes = self._sort_nodes(question.sizes * left)
        for node, takes in [*((node, False) for node in nodes.T), *((node, True) for node in nodes.T)]:
            if not left.any():
                break
            rows = self._find_fitting(node, left, keys, question, takes=takes)
            new_names = self._generalise(node, [value[rows] for value in self._values])
            for names, new in zip(self._names, new_names, strict=True):
                names[rows] = new
            keys[rows] = self._compute_keys([names[rows] for names in self._names])
            left[rows] = False
        changed = [new != old for new, old in zip(self._names, before, strict=True)]
        return left, np.any(changed, axis=0)

    def _sort_nodes(self, sizes: Numbers) -> Numbers:
        """Sort the choices of levels by what they lose: entropy, of the records of these combinations."""
        lost = np.zeros(self._nodes.shape[1])
        for codes, value, levels in zip(self._codes, self._values, self._nodes, strict=True):
            counts = np.bincount(value, sizes, len(codes[0])).astype(np.float64)
            kept = np.array([compute_entropy(code, counts) for code in codes])
            lost += (kept[0] - kept)[levels]
        sorted_: Numbers = self._nodes[:, np.lexsort((*self._nodes[::-1], lost.round(9)))]
        return sorted_

    def _find_fitting(self, node: Numbers, left: Flags, keys: Keys, question: ClassQuestion, *, takes: bool) -> Numbers:
        """Find combinations that are in satisfying classes once they are generalised to some levels.

        Parameters
        ----------
        left : array of bool
            Combinations in no satisfying class.
        keys : array
            The keys of the names of all others.
        takes : bool
            Whether a class that is still too small takes in the smallest one within it.
        """
        here = np.flatnonzero(left)
        new = self._compute_keys(self._generalise(node, [value[here] for value in self._values]))
        known, classes = np.unique(new, return_inverse=True)
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        alike = np.flatnonzero(~left & (known[place] == keys))
        rows, classes = np.append(here, alike), np.append(classes, place[alike])
        # Who has the name already keeps it: a root that stands for an unknown value may come from a higher level, too.
        moves = np.append(np.ones(len(here), np.bool_), np.zeros(len(alike), np.bool_))
        if takes:
            inner = self._find_inner(node, left, keys, known)
            rows, classes = np.append(rows, inner[0]), np.append(classes, inner[1])
            moves = np.append(moves, np.ones(len(inner[0]), np.bool_))
        sizes = np.bincount(classes, question.sizes[rows], len(known))
        if not (sizes >= question.least).any():
            return np.empty(0, np.int64)
        fitting: Numbers = rows[moves & ~question.mark_refused(rows, classes, len(known))[classes]]
        return fitting

    def _find_inner(self, node: Numbers, left: Flags, keys: Keys, known: Keys) -> tuple[Numbers, Numbers]:
        """Find the smallest class within each class at some levels: its combinations, and the place of the class.

        Parameters
        ----------
        known : array
            The keys of the classes at these levels.
        """
        others = np.flatnonzero(~left)
        _, first, classes = np.unique(keys[others], return_index=True, return_inverse=True)
        one = others[first]
        levels = [tree.level[names[one]] for tree, names in zip(self._trees, self._names, strict=True)]
        wider = self._compute_keys(self._generalise(node, [value[one] for value in self._values]))
        place = np.minimum(np.searchsorted(known, wider), max(len(known) - 1, 0))
        within = np.all([level <= most for level, most in zip(levels, node, strict=True)], axis=0)
        within &= (known[place] == wider) & (wider != keys[one])
        holder = np.where(within, place, -1)
        sizes = np.bincount(classes, self.sizes[others]).astype(np.int64)
        chosen = choose_smallest(holder, sizes, len(known))
        taken = np.full(len(first), -1)
        taken[chosen[chosen >= 0]] = np.flatnonzero(chosen >= 0)
        is_taken = taken[classes] >= 0
        return others[is_taken], taken[classes[is_taken]]


@dataclass(frozen=True)
class _IntervalTree:
    """The intervals of a column."""

    codes: list[Whole]
    """For each level from 0 to the root, the interval of each value; of an unknown one the root from level 1 on."""
    level: Numbers
    """The lowest level of each interval."""
    unknown: Flags
    """The values that the hierarchy does not know."""

    @classmethod
    def of(cls, tables: Tables, column: QuasiIdentifierTables) -> Self:
        """Return the intervals of a column of a table."""
        first, *above = list_level_codes(tables, column)
        unknown = _mark_unknown(tables, column)
        codes = [first, *(np.where(unknown, column.root, code) for code in above)]
        level = np.zeros(1 + max(column.root, *(int(code.max()) for code in codes)), np.int64)
        level[column.root] = len(codes) - 1
        for index in reversed(range(len(codes))):
            level[codes[index][~unknown]] = index
        level[first] = 0
        return cls(codes, level, unknown)


def _mark_unknown(tables: Tables, column: QuasiIdentifierTables) -> Flags:
    """Mark the values that no leaf of the hierarchy takes in; a missing one that is kept is a category of its own."""
    values = tables.store.to_arrays(select(column.ground.c.value).order_by(column.ground.c.level_0))["value"]
    unknown: Flags = np.zeros(len(values), np.bool_)
    attribute = column.attribute
    if attribute is None or attribute.hierarchy is None:
        return unknown
    leaves = [node.interval for node, _ in attribute.hierarchy.nodes() if not node.children]
    if attribute.known is not None and not attribute.hierarchy.root.children:
        leaves = [attribute.known]
    leaves.sort(key=lambda leaf: (leaf.low, leaf.high))
    low, high = (np.array([getattr(leaf, end) for leaf in leaves]) for end in ("low", "high"))
    low_closed, high_closed = (
        np.array([getattr(leaf, end) for leaf in leaves], np.bool_) for end in ("low_closed", "high_closed")
    )
    # Leaves share no more than a boundary, so that a value is in the last that begins below it, or in one of two at it.
    before, at = (np.searchsorted(low, values, side) - 1 for side in ("left", "right"))
    unknown[:] = True
    is_listed = np.True_ if attribute.listed is None else np.isin(values, attribute.listed)
    for place in (before, at, at - 1):
        is_within = (low[place] < values) | ((low[place] == values) & low_closed[place])
        is_within &= (values < high[place]) | ((values == high[place]) & high_closed[place])
        unknown &= ~(is_within & (place >= 0) & is_listed)
    return unknown & (values != column.missing_value) if column.missing_value is not None else unknown


def compute_entropy(code: Whole, counts: Reals) -> float:
    """Return the entropy in bits of a column whose values become these codes.

    Parameters
    ----------
    code : array
        The code of each value.
    counts : array
        The records of each value.
    """
    shares = np.bincount(code, counts)
    shares = shares[shares > 0] / max(counts.sum(), 1)
    return float(-(shares * np.log2(shares)).sum())


def _look_up(rows: Sequence[Whole], known: Sequence[Whole]) -> Numbers:
    """Return for each row the place of the first known row that is equal, -1 where there is none."""
    numbers, count = number_rows([np.append(new, old) for new, old in zip(known, rows, strict=True)])
    place = np.full(count, -1)
    own = numbers[: len(known[0])]
    place[own[::-1]] = np.arange(len(own))[::-1]
    found: Numbers = place[numbers[len(own) :]]
    return found


def _find_cell_intervals(tables: Tables, cells: Any) -> list[Whole]:
    """Return for each quasi-identifier the interval of each class of a document; those that cannot occur are left out.

    Parameters
    ----------
    cells : mapping
        As in the document.
    """
    columns = tables.quasi_identifiers
    if len(cells["names"]) != len(columns) or any(len(row) != len(columns) for row in cells["rows"]):
        raise refuse_damaged("a class has not one generalised value for each column")
    rows = np.array(cells["rows"], np.int64).reshape(-1, len(columns)) if cells["rows"] else np.empty((0, len(columns)))
    rows = rows.astype(np.int64)
    found = []
    for index, (column, names) in enumerate(zip(columns, cells["names"], strict=True)):
        if len(rows) and rows[:, index].max() >= len(names):
            raise refuse_damaged(f"a class has the generalised value {rows[:, index].max()} of {column.name}")
        found.append(_find_named(tables, column, names)[rows[:, index]])
    occurs = np.all([interval >= 0 for interval in found], axis=0)
    return [interval[occurs] for interval in found]


def _find_named(tables: Tables, column: QuasiIdentifierTables, names: Sequence[Any]) -> Numbers:
    """Find intervals by their level and label, or values by their number; -1 where there is none in this table."""
    store, interval = tables.store, column.intervals.c
    named = store.create_constant(
        "named",
        {
            "place": (int, list(range(len(names)))),
            "level": (int, [name["level"] for name in names]),
            "label": (str, [name.get("label") for name in names]),
            "value": (float, [name.get("value") for name in names]),
        },
    )
    is_value = and_(named.c.value.is_not(None), interval.low == named.c.value, interval.interval_id < column.values)
    is_label = and_(named.c.label.is_not(None), interval.label == named.c.label)
    same = and_(interval.level == named.c.level, is_value | is_label)
    # Two nodes of one level have one label only where it means the same.
    first = select(named.c.place, func.min(interval.interval_id).label("interval_id")).join_from(
        named, column.intervals, same
    )
    places = np.full(len(names), -1)
    rows = store.to_arrays(first.group_by(named.c.place))
    places[rows["place"]] = rows["interval_id"]
    store.drop(named)
    return places
