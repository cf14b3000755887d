"""Ordered categories of a caller's table: periods, intervals and what `pandas.Categorical` calls ordered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, cast, column, select, table

from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa


def is_ordered_type(kind: Any) -> bool:
    """Return whether a column of pandas holds periods, or intervals, as `pandas.cut` makes them of numbers."""
    categories = getattr(kind, "categories", None)
    return str(kind if categories is None else categories.dtype).startswith(("interval[", "period["))


def ordered_texts(values: Any, write: Callable[[Any], str]) -> Any:
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


def orders_of(store: Store, callers: pa.Table) -> tuple[tuple[str, ...] | None, ...]:
    """Return, for each column of ordered categories, these in their order, as the engine writes them."""
    import pyarrow as pa

    orders: list[tuple[str, ...] | None] = []
    for field, values in zip(callers.schema, callers.columns, strict=True):
        is_ordered = pa.types.is_dictionary(field.type) and field.type.ordered
        orders.append(_order(store, values) if is_ordered else None)
    return tuple(orders)


def _order(store: Store, values: pa.ChunkedArray) -> tuple[str, ...] | None:
    import pyarrow as pa

    chunks = values.unify_dictionaries().chunks
    if not chunks:
        return ()
    name = store.register("categories", pa.table({"category": chunks[0].dictionary}))
    category: Any = column("category")
    texts: Sequence[str | None] = [
        text for (text,) in store.rows(select(cast(category, String)).select_from(table(name, category)))
    ]
    # Two that the engine writes alike are one to it.
    return tuple(text for text in texts if text is not None) if len(set(texts)) == len(texts) else None
