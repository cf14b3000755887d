"""What an earlier release of more files has left: it must not lie beside a shorter one, as if it belonged to it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from toolbox.config.outputs import existing_pieces


def leftovers(tables: Sequence[Path], written: Collection[Path]) -> list[Path]:
    """List the pieces of earlier releases that the pieces of this one will not replace.

    Parameters
    ----------
    tables : sequence of Path
        The names of the tables before they were split.
    written : collection of Path
        The pieces of this release.
    """
    return [piece for path in tables for piece in existing_pieces(path) if piece not in written]
