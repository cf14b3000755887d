"""Equivalence classes that a test writes out, beside the people of a population whom each describes."""

from collections.abc import Sequence

from hypothesis import strategies as st

from toolbox.privacy.classes import Classes
from toolbox.store.engine.store import Store

COUNTS = st.tuples(st.integers(1, 6), st.integers(0, 12))
"""Some records, and how many people fit."""


def described(store: Store, *counts: tuple[int, int], outside: Sequence[int] = ()) -> Classes:
    """Put classes of so many records and so many people, numbered from 1, into the store; and people who fit none."""
    numbers = list(range(1, len(counts) + 1))
    sizes = {"equivalence_id": (int, numbers), "size": (int, [records for records, _ in counts])}
    found = {
        "equivalence_id": (int, numbers),
        "size": (int, [people for _, people in counts]),
        "outside": (int, [sum(outside)] * len(counts)),
    }
    return Classes(store.create_constant("sizes", sizes), population=store.create_constant("people", found))
