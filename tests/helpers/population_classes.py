"""Equivalence classes that a test writes out, beside the people of a population whom each describes."""

from collections.abc import Sequence

from hypothesis import strategies as st

from toolbox.privacy.classes import Classes
from toolbox.store.store import Store

COUNTS = st.tuples(st.integers(1, 6), st.integers(0, 12))
"""Some records, and how many people fit."""


def described(store: Store, *counts: tuple[int, int], outside: Sequence[int] = ()) -> Classes:
    """Put classes of so many records and so many people, numbered from 1, into the store; and people who fit none."""
    numbers = list(range(1, len(counts) + 1))
    sizes = {"equivalence_id": (int, numbers), "size": (int, [records for records, _ in counts])}
    people = [(number, count) for number, (_, count) in zip(numbers, counts, strict=True) if count]
    people += [(number, count) for number, count in enumerate(outside, start=1000)]
    found = {"equivalence_id": (int, [one for one, _ in people]), "size": (int, [count for _, count in people])}
    return Classes(store.create_constant("sizes", sizes), population=store.create_constant("people", found))
