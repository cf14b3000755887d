"""Methods that plan on arrays: what to say where the memory does not hold them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolbox.errors import UsageError
from toolbox.store.tables import Tables


@contextmanager
def memory_told(tables: Tables) -> Iterator[None]:
    """Say how many combinations do not fit into memory, and what to do.

    Raises
    ------
    UsageError
    """
    try:
        yield
    except MemoryError as error:
        count = tables.store.count(tables.combinations)
        raise UsageError(
            f"{count:,} distinct combinations of quasi-identifiers need more memory than there is. "
            "Declare fewer quasi-identifiers, or choose Datafly, which spills to disk."
        ) from error
