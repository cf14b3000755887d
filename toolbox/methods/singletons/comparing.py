"""What each variant achieves and costs, the election of one, and the release that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product

import numpy as np
from sqlalchemy import select

from toolbox.methods.arrays.combinations import Flags, Numbers, Whole, number_rows
from toolbox.methods.arrays.recoding import (
    add_intervals,
    find_next_interval,
    find_range_ends,
    recode,
    select_interval_rows,
)
from toolbox.methods.singletons.columns import Scope, SingletonsColumn, SingletonsRows, find_group_ends
from toolbox.store.tables import QuasiIdentifierTables, Tables

_MOST_ORDERED = 3
"""Most local changes that are made in every order."""

# What each variant achieves and costs, and how they are ranked.


@dataclass(frozen=True, kw_only=True)
class VariantFigures:
    """What one variant achieves and costs."""

    name: str
    columns: int
    """How many are generalised."""
    below_k: int
    """Records that share what is shown of them with fewer than k - 1 others; with k = 2 the singletons."""
    share: float
    """The same, as a share of all records."""
    modified: int
    """Records of which any value is shown otherwise."""
    distinct: int
    distinct_ratio: float
    separation_ratio: float
    smallest_class: int
    covers: bool
    """Whether what is shown covers what it stands for. Centroids do not, and so cannot be released and proved."""


def _apply_variant(rows: SingletonsRows, variant: _SingletonsVariant, k: int) -> list[Whole]:
    """Return the choice for each column (axis 0) in each row: 0 for the value as it is, else 1 + the generalisation."""
    choice: list[Whole] = [np.zeros(len(rows.sizes), np.int16) for _ in rows.columns]
    for step in variant.steps:
        is_local = any(change.scope == "local" for change in step)
        stands_out = _mark_singletons(rows, choice, k) if is_local else None
        for change in step:
            reached = stands_out if change.scope == "local" else slice(None)
            choice[change.column][reached] = change.generalisation + 1
    return choice


def _mark_singletons(rows: SingletonsRows, choice: Sequence[Whole], k: int) -> Flags:
    """Mark the rows that are in a class of fewer than k records."""
    sizes, of_row = count_classes(rows, choice)
    stands_out: Flags = sizes[of_row] < k
    return stands_out


def count_classes(rows: SingletonsRows, choice: Sequence[Whole]) -> tuple[Numbers, Whole]:
    """Return the records of each class, as a reader tells them apart, and the class of each row.

    Where persons are declared, it is the different persons of each class.
    """
    of_row, count = number_rows(list_shown_codes(rows, choice))
    if rows.persons is not None:
        return rows.persons.count(rows.combination_ids, of_row, count), of_row
    return np.bincount(of_row, rows.sizes).astype(np.int64), of_row


def list_shown_codes(rows: SingletonsRows, choice: Sequence[Whole]) -> Iterator[Whole]:
    """Yield the codes of the shown texts, column by column: all at once would take more memory than the rows."""
    return (column.codes[how, values] for column, values, how in zip(rows.columns, rows.values, choice, strict=True))


def measure_variant(rows: SingletonsRows, variant: _SingletonsVariant, k: int) -> VariantFigures:
    """Measure one variant."""
    choice = _apply_variant(rows, variant, k)
    sizes, of_row = count_classes(rows, choice)
    in_class = np.bincount(of_row, rows.sizes).astype(np.int64)
    modified = np.zeros(len(rows.sizes), np.bool_)
    for column, values, shown in zip(rows.columns, rows.values, list_shown_codes(rows, choice), strict=True):
        modified |= column.codes[0][values] != shown
    records, below = rows.records, int(in_class[sizes < k].sum())
    pairs = records * (records - 1)
    uses = [rows.columns[change.column].generalisations[change.generalisation] for change in variant.changes]
    return VariantFigures(
        name=variant.name(rows.columns),
        columns=len(uses),
        below_k=below,
        share=below / records,
        modified=int(rows.sizes[modified].sum()),
        distinct=len(sizes),
        distinct_ratio=len(sizes) / records,
        separation_ratio=1 - (int(np.dot(in_class, in_class)) - records) / pairs if pairs else 1.0,
        smallest_class=int(sizes.min()),
        covers=all(use.covers for use in uses),
    )


def rank(variant: VariantFigures) -> tuple[int, ...]:
    """Return a sort key of variants: fewest below k, fewest modified, most classes, fewest columns generalised."""
    return variant.below_k, variant.modified, -variant.distinct, variant.columns


# The comparison of variants, of all if that is affordable, and the election of one.

_LOOKS = 50_000_000
_LEAST, _MOST = 100, 20_000
"""The fewest variants that are tried, and the most: between them, as many as look at `_LOOKS` rows in all."""


@dataclass(frozen=True)
class Compared:
    """A variant with its figures."""

    variant: _SingletonsVariant
    figures: VariantFigures


@dataclass(frozen=True)
class VariantComparison:
    """All variants that were tried."""

    ranked: tuple[Compared, ...]
    """In the order of the election."""
    unchanged: VariantFigures
    """The table as it is."""
    all_tried: bool


def compare(
    rows: SingletonsRows,
    k: int,
    scopes: Sequence[Scope],
    *,
    covering: bool = False,
    report: Callable[[str], None] = lambda message: None,
) -> VariantComparison:
    """Measure all variants. If they are too many, choose one change after the other, the best each time.

    Parameters
    ----------
    scopes : sequence of {'local', 'global'}
    covering : bool
        Whether to leave out those whose labels do not cover the values that they stand for.
    report : callable
        Is told how far the comparison is.
    """
    choices = [_list_changes(index, column, scopes, covering=covering) for index, column in enumerate(rows.columns)]
    most = min(_MOST, max(_LEAST, _LOOKS // len(rows.sizes)))
    variants = list(islice(_list_variants(choices), most + 1))
    all_tried = len(variants) <= most
    compared = (
        _measure_variants(rows, variants, k, report) if all_tried else _add_best_changes(rows, choices, k, report)
    )
    unchanged = compared[0].figures
    return VariantComparison(
        tuple(sorted(compared, key=lambda candidate: rank(candidate.figures))), unchanged, all_tried
    )


def _measure_variants(
    rows: SingletonsRows, variants: Sequence[_SingletonsVariant], k: int, report: Callable[[str], None]
) -> list[Compared]:
    measured = []
    for index, variant in enumerate(variants, start=1):
        report(f"variant {index:,} of {len(variants):,}")
        measured.append(Compared(variant, measure_variant(rows, variant, k)))
    return measured


def _add_best_changes(
    rows: SingletonsRows, choices: Sequence[Sequence[_Change]], k: int, report: Callable[[str], None]
) -> list[Compared]:
    compared = _measure_variants(rows, [_SingletonsVariant()], k, report)
    best, left = compared[0], set(range(len(choices)))
    while left and best.figures.below_k:
        further = [
            _SingletonsVariant((*best.variant.steps, (change,)))
            for column in sorted(left)
            for change in choices[column]
        ]
        tried = _measure_variants(rows, further, k, report)
        compared += tried
        better = min(tried, key=lambda candidate: rank(candidate.figures), default=best)
        if better.figures.below_k >= best.figures.below_k:
            break
        best = better
        left -= {change.column for change in best.variant.changes}
    return compared


# Finishing: the records that still stand out are generalised further, until each class has k records.


def recode_as_elected(tables: Tables, rows: SingletonsRows, elected: Compared, k: int, *, goes_further: bool) -> Tables:
    """Recode the table as the elected variant says, and suppress whom it leaves below k.

    With `goes_further` these are generalised until nobody is left.
    """
    choice = _apply_variant(rows, elected.variant, k)
    if goes_further:
        choice = _generalise_further(rows, choice, k)
    return _recode_rows(tables, rows, choice, _mark_singletons(rows, choice, k))


def _generalise_further(rows: SingletonsRows, choice: Sequence[Whole], k: int) -> list[Whole]:
    """Generalise the rows that stand out, and no others if possible, until nobody stands out.

    Again and again one column of these rows is generalised, the one that leaves fewest records standing out, and of
    equals the one that leaves most classes. Where none helps, what is left goes to the roots; if it is fewer than k
    records even together, the smallest other class joins them.

    Parameters
    ----------
    choice : sequence of array
        What becomes of the values of each column; see `applied`.
    """
    choice = list(choice)
    out = _mark_singletons(rows, choice, k)
    while out.any():
        further = _find_best_step(rows, choice, out, k)
        if further is None:
            return _suppress_at_roots(rows, choice, out, k)
        choice = further
        out = _mark_singletons(rows, choice, k)
    return choice


def _find_best_step(rows: SingletonsRows, choice: Sequence[Whole], out: Flags, k: int) -> list[Whole] | None:
    """Generalise one column of the rows that stand out; None if no column helps."""
    best, least = None, (int(rows.sizes[out].sum()), 0)
    for index, column in enumerate(rows.columns):
        for position, generalisation in enumerate(column.generalisations):
            if not generalisation.covers:
                continue
            tried = list(choice)
            tried[index] = np.where(out, position + 1, choice[index]).astype(np.int16)
            sizes, of_row = count_classes(rows, tried)
            achieved = int(rows.sizes[(sizes < k)[of_row]].sum()), -len(sizes)
            if achieved[0] < least[0] or (best is not None and achieved < least):
                best, least = tried, achieved
    return best


def _suppress_at_roots(rows: SingletonsRows, choice: Sequence[Whole], out: Flags, k: int) -> list[Whole]:
    """Generalise rows to the roots, and with them the smallest classes until they are k records."""
    choice = _set_roots(rows, choice, out)
    while True:
        sizes, of_row = count_classes(rows, choice)
        small = sizes < k
        if not small.any():
            return choice
        large = np.flatnonzero(~small)
        # Classes are numbered in the order of what they show, so that ties do not hang on the order of the records.
        joining = large[np.argmin(sizes[large])]
        choice = _set_roots(rows, choice, small[of_row] | (of_row == joining))


def _set_roots(rows: SingletonsRows, choice: Sequence[Whole], chosen: Flags) -> list[Whole]:
    roots = [
        [generalisation.rule for generalisation in column.generalisations].index("any") + 1 for column in rows.columns
    ]
    return [np.where(chosen, root, how).astype(np.int16) for how, root in zip(choice, roots, strict=True)]


# From the choice for each value to the classes of a release.


def _recode_rows(tables: Tables, rows: SingletonsRows, choice: Sequence[Whole], suppressed: Flags) -> Tables:
    """Recode each combination to its new values; suppressed ones show their roots."""
    sizes = rows.sizes.astype(tables.store.to_arrays(select(tables.combinations.c.size).limit(1))["size"].dtype)
    intervals: list[Whole] = []
    named: list[QuasiIdentifierTables] = []
    each = zip(tables.quasi_identifiers, rows.columns, rows.values, choice, strict=True)
    for quasi_identifier, column, values, how in each:
        names, extended = _name_intervals(tables, quasi_identifier, column, values, how)
        intervals.append(np.where(suppressed, quasi_identifier.root, names))
        named.append(extended)
    return recode(tables, rows.combination_ids, sizes, intervals, suppressed=suppressed, quasi_identifiers=named)


def _name_intervals(
    tables: Tables, quasi_identifier: QuasiIdentifierTables, column: SingletonsColumn, values: Whole, how: Whole
) -> tuple[Whole, QuasiIdentifierTables]:
    """Return the interval of each row; new ranges get new intervals."""
    intervals = values.astype(np.int64)
    new: list[tuple[int, str, int, int]] = []
    first = find_next_interval(tables, quasi_identifier)
    for index, generalisation in enumerate(column.generalisations, start=1):
        chosen = how == index
        groups = generalisation.group[values[chosen]]
        if generalisation.intervals is not None:
            intervals[chosen] = generalisation.intervals[groups]
            continue
        used, position = np.unique(groups, return_inverse=True)
        intervals[chosen] = first + len(new) + position
        lowest, highest = find_group_ends(generalisation.group)
        for group in used.tolist():
            new.append((first + len(new), generalisation.labels[group], int(lowest[group]), int(highest[group])))
    return _merge_by_label(column, values, how, intervals), _add_ranges(tables, quasi_identifier, new)


def _merge_by_label(column: SingletonsColumn, values: Whole, how: Whole, intervals: Whole) -> Whole:
    """Replace intervals that share a label by the widest of them, if it covers the others.

    People who stand out are counted by labels, so classes must not differ in anything else: the town of Aosta and the
    province of Aosta are one label.
    """
    ids, rows = np.unique(intervals, return_index=True)
    labels = column.codes[how[rows], values[rows]]
    order = np.argsort(labels, kind="stable")
    widest = ids.copy()
    for same in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        if len(same) > 1:
            covered = [_find_covered_values(column, int(how[row]), int(values[row])) for row in rows[same]]
            largest = max(range(len(same)), key=lambda index: len(covered[index]))
            inside = [bool(np.isin(quasi_identifier, covered[largest]).all()) for quasi_identifier in covered]
            widest[same[inside]] = ids[same[largest]]
    numbered: Whole = widest[np.searchsorted(ids, intervals)]
    return numbered


def _find_covered_values(column: SingletonsColumn, how: int, value: int) -> Whole:
    """Return the values that are generalised together with this one."""
    if not how:
        return np.array([value])
    generalisation = column.generalisations[how - 1]
    group, code = generalisation.group, generalisation.group[value]
    if generalisation.intervals is None:  # Groups of numbers follow each other, and there may be very many.
        return np.arange(np.searchsorted(group, code), np.searchsorted(group, code, side="right"))
    return np.flatnonzero(group == code)


def _add_ranges(
    tables: Tables, quasi_identifier: QuasiIdentifierTables, new: Sequence[tuple[int, str, int, int]]
) -> QuasiIdentifierTables:
    """Add new ranges of numbers to the intervals."""
    if not new:
        return quasi_identifier
    store = tables.store
    numbers, labels, lowest, highest = (list(part) for part in zip(*new, strict=True))
    ranges = store.create_constant(
        "ranges",
        {"interval_id": (int, numbers), "label": (str, labels), "lowest": (int, lowest), "highest": (int, highest)},
    )
    low, high, joined = find_range_ends(ranges, quasi_identifier)
    rows = select_interval_rows(ranges, ranges.c.label, low.c.value, high.c.value).select_from(joined)
    extended = add_intervals(tables, quasi_identifier, rows)
    store.drop(ranges)
    return extended


@dataclass(frozen=True)
class _Change:
    """One column generalised."""

    column: int
    generalisation: int
    """Which of its column's."""
    scope: Scope
    """Whether in all records, or only in those that stand out when its step begins."""


@dataclass(frozen=True)
class _SingletonsVariant:
    """Steps one after the other, each of changes that are made at once."""

    steps: tuple[tuple[_Change, ...], ...] = ()

    @property
    def changes(self) -> tuple[_Change, ...]:
        """All of them, in their order."""
        return tuple(change for step in self.steps for change in step)

    def name(self, columns: Sequence[SingletonsColumn]) -> str:
        """Return what is changed, in words.

        For example ``sex any (local), town parent`` of one step, ``sex any (local); town parent (local)`` of two.
        """
        return "; ".join(", ".join(_name(change, columns) for change in step) for step in self.steps) or "as it is"


def _name(change: _Change, columns: Sequence[SingletonsColumn]) -> str:
    column = columns[change.column]
    rule = column.generalisations[change.generalisation].rule
    return f"{column.name} {rule}{' (local)' if change.scope == 'local' else ''}"


def _list_changes(index: int, column: SingletonsColumn, scopes: Sequence[Scope], *, covering: bool) -> list[_Change]:
    """List the ways to generalise one column.

    Parameters
    ----------
    index : int
        Of the column.
    scopes : sequence of {'local', 'global'}
    covering : bool
        Whether to leave out those whose labels do not cover the values that they stand for.
    """
    allowed = [
        position
        for position, generalisation in enumerate(column.generalisations)
        if generalisation.covers or not covering
    ]
    return [_Change(index, position, scope) for position in allowed for scope in scopes]


def _list_variants(choices: Sequence[Sequence[_Change]]) -> Iterator[_SingletonsVariant]:
    """Yield every combination of changes, at most one for each column; first the combination without changes.

    Where some are local, they are made at once, or one after the other with who stands out determined anew, those for
    all records first; up to three of them in every order.

    Parameters
    ----------
    choices : sequence of sequence of Change
        The ways to generalise each column.
    """
    for chosen in product(*([None, *changes] for changes in choices)):
        yield from _list_orders([change for change in chosen if change is not None])


def _list_orders(changes: Sequence[_Change]) -> Iterator[_SingletonsVariant]:
    """Make all changes at once, or those for all records first and the local ones after."""
    if not changes:
        yield _SingletonsVariant()
        return
    yield _SingletonsVariant((tuple(changes),))
    everywhere = tuple(change for change in changes if change.scope == "global")
    local = [change for change in changes if change.scope == "local"]
    first = (everywhere,) if everywhere else ()
    if everywhere and local:
        yield _SingletonsVariant((everywhere, tuple(local)))
    if 1 < len(local) <= _MOST_ORDERED:
        for order in permutations(local):
            yield _SingletonsVariant((*first, *((change,) for change in order)))
