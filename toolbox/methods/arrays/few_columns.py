"""Which classes look like too few records in some of their quasi-identifiers: counted on arrays, node after node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.combinations import (
    Codes,
    Flags,
    Numbers,
    encode_pairs,
    list_run_positions,
    make_room,
    number_rows,
)
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import FewColumnsKAnonymity, KMAnonymity


class PersonRows(NamedTuple):
    """The persons of each class, where one may be in several."""

    classes: Numbers
    """The class, from 0, of each pair of a class and a person."""
    persons: Numbers | Codes


class ShownColumns(NamedTuple):
    """What the classes of a node show in each quasi-identifier."""

    levels: tuple[int, ...]
    codes: Sequence[Numbers]
    """For each quasi-identifier, the code of its value in each class."""
    persons: PersonRows | None = None
    """None where sizes say how many there are."""


class FewColumnsChecker:
    """Finds the classes that must be suppressed so that all others satisfy k-anonymity of few columns.

    Those that violate k^m-anonymity are found, too; nothing is known of what would be left without them.

    What some columns show at their levels does not depend on the levels of the others. So it is remembered of which
    columns, at which levels, every value is frequent enough; most nodes then cost a look-up for each set of columns.

    Parameters
    ----------
    models : sequence of PrivacyModel
        Others are left out.
    names : sequence of str
        The quasi-identifiers.
    most : int
        Records beyond which it does not matter how many must be suppressed.
    """

    def __init__(self, models: Sequence[PrivacyModel], names: Sequence[str], most: int) -> None:
        asked = [model for model in models if isinstance(model, FewColumnsKAnonymity)]
        self._sets = [(columns, int(model.k)) for model in asked for columns in model.list_sets(names)]
        self._rows = [(int(model.k), int(model.m)) for model in models if isinstance(model, KMAnonymity)]
        self._most = most
        self._frequent = set[tuple[object, ...]]()
        self._hopeless = set[tuple[object, ...]]()

    def mark(self, shown: ShownColumns, sizes: Numbers, suppressed: Flags) -> Flags:
        """Mark the classes that are suppressed, and those that must be, too; enough of them where they are too many."""
        marked = suppressed.copy()
        for k, m in self._rows:
            marked |= _find_rare_rows(shown.persons, sizes, k, m)
        sets = [(columns, k, (columns, k, *(shown.levels[column] for column in columns))) for columns, k in self._sets]
        for columns, k, place in sets:
            if place in self._hopeless:
                return marked | _find_rare(shown, sizes, ~marked, columns, k)
        # A class that is suppressed leaves fewer records that look like others: go on until no more are marked.
        is_final = False
        while not is_final:
            before = int(marked.sum())
            for columns, k, place in sets:
                is_whole = not marked.any()
                if is_whole and place in self._frequent:
                    continue
                rare = _find_rare(shown, sizes, ~marked, columns, k)
                marked |= rare
                if is_whole and not rare.any():
                    self._frequent.add(place)
                elif int(sizes[rare].sum()) > self._most:
                    if is_whole:
                        self._hopeless.add(place)
                    return marked
            is_final = int(marked.sum()) == before
        return marked


def _find_rare(shown: ShownColumns, sizes: Numbers, alive: Flags, columns: Sequence[int], k: int) -> Flags:
    """Mark the classes, of some, that look like fewer than k records or persons in some columns."""
    numbers, span = np.zeros(len(sizes), np.int64), 1
    for column in columns:
        codes = shown.codes[column]
        count = int(codes.max()) + 1
        numbers, span = make_room(numbers, span, count)
        numbers, span = numbers * count + codes, span * count
    if span > 2 * len(sizes):
        distinct, numbers = np.unique(numbers, return_inverse=True)
        span = len(distinct)
    if shown.persons is None:
        alike = np.bincount(numbers, weights=np.where(alive, sizes, 0), minlength=span)
    else:
        rows = alive[shown.persons.classes]
        persons = shown.persons.persons[rows].astype(np.int64)
        count = int(shown.persons.persons.max()) + 1
        pairs = np.unique(encode_pairs(numbers[shown.persons.classes[rows]], persons, count))
        alike = np.bincount(pairs // count, minlength=span)
    rare: Flags = alive & (alike[numbers] < k)
    return rare


def _find_rare_rows(rows: PersonRows | None, sizes: Numbers, k: int, m: int) -> Flags:
    """Mark the classes of a set of at most m that one person has and fewer than k share; enough of them to refuse."""
    if rows is None:
        return sizes < k
    order = np.lexsort((rows.classes, rows.persons))
    classes, persons = rows.classes[order].astype(np.int64), rows.persons[order]
    ends = np.searchsorted(persons, persons, side="right")
    last, members = np.arange(len(classes)), [classes]
    marked = np.zeros(len(sizes), np.bool_)
    for size in range(1, m + 1):
        numbers, _ = number_rows(members)
        is_rare = np.bincount(numbers)[numbers] < k
        for column in members:
            marked[column[is_rare]] = True
        if is_rare.any() or size == m:
            break
        # Each set grows by every later class of the same person.
        more = ends[last] - last - 1
        later = list_run_positions(last + 1, more)
        members = [*(np.repeat(column, more) for column in members), classes[later]]
        last = later
        if not len(last):
            break
    return marked
