"""Non-uniform entropy of a released column, computed record by record from what the release shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2

Chains = Mapping[str, Sequence[str]]
"""Each value with its generalisations, itself first, the root last; no text stands on two levels."""


def bits_lost(original: Sequence[str], shown: Sequence[str], chains: Chains) -> float:
    """Add up what the records lose, level by level of those that occur, as ARX does for local recoding.

    At each such level the records that are shown there or above pay for the step from the level before, by the
    frequencies among themselves; the first step is from the input.
    """
    levels = [chains[value].index(text) for value, text in zip(original, shown, strict=True)]
    lost, before = 0.0, 0
    for level in sorted(set(levels)):
        rising = [chains[value] for value, own in zip(original, levels, strict=True) if own >= level]
        below, above = Counter(chain[before] for chain in rising), Counter(chain[level] for chain in rising)
        lost -= sum(log2(below[chain[before]] / above[chain[level]]) for chain in rising)
        before = level
    return lost


def most_bits(original: Sequence[str]) -> float:
    """Add up what the records lose if the column is suppressed."""
    return -sum(count * log2(count / len(original)) for count in Counter(original).values())


def quality(
    original: Sequence[Sequence[str]], shown: Sequence[Sequence[str]], chains: Sequence[Chains]
) -> tuple[float, list[float]]:
    """Return the share of information that is kept: of the table, each bit alike, and of each column (axis 0)."""
    each = zip(original, shown, chains, strict=True)
    lost = [bits_lost(before, after, chain) for before, after, chain in each]
    most = [most_bits(before) for before in original]
    return 1 - sum(lost) / sum(most), [1 - one / all_ for one, all_ in zip(lost, most, strict=True)]
