"""A release that stays in memory: the columns that were made, and which record each row shows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.release.headings import headed
from toolbox.release.part import Part, texts_of
from toolbox.store.caller import taken_rows, without_others
from toolbox.store.source import row_number_name
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReleasedPart:
    """One table of a release, whose columns that pass through are still the caller's own.

    The engine knows fewer types than pandas, Arrow and Polars: it would cut nanoseconds off and rename time zones. So
    these columns bypass it, and are taken from the caller's table by the numbers of the records.
    """

    headers: tuple[str, ...]
    passed: tuple[int | None, ...]
    """For each header the column of the caller's table that passes through; None: what the engine has made."""
    made: pa.Table
    """A column for each None."""
    rows: Any
    """The row of the caller's table that each row shows, as an array; None where none passes through."""


def for_engine(table: pa.Table, declared: Collection[str]) -> pa.Table:
    """Prepare a table of the caller for the engine.

    A last column holds the row number of each record. Columns that are not declared stay outside: only empty columns
    hold their places.
    """
    import numpy as np
    import pyarrow as pa

    table = without_others(table, declared)
    return table.append_column(row_number_name(table.column_names), pa.array(np.arange(table.num_rows)))


def to_arrow(store: Store, part: Part) -> pa.Table:
    """Fetch one part, rows in their order, with the values of the engine."""
    columns = part.rows.subquery().c
    shown = select(*texts_of(columns))
    released = store.arrow(headed(shown, [f"h{index}" for index, _ in enumerate(part.headers)]))
    return released.rename_columns(list(part.headers))


def fetched(store: Store, part: Part, width: int) -> ReleasedPart:
    """Fetch what the engine has made of one part, rows in their order.

    Parameters
    ----------
    width : int
        Number of columns of the caller's table, behind which `for_engine` has put the numbers of rows. A part without
        these numbers has values of the engine only.
    """
    released = to_arrow(store, part)
    if width not in part.passed_through:
        return ReleasedPart(part.headers, (None,) * len(part.headers), released, None)
    columns = list(zip(part.passed_through, part.headers, strict=True))
    shown = [(position, header) for position, header in columns if position != width]
    return ReleasedPart(
        headers=tuple(header for _, header in shown),
        passed=tuple(position for position, _ in shown),
        made=released.select([index for index, (position, _) in enumerate(columns) if position is None]),
        rows=released.column(part.passed_through.index(width)).to_numpy(),
    )


def by_value(part: ReleasedPart, table: pa.Table) -> ReleasedPart:
    """Sort a release by all shown values, from left to right; lists and the like have no order and do not count.

    What is equal stays in the order in which it comes, which should be a random one.

    Parameters
    ----------
    table : pyarrow.Table
        The caller's table.
    """
    import pyarrow as pa
    from pyarrow import compute

    columns = iter(part.made.columns)
    shown = [
        next(columns) if position is None else taken_rows(table.column(position), pa.array(part.rows))
        for position in part.passed
    ]
    sortable = map(_sortable, shown)
    keys = {str(index): values for index, values in enumerate(sortable) if values is not None}
    if not keys:
        return part
    places = compute.sort_indices(pa.table(keys), [(name, "ascending") for name in keys])
    rows = None if part.rows is None else part.rows[places.to_numpy()]
    return replace(part, made=part.made.take(places), rows=rows)


def _sortable(values: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return a column as its values are compared; None if they cannot be."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        plain = values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values
        compute.sort_indices(plain.slice(0, 0))
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    return plain
