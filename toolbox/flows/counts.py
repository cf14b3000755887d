"""Tables of counts that a Python call gives: one row stands for several records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolbox.errors import InputError, UnknownColumnError, UsageError
from toolbox.store.caller import CallersTable, callers_table

if TYPE_CHECKING:
    import pyarrow as pa

_NANOSECONDS = 1000
"""Of a microsecond."""


def table_of_counts(source: Any, names: Sequence[str], called: str) -> CallersTable:
    """Return a table of counts in which each of some columns is there once.

    A zero has no sign in it: whoever counts and joins by values holds both zeros for equal, and so must we.

    Parameters
    ----------
    called : str
        What messages call the table.

    Raises
    ------
    InputError
        If it is no table, or holds times that the engine cannot tell apart.
    UsageError
        If a column is missing, or two are called the same.
    """
    table = callers_table(source, set(names))
    present = table.arrow.column_names
    for name in names:
        if name not in present:
            raise UnknownColumnError(name, called, present)
        if (found := present.count(name)) > 1:
            raise UsageError(f"{called.capitalize()} has {found} columns called {name!r}. Rename all but one.")
        _require_known_times(table.arrow, name)
    return replace(table, arrow=_with_one_zero(table.arrow, names))


def _require_known_times(table: pa.Table, name: str) -> None:
    """Stop where two values are one for the engine, which cuts them off: they would be mapped only once."""
    import numpy as np
    import pyarrow as pa

    column = table.column(name)
    # Of dates with a time, but without a zone, it keeps all digits.
    if getattr(column.type, "unit", None) != "ns" or column.type == pa.timestamp("ns"):
        return
    if np.any(column.drop_null().cast(pa.int64()).to_numpy() % _NANOSECONDS):
        remedy = "Round them where you count the records, and where you join."
        raise InputError(f"Column {name!r} holds times that are finer than a microsecond. {remedy}")


def _with_one_zero(table: pa.Table, names: Sequence[str]) -> pa.Table:
    import pyarrow as pa
    from pyarrow import compute

    for name in names:
        column = table.column(name)
        if pa.types.is_float32(column.type) or pa.types.is_float64(column.type):
            # By the rules of floating point -0.0 + 0.0 is 0.0; all else stays.
            unsigned = compute.add(column, pa.scalar(0.0, column.type))
            table = table.set_column(table.column_names.index(name), name, unsigned)
    return table
