"""The records of a table as whole numbers: one code for each distinct value of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from toolbox.queries.query import Table
from toolbox.store.store import Store

Whole = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """Distinct records, or all of them one by one.

    Parameters
    ----------
    columns : sequence of array
        The code of each row's value, from 0, in as few bytes as hold them.
    values : sequence of int
        How many codes each column has; each of them occurs, or once did.
    weights : array, optional
        How many records each row stands for; None where that is one.
    """

    columns: tuple[Whole, ...]
    values: tuple[int, ...]
    weights: Whole | None

    @cached_property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @cached_property
    def records(self) -> int:
        """Number of records that the rows stand for."""
        return self.rows if self.weights is None else int(self.weights.sum())

    def only(self, kept: Flags) -> Coded:
        """Return the rows that are marked."""
        weights = None if self.weights is None else self.weights[kept]
        return Coded(tuple(column[kept] for column in self.columns), self.values, weights)

    def of(self, positions: Sequence[int]) -> Coded:
        """Return some columns, in this order."""
        return Coded(
            tuple(self.columns[position] for position in positions),
            tuple(self.values[position] for position in positions),
            self.weights,
        )


@dataclass(frozen=True)
class CodedTable:
    """A table whose records are coded, missing values among them."""

    coded: Coded
    missing: tuple[Flags | None, ...]
    """For each column the rows that lack a value; None where there are none."""

    def records_without(self, column: int) -> int:
        """Count the records that lack a value of a column."""
        flags, weights = self.missing[column], self.coded.weights
        if flags is None:
            return 0
        return int(flags.sum() if weights is None else weights[flags].sum())

    def complete(self) -> Coded:
        """Leave out the records that lack a value of any column."""
        lacking = [flags for flags in self.missing if flags is not None]
        return self.coded.only(~np.logical_or.reduce(lacking)) if lacking else self.coded


def code_records(store: Store, counted: Table, columns: int) -> CodedTable:
    """Code the texts of a table, column by column.

    Where most records differ from all others, each becomes a row of its own: then no step needs weights.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: each distinct record and how often it occurs; null is a value like any other.
    columns : int
        How many columns there are.
    """
    weights = store.to_arrays(select(counted.c.size))["size"]
    expanded = len(weights) > weights.sum() / 2
    coded, values, missing = [], [], []
    for column in range(1, columns + 1):
        codes, count, null = _code(store, counted, column)
        codes = np.repeat(codes, weights) if expanded else codes
        coded.append(codes)
        values.append(count)
        missing.append(None if null is None else codes == null)
    return CodedTable(Coded(tuple(coded), tuple(values), None if expanded else weights), tuple(missing))


def _code(store: Store, counted: Table, column: int) -> tuple[Whole, int, int | None]:
    """Return the codes of a column, how many there are, and that of null, if it occurs."""
    texts = store.arrow(select(counted.c[f"text_{column}"])).column(0).combine_chunks()
    encoded = texts.dictionary_encode(null_encoding="encode")
    dictionary = encoded.dictionary
    count = len(dictionary)
    null = dictionary.is_null().index(True).as_py() if dictionary.null_count else None
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    return codes.astype(np.min_scalar_type(max(0, count - 1))), count, null
