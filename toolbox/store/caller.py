"""Tables that a caller has in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolbox.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def as_arrow(source: Any) -> pa.Table:
    """Take a table as Arrow; columns may have any names, even equal ones.

    Raises
    ------
    InputError
        If a column mixes types.
    """
    import pyarrow as pa

    try:
        if hasattr(source, "set_axis") and getattr(source, "ndim", 0) == 2:
            numbered = source.set_axis(range(source.shape[1]), axis=1)
            table = pa.Table.from_pandas(_with_texts_for_intervals(numbered), preserve_index=False)
            return table.rename_columns([str(name) for name in source.columns])
        return pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        # Arrow's own message quotes the cell that it could not convert.
        remedy = "Give a pandas DataFrame or an Arrow table whose columns hold values of one type each."
        raise InputError(f"The table cannot be read ({type(error).__name__}). {remedy}") from None


def _with_texts_for_intervals(frame: pd.DataFrame) -> pd.DataFrame:
    """Write intervals, as ``pandas.cut`` makes them, as texts, which the engine knows."""
    import pandas as pd

    def holds_intervals(kind: Any) -> bool:
        values = kind.categories.dtype if isinstance(kind, pd.CategoricalDtype) else kind
        return isinstance(values, pd.IntervalDtype)

    columns = [name for name, kind in frame.dtypes.items() if holds_intervals(kind)]
    return frame.astype(dict.fromkeys(columns, "string")) if columns else frame
