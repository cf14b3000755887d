"""A release as the caller's own kind of table: columns that pass through keep their types and values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.release.files.part import Part, decode_enumerations, rename_columns
from toolbox.store.engine.store import Store
from toolbox.store.input.memory import CallersTable, clear_other_columns, take_rows
from toolbox.store.input.source import make_row_number_name

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# A release that stays in memory: the columns that were made, and which record each row shows.


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


def prepare_for_engine(table: pa.Table, declared: Collection[str]) -> pa.Table:
    """Prepare a table of the caller for the engine.

    A last column holds the row number of each record. Columns that are not declared stay outside: only empty columns
    hold their places.
    """
    import numpy as np
    import pyarrow as pa

    table = clear_other_columns(table, declared)
    return table.append_column(make_row_number_name(table.column_names), pa.array(np.arange(table.num_rows)))


def to_arrow(store: Store, part: Part) -> pa.Table:
    """Fetch one part, rows in their order, with the values of the engine."""
    columns = part.rows.subquery().c
    shown = select(*decode_enumerations(columns))
    released = store.arrow(rename_columns(shown, [f"h{index}" for index, _ in enumerate(part.headers)]))
    return released.rename_columns(list(part.headers))


def fetch_part(store: Store, part: Part, width: int) -> ReleasedPart:
    """Fetch what the engine has made of one part, rows in their order.

    Parameters
    ----------
    width : int
        Number of columns of the caller's table, behind which `prepare_for_engine` has put the numbers of rows. A part
        without these numbers has values of the engine only.
    """
    released = to_arrow(store, part)
    positions = [column.unmodified_position for column in part.shown]
    if width not in positions:
        return ReleasedPart(part.headers, (None,) * len(part.headers), released, None)
    columns = list(zip(positions, part.headers, strict=True))
    shown = [(position, header) for position, header in columns if position != width]
    return ReleasedPart(
        headers=tuple(header for _, header in shown),
        passed=tuple(position for position, _ in shown),
        made=released.select([index for index, (position, _) in enumerate(columns) if position is None]),
        rows=released.column(positions.index(width)).to_numpy(),
    )


def sort_by_value(part: ReleasedPart, table: pa.Table) -> ReleasedPart:
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
        next(columns) if position is None else take_rows(table.column(position), pa.array(part.rows))
        for position in part.passed
    ]
    sortable = map(_make_sortable, shown)
    keys = {str(index): values for index, values in enumerate(sortable) if values is not None}
    if not keys:
        return part
    places = compute.sort_indices(pa.table(keys), [(name, "ascending") for name in keys])
    rows = None if part.rows is None else part.rows[places.to_numpy()]
    return replace(part, made=part.made.take(places), rows=rows)


def _make_sortable(values: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return a column as its values are compared; None if they cannot be."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        plain = values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values
        compute.sort_indices(plain.slice(0, 0))
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    return plain


# A release as the caller's own kind of table: columns that pass through keep their types and values.


def build_returned_table(part: ReleasedPart, caller: CallersTable, *, keeps_index: bool) -> Any:
    """Return one table of a release: a DataFrame of pandas or Polars, or an Arrow table, as the caller's is.

    Parameters
    ----------
    keeps_index : bool
        Whether the index stays with its records; otherwise the rows are numbered anew, and columns that were an index
        are left out.
    """
    if caller.maker == "pandas":
        return _build_pandas_frame(part, caller.given, keeps_index=keeps_index)
    left_out = () if keeps_index else caller.index_columns
    columns = zip(part.headers, part.passed, _list_columns(part, caller), strict=True)
    kept = [column for column in columns if column[1] not in left_out]
    if caller.maker == "polars":
        import polars as pl

        return pl.DataFrame([values.alias(header) for header, _, values in kept])
    return _restore_metadata(kept, caller.given.schema)


def remove_lost_values(taken: Any, source: Any) -> Any:
    """Remove the categories that occurred only in records that are left out. Those that never occurred stay.

    Parameters
    ----------
    taken, source : pandas.Series
        Of one categorical type: the values of the release, and all values.
    """
    before, after = set(source.cat.codes.unique()), set(taken.cat.codes.unique())
    lost = before - after - {-1}
    # Not `remove_categories`, which sorts those that stay.
    kept = [category for code, category in enumerate(source.cat.categories) if code not in lost]
    return taken.cat.set_categories(kept) if lost else taken


def _build_pandas_frame(part: ReleasedPart, source: pd.DataFrame, *, keeps_index: bool) -> pd.DataFrame:
    import pandas as pd

    written = iter(part.made.columns)
    columns = {}
    for index, position in enumerate(part.passed):
        if position is None:
            columns[index] = _convert_column(next(written))
            continue
        columns[index] = _take_pandas_rows(source.iloc[:, position], part.rows)
    frame = pd.DataFrame(columns)
    frame.columns = _list_labels(part, source)
    if keeps_index:
        frame.index = _take_index_rows(source.index, part.rows)
    return frame


def _take_pandas_rows(values: pd.Series, rows: Any) -> pd.Series:
    """Return some rows of a column. A categorical type keeps no value that occurred only in rows that are left out."""
    import pandas as pd
    import pyarrow as pa

    taken: pd.Series = values.take(rows).reset_index(drop=True)
    if isinstance(taken.dtype, pd.CategoricalDtype):
        taken = remove_lost_values(taken, values)
    elif isinstance(taken.dtype, pd.ArrowDtype) and _has_dictionary(taken.dtype.pyarrow_dtype):
        cells = take_column_rows(pa.chunked_array([pa.array(values)]), rows)
        taken = pd.Series(pd.array(cells, dtype=taken.dtype))
    return taken


def _take_index_rows(index: pd.Index, rows: Any) -> pd.Index:
    import pandas as pd

    taken = index.take(rows)
    if isinstance(taken, pd.MultiIndex):
        return taken.remove_unused_levels()
    if isinstance(taken, pd.CategoricalIndex):
        kept = remove_lost_values(taken.to_series(), index.to_series())
        return pd.CategoricalIndex(kept, name=index.name)
    return taken


def _list_labels(part: ReleasedPart, source: pd.DataFrame) -> pd.Index:
    """Return the column names of the caller, which may be of any type; new columns have texts as names."""
    import pandas as pd

    by_text = {str(label): position for position, label in enumerate(source.columns)}
    places = [by_text.get(header) if at is None else at for header, at in zip(part.headers, part.passed, strict=True)]
    known = [position for position in places if position is not None]
    if len(known) == len(places):
        return source.columns.take(known)
    labels = [
        header if position is None else source.columns[position]
        for header, position in zip(part.headers, places, strict=True)
    ]
    return pd.Index(labels, tupleize_cols=False)


def _list_columns(part: ReleasedPart, caller: CallersTable) -> list[Any]:
    """Return the columns of an Arrow table or of Polars."""
    written = iter(part.made.columns)
    if caller.maker == "arrow":
        return [
            next(written) if position is None else take_column_rows(caller.given.column(position), part.rows)
            for position in part.passed
        ]
    import polars as pl

    sources = caller.given.get_columns()
    return [
        pl.Series(pl.from_arrow(next(written))) if position is None else sources[position].gather(part.rows)
        for position in part.passed
    ]


def _restore_metadata(columns: Sequence[tuple[str, int | None, Any]], known: pa.Schema) -> pa.Table:
    """Restore the metadata of each column; that of pandas for the whole table names its index, and is removed."""
    import pyarrow as pa

    fields = [
        pa.field(header, values.type) if position is None else known.field(position)
        for header, position, values in columns
    ]
    return pa.Table.from_arrays([values for _, _, values in columns], schema=pa.schema(fields))


def take_column_rows(column: pa.ChunkedArray, rows: Any) -> pa.ChunkedArray:
    """Return some rows of a column. A dictionary keeps no value that occurred only in rows that are left out.

    Parameters
    ----------
    rows : array of int
        Each row at most once.
    """
    import pyarrow as pa

    taken = take_rows(column, pa.array(rows))
    if len(rows) == len(column) or not _has_dictionary(column.type):
        return taken
    if pa.types.is_dictionary(column.type):
        return _remove_lost_entries(taken, column)
    # A dictionary within lists or structs is made anew.
    return pa.chunked_array([pa.array(taken.to_pylist(), column.type)])


def _has_dictionary(kind: pa.DataType) -> bool:
    import pyarrow as pa

    inner = (kind.field(index).type for index in range(kind.num_fields))
    return pa.types.is_dictionary(kind) or any(map(_has_dictionary, inner))


def _remove_lost_entries(taken: pa.ChunkedArray, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """Remove the entries of a dictionary that occurred only in rows that are left out.

    Those that never occurred stay.
    """
    import numpy as np
    import pyarrow as pa

    whole, kept = (array.unify_dictionaries().combine_chunks() for array in (source, taken))
    before, after = (set(column.indices.drop_null().to_numpy().tolist()) for column in (whole, kept))
    lost = np.isin(np.arange(len(whole.dictionary)), sorted(before - after))
    numbers = np.cumsum(~lost) - 1
    indices = pa.array(numbers, whole.indices.type).take(kept.indices)
    dictionary = whole.dictionary.filter(pa.array(~lost))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, dictionary, ordered=source.type.ordered)])


# From Arrow to pandas without changing a value: what numpy has no type for gets a type of pandas.


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Turn an Arrow table into a DataFrame.

    numpy has no whole number and no truth value that may be missing: pandas would make floats of the former, and lose
    digits. They become ``Int64``, ``boolean`` and so on; lists and structs become lists and dicts of Python.

    Examples
    --------
    >>> import pyarrow as pa
    >>> to_pandas(pa.table({"n": [9007199254740995, None]}))["n"].tolist()
    [9007199254740995, <NA>]
    """
    import pandas as pd

    frame = pd.DataFrame({index: _convert_column(column) for index, column in enumerate(table.columns)})
    frame.columns = pd.Index(table.column_names, tupleize_cols=False)
    return frame


def _convert_column(column: pa.ChunkedArray) -> Any:
    import pandas as pd
    import pyarrow as pa

    types, kind = pa.types, column.type
    if types.is_nested(kind):
        return pd.Series(column.to_pylist(), dtype=object)
    if column.null_count and (types.is_integer(kind) or types.is_boolean(kind)):
        name = "boolean" if types.is_boolean(kind) else str(kind).capitalize().replace("Ui", "UI")
        return column.to_pandas(types_mapper=lambda _: pd.api.types.pandas_dtype(name))
    try:
        return column.to_pandas()
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return column.to_pandas(types_mapper=pd.ArrowDtype)
