"""Rules that group numbers, such as years of birth, and name the groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.types import Reals, Whole

WIDTH = 4
"""Distinct values in a range."""
CHUNKS = 4
"""Number of parts into which the records are cut."""


class Groups(NamedTuple):
    """The group of each value, and what each group is called."""

    group: Whole
    labels: tuple[str, ...]


def ranges(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> Groups:
    """Group four neighbouring values (`WIDTH`); call each group by its least and largest value."""
    group = np.arange(len(values)) // WIDTH
    return Groups(group, _range_labels(group, texts))


def row_ranges(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> Groups:
    """Group neighbouring values until they have k records; what is left over joins the last group.

    A value that has k records of its own stays as it is.
    """
    group, records, part = np.zeros(len(values), np.int64), 0, 0
    for position, count in enumerate(counts):
        if records >= k:
            part, records = part + 1, 0
        group[position] = part
        records += int(count)
    if records < k and part:
        group[group == part] = part - 1
    ends = zip(*ends_of(group), strict=True)
    return Groups(group, tuple(texts[first] if first == last else _range(first, last, texts) for first, last in ends))


def middles(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> Groups:
    """Make the same groups as `ranges`; call each by its middle value, the upper one of two."""
    group = np.arange(len(values)) // WIDTH
    first, last = ends_of(group)
    return Groups(group, tuple(texts[middle] for middle in (first + last + 1) // 2))


def medians(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> Groups:
    """Cut the records in their order into four parts; call the values of a part by the median of its records.

    A value whose records are in two parts goes to the first of them.
    """
    part, size = _parts(counts)
    ends, records = np.cumsum(counts), int(counts.sum())
    labels = []
    for index in np.unique(part):
        first, last = int(index) * size, min((int(index) + 1) * size, records) - 1
        places = np.searchsorted(ends, [(first + last) // 2, (first + last + 1) // 2], side="right")
        labels.append(_text(float(values[places].mean())))
    return Groups(np.unique(part, return_inverse=True)[1], tuple(labels))


def means(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> Groups:
    """Make the same groups as `medians`; call each by the mean of its records, rounded where values are whole."""
    _, group = np.unique(_parts(counts)[0], return_inverse=True)
    mean = np.bincount(group, values * counts) / np.bincount(group, counts)
    if np.all(values == np.floor(values)):
        mean = np.floor(mean + 0.5)
    return Groups(group, tuple(_text(float(value)) for value in mean))


def _parts(counts: Whole) -> tuple[Whole, int]:
    """Return the part in which the first record of each value lies, and the records of a part."""
    size = -(-int(counts.sum()) // CHUNKS)
    return (np.cumsum(counts) - counts) // size, size


def ends_of(group: Whole) -> tuple[Whole, Whole]:
    """Return the first and the last position of each group; the groups follow each other."""
    numbers = np.arange(int(group[-1]) + 1)
    return np.searchsorted(group, numbers), np.searchsorted(group, numbers, side="right") - 1


def _range_labels(group: Whole, texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(_range(first, last, texts) for first, last in zip(*ends_of(group), strict=True))


def _range(first: int, last: int, texts: Sequence[str]) -> str:
    return f"[{texts[first]}:{texts[last]}]"


def _text(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(number)


NUMBER_RULES: Mapping[str, Callable[[Reals, Whole, Sequence[str], int], Groups]] = MappingProxyType(
    {"ranges": ranges, "row-ranges": row_ranges, "middles": middles, "medians": medians, "means": means}
)
"""The rules for numbers, by the names that users write.

References
----------
Pastore, Pellegrino and Scarano (2020): `row-ranges` as in the text, `ranges` and `middles` as in the published program,
`medians` as in Table 1, `means` as the text describes them.
"""
DATE_RULES: Mapping[str, Callable[[Reals, Whole, Sequence[str], int], Groups]] = MappingProxyType(
    {name: NUMBER_RULES[name] for name in ("ranges", "row-ranges")}
)
"""Those of them that write no number of their own."""
