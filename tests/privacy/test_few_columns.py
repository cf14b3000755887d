"""Whom somebody finds by a few columns, beside a count with pencil and paper."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from random import Random

import pandas as pd
import pytest
from helpers.amounts import times

import toolbox
from toolbox.errors import SettingError, UsageError
from toolbox.privacy.measures import KnownColumns

NAMES = ["age", "sex", "zip", 'a "b"']


def count_by_hand(table: pd.DataFrame, columns: tuple[str, ...], k: int) -> KnownColumns:
    """Count the different persons of each group, and those who are in a small one."""
    groups: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in table.to_dict("records"):
        groups[tuple(row[name] for name in columns)].add(row["who"])
    found = [set().union(*(who for who in groups.values() if is_rare(len(who)))) for is_rare in (lambda n: n < k, lambda n: n == 1)]  # fmt: skip
    return KnownColumns(
        columns=columns, smallest=min(map(len, groups.values())), below_k=len(found[0]), alone=len(found[1])
    )


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("by_person", [False, True])
def test_each_set_is_counted_as_with_a_pencil(by_person: bool) -> None:
    draw = Random(by_person)
    for _ in range(times(3, slow=60)):
        size, k, most = draw.randint(3, 30), draw.randint(2, 4), draw.randint(1, 4)
        rows = [[draw.choice("abc"), draw.choice("fm"), draw.choice("1234"), draw.choice("xy")] for _ in range(size)]
        table = pd.DataFrame(rows, columns=NAMES)
        table["who"] = [f"P{draw.randint(1, 12) if by_person else row}" for row in range(size)]
        own = {"person": "who"} if by_person else {}
        found = toolbox.risk(table, quasi_identifiers=NAMES, k=k, few_columns=most, **own).few_columns
        assert found is not None
        expected = [count_by_hand(table, each, k) for n in range(1, most + 1) for each in combinations(NAMES, n)]
        assert sorted(found.sets, key=lambda known: known.columns) == sorted(expected, key=lambda known: known.columns)
        worst = [(known.below_k, known.alone) for known in found.sets]
        assert worst == sorted(worst, reverse=True)
        assert (found.k, found.of, found.noun) == (k, table["who"].nunique(), "person" if by_person else "record")
        for known in found.by_size:
            same = [one for one in expected if len(one.columns) == len(known.columns)]
            assert known.smallest == min(one.smallest or 0 for one in same)
            assert max(one.below_k for one in same) <= known.below_k <= sum(one.below_k for one in same)


def test_suppressed_persons_are_not_among_those_who_are_counted() -> None:
    table = pd.DataFrame({"who": ["P1", "P2", "P3"], "age": ["20", "20", "*"], "sex": ["f", "f", "*"]})
    asked = {"quasi_identifiers": ["age", "sex"], "k": 2, "few_columns": 1}
    by_record, by_person = (
        toolbox.risk(table, **asked).few_columns,
        toolbox.risk(table, person="who", **asked).few_columns,
    )
    assert by_record is not None and by_person is not None
    assert (by_record.of, by_person.of) == (2, 2)


def test_who_is_found_by_any_of_several_sets_counts_once() -> None:
    table = pd.DataFrame({"age": ["20", "20", "20", "30"], "sex": ["f", "f", "f", "m"]})
    found = toolbox.risk(table, quasi_identifiers=["age", "sex"], k=2, few_columns=1).few_columns
    assert found is not None
    assert [(known.below_k, known.alone) for known in (*found.by_size, *found.sets)] == [(1, 1), (1, 1), (1, 1)]


def test_suppressed_records_are_found_by_nobody_and_look_like_nobody() -> None:
    table = pd.DataFrame({"age": ["20", "20", "*"], "sex": ["f", "f", "*"]})
    found = toolbox.risk(table, quasi_identifiers=["age", "sex"], k=3, few_columns=2).few_columns
    assert found is not None
    assert found.of == 2
    assert {known.smallest for known in found.sets} == {2}
    assert {known.below_k for known in found.sets} == {2}


def test_the_document_and_the_console_name_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame({"age": ["20", "20", "30"], "sex": ["f", "f", "f"]})
    report = toolbox.risk(table, quasi_identifiers=["age", "sex"], k=2, few_columns=2)
    assert report.document()["few_columns"] == {
        "k": 2,
        "of": 3,
        "noun": "record",
        "by_size": [
            {"columns": 1, "smallest": 1, "below_k": 1, "alone": 1},
            {"columns": 2, "smallest": 1, "below_k": 1, "alone": 1},
        ],
        "sets": [
            {"columns": ["age"], "smallest": 1, "below_k": 1, "alone": 1},
            {"columns": ["age", "sex"], "smallest": 1, "below_k": 1, "alone": 1},
            {"columns": ["sex"], "smallest": 3, "below_k": 0, "alone": 0},
        ],
    }
    assert toolbox.risk(table, quasi_identifiers=["age", "sex"]).document()["few_columns"] is None


@pytest.mark.slow
def test_what_is_no_number_and_what_would_be_too_many_sets_is_told() -> None:
    table = pd.DataFrame({f"q{number}": ["a", "b"] for number in range(20)})
    with pytest.raises(SettingError, match="few_columns"):
        toolbox.risk(table, quasi_identifiers=["q1"], few_columns=0)
    with pytest.raises(UsageError, match="Any 3 of 20 quasi-identifiers are 1,140 sets"):
        toolbox.risk(table, quasi_identifiers=list(table), few_columns=3)
