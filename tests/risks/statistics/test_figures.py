"""The cells that statistics disclose, of one column and of all."""

from __future__ import annotations

from helpers.solved_statistics import AGE, FOUND


def test_shares_are_of_all_cells() -> None:
    assert AGE.share_disclosed == 0.5
    assert (FOUND.cells, FOUND.cells_disclosed, FOUND.share_disclosed) == (40, 10, 0.25)
