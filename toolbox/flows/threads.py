"""How many threads the engine takes for a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolbox.config.model import Limits
from toolbox.store.inputs import InputFiles

if TYPE_CHECKING:
    import pyarrow as pa

SMALL: Final = 20_000_000
"""Size in bytes below which one thread finishes sooner than two, measured with scripts/bench_scale.py."""
SMALL_TO_COMPARE: Final = 2_000_000
"""As `SMALL`, where records are compared with classes, which takes longer than reading them."""


def few_threads(limits: Limits, *tables: InputFiles | pa.Table | None, small: int = SMALL) -> Limits:
    """Limit small tables to one thread, unless the user sets the threads: more would cost more than they save.

    Parameters
    ----------
    limits : Limits
    tables : InputFiles or pyarrow.Table, optional
        All that are read; None: something else, which may be large.
    small : int
        Bytes below which they are small together.
    """
    sizes = [_size(table) for table in tables]
    known = [size for size in sizes if size is not None]
    is_small = len(known) == len(sizes) and sum(known) < small
    return replace(limits, threads=1) if is_small and limits.threads is None else limits


def _size(table: InputFiles | pa.Table | None) -> int | None:
    """Return the bytes of a table; None if only reading could tell them."""
    if table is None:
        return None
    if isinstance(table, InputFiles):
        return table.text_size()
    return int(table.nbytes)
