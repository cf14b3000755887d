"""A release that stays in memory: Arrow tables whose columns that pass through are the caller's own."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from toolbox.release.part import Part
from toolbox.release.writer import headed
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

_ROW = "toolbox row"


def for_engine(given: pa.Table, declared: Collection[str]) -> pa.Table:
    """Prepare a table of the caller for the engine.

    A last column tells, at the end, which row a record was. Columns that are not declared stay outside: only their
    places are kept.
    """
    import numpy as np
    import pyarrow as pa

    for position, name in enumerate(given.column_names):
        if name not in declared:
            given = given.set_column(position, name, pa.nulls(given.num_rows, pa.int8()))
    return given.append_column(_ROW, pa.array(np.arange(given.num_rows)))


def to_arrow(store: Store, part: Part, given: pa.Table | None = None) -> pa.Table:
    """Fetch one part, rows in their order, with the caller's own values where columns pass through.

    The engine knows fewer types than Arrow: it would cut nanoseconds off and rename time zones.

    Parameters
    ----------
    part : Part
        Of a table made `for_engine`, if one is given.
    given : pyarrow.Table, optional
        The caller's table; without it all values are the engine's.
    """
    import pyarrow as pa

    released = store.arrow(headed(part.rows, [f"h{number}" for number, _ in enumerate(part.headers)]))
    if given is None or given.num_columns not in part.passed_through:
        return released.rename_columns(list(part.headers))
    rows = released.column(part.passed_through.index(given.num_columns))
    columns, headers = [], []
    for number, (position, header) in enumerate(zip(part.passed_through, part.headers, strict=True)):
        if position != given.num_columns:
            columns.append(released.column(number) if position is None else _of_rows(given.column(position), rows))
            headers.append(header)
    return pa.Table.from_arrays(columns, names=headers)


def _of_rows(column: pa.ChunkedArray, rows: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take some rows of a column; a dictionary keeps no value of a row that is left out."""
    import pyarrow as pa

    taken = column.take(rows)
    return taken.cast(taken.type.value_type).dictionary_encode() if pa.types.is_dictionary(taken.type) else taken


def by_value(released: pa.Table) -> pa.Table:
    """Sort a release by all that it shows, from left to right; lists and the like, which have no order, do not count.

    What is equal stays in the order in which it comes, which should be a random one.
    """
    import pyarrow as pa
    from pyarrow import compute

    columns = [_sortable(column) for column in released.columns]
    keys = {str(number): column for number, column in enumerate(columns) if column is not None}
    if not keys:
        return released
    places = compute.sort_indices(pa.table(keys), [(name, "ascending") for name in keys])
    return released.take(places)


def _sortable(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return a column as its values are compared; None if they cannot be."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        compute.sort_indices(plain.slice(0, 0))
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    return plain
