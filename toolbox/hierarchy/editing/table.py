"""What an edit starts from and ends with: rows of a value and its labels, and what must stay true of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.hierarchy.branch import ROOT_LABEL
from toolbox.messages import counted

Rows: TypeAlias = Sequence[Sequence[str]]
"""Each value with its label on each level, the root last."""
Table: TypeAlias = list[tuple[str, ...]]
_MOST_NAMED = 3


def table_of(rows: Rows) -> Table:
    """Return rows as tuples of one width that end in one root, which is added where they have none.

    Raises
    ------
    UsageError
        If they are no table.
    """
    table = [tuple(row) for row in rows]
    widths = {len(row) for row in table}
    if len(widths) != 1 or not min(widths):
        raise UsageError("The hierarchy is no table. Give rows of one length, a value and its label on each level.")
    if widths == {1} or len({row[-1] for row in table}) > 1:
        return [(*row, ROOT_LABEL) for row in table]
    return table


def require_level(table: Table, level: int, lowest: int, highest: int) -> None:
    """Raise an error for a level that cannot be edited.

    Raises
    ------
    UsageError
    """
    if not lowest <= level <= highest:
        among = f"level {lowest}" if lowest == highest else f"a level from {lowest} to {highest}"
        remedy = f"Choose {among}." if lowest <= highest else "Add a level first."
        raise UsageError(f"Level {level} cannot be chosen: the root is level {len(table[0]) - 1}. {remedy}")


def require_known(table: Table, level: int, labels: Collection[str]) -> None:
    """Stop where texts do not stand on a level.

    Raises
    ------
    UsageError
        That names them, if they are few.
    """
    if not labels:
        raise UsageError("Nothing is chosen. Choose a value or a label.")
    known = {row[level] for row in table}
    strange = [label for label in dict.fromkeys(labels) if label not in known]
    if strange:
        hint = did_you_mean(strange[0], sorted(known)) if len(strange) == 1 else ""
        raise UsageError(f"Level {level} has no {named(strange)}.{hint}")


def require_text(text: str) -> None:
    """Stop where a text can be no label.

    Raises
    ------
    UsageError
    """
    if not text.strip() or "\0" in text:
        raise UsageError(f"{quote(text)} is no label. Write a text that is not blank.")


def kept(before: Table, after: Table) -> Table:
    """Return an edited table if no label has become ambiguous.

    Raises
    ------
    UsageError
        If a label would stand for other values on one level than on another.
    """
    new = ambiguous(after)
    if new and (new := new - ambiguous(before)):
        raise UsageError(
            f"{named(sorted(new))} would stand for different values on two levels, so that a release does not tell "
            f"which are meant. Give it another name on one of them."
        )
    return after


def ambiguous(table: Table) -> set[str]:
    """Return the texts that stand for different values on different levels, the values themselves among them.

    Examples
    --------
    >>> ambiguous([("a", "x", "y"), ("b", "y", "y")])
    {'y'}
    >>> ambiguous([("a", "a", "*"), ("b", "y", "*")])
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


def named(labels: Iterable[str]) -> str:
    """Name the first labels of some, and count the others."""
    listed = list(labels)
    more = f" and {counted(len(listed) - _MOST_NAMED, 'other')}" if len(listed) > _MOST_NAMED else ""
    return ", ".join(map(quote, listed[:_MOST_NAMED])) + more
