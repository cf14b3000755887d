"""The records of a data set as learners see them: as they were, and as a variant releases them, row by row the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sqlalchemy import select

from toolbox.errors import UsageError
from toolbox.experiments.data_set import OpenedData
from toolbox.experiments.encoding import gathered, of_classes, of_columns
from toolbox.flows.combinations import Load
from toolbox.queries.dialect import row_place
from toolbox.queries.query import Query
from toolbox.store.store import Store
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]
    Numbers: TypeAlias = NDArray[np.int64]

_FEWEST = 2
"""Records of each label that a split needs: one to learn from, one to test."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The records that are in a class, and have a label.

    The quasi-identifiers are encoded anew for each variant; who is in the sample, the labels and all else stay.
    """

    opened: OpenedData
    rows: Numbers
    """Of each record, the row of the session that has its combination."""
    labels: Numbers
    """Numbers from 0, in the order of the texts."""
    passed: Matrix
    """The features that no release changes."""

    @classmethod
    def of(cls, opened: OpenedData) -> Sample:
        """Read the labels and features of a data set.

        Raises
        ------
        UsageError
            If there are no two labels, or one of a single record.
        UnknownColumnError
            If there is no such column.
        """
        data, load = opened.data, opened.original()
        assert data.label is not None, "the reader of plans has asked for it"
        names = [str(attribute.column) for attribute in load.config.quasi_identifiers]
        if data.label in names:
            remedy = "Name another label, or declare the column as sensitive"
            raise UsageError(f"The label {data.label!r} is a quasi-identifier, which a release changes. {remedy}.")
        frame = opened.texts((data.label, *data.features))
        rows, is_known = _rows_of_records(opened, load)
        is_known &= frame[data.label].notna().to_numpy()
        known, labels = np.unique(frame[data.label].to_numpy()[is_known].astype(str), return_inverse=True)
        rarest = int(np.bincount(labels).min()) if len(known) else 0
        if len(known) < 2 or rarest < _FEWEST:
            found = f"has {len(known)} values, the rarest in {rarest} records"
            raise UsageError(f"The label {data.label!r} {found}. Learners need two, each in {_FEWEST} records or more.")
        passed = of_columns(frame[list(data.features)])[is_known]
        return cls(opened, rows[is_known], labels.astype(np.int64), passed)

    def as_it_was(self) -> Matrix:
        """Return the features of all records before anything is generalised."""
        load = self.opened.original()
        store, combinations = self.opened.bench.store, load.loaded.tables.combinations
        placed = store.to_arrays(_ordered(load.rows(store).c.row, load.rows(store).c.class_id))
        encoded = of_classes(load.loaded.tables, combinations, "combination_id")
        return self._with_passed(placed["row"], placed["class_id"], *encoded)

    def as_released(self, load: Load, tables: Tables) -> Matrix:
        """Return the features of all records as a variant releases them.

        Parameters
        ----------
        tables : Tables
            As the method has left them.
        """
        store, keys = self.opened.bench.store, tables.keys
        assert keys is not None, "the class of a record follows from its combination"
        rows = load.rows(store)
        joined = rows.join(keys, keys.c.key == rows.c.key)
        placed = store.to_arrays(_ordered(rows.c.row, keys.c.equivalence_id.label("class_id")).select_from(joined))
        encoded = of_classes(tables, tables.equivalence, "equivalence_id")
        return self._with_passed(placed["row"], placed["class_id"], *encoded)

    def _with_passed(self, rows: Numbers, classes: Numbers, ids: Numbers, features: Matrix) -> Matrix:
        of_record = classes[np.searchsorted(rows, self.rows)]
        return np.concatenate([gathered(ids, features, of_record), self.passed], axis=1)


def _ordered(row: object, *others: object) -> Query:
    return select(row, *others).order_by(row)  # type: ignore[call-overload, no-any-return]


def _rows_of_records(opened: OpenedData, load: Load) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the row of the session behind each record, and whether it is in a class; records in their order."""
    store: Store = opened.bench.store
    source, records = opened.bench.source, opened.bench.source.records
    assert records is not None, "the data set is opened with its records"
    relation, rows = source.relation(), load.rows(store)
    joined = records.join(relation, relation.c.key == records.c.key)
    joined = joined.outerjoin(rows, rows.c.row == source.row_number())
    is_known = rows.c.row.is_not(None).label("known")
    found = store.to_arrays(
        select(row_place(records).label("record"), source.row_number().label("row"), is_known)
        .select_from(joined)
        .order_by(row_place(records))
    )
    return found["row"].astype(np.int64), found["known"].astype(bool)
