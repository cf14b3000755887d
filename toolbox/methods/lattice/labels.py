"""The labels of whole columns at each level, and whether a reader of the release understands them as they are meant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sqlalchemy import select

from toolbox.methods.arrays.codes import codes_of
from toolbox.methods.arrays.types import Flags, Numbers
from toolbox.store.tables import QuasiIdentifierTables, Tables


class Labels(NamedTuple):
    """The labels of one column."""

    texts: list[str]
    """Every label once."""
    at: list[Numbers]
    """For each level, which of them each value that occurs has there."""
    is_root: list[Flags]
    """For each level, whether that is the label of the root."""
    is_plain: bool
    """Whether no label has several meanings."""
    tells_levels: bool
    """Whether each label occurs at one level only."""


def labels_of(tables: Tables, column: QuasiIdentifierTables) -> Labels:
    """Fetch the labels of a column.

    A label has one meaning if all values that it stands for at one level are one node there, and are the same values
    at every level that has the label.
    """
    intervals = column.intervals.c
    fetched = tables.store.rows(select(intervals.interval_id, intervals.label))
    texts = sorted({str(label) for _, label in fetched})
    place = {text: number for number, text in enumerate(texts)}
    number_of = np.zeros(1 + max(int(number) for number, _ in fetched), np.int64)
    for number, label in fetched:
        number_of[number] = place[str(label)]
    codes = codes_of(tables, column)
    at = [number_of[code] for code in codes]
    root = place[next(str(label) for number, label in fetched if number == column.root)]
    values: dict[int, bytes] = {}
    is_plain = True
    for code, label in zip(codes, at, strict=True):
        for number in np.unique(label).tolist():
            covered = label == number
            is_plain &= len(np.unique(code[covered])) == 1
            is_plain &= values.setdefault(number, covered.tobytes()) == covered.tobytes()
    occurring = np.concatenate([np.unique(label) for label in at])
    tells_levels = len(np.unique(occurring)) == len(occurring)
    return Labels(texts, at, [label == root for label in at], bool(is_plain), tells_levels)
