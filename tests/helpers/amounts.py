"""How often a test repeats itself: often enough by default, and many times more with ``--slow``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_thorough = False


def be_thorough() -> None:
    """Let the tests that are collected from now on repeat themselves as ``--slow`` asks for."""
    global _thorough  # noqa: PLW0603
    _thorough = True


def times(few: int, *, slow: int) -> int:
    """Return how many examples a test draws."""
    return slow if _thorough else few


def some(items: Sequence[T], *, every: int, start: int = 0) -> Sequence[T]:
    """Return every nth of what is tried in turn; all with ``--slow``."""
    return items if _thorough else items[start % every :: every]
