"""Minimal sample uniques and their scores: published values, a brute force, and what each column and value adds."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from toolbox.detection.search import Coded
from toolbox.detection.suda import detect_special_uniques, find_minimal_uniques, list_size_scores, score_disclosure

# Ten respondents of the practice guide of the IHSN, table 4.5: residence, gender, education, labour status.
RESPONDENTS = [
    ("u", "f", "incomplete", "employed"),
    ("u", "f", "incomplete", "employed"),
    ("u", "f", "primary incomplete", "none"),
    ("u", "m", "complete", "employed"),
    ("r", "f", "complete", "unemployed"),
    ("u", "m", "complete", "employed"),
    ("u", "f", "primary", "none"),
    ("u", "m", "post-secondary", "unemployed"),
    ("u", "f", "incomplete", "none"),
    ("u", "f", "incomplete", "none"),
]
SCORES = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
DISCLOSURE = [0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0]
NAMES = ("residence", "gender", "education", "labour")


def code(rows: list[tuple[str, ...]], *, weighted: bool = False) -> Coded:
    """Code a table; with weights each distinct row stands once."""
    counted = {row: rows.count(row) for row in rows} if weighted else None
    columns = [np.unique(column, return_inverse=True) for column in zip(*(counted or rows), strict=True)]
    weights = None if counted is None else np.array(list(counted.values()))
    return Coded(tuple(codes for _, codes in columns), tuple(len(values) for values, _ in columns), weights)


def list_uniques(rows: list[tuple[str, ...]], most: int) -> list[set[tuple[int, ...]]]:
    """List the minimal sample uniques of each row by looking at all pairs of rows."""

    def is_alone(row: tuple[str, ...], subset: tuple[int, ...]) -> bool:
        return sum(all(other[column] == row[column] for column in subset) for other in rows) == 1

    found = []
    for row in rows:
        alone = {
            subset
            for size in range(most + 1)
            for subset in combinations(range(len(row)), size)
            if is_alone(row, subset)
        }
        found.append({subset for subset in alone if not any(set(part) < set(subset) for part in alone)})
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_published_scores_of_ten_respondents(weighted: bool) -> None:
    coded = code(RESPONDENTS, weighted=weighted)
    found = detect_special_uniques(coded, NAMES, most_columns=3, sampling_fraction=0.01)
    rows = list(dict.fromkeys(RESPONDENTS)) if weighted else RESPONDENTS
    scores = {rows[record.row]: (record.score, round(record.disclosure or 0, 4)) for record in found.top}
    published = zip(RESPONDENTS, SCORES, DISCLOSURE, strict=True)
    assert scores == {row: (score, disclosure) for row, score, disclosure in published if score}
    assert (found.records, found.special, found.alone, found.pairs, found.by_size) == (10, 4, 4, 6, (4, 5, 0))
    assert [(one.above, one.records) for one in found.disclosure][:2] == [(0.0, 4), (0.1, 0)]


def test_published_contributions_of_three_columns() -> None:
    """The three records of a test of sdcMicro: 50, 37.5 and 37.5 percent."""
    found = detect_special_uniques(code([("2", "0", "0"), ("1", "3", "6"), ("1", "0", "0")]), "abc", most_columns=3)
    assert [one.contribution for one in found.columns] == [0.5, 0.375, 0.375]
    assert [one.uniques for one in found.columns] == [3, 2, 2]


@pytest.mark.sampled(19)
@pytest.mark.parametrize("seed", range(60))
def test_a_brute_force_finds_the_same(seed: int) -> None:
    generator = np.random.default_rng(seed)
    columns, records = int(generator.integers(1, 6)), int(generator.integers(1, 25))
    most = int(generator.integers(1, columns + 1))
    values = generator.integers(1, 7, columns)
    rows = [tuple(str(generator.integers(0, most)) for most in values) for _ in range(records)]
    wanted = list_uniques(rows, most)
    for weighted in (False, True):
        coded = code(rows, weighted=weighted)
        found = find_minimal_uniques(coded, most)
        kept = list(dict.fromkeys(rows)) if weighted else rows
        by_size = [
            [sum(len(subset) == size for subset in wanted[rows.index(row)]) for size in range(1, most + 1)]
            for row in kept
        ]
        if records > 1:
            assert found.of_rows.tolist() == by_size
            counts = {subset: sum(subset in uniques for uniques in wanted) for uniques in wanted for subset in uniques}
            assert found.of_subsets == counts
        for column, counts_of_values in enumerate(found.of_values):
            for value, counts_of_size in enumerate(counts_of_values.tolist()):
                for size, count in enumerate(counts_of_size, start=1):
                    own = [wanted[row] for row in range(records) if _has(coded, rows, row, column, value)]
                    expected = sum(len(subset) == size and column in subset for uniques in own for subset in uniques)
                    assert records == 1 or count == expected


def _has(coded: Coded, rows: list[tuple[str, ...]], row: int, column: int, value: int) -> bool:
    return sorted({other[column] for other in rows})[value] == rows[row][column]


def test_scores_count_the_ways_to_add_columns() -> None:
    assert list_size_scores(4, 4) == [6, 2, 1, 1]
    assert list_size_scores(10, 3) == [9 * 8 * 7, 8 * 7, 7]
    assert list_size_scores(1, 1) == [1]


def test_a_match_with_a_special_record_is_right_for_sure_if_no_two_records_agree() -> None:
    assert score_disclosure(np.array([0.0, 2.0]), 3, 0, 0.1).tolist() == [0, 1]
    assert score_disclosure(np.zeros(2), 3, 2, 0.1).tolist() == [0, 0]
    one = score_disclosure(np.array([1.0]), comb(8, 1), 3, 0.25)
    assert one.tolist() == [1 / (1 + 3 * 0.75 / 0.25)]


def test_values_of_few_records_are_one_line() -> None:
    rows = [("common", str(number)) for number in range(12)] + [("common", "0")] * 9 + [("rare", "0")]
    found = detect_special_uniques(code(rows), ("first", "second"), most_columns=2)
    assert {(one.column, one.kind, one.values, one.records) for one in found.values} == {
        ("first", "rare", 1, 1),
        ("second", "rare", 11, 11),
    }
    assert sum(one.contribution for one in found.values) == pytest.approx(1)


def test_many_values_share_slots_without_a_mistake() -> None:
    """More possible groups than slots: rows that share one are told apart by their keys."""
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 900, 3_000), generator.integers(0, 900, 3_000)
    found = find_minimal_uniques(Coded((first, second), (900, 900), None), 2)
    pairs = first * 900 + second
    alone = [np.bincount(numbers)[numbers] == 1 for numbers in (first, second, pairs)]
    assert found.of_rows[:, 0].tolist() == (alone[0].astype(int) + alone[1]).tolist()
    assert found.of_rows[:, 1].tolist() == (alone[2] & ~alone[0] & ~alone[1]).astype(int).tolist()
