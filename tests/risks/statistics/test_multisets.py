"""How many multisets have a size, a sum and a sum of squares: against a list of all of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np

from toolbox.risks.statistics.fitting import WantedSums, can_count, count_multisets, find_largest_size


def test_all_sums_of_small_multisets_are_counted_as_a_list_has_them() -> None:
    for width in range(9):
        for size in range(1, 6):
            members = combinations_with_replacement(range(width + 1), size)
            ways = Counter((sum(these), sum(x * (x - 1) // 2 for x in these)) for these in members)
            # Sums beyond the ends belong to no multiset.
            sums = [(s, p) for s in range(-2, size * width + 3) for p in range(-2, size * width * width // 2 + 3)]
            total, pairs = np.array(sums).T
            found = count_multisets(WantedSums(np.full_like(total, size), np.full_like(total, width), total, pairs))
            assert found.tolist() == [min(2, ways[one]) for one in sums]


def test_sizes_and_widths_of_all_kinds_are_counted_side_by_side() -> None:
    # 2, 2, 2; 4,999 threes and a two; 7, 7; and 0, 3, 3 or 1, 1, 4.
    wanted = WantedSums(*map(np.array, ([3, 5000, 2, 3], [3, 3, 7, 20], [6, 14999, 14, 6], [3, 14998, 42, 6])))
    assert count_multisets(wanted).tolist() == [1, 1, 1, 2]


def test_what_is_too_large_is_known_beforehand() -> None:
    size, width = np.array([10**9, find_largest_size(20), find_largest_size(20) + 1, 1]), np.array([3, 20, 20, 113])
    assert can_count(size, width).tolist() == [True, True, False, False]
