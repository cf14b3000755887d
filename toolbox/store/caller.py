"""Tables that a caller has in memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from toolbox.errors import InputError
from toolbox.hierarchy.interval import format_number
from toolbox.store.ordered import is_ordered_type, ordered_texts

if TYPE_CHECKING:
    import pyarrow as pa


def as_arrow(source: Any, *, mixed_as_texts: bool = False) -> pa.Table:
    """Take a table as Arrow; columns may have any names, even equal ones.

    Intervals and periods of pandas become texts in their order, ``(20, 30]``: neither Arrow nor the engine can read
    them as categories.

    Parameters
    ----------
    mixed_as_texts : bool
        Whether a column of pandas that mixes types is one of texts, such as ages of which some are ``*``.

    Raises
    ------
    InputError
        If a column mixes types, or holds such categories.
    """
    import pyarrow as pa

    try:
        if hasattr(source, "set_axis") and getattr(source, "ndim", 0) == 2:
            numbered = source.set_axis(range(source.shape[1]), axis=1)
            for number, kind in enumerate(numbered.dtypes):
                if is_ordered_type(kind):
                    numbered[number] = ordered_texts(numbered[number], _as_engine_writes)
                if not (mixed_as_texts and _is_mixed(numbered[number])):
                    continue
                numbered[number] = numbered[number].astype(object).map(_as_engine_writes, na_action="ignore")
            table = pa.Table.from_pandas(numbered, preserve_index=False)
            return table.rename_columns([str(name) for name in source.columns])
        table = pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        # Arrow's own message quotes the cell that it could not convert.
        remedy = "Give a pandas DataFrame or an Arrow table whose columns hold values of one type each."
        raise InputError(f"The table cannot be read ({type(error).__name__}). {remedy}") from None
    for field in table.schema:
        if pa.types.is_dictionary(field.type) and isinstance(field.type.value_type, pa.BaseExtensionType):
            remedy = "Convert it to text first."
            raise InputError(f"Column {field.name!r} is of type {field.type}, which cannot be read. {remedy}")
    return table


def _is_mixed(column: Any) -> bool:
    import pandas as pd

    return column.dtype == object and pd.api.types.infer_dtype(column) in ("mixed", "mixed-integer")


def _as_engine_writes(value: Any) -> str:
    """Write a value of a column that mixes types as the engine would write it in a column of its own type."""
    if isinstance(value, bool):
        return str(value).lower()
    return format_number(value) if isinstance(value, float) and math.isfinite(value) else str(value)
