"""The value generalisation hierarchy (VGH) of one quasi-identifier: a tree of intervals, their labels and codes."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolbox.errors import quote

# Intervals as the UT Dallas toolbox writes them: ``[a:b] [a:b) (a:b] (a:b)``, or a single ``[a]``.

# No digit can belong to two parts of it, so that the time to refuse a text grows with its length, not with its square.
NUMBER: Final = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
"""A regular expression for a number, with digits of any script."""
_RANGE = re.compile(rf"([\[(])\s*({NUMBER})\s*:\s*({NUMBER})\s*([\])])")
_SINGLE = re.compile(rf"\[\s*({NUMBER})\s*\]")


class IntervalSyntaxError(ValueError):
    """A text is not an interval; the message says why and what an interval looks like."""


@dataclass(frozen=True)
class Interval:
    """A set of numbers between two bounds, each of which may belong to it or not.

    Examples
    --------
    >>> ages = Interval.parse("[ 25 : 50 )")
    >>> 25.0 in ages, 50.0 in ages, str(ages)
    (True, False, '[25:50)')
    """

    low: float
    high: float
    low_closed: bool = True
    high_closed: bool = True

    @classmethod
    def parse(cls, text: str) -> Interval:
        """Read an interval; blanks around its parts do not matter.

        Raises
        ------
        IntervalSyntaxError
            If the text is no interval, a bound is not finite, or no number lies within it.
        """
        stripped, shown = text.strip(), quote(text)
        if match := _SINGLE.fullmatch(stripped):
            interval = cls(float(match[1]), float(match[1]))
        elif match := _RANGE.fullmatch(stripped):
            interval = cls(float(match[2]), float(match[3]), match[1] == "[", match[4] == "]")
        else:
            raise IntervalSyntaxError(f"{shown} is not an interval. Write it as [a:b], [a:b), (a:b], (a:b) or [a].")
        if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
            raise IntervalSyntaxError(f"{shown} has a bound beyond the largest number (1.8e308). Write a finite one.")
        if interval.is_empty:
            raise IntervalSyntaxError(f"{shown} contains no number. Write the smaller bound first.")
        return interval

    @property
    def is_empty(self) -> bool:
        """Whether no number lies between the bounds."""
        return self.low > self.high or (self.low == self.high and not (self.low_closed and self.high_closed))

    def __contains__(self, value: float) -> bool:
        above = value > self.low or (self.low_closed and value == self.low)
        below = value < self.high or (self.high_closed and value == self.high)
        return above and below

    def covers(self, other: Interval) -> bool:
        """Return whether every number of the other interval lies in this one."""
        starts = self.low < other.low or (self.low == other.low and (self.low_closed or not other.low_closed))
        ends = self.high > other.high or (self.high == other.high and (self.high_closed or not other.high_closed))
        return starts and ends

    def __str__(self) -> str:
        low, high = format_number(self.low), format_number(self.high)
        if self.low == self.high:
            return f"[{low}]"
        return f"{'[' if self.low_closed else '('}{low}:{high}{']' if self.high_closed else ')'}"


def format_number(value: float) -> str:
    """Write a number in the shortest way that reads back as the same one: ``25``, not ``25.0``."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


# The value generalisation hierarchy (VGH) of one quasi-identifier: a tree of intervals.


@dataclass(frozen=True)
class Node:
    """A generalised value: the interval of values or category codes that it stands for.

    Categories are numbered in the order of their hierarchy, so that a set of categories below one
    node is an interval of codes.
    """

    interval: Interval
    label: str
    """What a release shows for it."""
    children: tuple[Node, ...] = ()
    line: int = 0
    """Where it is declared, for messages; 0 if unknown."""
    text: str = ""
    """The interval as its author wrote it; empty for a node of a hierarchy file."""

    def walk(self, depth: int = 0) -> Iterator[tuple[Node, int]]:
        """Yield this node and all below it, parents before children, each with its depth."""
        yield self, depth
        for child in self.children:
            yield from child.walk(depth + 1)


@dataclass(frozen=True)
class Hierarchy:
    """A tree of generalised values above the ground domain, which never appears in it.

    Level 0 is the value itself, level 1 the leaves of the tree, level `height` its root.

    Examples
    --------
    >>> young, old = Node(Interval(0, 50, high_closed=False), "[0:50)"), Node(Interval(50, 100), "[50:100]")
    >>> ages = Hierarchy(Node(Interval(0, 100), "[0:100]", (young, old)))
    >>> ages.height, ages.is_uniform, [label for label, level in ages.labels()]
    (2, True, ['[0:100]', '[0:50)', '[50:100]'])
    """

    root: Node

    @property
    def height(self) -> int:
        """Number of levels above the ground domain: 1 for a root alone."""
        return 1 + max(depth for _, depth in self.root.walk())

    @property
    def is_uniform(self) -> bool:
        """Whether all leaves lie at one depth, as full-domain generalisation needs it."""
        return len({depth for node, depth in self.root.walk() if not node.children}) == 1

    def nodes(self) -> Iterator[tuple[Node, int]]:
        """Yield each node with its level, parents before children."""
        height = self.height
        for node, depth in self.root.walk():
            yield node, height - depth

    def labels(self) -> Iterator[tuple[str, int]]:
        """Yield the label and the level of each node, parents before children."""
        for node, level in self.nodes():
            yield node.label, level


# The labels of generalised values to which their author gave none.

ROOT: Final = "*"
"""What the root of a hierarchy is called where nothing else is said."""

_BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
MEMBER_NEEDS_QUOTES = rf'[,{{}}"\r\n]|^[{_BLANKS}]|[{_BLANKS}]$'
"""What a member of a set is quoted for; in the words that Python's regular expressions share with the engine's."""
_NEEDS_QUOTES = re.compile(MEMBER_NEEDS_QUOTES)


def format_category_set(names: Sequence[str]) -> str:
    """Write a set of categories: one as it is, several in braces, quoted where a name would be ambiguous.

    Parameters
    ----------
    names : sequence of str, length >= 1
        In the order of their codes.

    Examples
    --------
    >>> format_category_set(["Ohio"]), format_category_set(["Ohio", "Washington, D.C."])
    ('Ohio', '{Ohio,"Washington, D.C."}')
    """
    if len(names) == 1:
        return names[0]
    return f"{{{','.join(_quote_name(name) for name in names)}}}"


def format_interval(text: str) -> str:
    """Write an interval as its author did, without blanks; the digits of its bounds are kept.

    Examples
    --------
    >>> format_interval(" [ 0 : 1e2 ) ")
    '[0:1e2)'
    """
    return re.sub(r"\s+", "", text)


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


# The codes of an attribute's categories, and which of them lie in an interval.


@dataclass(frozen=True)
class CodeBook:
    """Categories in the order of their codes, which are all different.

    Examples
    --------
    >>> book = CodeBook.of({"Male": 1, "Female": 0})
    >>> book.names(book.within(Interval(0, 1)))
    ('Female', 'Male')
    """

    codes: tuple[int, ...]
    categories: tuple[str, ...]

    @classmethod
    def of(cls, categories: Mapping[str, int]) -> CodeBook:
        """Make a code book from the code of each category."""
        ordered = sorted(categories.items(), key=lambda item: item[1])
        return cls(tuple(code for _, code in ordered), tuple(name for name, _ in ordered))

    def within(self, interval: Interval) -> range:
        """Return the positions of the codes that lie in an interval."""
        start = (bisect_left if interval.low_closed else bisect_right)(self.codes, interval.low)
        end = (bisect_right if interval.high_closed else bisect_left)(self.codes, interval.high)
        return range(start, max(start, end))

    def names(self, positions: range) -> tuple[str, ...]:
        """Return the categories at these positions."""
        return self.categories[positions.start : positions.stop]
