"""Ordered categories: cut in their order, named by their ends, and read back."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from helpers import in_order
from helpers.amounts import times

import toolbox

SIZES = ["low", "mid", "high", "low", "high", "top"]
ORDER = ["low", "mid", "high", "top"]


def release(values: object, *, is_judged: bool = False) -> list[object]:
    """Return a 2-anonymous release of a column, which may be judged as well."""
    frame = pd.DataFrame({"t": values})
    result = in_order.anonymize(frame, quasi_identifiers=["t"], k=2)
    if not is_judged:
        return list(result.release["t"])
    consistency = toolbox.risk(result.release, original=frame, quasi_identifiers=["t"], k=2).risk.consistency
    assert consistency is not None
    assert consistency.unmatched == 0
    assert consistency.lowest >= 2
    return list(result.release["t"])


@pytest.mark.slow
def test_categories_in_order_are_cut_in_it_and_named_by_their_ends() -> None:
    ordered = pd.Categorical(SIZES, categories=ORDER, ordered=True)
    assert release(ordered, is_judged=True) == [
        "low..mid",
        "low..mid",
        "high..top",
        "low..mid",
        "high..top",
        "high..top",
    ]
    plain = pd.Categorical(SIZES, categories=ORDER)
    assert release(plain) == ["low", "{mid,top}", "high", "low", "high", "{mid,top}"]


@pytest.mark.slow
def test_intervals_that_follow_each_other_are_one() -> None:
    cut = pd.cut([1, 20, 30, 40, 70, 80, 90, 15], [0, 18, 36, 54, 72, 90])
    assert release(cut, is_judged=True) == [
        *("(0, 18]", "(18, 36]", "(18, 36]", "(36, 72]", "(36, 72]", "(72, 90]", "(72, 90]", "(0, 18]"),
    ]


@pytest.mark.slow
def test_periods_are_what_they_are_called() -> None:
    quarters = pd.PeriodIndex(["2020Q1", "2020Q2", "2021Q1", "2021Q3"], freq="Q")
    assert release(quarters) == ["2020Q1..2020Q2", "2020Q1..2020Q2", "2021Q1..2021Q3", "2021Q1..2021Q3"]


@pytest.mark.slow
def test_a_name_that_looks_like_a_range_makes_sets_of_all() -> None:
    ordered = pd.Categorical(["a", "b..c", "d", "e"], ordered=True)
    assert release(ordered) == ["{a,b..c}", "{a,b..c}", "{d,e}", "{d,e}"]


def test_arrow_says_which_categories_are_ordered() -> None:
    column = pa.DictionaryArray.from_arrays([1, 0, 2, 0, 2, 3], ["low", "mid", "high", "top"], ordered=True)
    result = in_order.anonymize(pa.table({"t": column}), quasi_identifiers=["t"], k=3)
    assert set(result.release["t"]) == {"low..mid", "high..top"}


@pytest.mark.slow
def test_a_map_may_be_ordered(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("size\n" + "\n".join(SIZES) + "\n")
    entries = "".join(f"<entry cat='{name}' int='{code}'/>" for code, name in enumerate(ORDER))
    (tmp_path / "config.xml").write_text(
        "<config k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>"
        f"<qid><att name='size'><map ordered='true'>{entries}</map></att></qid></config>"
    )
    config = toolbox.load_config(tmp_path / "config.xml")
    in_order.anonymize(config)
    shown = (tmp_path / "out.csv").read_text().split()
    assert shown == ["size", "low..mid", "low..mid", "high..top", "low..mid", "high..top", "high..top"]
    lost = toolbox.measure(tmp_path / "in.csv", tmp_path / "out.csv", config=config)
    assert lost.value("normalised certainty penalty") == 0.5  # each covers two of four


# Distances between ordered values


def moved(held: Sequence[str], everybody: Sequence[str], order: Sequence[str]) -> float:
    """Return the earth mover's distance: what is carried over each step from one value to the next."""
    carried, total = 0.0, 0.0
    for value in order[:-1]:
        carried += held.count(value) / len(held) - everybody.count(value) / len(everybody)
        total += abs(carried)
    return total / (len(order) - 1)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["numbers", "decimals", "dates", "ordered", "ordered in a tree", "tree alone"])
def test_the_ordered_distance_goes_by_the_order_of_the_values_not_by_that_of_the_leaves(kind: str) -> None:
    random = Random(kind)
    named = {
        "numbers": ["1", "2", "9", "10", "100"],
        "decimals": ["-2.5", "-1", "0.5", "3", "20"],
        "dates": ["1999-12-31", "2000-01-01", "2001-02-03", "2010-01-01", "2011-01-01"],
    }
    order = named.get(kind, ["low", "mid", "high", "top", "beyond"])
    leaves = [order[place] for place in (3, 0, 4, 2, 1)]
    tree = {"*": {"some": leaves[:3], "others": leaves[3:]}}
    for _ in range(times(1, slow=20)):
        values = [*order, *random.choices(order, k=9)]
        random.shuffle(values)
        table = pd.DataFrame({"q": ["a"] * 7 + ["b"] * 7, "s": values})
        if kind.startswith("ordered"):
            table["s"] = pd.Categorical(values, categories=order, ordered=True)
        declared: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": ["s"]}
        if kind != "ordered":
            declared["hierarchies"] = {"s": tree}
        in_order = leaves if kind == "tree alone" else order
        expected = max(moved(values[:7], values, in_order), moved(values[7:], values, in_order))
        found = [
            measured.achieved
            for measured in toolbox.check(table, **declared).measured
            if (measured.name, measured.given.get("distance")) == ("t-closeness", "ordered")
        ]
        assert found == [pytest.approx(expected)]
        model = toolbox.TCloseness(t=0.99, distance="ordered", attribute="s")
        done = toolbox.anonymize(table, models=[model], k=7, **declared).summary.proof.models
        assert [result.achieved for result in done if result.name == "t-closeness"] == [pytest.approx(expected)]
