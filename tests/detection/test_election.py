"""What identifies people: by hand on small tables, and by its definitions on random ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from helpers import brute_detection as brute
from helpers.brute_detection import Record
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolbox.detection.election import Detection, detect_identifying
from toolbox.detection.search import Coded, CodedTable
from toolbox.errors import InputError

WIDTH = 5


def coded(records: Sequence[Record], *, weighted: bool = False) -> CodedTable:
    """Code records as a reading does; weighted, with equal ones as one row."""
    counts = Counter(records)
    rows = list(counts) if weighted else list(records)
    columns, values, missing = [], [], []
    for cells in zip(*rows, strict=True):
        codes = {cell: number for number, cell in enumerate(dict.fromkeys(cells))}
        columns.append(np.array([codes[cell] for cell in cells], np.uint8))
        values.append(len(codes))
        missing.append(np.array([cell is None for cell in cells]) if None in codes else None)
    weights = np.array([counts[row] for row in rows]) if weighted else None
    return CodedTable(Coded(tuple(columns), tuple(values), weights), tuple(missing))


def found(records: Sequence[Record], most: int = WIDTH, *, weighted: bool = False, **options: bool) -> Detection:
    names = [str(number) for number, _ in enumerate(records[0])]
    return detect_identifying(coded(records, weighted=weighted), names, most_columns=most, **options)


def numbers(columns: Sequence[str]) -> tuple[int, ...]:
    return tuple(map(int, columns))


# By hand


def test_the_subset_with_most_singletons_is_elected_and_the_smallest_of_those() -> None:
    # The last column follows from the first, so that it adds nothing.
    people = [("a", 1, "x"), ("a", 2, "x"), ("b", 1, "x"), ("b", 1, "x"), ("c", 3, "y")]
    result = found(people)
    (best,) = result.best
    assert (best.columns, best.singletons, best.share) == (("0", "1"), 3, 0.6)
    assert [("".join(one.columns), one.singletons) for one in result.subsets] == [
        ("01", 3),
        ("012", 3),
        ("1", 2),
        ("12", 2),
        ("0", 1),
        ("2", 1),
        ("02", 1),
    ]
    assert result.identifiers == ()


def test_all_that_tie_are_elected() -> None:
    assert [one.columns for one in found([("a", "x"), ("b", "y"), ("c", "z"), ("c", "z")]).best] == [("0",), ("1",)]


def test_the_figures_of_a_subset() -> None:
    (only,) = found([("a",), ("a",), ("a",), ("b",), ("b",), ("c",)]).subsets
    assert (only.distinct, only.singletons, only.smallest_group, only.largest_group) == (3, 1, 1, 3)
    assert only.distinct_ratio == 0.5
    # Of fifteen pairs three agree among the a, one among the b.
    assert only.separation_ratio == pytest.approx(11 / 15)
    assert only.largest_risk == 1.0


def test_an_identifier_is_told_apart_and_takes_no_part_in_the_election() -> None:
    result = found([(1, "a", "x"), (2, "a", "y"), (3, "b", "x"), (4, "b", "y"), (5, "b", "z")])
    assert result.identifiers == (("0",), ("1", "2"))
    assert [one.columns for one in result.best] == [("2",)]
    assert [(one.is_identifier, one.adds is None) for one in result.columns] == [
        (True, True),
        (False, False),
        (False, False),
    ]


def test_where_every_column_identifies_nothing_is_left_to_elect() -> None:
    result = found([(1, "a"), (2, "b")])
    assert (result.identifiers, result.best, result.subsets) == ((("0",), ("1",)), (), ())


def test_one_record_is_identified_by_anything() -> None:
    assert found([("a", "b")]).identifiers == (("0",), ("1",))


def test_a_missing_value_is_a_value_for_identifiers_but_its_record_is_not_in_the_election() -> None:
    result = found([("a", "x"), ("b", "x"), (None, "y"), ("c", "y"), ("c", "z")])
    assert (result.records, result.complete) == (5, 4)
    assert result.identifiers == (("0", "1"),)
    # Without the third record the second column has one y and one z alone; with it only the z.
    assert [(one.columns, one.singletons) for one in result.best] == [(("0",), 2), (("1",), 2)]
    assert [one.missing for one in result.columns] == [1, 0]


def test_complete_records_may_all_differ_where_all_records_do_not() -> None:
    result = found([("a", 1), ("b", 2), (None, 3), (None, 3)])
    assert result.identifiers == ()
    assert [(one.columns, one.singletons, one.distinct) for one in result.best] == [(("0",), 2, 2), (("1",), 2, 2)]


def test_a_missing_value_may_count_as_a_value_in_the_election_too() -> None:
    result = found([("a",), (None,), ("b",), ("b",)], missing_is_a_value=True)
    assert (result.complete, result.best[0].singletons) == (4, 2)


def test_a_table_without_a_complete_record_is_an_error_that_names_the_columns() -> None:
    with pytest.raises(InputError, match=r"Every one of the 3 records lacks a value, most often of 1 \(2\), 0 \(1\)"):
        found([("a", None), (None, "x"), ("b", None)])


def test_a_column_adds_what_others_do_not_tell() -> None:
    # Nobody is alone by one column; two tell all of the first four apart, which each of them adds to the other.
    people = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("b", 2)]
    first, second = found(people).columns
    assert (first.singletons, second.singletons) == (0, 0)
    assert (first.adds, second.adds) == (1.5, 1.5)
    assert (first.without, second.without) == (0, 0)


def test_more_columns_than_asked_for_are_not_looked_at() -> None:
    result = found([("a", 1, "x"), ("a", 2, "x"), ("b", 1, "y"), ("b", 2, "y"), ("b", 2, "x")], most=1)
    assert {len(one.columns) for one in result.subsets} == {1}
    assert result.most_columns == 1


# By its definitions

CELLS = st.sampled_from([None, 0, 1, 2, 3])
TABLES = st.integers(1, WIDTH).flatmap(
    lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=14).filter(brute.complete)
)


@pytest.mark.slow
@settings(deadline=None)
@given(records=TABLES, most=st.integers(1, WIDTH), weighted=st.booleans(), keep=st.booleans())
@example(records=[(0, None), (1, 0), (1, 1), (2, 0)], most=2, weighted=False, keep=False)
def test_every_figure_agrees_with_counting_record_by_record(
    records: list[Record], most: int, weighted: bool, keep: bool
) -> None:
    result = found(records, most, weighted=weighted, missing_is_a_value=keep)
    counted = records if keep else brute.complete(records)
    identifiers = brute.minimal_identifiers(records, most)
    assert {numbers(one) for one in result.identifiers} == identifiers
    left = {
        columns
        for columns in brute.subsets(len(records[0]), most)
        if not any(set(identifier) <= set(columns) for identifier in identifiers)
    }
    assert {numbers(one.columns) for one in result.subsets} == left
    for one in result.subsets:
        sizes = brute.groups(counted, numbers(one.columns))
        assert (one.singletons, one.distinct) == (sizes.count(1), len(sizes))
        assert (one.smallest_group, one.largest_group) == (min(sizes), max(sizes))
        assert one.distinct_ratio == len(sizes) / len(counted)
        differing, pairs = brute.separation(counted, numbers(one.columns))
        assert one.separation_ratio == pytest.approx(float(Fraction(differing, pairs)) if pairs else 1.0)
    ranks = [(-one.singletons, len(one.columns)) for one in result.subsets]
    assert ranks == sorted(ranks)
    assert len(result.best) == ranks.count(ranks[0]) if ranks else not result.best


@pytest.mark.slow
@settings(deadline=None)
@given(records=TABLES)
def test_with_all_sizes_what_a_column_adds_is_its_shapley_value(records: list[Record]) -> None:
    result = found(records)
    complete = brute.complete(records)
    others = [number for number, one in enumerate(result.columns) if not one.is_identifier]
    for number in others:
        assert result.columns[number].adds == pytest.approx(brute.shapley(complete, others, number))
    if others and len(complete) > 1:
        added = sum(result.columns[number].adds or 0.0 for number in others)
        assert added == pytest.approx(brute.singletons(complete, others))


@settings(deadline=None)
@given(records=TABLES)
def test_a_record_that_occurs_again_makes_no_other_subset_unique(records: list[Record]) -> None:
    twice = records + records
    assert found(twice).identifiers == ()
    assert all(one.singletons == 0 for one in found(twice).subsets)


def test_what_follows_from_smaller_subsets_is_not_counted() -> None:
    # The last two columns follow from the first; that of one value tells nothing apart.
    records = [(number % 7, number % 5, number % 7 // 2, 0) for number in range(30)]
    result = found(records)
    assert result.subsets_counted < len(result.subsets)
    for one in result.subsets:
        assert one.distinct == len(brute.groups(records, numbers(one.columns)))


def test_what_is_counted_in_all_records_to_find_identifiers_is_told_and_not_counted_where_it_follows() -> None:
    # Each subset with the first or the last column tells the two complete records apart, so that all four are asked.
    result = found([("a", 1, "x"), ("b", 1, "y"), ("a", 2, None), ("a", 2, None)])
    assert result.identifiers == ()
    # Three columns in the complete records; in all, five of the six subsets, as the last column determines the first.
    assert result.subsets_counted == 3 + 5


def test_sorting_and_counting_in_place_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(7)
    records = [tuple(int(cell) for cell in row) for row in generator.integers(0, 9, (400, 4))]
    both = []
    for dense in (0, 1000):
        monkeypatch.setattr("toolbox.detection.search._DENSE", dense)
        both += [found(records), found(records, weighted=True)]
    assert both[0].subsets == both[1].subsets == both[2].subsets == both[3].subsets
    assert both[0].identifiers == both[3].identifiers
