"""Files that an earlier, longer release has left: they must not lie beside a shorter one as if they belonged to it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from toolbox.config.outputs import MOST_PIECES, piece_path


def leftovers(tables: Sequence[Path], written: Collection[Path]) -> list[Path]:
    """List the pieces of earlier releases that the pieces of this one will not replace.

    A release numbers its pieces without a gap: what comes after one, such as ``export-90210.csv``, is no piece.

    Parameters
    ----------
    tables : sequence of Path
        The names of the tables before they were split.
    written : collection of Path
        The pieces of this release.
    """
    new = set(written)
    return [piece for path in tables for piece in takewhile(os.path.lexists, _after(path, new))]


def _after(path: Path, new: Collection[Path]) -> Iterator[Path]:
    """Return the pieces that a longer release of a table would have."""
    pieces = (piece_path(path, index) for index in range(1, MOST_PIECES + 1))
    return (piece for piece in pieces if piece not in new)
