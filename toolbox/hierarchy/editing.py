"""Edits of a hierarchy as functions from rows to rows: of levels, of nodes and of values; and what differs in two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.hierarchy.builders.builder import DEEPEST
from toolbox.hierarchy.checking import Finding
from toolbox.hierarchy.hierarchy import ROOT
from toolbox.messages import mark, say, say_count

# What an edit starts from and ends with: rows of a value and its labels, and what must stay true of them.

Rows: TypeAlias = Sequence[Sequence[str]]
"""Each value with its label on each level, the root last."""
Table: TypeAlias = list[tuple[str, ...]]
_MOST_NAMED = 3


def build_hierarchy_table(rows: Rows) -> Table:
    """Return rows as tuples of one width that end in one root, which is added where they have none.

    Raises
    ------
    UsageError
        If they are no table.
    """
    table = [tuple(row) for row in rows]
    widths = {len(row) for row in table}
    if len(widths) != 1 or not min(widths):
        raise UsageError(
            say("The hierarchy is no table. Give rows of one length, a value and its label on each level.")
        )
    if widths == {1} or len({row[-1] for row in table}) > 1:
        return [(*row, ROOT) for row in table]
    return table


def require_level(table: Table, level: int, lowest: int, highest: int) -> None:
    """Raise an error for a level that cannot be edited."""
    if not lowest <= level <= highest:
        remedy = say("Add a level first.")
        if lowest == highest:
            remedy = say("Choose level %(level)s.", level=lowest)
        elif lowest < highest:
            remedy = say("Choose a level from %(lowest)s to %(highest)s.", lowest=lowest, highest=highest)
        problem = mark("Level %(level)s cannot be chosen: the root is level %(root)s.")
        raise UsageError(f"{say(problem, level=level, root=len(table[0]) - 1)} {remedy}")


def require_known(table: Table, level: int, labels: Collection[str]) -> None:
    """Stop where texts do not stand on a level.

    Raises
    ------
    UsageError
        That names them, if they are few.
    """
    if not labels:
        raise UsageError(say("Nothing is chosen. Choose a value or a label."))
    known = {row[level] for row in table}
    strange = [label for label in dict.fromkeys(labels) if label not in known]
    if strange:
        hint = did_you_mean(strange[0], sorted(known)) if len(strange) == 1 else ""
        problem = mark("Level %(level)s has no %(labels)s.")
        raise UsageError(f"{say(problem, level=level, labels=format_first_labels(strange))}{hint}")


def require_text(text: str) -> None:
    """Stop where a text can be no label."""
    if not text.strip() or "\0" in text:
        raise UsageError(say("%(text)s is no label. Write a text that is not blank.", text=quote(text)))


def require_unambiguous(before: Table, after: Table) -> Table:
    """Return an edited table if no label has become ambiguous.

    Raises
    ------
    UsageError
        If a label would stand for other values on one level than on another.
    """
    new = find_ambiguous_texts(after)
    if new and (new := new - find_ambiguous_texts(before)):
        problem = mark(
            "%(labels)s would stand for different values on two levels, so that a release does not tell which are "
            "meant. Give it another name on one of them."
        )
        raise UsageError(say(problem, labels=format_first_labels(sorted(new))))
    return after


def find_ambiguous_texts(table: Table) -> set[str]:
    """Return the texts that stand for different values on different levels, the values themselves among them.

    Examples
    --------
    >>> find_ambiguous_texts([("a", "x", "y"), ("b", "y", "y")])
    {'y'}
    >>> find_ambiguous_texts([("a", "a", "*"), ("b", "y", "*")])
    set()
    """
    columns = list(zip(*table, strict=True))
    counts = [Counter(column) for column in columns]
    levels: dict[str, list[int]] = {}
    for level, found in enumerate(counts):
        for label in found:
            levels.setdefault(label, []).append(level)
    shared: dict[tuple[int, int], list[str]] = {}
    for label, places in levels.items():
        for pair in pairwise(places):
            shared.setdefault(pair, []).append(label)
    found_ambiguous = set()
    for (low, high), labels in shared.items():
        both = Counter(label for label, above in zip(columns[low], columns[high], strict=True) if label == above)
        found_ambiguous |= {label for label in labels if not both[label] == counts[low][label] == counts[high][label]}
    return found_ambiguous


def format_first_labels(labels: Iterable[str]) -> str:
    """Name the first labels of some, and count the others."""
    listed = list(labels)
    names, more = ", ".join(map(quote, listed[:_MOST_NAMED])), len(listed) - _MOST_NAMED
    if more <= 0:
        return names
    return say_count("%(names)s and %(count)s other", "%(names)s and %(count)s others", more, names=names)


# Edits of whole levels: one more, one less.


def add_level(rows: Rows, level: int) -> Table:
    """Add a level, on which all have the names of the level below, until they are grouped.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        Its number, from 1 to that of the root, which stays above it.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If there can be no such level.

    Examples
    --------
    >>> add_level([("Graz", "*"), ("Wien", "*")], 1)
    [('Graz', 'Graz', '*'), ('Wien', 'Wien', '*')]
    """
    table = build_hierarchy_table(rows)
    require_level(table, level, 1, len(table[0]) - 1)
    if len(table[0]) > DEEPEST:
        raise UsageError(say("There are %(levels)s levels, which is the most. Remove one first.", levels=DEEPEST))
    return [(*row[:level], *row[level - 1 :]) for row in table]


def remove_level(rows: Rows, level: int) -> Table:
    """Remove a level below the root: what is below it goes to the level above.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        From 1 to the one below the root.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If there is no such level.

    Examples
    --------
    >>> remove_level([("Graz", "Styria", "Austria", "*"), ("Bonn", "NRW", "Germany", "*")], 1)
    [('Graz', 'Austria', '*'), ('Bonn', 'Germany', '*')]
    """
    table = build_hierarchy_table(rows)
    require_level(table, level, 1, len(table[0]) - 2)
    return [(*row[:level], *row[level + 1 :]) for row in table]


# Edits of single nodes: another name, another parent, a node for several.


def rename(rows: Rows, level: int, label: str, name: str) -> Table:
    """Give a label, or a value, another name.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last, as `read` returns them.
    level : int
        Where the label stands; 0 for a value.
    label, name : str
        Its name, and the new one, which no other has on this level.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If there is no such label, or the name stands for other values already.

    Examples
    --------
    >>> rename([("Graz", "Styria", "*"), ("Wien", "Vienna", "*")], 1, "Styria", "South")
    [('Graz', 'South', '*'), ('Wien', 'Vienna', '*')]
    """
    table = build_hierarchy_table(rows)
    require_level(table, level, 0, len(table[0]) - 1)
    require_known(table, level, [label])
    require_text(name)
    if name != label and any(row[level] == name for row in table):
        remedy = say("Choose another name, or move there what is below.") if level else say("Remove one of them.")
        raise UsageError(f"{say('Level %(level)s has %(name)s already.', level=level, name=quote(name))} {remedy}")
    renamed = [(*row[:level], name, *row[level + 1 :]) if row[level] == label else row for row in table]
    return require_unambiguous(table, renamed)


def move(rows: Rows, level: int, labels: Collection[str], parent: str) -> Table:
    """Put values or labels below another label of the next level, with all that is below them.

    A label that nothing is left below is gone.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        Where the labels stand; 0 for values.
    labels : collection of str
    parent : str
        On the level above.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If one of them is not there, or a label would stand for different values on two levels.

    Examples
    --------
    >>> move([("Graz", "Styria", "*"), ("Linz", "Styria", "*"), ("Wels", "Upper Austria", "*")],
    ...      0, ["Linz"], "Upper Austria")
    [('Graz', 'Styria', '*'), ('Linz', 'Upper Austria', '*'), ('Wels', 'Upper Austria', '*')]
    """
    table = build_hierarchy_table(rows)
    require_level(table, level, 0, len(table[0]) - 2)
    require_known(table, level, labels)
    require_known(table, level + 1, [parent])
    above = next(row[level + 1 :] for row in table if row[level + 1] == parent)
    chosen = frozenset(labels)
    return require_unambiguous(table, [(*row[: level + 1], *above) if row[level] in chosen else row for row in table])


def group(rows: Rows, level: int, labels: Collection[str], name: str) -> Table:
    """Put values or labels below a new label.

    The new label stands below the narrowest that covers all of them. Directly below the root there is no room for it:
    a level is added then, on which all others keep their names. A label that nothing is left below is gone.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        Where the labels stand; 0 for values.
    labels : collection of str
    name : str
        Of the new label.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If one of them is not there, or the name stands for other values already.

    Examples
    --------
    >>> group([("Graz", "*"), ("Linz", "*"), ("Oslo", "*")], 0, ["Graz", "Linz"], "Austria")
    [('Graz', 'Austria', '*'), ('Linz', 'Austria', '*'), ('Oslo', 'Oslo', '*')]
    """
    table = build_hierarchy_table(rows)
    require_level(table, level, 0, len(table[0]) - 2)
    require_known(table, level, labels)
    require_text(name)
    if level == len(table[0]) - 2:
        table = add_level(table, level + 1)
    chosen = frozenset(labels)
    columns = list(zip(*(row for row in table if row[level] in chosen), strict=True))
    top = next(place for place in range(level + 2, len(columns)) if len(set(columns[place])) == 1)
    others = {label for row in table if row[level] not in chosen for label in row[level + 1 : top]}
    if name in others:
        problem = mark("There is a label %(name)s already. Choose another name, or move them there.")
        raise UsageError(say(problem, name=quote(name)))
    between = (name,) * (top - level - 1)
    grouped = [(*row[: level + 1], *between, *row[top:]) if row[level] in chosen else row for row in table]
    return require_unambiguous(table, grouped)


# Edits of the values that a hierarchy has: more of them, less of them.


def add_values(rows: Rows, values: Collection[str], level: int, label: str) -> Table:
    """Add values below a label; on the levels between they stand as they are.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    values : collection of str
        That the hierarchy lacks.
    level : int
        Where the label stands, from 1; that of the root is one, too.
    label : str

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If it has one of the values, or lacks the label.

    Examples
    --------
    >>> add_values([("Graz", "Styria", "*")], ["Oslo"], 2, "*")
    [('Graz', 'Styria', '*'), ('Oslo', 'Oslo', '*')]
    """
    table = build_hierarchy_table(rows)
    require_level(table, level, 1, len(table[0]) - 1)
    require_known(table, level, [label])
    known = {row[0] for row in table}
    if again := [value for value in dict.fromkeys(values) if value in known]:
        problem = mark("The hierarchy has %(labels)s already. Move what is there.")
        raise UsageError(say(problem, labels=format_first_labels(again)))
    above = next(row[level:] for row in table if row[level] == label)
    taken = {text for row in table for text in row[1:level]}
    for value in values:
        require_text(value)
        if value in taken:
            problem = mark("%(value)s is a label already. Choose a label of level 1 to put it below.")
            raise UsageError(say(problem, value=quote(value)))
    added = [(*(value,) * level, *above) for value in dict.fromkeys(values)]
    return require_unambiguous(table, [*table, *added])


def remove_values(rows: Rows, values: Collection[str]) -> Table:
    """Remove values. A label that nothing is left below is gone.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    values : collection of str

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If it lacks one of the values, or none would be left.

    Examples
    --------
    >>> remove_values([("Graz", "Styria", "*"), ("Wien", "Vienna", "*")], ["Graz"])
    [('Wien', 'Vienna', '*')]
    """
    table = build_hierarchy_table(rows)
    require_known(table, 0, values)
    gone = frozenset(values)
    left = [row for row in table if row[0] not in gone]
    if not left:
        raise UsageError(say("No value would be left. Remove the hierarchy instead."))
    return left


@dataclass(frozen=True, kw_only=True)
class HierarchyFaults:
    """What is wrong with a hierarchy, and which values of its column it lacks."""

    findings: tuple[Finding, ...]
    """Each with ``kind``, ``line``, ``text`` and ``is_fault``; lines count rows from 1."""
    uncovered: tuple[str, ...] = ()
    """Values of the column without a path."""
    unused: tuple[str, ...] = ()
    """Paths without a value: values of the hierarchy that the column lacks."""

    @property
    def holds(self) -> bool:
        """Whether there is no fault; remarks are none."""
        return not any(finding.is_fault for finding in self.findings)


@dataclass(frozen=True)
class MovedValue:
    """A value whose labels are others."""

    value: str
    before: tuple[str, ...]
    """Its labels, the narrowest first."""
    after: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class HierarchyDiff:
    """What one hierarchy changes of another."""

    added: tuple[str, ...]
    """Values that only the new one has."""
    removed: tuple[str, ...]
    """Values that only the old one has."""
    moved: tuple[MovedValue, ...]
    """Values with other labels."""
    levels: tuple[int, int]
    """How many there are above the values, in the old one and in the new one."""
    faults: HierarchyFaults
    """Of the new one."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.added or self.removed or self.moved)


def compare_hierarchies(old: Rows, new: Rows, faults: HierarchyFaults) -> HierarchyDiff:
    """Compare the rows of two hierarchies, which need not be consistent: of a value with two rows the first counts.

    Examples
    --------
    >>> found = compare_hierarchies([("a", "x", "*"), ("b", "x", "*")], [("a", "y", "*"), ("c", "y", "*")],
    ...                  HierarchyFaults(findings=()))
    >>> found.added, found.removed, found.moved
    (('c',), ('b',), (MovedValue(value='a', before=('x', '*'), after=('y', '*')),))
    """
    before, after = _map_labels(old), _map_labels(new)
    moved = (
        MovedValue(value, labels, after[value])
        for value, labels in before.items()
        if value in after and after[value] != labels
    )
    return HierarchyDiff(
        added=tuple(value for value in after if value not in before),
        removed=tuple(value for value in before if value not in after),
        moved=tuple(moved),
        levels=(_find_height(old), _find_height(new)),
        faults=faults,
    )


def _map_labels(rows: Rows) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in filter(None, rows):
        found.setdefault(row[0], tuple(row[1:]))
    return found


def _find_height(rows: Rows) -> int:
    return max((len(row) - 1 for row in rows if row), default=0)
