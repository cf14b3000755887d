"""Which columns identify people: identifiers, the quasi-identifier elected by its singletons, what each column adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from toolbox.detection.search import CodedTable, Subset, SubsetSearch, SubsetSizes
from toolbox.errors import InputError
from toolbox.messages import choose_setting_name


@dataclass(frozen=True, kw_only=True)
class SubsetFigures:
    """How far some columns tell the complete records apart; or persons, where the table counts these.

    Each combination of a person counts once then, and somebody with several is in several groups.
    """

    columns: tuple[str, ...]
    singletons: int
    """Records that no other agrees with in all these columns; persons with a combination that nobody else has."""
    share: float
    """The same, as a share of the complete records."""
    distinct: int
    """Groups of records that agree."""
    distinct_ratio: float
    """Groups for each record."""
    separation_ratio: float
    """Share of the pairs of records that differ in one of these columns at least; 1 where there is no pair."""
    smallest_group: int
    largest_group: int

    @property
    def largest_risk(self) -> float:
        """Risk of a person in the smallest group."""
        return 1 / self.smallest_group


@dataclass(frozen=True, kw_only=True)
class ColumnFigures:
    """What one column contributes."""

    name: str
    values: int
    """Distinct ones, a missing value among them."""
    missing: int
    """Records that lack one."""
    is_identifier: bool
    """Whether it alone tells all records apart; then it is in no other figure."""
    singletons: int | None
    """Alone."""
    adds: float | None
    """Singletons that it adds to others: the mean over all subsets that it is in, each size counting alike. With all
    sizes that is the Shapley value, and the values of all columns add up to the singletons of all together."""
    without: int | None
    """Singletons that are left if it is taken out of the elected quasi-identifier; None if it is in none."""


@dataclass(frozen=True, kw_only=True)
class Detection:
    """The columns that identify people in a table."""

    records: int
    complete: int
    """Records whose groups are counted: those that lack no value of the columns looked at, unless a missing value
    counts as a value."""
    most_columns: int
    """Columns in the largest subsets."""
    identifiers: tuple[tuple[str, ...], ...]
    """Every minimal unique combination of this many columns, in all records; a missing value is a value."""
    best: tuple[SubsetFigures, ...]
    """The elected quasi-identifier: most singletons, then fewest columns; several if they tie, none if every subset
    contains an identifier."""
    subsets: tuple[SubsetFigures, ...]
    """All subsets that contain no identifier, in the order of the election."""
    columns: tuple[ColumnFigures, ...]
    subsets_counted: int
    """How often the groups of a subset had to be counted, in the complete records or to find identifiers in all; all
    other figures follow from these."""


def detect_identifying(
    table: CodedTable,
    names: Sequence[str],
    *,
    most_columns: int,
    missing_is_a_value: bool = False,
    report: Callable[[str], None] = lambda message: None,
) -> Detection:
    """Find the identifiers of a table, and elect its quasi-identifier.

    Parameters
    ----------
    table : CodedTable
    names : sequence of str
        Of its columns.
    most_columns : int, >= 1
        Columns in the largest subsets to look at.
    missing_is_a_value : bool
        Whether to count the groups of all records, not only those of the complete ones.
    report : callable
        Is told how far the search is.

    Raises
    ------
    InputError
        If every record lacks some value.

    References
    ----------
    Pastore, Pellegrino and Scarano (2020). Detecting and generalizing quasi-identifiers by affecting singletons.
    CEUR-WS 2797, 328-336.
    Motwani and Xu (2007). Efficient algorithms for masking and finding quasi-identifiers. VLDB, 83-93.
    """
    complete = table.coded if missing_is_a_value else table.complete()
    if not complete.records:
        raise InputError(_explain_incomplete_records(table, names))
    search = SubsetSearch(table.coded, complete, most_columns, report)
    search.run()
    identifiers = search.identifiers
    sizes = {subset: groups for subset, groups in search.sizes.items() if subset}
    order = sorted(sizes, key=lambda subset: (-sizes[subset].singletons, len(subset), subset))
    subsets = tuple(
        _make_subset_figures(sizes[subset], complete.records, [names[column] for column in subset]) for subset in order
    )
    best = [subset for subset in order if _rank(subset, sizes) == _rank(order[0], sizes)]
    return Detection(
        records=table.coded.records,
        complete=complete.records,
        most_columns=min(most_columns, len(names)),
        identifiers=tuple(tuple(names[column] for column in subset) for subset in identifiers),
        best=subsets[: len(best)],
        subsets=subsets,
        columns=_make_column_figures(table, names, search, best[0] if best else (), min(most_columns, len(names))),
        subsets_counted=search.counted,
    )


def _rank(subset: Subset, sizes: Mapping[Subset, SubsetSizes]) -> tuple[int, int]:
    return -sizes[subset].singletons, len(subset)


def _explain_incomplete_records(table: CodedTable, names: Sequence[str]) -> str:
    lacking = sorted(range(len(names)), key=lambda column: -table.count_incomplete_records(column))
    shown = ", ".join(f"{names[column]} ({table.count_incomplete_records(column):,})" for column in lacking[:3])
    return (
        f"Every one of the {table.coded.records:,} records lacks a value, most often of {shown}. "
        "Exclude such columns, or let a missing value count as a value "
        f"({choose_setting_name('--missing value', python='missing_is_a_value=True')})."
    )


def _make_subset_figures(sizes: SubsetSizes, records: int, names: Sequence[str]) -> SubsetFigures:
    members = records if sizes.members is None else sizes.members
    pairs = records * (records - 1) if sizes.pairs is None else sizes.pairs
    assert sizes.smallest is not None
    return SubsetFigures(
        columns=tuple(names),
        singletons=sizes.singletons,
        share=sizes.singletons / records,
        distinct=sizes.distinct,
        distinct_ratio=sizes.distinct / members,
        separation_ratio=1 - (sizes.squares - members) / pairs if pairs else 1.0,
        smallest_group=sizes.smallest,
        largest_group=sizes.largest,
    )


def _make_column_figures(
    table: CodedTable, names: Sequence[str], search: SubsetSearch, best: Subset, most: int
) -> tuple[ColumnFigures, ...]:
    alone = {subset[0] for subset in search.identifiers if len(subset) == 1}
    rest = [column for column in range(len(names)) if column not in alone]
    sizes = search.sizes
    records = sizes[()].largest
    singletons = {subset: groups.singletons for subset, groups in sizes.items()}
    adds = _average_added_singletons(rest, singletons, records, min(most, len(rest)))
    without = {column: singletons[tuple(other for other in best if other != column)] for column in best}
    return tuple(
        ColumnFigures(
            name=name,
            values=table.coded.values[column],
            missing=table.count_incomplete_records(column),
            is_identifier=column in alone,
            singletons=singletons.get((column,)),
            adds=adds.get(column),
            without=without.get(column),
        )
        for column, name in enumerate(names)
    )


def _average_added_singletons(
    columns: Sequence[int], singletons: Mapping[Subset, int], records: int, most: int
) -> dict[int, float]:
    """Average what each column adds. In a subset that contains an identifier all records are singletons."""
    totals = {column: [0] * most for column in columns}
    for size in range(1, most + 1):
        for subset in combinations(columns, size):
            with_all = singletons.get(subset, records)
            for position, column in enumerate(subset):
                part = subset[:position] + subset[position + 1 :]
                totals[column][size - 1] += with_all - singletons.get(part, records)
    subsets = [comb(len(columns) - 1, size) for size in range(most)]
    return {
        column: sum(total / count for total, count in zip(of_size, subsets, strict=True)) / most
        for column, of_size in totals.items()
    }
