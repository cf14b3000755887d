"""A release as the caller's own kind of table: columns that pass through keep their types and bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolbox.release.in_memory import ReleasedPart
from toolbox.store.caller import CallersTable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def returned(part: ReleasedPart, caller: CallersTable, *, keeps_index: bool) -> Any:
    """Put one table of a release together: a DataFrame of pandas or Polars, or an Arrow table, as the caller's is.

    Parameters
    ----------
    keeps_index : bool
        Whether the index stays with its records; otherwise the rows are numbered anew, and columns that were an index
        are left out.
    """
    if caller.maker == "pandas":
        return _of_pandas(part, caller.given, keeps_index=keeps_index)
    left_out = () if keeps_index else caller.index_columns
    kept = [(place, header) for place, header in enumerate(part.headers) if part.passed[place] not in {*left_out}]
    columns = _columns(part, caller)
    if caller.maker == "arrow":
        return _of_arrow([columns[place] for place, _ in kept], [header for _, header in kept], part, caller)
    import polars as pl

    return pl.DataFrame([columns[place].alias(header) for place, header in kept])


def without_lost_values(taken: Any, source: Any) -> Any:
    """Take the categories away which only records had that are left out; those that nobody ever had stay.

    Parameters
    ----------
    taken, source : pandas.Series
        Of one categorical type: the values of the release, and all values.
    """
    before, after = set(source.cat.codes.unique()), set(taken.cat.codes.unique())
    lost = [source.cat.categories[code] for code in sorted(before - after) if code >= 0]
    return taken.cat.remove_categories(lost) if lost else taken


def _of_pandas(part: ReleasedPart, source: pd.DataFrame, *, keeps_index: bool) -> pd.DataFrame:
    import pandas as pd

    made = iter(part.made.columns)
    columns = {}
    for place, position in enumerate(part.passed):
        if position is None:
            columns[place] = next(made).to_pandas()
            continue
        values = source.iloc[:, position]
        taken = values.take(part.rows).reset_index(drop=True)
        columns[place] = without_lost_values(taken, values) if isinstance(taken.dtype, pd.CategoricalDtype) else taken
    frame = pd.DataFrame(columns)
    frame.columns = _labels(part, source)
    if keeps_index:
        frame.index = source.index.take(part.rows)
        if isinstance(frame.index, pd.MultiIndex):
            frame.index = frame.index.remove_unused_levels()
    return frame


def _labels(part: ReleasedPart, source: pd.DataFrame) -> pd.Index:
    """Name the columns as the caller does, who may name them by anything; what is new is named by a text."""
    import pandas as pd

    by_text = {str(label): place for place, label in enumerate(source.columns)}
    places = [by_text.get(header) if at is None else at for header, at in zip(part.headers, part.passed, strict=True)]
    known = [place for place in places if place is not None]
    if len(known) == len(places):
        return source.columns.take(known)
    labels = [
        header if place is None else source.columns[place] for header, place in zip(part.headers, places, strict=True)
    ]
    return pd.Index(labels, tupleize_cols=False)


def _columns(part: ReleasedPart, caller: CallersTable) -> list[Any]:
    """Take the columns of an Arrow table or of Polars."""
    made = iter(part.made.columns)
    if caller.maker == "arrow":
        return [
            next(made) if position is None else _of_rows(caller.given.column(position), part.rows)
            for position in part.passed
        ]
    import polars as pl

    sources = caller.given.get_columns()
    return [
        pl.Series(pl.from_arrow(next(made))) if position is None else sources[position].gather(part.rows)
        for position in part.passed
    ]


def _of_arrow(columns: list[Any], headers: list[str], part: ReleasedPart, caller: CallersTable) -> pa.Table:
    """Describe each column as the caller does; what pandas has written of the whole table names its index, and goes."""
    import pyarrow as pa

    positions = dict(zip(part.headers, part.passed, strict=True))
    fields = []
    for column, header in zip(columns, headers, strict=True):
        position = positions[header]
        known = None if position is None else caller.given.schema.field(position)
        fields.append(pa.field(header, column.type) if known is None else known)
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _of_rows(column: pa.ChunkedArray, rows: Any) -> pa.ChunkedArray:
    """Take some rows of a column; a dictionary keeps no value that only rows have which are left out."""
    import pyarrow as pa

    taken = column.take(pa.array(rows))
    if len(rows) == len(column) or not _has_dictionary(column.type):
        return taken
    if pa.types.is_dictionary(column.type):
        return _without_lost_values(taken, column)
    # A dictionary within lists or structs is made anew.
    return pa.chunked_array([pa.array(taken.to_pylist(), column.type)])


def _has_dictionary(kind: pa.DataType) -> bool:
    import pyarrow as pa

    inner = (kind.field(number).type for number in range(kind.num_fields))
    return pa.types.is_dictionary(kind) or any(map(_has_dictionary, inner))


def _without_lost_values(taken: pa.ChunkedArray, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take the entries out of a dictionary which only rows had that are left out; those that nobody ever had stay."""
    import numpy as np
    import pyarrow as pa

    whole, kept = (given.unify_dictionaries().combine_chunks() for given in (source, taken))
    before, after = (set(one.indices.drop_null().to_numpy().tolist()) for one in (whole, kept))
    lost = np.isin(np.arange(len(whole.dictionary)), sorted(before - after))
    numbers = np.cumsum(~lost) - 1
    indices = pa.array(numbers, whole.indices.type).take(kept.indices)
    dictionary = whole.dictionary.filter(pa.array(~lost))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, dictionary, ordered=source.type.ordered)])
