"""Classes whose categories follow from their distribution."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from toolbox.risks.statistics.solving import ClassShares


def test_shares_give_the_records_of_each_category_where_the_label_leaves_several() -> None:
    """One label is one category; what is suppressed or has two is told by its shares, unless the class is too large."""
    texts = ["1.0:0.0", "1.0:0.0", "0.75:0.25", "0.75:0.25", "?"]
    sizes, classes = np.array([5, 6, 8, 400, 7]), np.array([1, 2, 1, 1, 1])
    figures = ClassShares.read(np.array([0, 1, 1, 1, 1]), sizes, classes, pa.array(texts))
    found = figures.solve("sex", [False, True], cells=1000)
    assert (found.classes, found.solved, found.undecided) == (6, 3, 2)
    assert found.cells_disclosed == 2 * 6 + 8
