"""How often a test repeats itself: often enough by default, and many times more with ``--slow``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")
_thorough = False


def be_thorough() -> None:
    """Let the tests that are collected from now on repeat themselves as ``--slow`` asks for."""
    global _thorough  # noqa: PLW0603
    _thorough = True


def is_thorough() -> bool:
    """Tell whether the tests run with ``--slow``."""
    return _thorough


def times(few: int, *, slow: int) -> int:
    """Return how many examples a test draws."""
    return slow if _thorough else few


def some(items: Sequence[T], *, every: int, start: int = 0) -> Sequence[T]:
    """Return every nth of what is tried in turn; all with ``--slow``."""
    return items if _thorough else items[start % every :: every]


def sampled(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Leave out most variants of tests marked ``sampled(n)``.

    Of each, n stay: the first, the last and some between; of ``sampled(1)`` only the first.
    """
    variants: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            variants[item.nodeid.partition("[")[0]].append(item)
    left_out: set[str] = set()
    for alike in variants.values():
        (most,) = alike[0].get_closest_marker("sampled").args  # type: ignore[union-attr]
        kept = {place * (len(alike) - 1) // max(1, most - 1) for place in range(min(most, len(alike)))}
        left_out |= {item.nodeid for place, item in enumerate(alike) if place not in kept}
    return [item for item in items if item.nodeid not in left_out]
