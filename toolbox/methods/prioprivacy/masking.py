"""The suppression of PrioPrivacy as it was published, which does not make records k-anonymous.

It masks a record until enough records of the *original* table look like it. These are then released unmasked, or
masked otherwise, so that whoever knows the person may find nobody else in the release. That is why a release needs
`toolbox.methods.prioprivacy.cheapest` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from toolbox.methods.arrays.grouping import numbered
from toolbox.methods.arrays.types import Flags
from toolbox.methods.prioprivacy.combinations import Combinations, Node
from toolbox.methods.prioprivacy.state import State


def mask(combinations: Combinations, state: State, nodes: Sequence[Node], k: int) -> None:
    """Mask every open record at the first of these nodes at which it counts as anonymous.

    Parameters
    ----------
    nodes : sequence of nodes
        All values at level 0 or at the root.
    """
    for node in nodes:
        rows = state.rows
        if not len(rows):
            return
        state.settle(rows[_is_anonymous(combinations, node, k)[rows]], node)


def _is_anonymous(combinations: Combinations, node: Node, k: int) -> Flags:
    """Mark each combination that counts as anonymous when masked.

    At least k original records have its other values. And whoever sees which values stand beside these, and knows that
    none of them would have been masked, must be left with k candidates: the record's own values and all that do not
    occur there.

    The published program also requires that the masked columns could have more than k combinations of values. For a
    record that is open this follows: at least two of them occur beside its other values, or all that are alike would be
    its equals, and it would be in a class of k.
    """
    masked = [position for position, level in enumerate(node) if level]
    kept = [codes[0] for position, codes in enumerate(combinations.codes) if position not in masked]
    if kept:
        class_, _ = numbered(kept)
    else:
        class_ = np.zeros(combinations.count, np.int64)
    alike = np.bincount(class_, weights=combinations.sizes)[class_]
    occurring = np.bincount(class_)[class_]
    possible = prod(combinations.distinct[position] for position in masked)
    return (alike >= k) & (occurring <= possible + 1 - k)
