"""Records that few values single out: minimal sample uniques, the scores of SUDA2, and what each value adds to them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import comb, prod
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select

from toolbox.detection.search import Coded, CodedTable, Partition, Subset, Whole, list_texts
from toolbox.queries.dialect import Table, find_row_place
from toolbox.store.engine.store import Store

# The search for minimal sample uniques: subsets of columns in which a record is alone, though in no part of them.

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class MinimalUniques:
    """The minimal sample uniques of a table.

    Parameters
    ----------
    of_rows : array
        For each row and each size how many subsets of that size single it out, and none of their parts.
    of_values : sequence of array
        The same for each code of each column: of the subsets that contain the column.
    of_subsets : dict
        How many rows each subset singles out that way; only subsets with such rows.
    first_rows : array
        For each row itself. Where persons are counted, all this is of persons instead: values that several rows of a
        person have in a subset are one minimal unique, and here is a row that has some.
    """

    of_rows: NDArray[np.uint32]
    of_values: tuple[NDArray[np.int64], ...]
    of_subsets: dict[Subset, int]
    first_rows: NDArray[np.int64]


class _UniquesSearch:
    """Visits every subset after all of its parts, with one partition for each of its columns in turn.

    A subset is made from its last column to its first one, in an order in which the last columns have most values:
    they leave the fewest rows to look at. A row that is alone stays alone with more columns. So only rows that the
    column looked at last has singled out can be minimal, and they are if no other part had singled them out before.
    """

    def __init__(self, coded: Coded, most: int, report: Callable[[str], None]) -> None:
        self._order = sorted(range(len(coded.values)), key=lambda column: (coded.values[column], column))
        self._coded, self._most, self._report = coded.of(self._order), most, report
        self._alone: dict[Subset, NDArray[np.uint8]] = {}
        """For each subset, a bit for each row: whether the row is alone in it."""
        units = coded.rows if coded.persons is None else coded.records
        self._of_rows = np.zeros((units, most), np.uint32)
        self._first_rows = np.arange(units) if coded.persons is None else np.full(units, coded.rows)
        self._of_values = [np.zeros((values, most), np.int64) for values in self._coded.values]
        self._of_subsets: dict[Subset, int] = {}

    def run(self) -> MinimalUniques:
        """Visit all subsets."""
        self._extend((), Partition.whole(self._coded))
        of_values = tuple(self._of_values[self._order.index(column)] for column in range(len(self._order)))
        of_subsets = dict(sorted(self._of_subsets.items(), key=_rank))
        return MinimalUniques(self._of_rows, of_values, of_subsets, self._first_rows)

    def _extend(self, later: Subset, partition: Partition) -> None:
        """Add each column before those of a subset."""
        for column in range(later[0] if later else len(self._order)):
            subset = (column, *later)
            if len(subset) == self._most:
                self._note(subset, partition.find_single_rows(column))
                continue
            refined, single = partition.separate_by_column(column)
            self._note(subset, single)
            self._keep_single_rows(subset, single)
            if not later:
                self._report(f"minimal sample uniques, {column + 1} of {len(self._order)} columns")
            self._extend(subset, refined)

    def _note(self, subset: Subset, single: Whole) -> None:
        """Count the rows that are singled out by a subset, and by none of its parts."""
        weights, size = self._coded.weights, len(subset)
        rows = single if weights is None else single[weights[single] == 1]
        for place in range(1, size):
            part = self._alone[subset[:place] + subset[place + 1 :]]
            rows = rows[part[rows >> 3] >> (rows & 7).astype(np.uint8) & 1 == 0]
        if not len(rows):
            return
        people = len(rows)
        if (persons := self._coded.persons) is None:
            self._of_rows[rows, size - 1] += 1
        else:
            np.minimum.at(self._first_rows, persons[rows], rows)
            rows = self._keep_first(subset, rows)
            np.add.at(self._of_rows[:, size - 1], persons[rows], 1)
            people = len(np.unique(persons[rows]))
        for column in subset:
            counts = np.bincount(self._coded.columns[column][rows], minlength=self._coded.values[column])
            self._of_values[column][:, size - 1] += counts
        self._of_subsets[tuple(sorted(self._order[column] for column in subset))] = people

    def _keep_first(self, subset: Subset, rows: Whole) -> Whole:
        """Keep one of the rows that agree in some columns."""
        group = np.zeros(len(rows), np.int64)
        for column in subset:
            keys = group * self._coded.values[column] + self._coded.columns[column][rows]
            group = np.unique(keys, return_inverse=True)[1]
        kept: Whole = rows[np.unique(group, return_index=True)[1]]
        return kept

    def _keep_single_rows(self, subset: Subset, single: Whole) -> None:
        alone = np.zeros(self._coded.rows, np.bool_)
        alone[single] = True
        bits = np.packbits(alone, bitorder="little")
        self._alone[subset] = bits | self._alone[subset[1:]] if len(subset) > 1 else bits


def _rank(item: tuple[Subset, int]) -> tuple[int, int, Subset]:
    subset, rows = item
    return -rows, len(subset), subset


def find_minimal_uniques(
    coded: Coded, most: int, report: Callable[[str], None] = lambda message: None
) -> MinimalUniques:
    """Find for each row the smallest subsets of columns that single it out.

    Parameters
    ----------
    coded : Coded
    most : int, from 1 to the number of columns
        Columns in the largest subsets.
    report : callable
        Is told how far the search is.

    Examples
    --------
    Nobody else has the 2; the third row is alone in its first two columns together, and in the first and the last.

    >>> import numpy as np
    >>> coded = Coded((np.array([2, 1, 1]), np.array([0, 1, 0]), np.array([0, 1, 0])), (3, 2, 2), None)
    >>> found = find_minimal_uniques(coded, 2)
    >>> found.of_rows.tolist()
    [[1, 0], [2, 0], [0, 2]]
    >>> found.of_subsets
    {(0,): 1, (1,): 1, (2,): 1, (0, 1): 1, (0, 2): 1}
    """
    return _UniquesSearch(coded, most, report).run()


# The scores: of a subset by its size, of a record by its subsets, and how likely a match with the record is right.


def list_size_scores(columns: int, most: int) -> list[int]:
    """Return what a minimal sample unique of each size adds to the score of its record.

    A unique of k columns counts the ways to add one column after the other up to the largest size m: the product of
    (columns - i) for i from k to m.

    Examples
    --------
    >>> list_size_scores(4, 3)
    [6, 2, 1]
    """
    return [prod(columns - size for size in range(first, min(most, columns - 1) + 1)) for first in range(1, most + 1)]


def list_size_shares(columns: int, most: int) -> list[float]:
    """Return what a minimal sample unique of each size adds to the intensity on which DIS scores rest.

    Examples
    --------
    >>> list_size_shares(4, 3)
    [1.75, 0.5, 0.25]
    """
    return [(2 ** (columns - size) - 1) / comb(columns, size) for size in range(1, most + 1)]


def score_disclosure(intensities: Numbers, columns: int, pairs: int, fraction: float) -> Numbers:
    """Estimate for each record how likely it is that a match with it is right, as far as its intensity says.

    Parameters
    ----------
    intensities : array
        Of each record; 0 where nothing singles it out.
    columns : int
    pairs : int
        Records that agree in all columns with exactly one other.
    fraction : float
        The share of the population that is in the table.

    Examples
    --------
    Ten respondents of a published example, of whom four are special, and six agree in pairs.

    >>> score_disclosure(np.array([0, 1.75, 3.25, 1.75, 2.75]), 4, 6, 0.01).round(4).tolist()
    [0.0, 0.0051, 0.0107, 0.0051, 0.0088]
    """
    special = intensities > 0
    weights = np.zeros(len(intensities))
    weights[special] = intensities[special] ** (1 + (8 - columns) / 20)
    wrong = pairs * (1 - fraction) / fraction
    right = weights * float((1 / weights[special]).sum())
    scores = np.zeros(len(intensities))
    scores[special] = right[special] / (right[special] + wrong)
    return scores


# The figures of a report: how many records stand out, in which subsets, and which columns and values make them do so.

FEW_RECORDS = 10
"""A value of fewer records is not named."""
_MOST_SUBSETS = 1_000
_MOST_RECORDS = 1_000
_LIMITS = tuple(tenth / 10 for tenth in range(10))


class SpecialSubset(NamedTuple):
    """Some columns in which records are alone, though in no part of them."""

    columns: tuple[str, ...]
    records: int


class SpecialColumn(NamedTuple):
    """What one column adds to the scores."""

    column: str
    uniques: int
    """Minimal sample uniques that contain it."""
    contribution: float
    """The share of all scores that come from these."""


class SpecialValue(NamedTuple):
    """What a value of a column adds to the scores, or all its rare values together."""

    column: str
    kind: Literal["value", "missing", "rare"]
    code: int | None
    """By which the search knows the value; None for rare values."""
    values: int
    records: int
    contribution: float
    text: str | None = None
    """Of a value that is neither missing nor rare, once it is known."""


class SpecialRecord(NamedTuple):
    """A record that few values single out."""

    row: int
    """Among the rows that were searched, from 0."""
    score: float
    disclosure: float | None
    uniques: tuple[int, ...]
    """Its minimal sample uniques by their size."""
    record: int = 0
    """Where it stands in the table, counted from 1, once that is known."""


class DisclosureCount(NamedTuple):
    """How many records have a DIS score above a limit."""

    above: float
    records: int


@dataclass(frozen=True, kw_only=True)
class SpecialUniques:
    """The records that few values single out.

    Where persons are counted, these are the persons: a minimal unique is then a set of values that only one person has,
    in whatever records, and no part of it. It counts once, also if several records of the person have it.
    """

    most_columns: int
    """Columns in the largest subsets."""
    records: int
    """Records that were searched."""
    special: int
    """Those with a minimal sample unique."""
    alone: int
    """Those that no other agrees with in all columns."""
    pairs: int
    """Those that agree in all columns with exactly one other."""
    by_size: tuple[int, ...]
    """Minimal sample uniques by their size."""
    largest_score: float
    sampling_fraction: float | None
    disclosure: tuple[DisclosureCount, ...]
    """Empty where no sampling fraction is known."""
    columns: tuple[SpecialColumn, ...]
    values: tuple[SpecialValue, ...]
    subsets: tuple[SpecialSubset, ...]
    """Those with most records, at most 1,000."""
    top: tuple[SpecialRecord, ...]
    """Those with the largest scores, at most 1,000."""
    left_out: tuple[str, ...] = ()
    """Columns that single out every record, and so play no part."""


def detect_special_uniques(
    coded: Coded,
    names: Sequence[str],
    *,
    most_columns: int,
    sampling_fraction: float | None = None,
    missing: Sequence[int | None] = (),
    report: Callable[[str], None] = lambda message: None,
) -> SpecialUniques:
    """Find the records that few values single out, score them, and say what each column and value adds.

    Parameters
    ----------
    coded : Coded
    names : sequence of str
        Of its columns.
    most_columns : int, >= 1
        Columns in the largest subsets to look at.
    sampling_fraction : float, above 0 and at most 1, optional
        The share of the population that is in the table; DIS scores need it.
    missing : sequence of int, optional
        The code of a missing value of each column, where there is one.
    report : callable
        Is told how far the search is.

    References
    ----------
    Elliot, Manning, Mayes, Gurd and Bane (2005). SUDA: a program for detecting special uniques. UNECE work session on
    statistical data confidentiality.
    Manning, Haglin and Keane (2008). A recursive search algorithm for statistical disclosure assessment.
    doi:10.1007/s10618-007-0078-6
    Skinner and Elliot (2002). A measure of disclosure risk for microdata. doi:10.1111/1467-9868.00365

    Examples
    --------
    >>> import numpy as np
    >>> coded = Coded((np.array([2, 1, 1]), np.array([0, 1, 0]), np.array([0, 1, 0])), (3, 2, 2), None)
    >>> found = detect_special_uniques(coded, ["a", "b", "c"], most_columns=2)
    >>> [(one.column, one.contribution) for one in found.columns]
    [('a', 0.5), ('b', 0.375), ('c', 0.375)]
    """
    columns = len(names)
    most = min(most_columns, columns)
    found = find_minimal_uniques(coded, most, report)
    alone, pairs = _count_alone_and_in_pairs(coded)
    points = np.array(list_size_scores(columns, most), np.float64)
    scores = found.of_rows @ points
    disclosure = None
    if sampling_fraction is not None:
        intensities = found.of_rows @ np.array(list_size_shares(columns, most))
        disclosure = score_disclosure(intensities, columns, pairs, sampling_fraction)
    total = float(scores.sum()) or 1.0
    values = [counts @ points / total for counts in found.of_values]
    return SpecialUniques(
        most_columns=most,
        records=coded.records,
        special=int(np.count_nonzero(scores)),
        alone=alone,
        pairs=pairs,
        by_size=tuple(map(int, found.of_rows.sum(axis=0, dtype=np.int64))),
        largest_score=float(scores.max()),
        sampling_fraction=sampling_fraction,
        disclosure=() if disclosure is None else _count_disclosure(disclosure),
        columns=tuple(
            SpecialColumn(name, int(found.of_values[column].sum()), float(values[column].sum()))
            for column, name in enumerate(names)
        ),
        values=_list_values(coded, names, values, missing or [None] * columns),
        subsets=tuple(
            SpecialSubset(tuple(names[column] for column in subset), records)
            for subset, records in list(found.of_subsets.items())[:_MOST_SUBSETS]
        ),
        top=_list_top_records(found, scores, disclosure),
    )


def _count_alone_and_in_pairs(coded: Coded) -> tuple[int, int]:
    """Count the records that no other agrees with in all columns, and those that exactly one does; or the persons."""
    order = np.lexsort(coded.columns)
    changes = np.zeros(coded.rows, np.bool_)
    changes[0] = True
    for column in coded.columns:
        ordered = column[order]
        changes[1:] |= ordered[1:] != ordered[:-1]
    if coded.persons is not None:
        group, person = np.unique(np.stack([np.cumsum(changes) - 1, coded.persons[order]]), axis=1)
        of_person = np.bincount(group)[group]
        return len(np.unique(person[of_person == 1])), len(np.unique(person[of_person == 2]))
    weights = np.ones(coded.rows, np.int64) if coded.weights is None else coded.weights[order]
    sizes = np.add.reduceat(weights, np.flatnonzero(changes), dtype=np.int64)
    return int(np.count_nonzero(sizes == 1)), 2 * int(np.count_nonzero(sizes == 2))


def _count_records_of_values(coded: Coded, column: int, values: int) -> NDArray[np.int64]:
    """Count the records that have each value of a column; or the persons."""
    codes = coded.columns[column]
    if coded.persons is not None:
        codes = np.unique(np.stack([codes.astype(np.int64), coded.persons]), axis=1)[0]
    return np.bincount(codes, coded.weights, values).astype(np.int64)


def _count_disclosure(scores: Numbers) -> tuple[DisclosureCount, ...]:
    return tuple(DisclosureCount(limit, int(np.count_nonzero(scores > limit))) for limit in _LIMITS)


def _list_values(
    coded: Coded, names: Sequence[str], contributions: Sequence[Numbers], missing: Sequence[int | None]
) -> tuple[SpecialValue, ...]:
    """List the values that add to scores, the largest first; rare values of a column are one line."""
    listed = []
    for column, name in enumerate(names):
        shares = contributions[column]
        records = _count_records_of_values(coded, column, len(shares))
        rare = (records > 0) & (records < FEW_RECORDS)
        for code in np.flatnonzero((shares > 0) & ~rare).tolist():
            kind: Literal["value", "missing"] = "missing" if code == missing[column] else "value"
            listed.append(SpecialValue(name, kind, code, 1, int(records[code]), float(shares[code])))
        if share := float(shares[rare].sum()):
            values, people = int(np.count_nonzero(rare)), int(records[rare].sum())
            listed.append(SpecialValue(name, "rare", None, values, people, share))
    return tuple(sorted(listed, key=lambda value: -value.contribution))


def _list_top_records(found: MinimalUniques, scores: Numbers, disclosure: Numbers | None) -> tuple[SpecialRecord, ...]:
    order = np.argsort(-scores, kind="stable")[:_MOST_RECORDS]
    return tuple(
        SpecialRecord(
            int(found.first_rows[row]),
            float(scores[row]),
            None if disclosure is None else float(disclosure[row]),
            tuple(map(int, found.of_rows[row])),
        )
        for row in order[scores[order] > 0]
    )


# The same for a table that was read: which of its columns play a part, where its records stand, and its values.


def find_special(
    store: Store,
    counted: Table,
    table: CodedTable,
    names: Sequence[str],
    identifiers: Collection[str],
    *,
    keeps_all: bool,
    find_keys: Callable[[], tuple[Table, Table]],
    most_columns: int,
    sampling_fraction: float | None,
    report: Callable[[str], None],
) -> SpecialUniques | None:
    """Find the records that few values single out, and score them; None where each column is an identifier.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: each distinct record and how often it occurs.
    table : CodedTable
        The same as codes.
    names : sequence of str
        Of the columns.
    identifiers : collection of str
        Columns that single out every record: they play no part, as they would hide what all others do.
    keeps_all : bool
        Whether records that lack a value are searched, too.
    find_keys : callable
        Reads the table again: ``key`` of each record in their order, and `counted` with the ``key``.
    most_columns, sampling_fraction, report
        As in `detect_special_uniques`.
    """
    rest = [column for column, name in enumerate(names) if name not in identifiers]
    if not rest:
        return None
    kept = None if keeps_all else table.find_complete_rows()
    coded = (table.coded if kept is None else table.coded.only(kept)).of(rest)
    shown = [names[column] for column in rest]
    nulls = [_find_null_code(table, column) for column in rest]
    found = detect_special_uniques(
        *(coded, shown), most_columns=most_columns, sampling_fraction=sampling_fraction, missing=nulls, report=report
    )
    report("the numbers of the records")
    sizes = store.to_arrays(select(counted.c.size))["size"]
    places = np.arange(len(sizes))
    # Where rows have no weights, each may be a record of its own.
    places = places if table.coded.rows == len(sizes) else np.repeat(places, sizes)
    return replace(
        found,
        values=_name_values(store, counted, names, found.values),
        top=_number_records(store, find_keys, places if kept is None else places[kept], found.top),
        left_out=tuple(name for name in names if name in identifiers),
    )


def _find_null_code(table: CodedTable, column: int) -> int | None:
    flags = table.missing[column]
    return None if flags is None else int(table.coded.columns[column][flags][0])


def _name_values(
    store: Store, counted: Table, names: Sequence[str], values: Sequence[SpecialValue]
) -> tuple[SpecialValue, ...]:
    """Name the values that are not rare by their texts."""
    texts: dict[tuple[str, int | None], str | None] = {}
    for column, name in enumerate(names, start=1):
        codes = [
            value.code for value in values if value.column == name and value.kind == "value" and value.code is not None
        ]
        if codes:
            named = zip(codes, list_texts(store, counted, column, codes), strict=True)
            texts |= {(name, code): text for code, text in named}
    return tuple(value._replace(text=texts.get((value.column, value.code))) for value in values)


def _number_records(
    store: Store, find_keys: Callable[[], tuple[Table, Table]], places: Whole, top: Sequence[SpecialRecord]
) -> tuple[SpecialRecord, ...]:
    """Find where the records stand in the table, counted from 1.

    Each of them is the only one with its texts, so that its key is that of one record. Where persons are counted, this
    is the first of the records with these texts.
    """
    if not top:
        return ()
    keys, counted = find_keys()
    wanted = [int(places[record.row]) for record in top]
    here = select(find_row_place(counted).label("place"), counted.c.key).where(find_row_place(counted).in_(wanted))
    found = here.subquery()
    rows = store.rows(
        select(found.c.place, func.min(find_row_place(keys)).label("record"))
        .select_from(found.join(keys, keys.c.key == found.c.key))
        .group_by(found.c.place)
    )
    numbers = {int(place): int(record) + 1 for place, record in rows}
    return tuple(record._replace(record=numbers[place]) for place, record in zip(wanted, top, strict=True))
