"""From Arrow to pandas without changing a value: what numpy has no type for gets a type of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


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

    frame = pd.DataFrame({index: _column(column) for index, column in enumerate(table.columns)})
    frame.columns = pd.Index(table.column_names, tupleize_cols=False)
    return frame


def _column(column: pa.ChunkedArray) -> Any:
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
