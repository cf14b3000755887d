"""Information loss, computed from what a release shows and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from helpers.releases import range_ends, set_members

Hierarchy = Mapping[str, Collection[str]]
"""The labels of each category, on all levels."""


def discernibility(rows: Sequence[Sequence[str]]) -> int:
    """Charge each record for all records of its class: the sum of squared class sizes (Bayardo and Agrawal 2005)."""
    return sum(size * size for size in Counter(map(tuple, rows)).values())


def ncp(
    released: Sequence[Sequence[str]], original: Sequence[Sequence[str]], hierarchies: Sequence[Hierarchy | None]
) -> float:
    """Average the normalised certainty penalty of all cells (Xu et al. 2006), 0 to 1.

    A number, a column without hierarchy, costs the length of its range over that of the column. A category costs the
    number of values that it may be, less one, over the number of values in the column, less one.
    """
    shown, values = zip(*released, strict=True), zip(*original, strict=True)
    costs = [
        _number_cost(after, before) if hierarchy is None else _category_cost(after, before, hierarchy)
        for after, before, hierarchy in zip(shown, values, hierarchies, strict=True)
    ]
    return sum(costs) / len(costs)


def _number_cost(shown: Sequence[str], original: Sequence[str]) -> float:
    whole = max(map(float, original)) - min(map(float, original))
    lengths = {text: _length(text) / whole for text in set(shown)}
    return sum(lengths[text] for text in shown) / len(shown)


def _length(text: str) -> float:
    low, high = range_ends(text) or (float(text), float(text))
    return high - low


def _category_cost(shown: Sequence[str], original: Sequence[str], hierarchy: Hierarchy) -> float:
    known = set(original)
    extra = {text: len(_meanings(text, known, hierarchy)) - 1 for text in set(shown)}
    assert min(extra.values()) >= 0, "a released text is neither a value of the column nor a set nor a label"
    return sum(extra[text] for text in shown) / len(shown) / (len(known) - 1)


def _meanings(text: str, known: set[str], hierarchy: Hierarchy) -> set[str]:
    """List the values of the column that a released text may stand for."""
    if text in known:
        return {text}
    return set(set_members(text) or ()) or {value for value in known if text in hierarchy[value]}


def codes(column: Sequence[str], order: Mapping[str, int] | None = None) -> list[float]:
    """Number categories: in the given order, or else in that of their texts."""
    ranks = order or {text: rank for rank, text in enumerate(sorted(set(column)))}
    return [float(ranks[text]) for text in column]
