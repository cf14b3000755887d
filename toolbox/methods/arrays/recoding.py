"""From the arrays of a search to the classes of a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import literal, select

from toolbox.methods.arrays.types import Flags, Whole
from toolbox.store.tables import QuasiIdentifierTables, Tables


def recode(
    tables: Tables,
    combination_ids: Whole,
    sizes: Whole,
    intervals: Sequence[Whole],
    *,
    classes: Whole | None = None,
    suppressed: Flags | None = None,
    quasi_identifiers: Sequence[QuasiIdentifierTables] | None = None,
) -> Tables:
    """Recode the combinations of a table to their generalised values; see `Tables.recoded`.

    Parameters
    ----------
    combination_ids : array
        Each combination once.
    sizes : array
        The records of each combination; with classes, those of each class.
    intervals : sequence of array
        For each quasi-identifier the interval of each combination; with classes, that of each class.
    classes : array, optional
        The class of each combination, numbered from 0. By default each combination has intervals of its own.
    suppressed : array, optional
        Whether each combination, or each class, is suppressed. By default none is.
    quasi_identifiers : sequence, optional
        With the intervals that are named, where the method has made new ones.
    """
    store, names = tables.store, tables.interval_names
    part = combination_ids if classes is None else np.arange(len(sizes), dtype=classes.dtype)
    columns: dict[str, NDArray[Any]] = {"combination_id" if classes is None else "part": part, "size": sizes}
    columns |= {name: column.astype(np.int32, copy=False) for name, column in zip(names, intervals, strict=True)}
    if suppressed is not None:
        columns["suppressed"] = suppressed
    parts = store.from_arrays("parts", columns)
    is_suppressed = literal(False).label("suppressed") if suppressed is None else parts.c.suppressed
    numbered, size = list(parts.c)[:2]
    assignment = select(numbered, size, is_suppressed, *(parts.c[name] for name in names))
    if classes is None:
        recoded = tables.recoded(assignment, quasi_identifiers=quasi_identifiers)
    else:
        members = store.from_arrays("members", {"combination_id": combination_ids, "part": classes})
        recoded = tables.recoded(assignment, members=select(members), quasi_identifiers=quasi_identifiers)
        store.drop(members)
    store.drop(parts)
    return recoded
