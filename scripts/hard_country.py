"""The made-up country behind `generate_hard`: where each zip code lies, and how its columns generalise.

A square of 9 by 9 degrees. Each digit of a zip code divides the area of the digits before it: the first
one into 3 by 3, the second and fourth into 2 by 5, the third and fifth into 5 by 2. So the 90,000 codes
from 10000 to 99999 are the cells of a grid of 300 by 300, and a prefix of a code is a rectangle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FIRST_ZIP = 10_000
ZIPS = 90_000
DIVISIONS = ((3, 3), (2, 5), (5, 2), (2, 5), (5, 2))
"""Rows and columns into which each digit divides its area."""
CELL = 300
"""Side of a zip code's area, in units of 0.0001 degree; as many as there are rows and columns."""
LATITUDE_START, LONGITUDE_START = 450_000, 60_000
SIDE = 90_000
"""Where the country begins, and its side, in units of 0.0001 degree."""

LATITUDE_WIDTHS = (30_000, 5_000, 1_000)
LONGITUDE_WIDTHS = (10_000, 1_000)
AGE_START, AGE_SIDE, AGE_WIDTHS = 10, 90, (10,)
"""Widths of the intervals below the root of a hierarchy, each a multiple of the next."""

ORDER = ("zip", "latitude", "longitude", "age", "sex", "marital-status")
LEVELS = {"zip": 6, "latitude": 5, "longitude": 4, "age": 3, "sex": 2, "marital-status": 2}
"""Levels of each quasi-identifier, the value itself and the root included: a lattice of 1,440 nodes."""


def cells(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the row and the column of each zip code in the grid, from the south-west."""
    row, column = np.zeros_like(codes), np.zeros_like(codes)
    for index, (rows, columns) in enumerate(DIVISIONS):
        digit = codes // 10 ** (4 - index) % 10
        if index == 0:
            digit = digit - 1
        row = row * rows + digit // columns
        column = column * columns + digit % columns
    return row, column


def zip_rows() -> list[str]:
    """Write the hierarchy of the zip codes as ARX does: 24700;2470*;247**;24***;2****;*."""
    codes = (str(code) for code in range(FIRST_ZIP, FIRST_ZIP + ZIPS))
    return [";".join([*(code[:kept] + "*" * (5 - kept) for kept in range(5, 0, -1)), "*"]) for code in codes]


def intervals(start: int, side: int, widths: Sequence[int], unit: int = 1) -> list[str]:
    """Write a hierarchy of regular intervals as lines of XML; ``unit`` parts make one."""
    end = start + side
    inner = (line for low in range(start, end, widths[0]) for line in _nodes(low, low + widths[0], widths, unit))
    return [f"<vgh value='{_interval(start, end, unit)}'>", *inner, "</vgh>"]


def _nodes(low: int, high: int, widths: Sequence[int], unit: int) -> list[str]:
    opening = f"  <node value='{_interval(low, high, unit)}'"
    below = widths[1:]
    if not below:
        return [opening + "/>"]
    starts = range(low, high, below[0])
    inner = [f"  {line}" for start in starts for line in _nodes(start, start + below[0], below, unit)]
    return [opening + ">", *inner, "  </node>"]


def _interval(low: int, high: int, unit: int) -> str:
    return f"[{_number(low, unit)}:{_number(high, unit)})"


def _number(value: int, unit: int) -> str:
    """Write value / unit, a power of ten, without a rounding in between."""
    whole, part = divmod(value, unit)
    return f"{whole}.{part:0{len(str(unit)) - 1}d}".rstrip("0").rstrip(".") if part else str(whole)
