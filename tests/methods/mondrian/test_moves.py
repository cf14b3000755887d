"""Combinations that move between the boxes of Mondrian: what they lose is counted again in plain Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.amounts import times
from hypothesis import given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.errors import ToolboxError
from toolbox.methods.mondrian.gains import RangePrice, SetPrice, improve_partitions
from toolbox.methods.mondrian.partitions import Partitions
from toolbox.privacy.models.k_map import KMap
from toolbox.privacy.models.l_diversity import DistinctLDiversity

# The first column is named by its ends, and costs their distance; the second by its values, and costs their number.
PLACES = np.array([0.0, 1.0, 3.0, 4.0, 9.0])
PRICES = (
    (RangePrice(((PLACES, PLACES),), lambda width: width), 1.0),
    (SetPrice((np.ones(4),), lambda count: np.where(count > 1, count, 0.0)), 0.5),
)
Row = tuple[int, int, int]
"""Records, and the ranks of two values."""
ROWS = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=16)


def partitions(classes: list[list[Row]]) -> Partitions:
    rows = np.array([row for part in classes for row in part], np.int32)
    starts = np.cumsum([0, *map(len, classes[:-1])])
    return Partitions(np.arange(len(rows)), rows[:, 0], [rows[:, 1], rows[:, 2]], starts)


def list_classes(parts: Partitions) -> list[list[Row]]:
    rows = list(zip(parts.sizes.tolist(), *(column.tolist() for column in parts.columns), strict=True))
    ends = [*parts.starts.tolist()[1:], len(rows)]
    return [rows[start:end] for start, end in zip(parts.starts.tolist(), ends, strict=True)]


def lost(classes: list[list[Row]]) -> float:
    total = 0.0
    for rows in classes:
        first, second = ({row[column] for row in rows} for column in (1, 2))
        each = PLACES[max(first)] - PLACES[min(first)] + 0.5 * (len(second) if len(second) > 1 else 0)
        total += float(each * sum(row[0] for row in rows))
    return total


def moved(classes: list[list[Row]], k: int) -> list[list[Row]]:
    return list_classes(improve_partitions(partitions(classes), PRICES, k, None, lambda words: None))


def test_a_row_moves_into_the_box_where_it_costs_nothing() -> None:
    assert moved([[(1, 0, 0), (1, 0, 0), (1, 4, 0)], [(1, 4, 0), (1, 4, 0)]], 2) == [
        [(1, 0, 0), (1, 0, 0)],
        [(1, 4, 0), (1, 4, 0), (1, 4, 0)],
    ]


def test_two_rows_of_full_boxes_change_places() -> None:
    found = moved([[(1, 0, 0), (1, 4, 1)], [(1, 0, 0), (1, 4, 1)]], 2)
    assert sorted(found) == [[(1, 0, 0), (1, 0, 0)], [(1, 4, 1), (1, 4, 1)]]


@settings(max_examples=times(30, slow=400), deadline=None)
@given(ROWS, st.integers(2, 4), st.integers(1, 4), st.integers(0, 10**6))
def test_never_more_is_lost_and_every_row_stays_in_a_box_of_k(rows: list[Row], k: int, boxes: int, seed: int) -> None:
    dealt: dict[int, list[Row]] = {}
    for row in rows:
        seed, number = divmod(seed, boxes)
        dealt.setdefault(number, []).append(row)
    small = [row for part in dealt.values() if sum(row[0] for row in part) < k for row in part]
    before = [part for part in dealt.values() if sum(row[0] for row in part) >= k]
    if small:
        before = [[*(before[0] if before else []), *small], *before[1:]]
    if sum(row[0] for row in before[0]) < k:
        return
    after = moved(before, k)
    assert Counter(row for part in after for row in part) == Counter(rows)
    assert all(sum(row[0] for row in part) >= k for part in after)
    assert lost(after) <= lost(before) + 1e-9


# The method.

PEOPLE = pd.DataFrame(
    {
        "age": [20, 21, 22, 23, 24, 60, 61, 62, 63, 25],
        "town": ["Graz", "Graz", "Linz", "Linz", "Wien", "Wien", "Wien", "Linz", "Graz", "Wien"],
        "ill": ["flu", "cold", "flu", "gout", "flu", "cold", "gout", "flu", "cold", "flu"],
    }
)
NAMES = ["age", "town"]


def count_lost(**said: object) -> tuple[float, int]:
    with toolbox.open(PEOPLE, quasi_identifiers=NAMES, sensitive=["ill"]) as session:
        variant = session.run(method="Mondrian", metrics=["ncp"], **said)
    assert variant.losses is not None
    return variant.losses.value("ncp"), variant.summary.proof.smallest_class or 0


@pytest.mark.slow
def test_relaxed_boxes_lose_less_and_are_proved() -> None:
    strict, _ = count_lost(k=2)
    relaxed, smallest = count_lost(k=2, partitioning="relaxed")
    assert relaxed < strict
    assert smallest >= 2


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("objective", ["", "lm", "conditional-entropy"])
@pytest.mark.parametrize("k", [2, 25])
def test_moves_never_make_a_whole_table_worse(objective: str, k: int, shared: Path) -> None:
    said = {"k": k, "metrics": [objective or "ncp"], **({"objective": objective} if objective else {})}
    people = pd.read_csv(shared / "fixtures" / "arx" / "local" / "census5000.csv.gz", sep=";")
    with toolbox.open(people, quasi_identifiers=list(people.columns)) as session:
        strict, relaxed = (session.run(method="Mondrian", **said, **more) for more in ({}, {"partitioning": "relaxed"}))
    assert strict.losses is not None and relaxed.losses is not None
    assert relaxed.losses.value(objective or "ncp") < strict.losses.value(objective or "ncp")


@pytest.mark.slow
def test_models_of_sensitive_values_hold_in_relaxed_boxes() -> None:
    models = [DistinctLDiversity(l=2, attribute="ill")]
    assert count_lost(models=models, partitioning="relaxed")[0] <= count_lost(models=models)[0]


@pytest.mark.slow
def test_the_release_is_the_same_in_every_run() -> None:
    said = {"quasi_identifiers": NAMES, "k": 2, "method": "Mondrian", "partitioning": "relaxed", "order": "input"}
    first, again = (toolbox.anonymize(PEOPLE[NAMES], **said).release for _ in range(2))
    assert first.equals(again)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"naming": "regions"}, "partitioning.*nothing beside naming='regions'"),
        ({"models": [KMap(k=2)], "population": PEOPLE}, "cannot honour k-map.*Leave partitioning out"),
        ({"partitioning": "loose"}, "relaxed"),
    ],
)
def test_what_relaxed_boxes_cannot_keep_is_refused(said: dict[str, object], words: str) -> None:
    asked = {"quasi_identifiers": NAMES, "method": "Mondrian", "partitioning": "relaxed", "undeclared": "drop"}
    with pytest.raises(ToolboxError, match=words):
        toolbox.anonymize(PEOPLE, **{**asked, **said})


def test_a_recoding_is_saved_of_strict_boxes_only(tmp_path: Path) -> None:
    asked = {"quasi_identifiers": NAMES, "k": 2, "method": "Mondrian", "undeclared": "drop"}
    with pytest.raises(ToolboxError, match="nothing beside naming='regions'"):
        toolbox.anonymize(PEOPLE, partitioning="relaxed", save_recoding=tmp_path / "recoding.json", **asked)
