"""Tables that a caller has in memory: of pandas, Arrow or Polars, with the order of their categories."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from numbers import Number
from typing import TYPE_CHECKING, Any, Literal

from toolbox.errors import InputError, quote
from toolbox.hierarchy.hierarchy import format_number

if TYPE_CHECKING:
    import pyarrow as pa


# Ordered categories of a caller's table: periods, intervals and what `pandas.Categorical` calls ordered.


def is_ordered_type(kind: Any) -> bool:
    """Return whether a column of pandas holds periods, or intervals, as `pandas.cut` makes them of numbers."""
    categories = getattr(kind, "categories", None)
    return str(kind if categories is None else categories.dtype).startswith(("interval[", "period["))


def convert_ordered_texts(values: Any, write: Callable[[Any], str]) -> Any:
    """Turn periods or intervals of pandas into texts that keep their order, as ordered categories.

    Parameters
    ----------
    values : pandas.Series
    write : callable
        What writes one of them.
    """
    import pandas as pd

    categorical = values if isinstance(values.dtype, pd.CategoricalDtype) else values.astype("category")
    texts = [write(category) for category in categorical.cat.categories]
    if len(set(texts)) < len(texts):
        return values.astype(object).map(write, na_action="ignore")
    return categorical.cat.rename_categories(texts).cat.as_ordered()


# Tables that a caller has in memory: of pandas, Arrow or Polars, or of any library that can export Arrow.

Maker = Literal["pandas", "arrow", "polars"]

_REMEDY = "Give a pandas DataFrame or an Arrow table, or one of Polars, whose columns hold values of one type each."
_INDEX_COLUMN = re.compile(r"__index_level_\d+__")
"""What Arrow calls the index of a DataFrame that has no name."""


@dataclass(frozen=True)
class CallersTable:
    """A table of a caller: as it came, and as Arrow for the engine."""

    arrow: pa.Table
    """A column for each of the caller's. What Arrow cannot hold, and nobody has declared, is null."""
    maker: Maker
    given: Any
    """A DataFrame of pandas or Polars, or an Arrow table: what passes through is taken from it."""
    index_columns: tuple[int, ...] = ()
    """The columns of an Arrow table that were the index of a DataFrame."""

    @property
    def has_index(self) -> bool:
        """Whether the records have an index that is more than their row numbers."""
        import pandas as pd

        if self.maker != "pandas":
            return bool(self.index_columns)
        index = self.given.index
        return not isinstance(index, pd.RangeIndex) or index.name is not None


def build_callers_table(source: Any, declared: Collection[str], others: Collection[str] = ()) -> CallersTable:
    """Return a table of which only some columns must be readable: the engine does not see the others.

    Parameters
    ----------
    source : pandas.DataFrame, polars.DataFrame, polars.LazyFrame, pyarrow.Table or what gives itself as Arrow
    declared : collection of str
    others : collection of str
        Columns that are named too, so that they are no index, but need not be readable.

    Raises
    ------
    InputError
        If it is no table, or a declared column mixes types.
    """
    maker, theirs = _recognise_library(source)
    arrow = _as_table(maker, theirs, declared=declared, mixed_as_texts=False)
    index = () if maker == "pandas" else _index_columns(arrow, {*declared, *others})
    return CallersTable(arrow, maker, arrow if maker == "arrow" else theirs, index)


def as_arrow(source: Any, *, declared: Collection[str] | None = None, mixed_as_texts: bool = False) -> pa.Table:
    """Return a table as Arrow; columns may have any names, even equal ones.

    Intervals and periods of pandas become texts in their order, ``(20, 30]``: neither Arrow nor the engine can read
    them as categories.

    Parameters
    ----------
    declared : collection of str, optional
        The columns that must be readable; without it all of them.
    mixed_as_texts : bool
        Whether a column of pandas that mixes types is one of texts, such as ages of which some are ``*``.

    Raises
    ------
    InputError
        If a column mixes types, or holds such categories.
    """
    return _as_table(*_recognise_library(source), declared=declared, mixed_as_texts=mixed_as_texts)


def clear_other_columns(table: pa.Table, declared: Collection[str]) -> pa.Table:
    """Return a table with empty columns in the places of those that are not declared."""
    import pyarrow as pa

    for position, name in enumerate(table.column_names):
        if name not in declared:
            table = table.set_column(position, name, pa.nulls(table.num_rows, pa.int8()))
    return table


def _recognise_library(source: Any) -> tuple[Maker, Any]:
    """Return the library that made a table; no other library is imported."""
    if hasattr(source, "set_axis") and getattr(source, "ndim", 0) == 2:
        return "pandas", source
    if type(source).__module__.partition(".")[0] == "polars":
        if hasattr(source, "collect"):
            source = source.collect()
        if hasattr(source, "get_columns"):
            return "polars", source
    return "arrow", _convert_to_arrow(source)


def _convert_to_arrow(source: Any) -> pa.Table:
    """Return as Arrow what can be read as Arrow: a table, batches, a relation of DuckDB; or columns in a dict."""
    import pyarrow as pa

    try:
        return pa.Table.from_batches([source]) if isinstance(source, pa.RecordBatch) else pa.table(source)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        if source is None or isinstance(source, (bool, Number, str, bytes, type)):
            given = "None" if source is None else f"of type {type(source).__name__}"
            raise InputError(f"The table is {given}. {_REMEDY}") from None
        # Arrow's own message quotes the cell that it could not convert.
        raise InputError(f"The table cannot be read ({type(error).__name__}). {_REMEDY}") from None


def _as_table(maker: Maker, theirs: Any, *, declared: Collection[str] | None, mixed_as_texts: bool) -> pa.Table:
    """Return all columns as Arrow; without declared ones, each must be readable."""
    import pyarrow as pa

    if maker == "arrow":
        for field in theirs.schema:
            if declared is None or field.name in declared:
                _require_readable(field)
        return theirs
    columns, names = [], []
    for name, values in _list_columns(maker, theirs, mixed_as_texts=mixed_as_texts):
        try:
            columns.append(values.to_arrow() if maker == "polars" else pa.array(values, from_pandas=True))
        except Exception as error:  # types of other people raise what they like
            if declared is None or name in declared:
                problem = f"column {quote(name)} holds values of several types, or of one that Arrow does not know"
                raise InputError(f"The table cannot be read: {problem} ({type(error).__name__}). {_REMEDY}") from None
            columns.append(pa.nulls(len(values), pa.int8()))
        names.append(name)
    return pa.Table.from_arrays(columns, names=names)


def _list_columns(maker: Maker, theirs: Any, *, mixed_as_texts: bool) -> Iterator[tuple[str, Any]]:
    """Yield the name and the values of each column; names of pandas may be anything."""
    if maker == "polars":
        yield from ((column.name, column) for column in theirs.get_columns())
        return
    for position, name in enumerate(theirs.columns):
        values = theirs.iloc[:, position]
        if is_ordered_type(values.dtype):
            values = convert_ordered_texts(values, _write_like_engine)
        elif mixed_as_texts and _is_mixed(values):
            values = values.astype(object).map(_write_like_engine, na_action="ignore")
        elif hasattr(values.dtype, "fill_value"):
            values = values.sparse.to_dense()
        yield str(name), values


def _require_readable(field: pa.Field) -> None:
    import pyarrow as pa

    if pa.types.is_dictionary(field.type) and isinstance(field.type.value_type, pa.BaseExtensionType):
        raise InputError(
            f"Column {field.name!r} is of type {field.type}, which cannot be read. Convert it to text first."
        )


def _index_columns(table: pa.Table, named: Collection[str]) -> tuple[int, ...]:
    """Find the columns that were the index of a DataFrame, by what pandas has written of them or by their names."""
    known = (table.schema.pandas_metadata or {}).get("index_columns", ())
    # Where a plain index is described, there is no column.
    names = {name for name in known if isinstance(name, str)} - set(named)
    return tuple(
        position
        for position, name in enumerate(table.column_names)
        if name in names or (_INDEX_COLUMN.fullmatch(name) and name not in named)
    )


def _is_mixed(column: Any) -> bool:
    import pandas as pd

    return column.dtype == object and pd.api.types.infer_dtype(column) in ("mixed", "mixed-integer")


def _write_like_engine(value: Any) -> str:
    """Write a value of a column that mixes types as the engine would write it in a column of its own type."""
    if isinstance(value, bool):
        return str(value).lower()
    return format_number(value) if isinstance(value, float) and math.isfinite(value) else str(value)


def take_rows(column: pa.ChunkedArray, rows: pa.Array) -> pa.ChunkedArray:
    """Return some rows, also of types for which Arrow cannot: views of texts, and runs of equal values."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        return column.take(rows)
    except pa.ArrowNotImplementedError:
        kind = column.type
    if pa.types.is_run_end_encoded(kind):
        return compute.run_end_encode(compute.run_end_decode(column).take(rows), run_end_type=kind.run_end_type)
    if kind in (pa.string_view(), pa.binary_view()):
        plain = pa.large_string() if kind == pa.string_view() else pa.large_binary()
        return column.cast(plain).take(rows).cast(kind)
    values = column.to_pylist()
    return pa.chunked_array([pa.array([values[row] for row in rows.to_pylist()], kind)])
