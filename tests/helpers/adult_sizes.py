"""The sizes of the classes of Adult, of which others have published figures."""

from __future__ import annotations

ADULT = [
    *((1, 15512), (2, 2098), (3, 754), (4, 375), (5, 189), (6, 155), (7, 97), (8, 73), (9, 39), (10, 37), (11, 29)),
    *((12, 18), (13, 23), (14, 14), (15, 15), (16, 9), (17, 11), (18, 10), (19, 10), (20, 5), (21, 3), (22, 4)),
    *((23, 3), (24, 2), (25, 1), (26, 3), (27, 5), (29, 1), (30, 2), (32, 1), (34, 1), (35, 1), (36, 1), (45, 1)),
]
"""The classes of Adult by their sizes, all nine columns as they are."""
