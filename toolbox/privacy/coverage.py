"""What a generalised value in a release stands for, among the texts that a column may hold."""

from __future__ import annotations

import csv
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence

from toolbox.config.model import QuasiIdentifier
from toolbox.hierarchy.interval import Interval, IntervalSyntaxError
from toolbox.hierarchy.tree import steps

ANYTHING = "*"


class Coverage:
    """Tells which of some texts a label stands for.

    A label of the hierarchy stands for the values below its nodes; the root and ``*`` for every text. Other labels are
    read as they are written without a hierarchy: ``[20:29]`` stands for numbers, ``{a,b}`` for categories, anything
    else for itself, however a number is written.

    Parameters
    ----------
    texts : sequence of str or None, all different
    attribute : QuasiIdentifier
        What the column holds.

    Examples
    --------
    >>> from toolbox.config.model import Column
    >>> age = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")
    >>> ages = Coverage(["20", "25", "31", None], age)
    >>> sorted(ages.places("[20:29]")), sorted(ages.places("31.0")), sorted(ages.places("*"))
    ([0, 1], [2], [0, 1, 2, 3])
    """

    def __init__(self, texts: Sequence[str | None], attribute: QuasiIdentifier) -> None:
        self._count = len(texts)
        self._kind = attribute.kind
        self._same = {text: place for place, text in enumerate(texts)}
        numbers = [None if attribute.kind == "category" else _number(text) for text in texts]
        self._numbers = sorted((number, place) for place, number in enumerate(numbers) if number is not None)
        self._below: dict[str, set[int]] = defaultdict(set)
        self._whole = {ANYTHING}
        if attribute.hierarchy is not None:
            codes = attribute.categories
            standing = numbers if codes is None else [codes.get(text or "") for text in texts]
            labels = [node.label for node, _ in attribute.hierarchy.nodes()]
            self._whole.add(labels[0])
            for way in steps(attribute.hierarchy, standing):
                if way.node > 0:
                    self._below[labels[way.node]].add(way.number)

    def places(self, label: str | None) -> Collection[int]:
        """Return the places of the texts that a label stands for."""
        if label in self._whole:
            return range(self._count)
        found = {self._same[label]} if label in self._same else set()
        if label is None:
            return found
        if label in self._below:
            return found | self._below[label]
        if label.startswith("{") and label.endswith("}"):
            names = next(csv.reader([label[1:-1]]), [])
            found |= {self._same[name] for name in names if name in self._same}
        return found | set(self._within(label))

    def _within(self, label: str) -> list[int]:
        """Return the places of the numbers in an interval, or of those that are the same one."""
        number = _number(label)
        try:
            interval = Interval.parse(label) if number is None else Interval(number, number)
        except IntervalSyntaxError:
            return []
        low = bisect_left(self._numbers, (interval.low, -1))
        high = bisect_right(self._numbers, (interval.high, self._count))
        return [place for value, place in self._numbers[low:high] if value in interval]


def _number(text: str | None) -> float | None:
    try:
        value = math.nan if text is None or "_" in text else float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
