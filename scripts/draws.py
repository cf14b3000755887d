"""Draws that whole numbers decide, so that a seed gives the same records on every machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from numpy.typing import NDArray

Codes = NDArray[np.int8]
CATEGORY = pa.dictionary(pa.int8(), pa.string())


def draw_ranks(rng: Generator, size: int, *, head: int, ranks: int) -> NDArray[np.int64]:
    """Draw ranks of which a share of head / (r + head) is r or higher: the inverse of a uniform number."""
    uniform = rng.integers(1, 2**32, size=size, endpoint=True)
    # The few draws beyond the last rank fall back among the ranks, all over.
    return ((head << 32) // uniform - head) % ranks


def cards(weights: Sequence[Sequence[int]]) -> Codes:
    """Lay out a table of weights as rows of cards that show each category as often as its weight says."""
    return np.array([np.repeat(np.arange(len(row)), row) for row in weights], dtype=np.int8)


def draw(rng: Generator, deck: Codes, rows: NDArray[np.integer]) -> Codes:
    """Draw one card from the named row of the deck, for each row named."""
    drawn: Codes = deck[rows, rng.integers(0, deck.shape[1], size=len(rows))]
    return drawn


def group(values: NDArray[np.integer], starts: Sequence[int]) -> Codes:
    """Find the number of each value's group, given where the second and later groups start."""
    return np.searchsorted(starts, values, side="right").astype(np.int8)


def category(codes: Codes, words: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words, pa.string()))
