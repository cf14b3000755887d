"""Ranges of values."""

from __future__ import annotations

from collections.abc import Iterable


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that touch.

    Examples
    --------
    >>> merged([(5, 6), (0, 1), (2, 2)])
    [(0, 2), (5, 6)]
    """
    joined: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined
