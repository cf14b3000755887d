"""What methods that plan on arrays need before they begin: room within the memory limit, and weights of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from toolbox.errors import UsageError
from toolbox.messages import choose_setting_name
from toolbox.store.tables import Tables

# Room within the memory limit for methods that plan on arrays, and the error where there is none.

_BESIDE = 300_000_000
"""Bytes of arrays that a process may have beside what the engine is limited to."""
_SHARE = 2
"""The engine keeps at least one part in two of its memory: it has the records."""
_REMEDY = "declare fewer quasi-identifiers, or choose Datafly, which spills to disk"


@contextmanager
def in_memory(tables: Tables, bytes_each: int, *, with_values: bool = False) -> Iterator[None]:
    """Make room for arrays of the combinations: while the block runs the engine has less memory, and spills.

    Parameters
    ----------
    bytes_each : int
        What the arrays take of each combination when there are most of them.
    with_values : bool
        Whether a combination is there once more for each of its values of every sensitive attribute.

    Raises
    ------
    UsageError
        If the memory limit leaves no room for them, before they are made; or if the machine does not.
    """
    store, count = tables.store, tables.store.count(tables.combinations)
    people = 0 if tables.population is None else store.count(tables.population.combinations)
    rows = (
        count + people + sum(store.count(sensitive.histogram) for sensitive in tables.sensitive.values() if with_values)
    )
    what = f"{count:,} distinct combinations of {len(tables.quasi_identifiers)} quasi-identifiers"
    limit = store.memory_limit
    lent = 0 if limit is None else max(0, rows * bytes_each - _BESIDE)
    if limit is not None and _SHARE * lent > limit:
        needed = -(-_SHARE * lent // 10**8) / 10
        setting = choose_setting_name("--memory-limit", python="limits=Limits(memory=..)")
        raise UsageError(
            f"{what} need {rows * bytes_each / 1e9:.1f} GB beside the tables, for which the memory limit has no room. "
            f"Raise {setting} to {needed:.1f}GB, {_REMEDY}."
        )
    try:
        if limit is not None and lent:
            store.limit_memory(limit - lent)
        yield
    except MemoryError as error:
        remedy = _REMEDY[0].upper() + _REMEDY[1:]
        raise UsageError(f"{what} need more memory than there is. {remedy}.") from error
    finally:
        if limit is not None and lent:
            store.limit_memory(limit)


# The weights of quasi-identifiers: the declared ones, otherwise those that follow from their priorities.
#
# Bampoulidis, Markopoulos and Lupu (2019). PrioPrivacy. doi:10.1145/3358695.3360918


def rank_by_importance(priorities: Sequence[int | None]) -> list[int]:
    """Rank quasi-identifiers, 1 the most important, without gaps; those without a priority share the last rank."""
    declared = sorted({priority for priority in priorities if priority is not None})
    return [len(declared) + 1 if priority is None else declared.index(priority) + 1 for priority in priorities]


def compute_weights(ranks: Sequence[int], weights: Sequence[float | None]) -> list[float]:
    """Return the declared weights; without one it is (n - rank + 1) / n, with n ranks, as in the paper."""
    n = max(ranks)
    return [(n - rank + 1) / n if weight is None else weight for rank, weight in zip(ranks, weights, strict=True)]
