"""What learners see of records: released intervals as two columns, sets as indicators, suppressed values as missing.

Original values are encoded as what they are a special case of: a number is an interval of its own, a category a set of
one. So a learner may be trained on a release, and tested on the records as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sqlalchemy import select

from toolbox.errors import UsageError
from toolbox.store.tables import QuasiIdentifierTables, Tables

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]
    Numbers: TypeAlias = NDArray[np.int64]

MOST_INDICATORS = 2_000
"""Categories of all columns together; more would take gigabytes of zeros."""


def of_classes(tables: Tables, classes: Any, id_name: str) -> tuple[Numbers, Matrix]:
    """Encode the quasi-identifiers of classes.

    Parameters
    ----------
    classes : Table
        Its rows have an id and ``interval_1 ..``; with ``suppressed``, what is suppressed is missing.

    Returns
    -------
    ids : array, n_classes
        Ascending.
    features : array, n_classes x n_features
        For each quasi-identifier of numbers its low and its high end; for one of categories a column for each.
    """
    rows = tables.store.to_arrays(select(*classes.c).order_by(classes.c[id_name]))
    parts = [
        _of_intervals(tables, column)[rows[name]]
        for column, name in zip(tables.quasi_identifiers, tables.interval_names, strict=True)
    ]
    features = np.concatenate(parts, axis=1)
    if "suppressed" in rows:
        features[rows["suppressed"].astype(bool)] = np.nan
    return rows[id_name].astype(np.int64), features


def _of_intervals(tables: Tables, column: QuasiIdentifierTables) -> Matrix:
    """Encode all intervals of a quasi-identifier: a row for each, by its id."""
    intervals, ground = column.intervals, column.ground
    bounds = tables.store.to_arrays(
        select(intervals.c.interval_id, intervals.c.low, intervals.c.high).order_by(intervals.c.interval_id)
    )
    values = tables.store.to_arrays(select(ground.c.value).order_by(ground.c.level_0))["value"].astype(np.float64)
    size = int(bounds["interval_id"][-1]) + 1
    low, high = (_placed(bounds["interval_id"], bounds[name], size) for name in ("low", "high"))
    low, high = np.clip(low, values.min(), values.max()), np.clip(high, values.min(), values.max())
    if column.kind == "number":
        return np.stack([low, high], axis=1)
    _require_few(column.name, len(values))
    indicators = ((values >= low[:, None]) & (values <= high[:, None])).astype(np.float64)
    sets = select(intervals.c.interval_id, intervals.c.members).where(intervals.c.members.is_not(None))
    # The sets of one column, of which there are few beside its records.
    for interval, members in tables.store.rows(sets):
        indicators[interval] = np.isin(np.arange(len(values)), members)
    return indicators


def _placed(ids: Numbers, values: Any, size: int) -> Matrix:
    found = np.full(size, np.nan)
    found[ids] = np.ma.filled(values, np.nan)
    return found


def of_columns(frame: pd.DataFrame) -> Matrix:
    """Encode columns that a release leaves as they are: numbers as they are, each category as a column.

    Examples
    --------
    >>> import pandas as pd
    >>> of_columns(pd.DataFrame({"visits": ["3", None, "5"], "town": ["Graz", "Linz", "Graz"]}))
    array([[ 3.,  1.,  0.],
           [nan,  0.,  1.],
           [ 5.,  1.,  0.]])
    """
    parts: list[Matrix] = [np.empty((len(frame), 0)), *(_of_column(frame[name]) for name in frame)]
    return np.concatenate(parts, axis=1)


def _of_column(texts: pd.Series[str]) -> Matrix:
    import pandas as pd

    numbers = pd.to_numeric(texts, errors="coerce")
    if bool((numbers.notna() | texts.isna()).all()):
        found: Matrix = numbers.to_numpy(np.float64)[:, None]
        return found
    codes, categories = pd.factorize(texts, sort=True)
    _require_few(str(texts.name), len(categories))
    indicators: Matrix = (codes[:, None] == np.arange(len(categories))).astype(np.float64)
    indicators[codes < 0] = np.nan
    return indicators


def _require_few(name: str, categories: int) -> None:
    if categories > MOST_INDICATORS:
        problem = f"{name} has {categories:,} categories, and learners see a column for each"
        raise UsageError(f"{problem}. Leave it out, or declare it as a number if it is one.")


def gathered(ids: Numbers, features: Matrix, wanted: Sequence[int] | Numbers) -> Matrix:
    """Return the features of records, by the ids of their classes."""
    found: Matrix = features[np.searchsorted(ids, np.asarray(wanted))]
    return found
