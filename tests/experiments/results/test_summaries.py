"""Means with their intervals, drops over the same splits, correlations and fronts, computed by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from toolbox.experiments.cells.rows import COLUMNS, ORIGINAL
from toolbox.experiments.results.page import _find_front
from toolbox.experiments.results.results import (
    compute_correlations,
    compute_interval,
    each_of,
    is_known,
    join_losses_and_drops,
    summarise_rows,
)

T_OF_TWO = 4.302652729911275
"""The quantile of the t distribution for two degrees of freedom, from tables."""


def long(*rows: dict[str, Any]) -> pd.DataFrame:
    usual = {
        **dict.fromkeys(COLUMNS, ""),
        "data": "d",
        "repetition": 1,
        "status": "done",
        "value": None,
        "k": None,
        "split": None,
    }
    frame = pd.DataFrame([{**usual, **row} for row in rows], columns=list(COLUMNS))
    return frame.astype({"k": "Int64", "split": "Int64", "value": "Float64"})


def scores(method: str, k: int | None, *values: float) -> list[dict[str, Any]]:
    facts = {"method": method, "required": f"k={k}" if k else "", "k": k, "kind": "utility", "metric": "AUROC"}
    return [
        {**facts, "learner": "tree", "split": split, "value": value, "direction": "higher"}
        for split, value in enumerate(values, start=1)
    ]


def loss(k: int, value: float) -> dict[str, Any]:
    facts = {"method": "M", "required": f"k={k}", "k": k, "kind": "loss", "metric": "NCP"}
    return {**facts, "direction": "lower", "value": value}


def test_the_interval_knows_that_random_splits_share_records() -> None:
    mean, low, high = compute_interval([0.7, 0.8, 0.9], 0.2)
    # Variance 0.01; (1/3 + 0.2/0.8) of it.
    half = T_OF_TWO * math.sqrt(0.01 * (1 / 3 + 0.25))
    assert (mean, low, high) == pytest.approx((0.8, 0.8 - half, 0.8 + half))


def test_a_drop_compares_the_same_splits() -> None:
    table = summarise_rows(long(*scores(ORIGINAL, None, 0.9, 0.7), *scores("M", 2, 0.8, 0.6), loss(2, 0.1)), 0.2)
    assert list(table["kind"]) == ["loss", "utility", "utility"]
    original, released = table.iloc[1], table.iloc[2]
    assert (original["value"], original["drop"]) == pytest.approx((0.8, 0.0))
    # Each split drops by a tenth, so there is no doubt about it, however different the splits are.
    assert (released["drop"], released["drop_low"], released["drop_high"]) == pytest.approx((0.1, 0.1, 0.1))
    assert released["high"] - released["low"] > 0.1


def test_without_the_original_there_is_no_drop() -> None:
    table = summarise_rows(long(*scores("M", 2, 0.8, 0.6)), 0.2)
    assert not is_known(table["drop"].iloc[0])


def test_what_failed_is_in_no_mean() -> None:
    failed = {"method": "M", "kind": "utility", "learner": "tree", "status": "failed", "reason": "no"}
    assert len(summarise_rows(long(failed, loss(2, 0.1)), 0.2)) == 1


def test_a_metric_that_goes_along_with_the_drop_is_correlated_with_it() -> None:
    cells = [scores(ORIGINAL, None, 0.9, 0.9)]
    cells += [scores("M", k, 0.9 - drop, 0.9 - drop) for k, drop in ((2, 0.1), (5, 0.2), (10, 0.6))]
    losses = [loss(2, 0.1), loss(5, 0.2), loss(10, 0.3)]
    other = [{**row, "metric": "kept", "direction": "higher", "value": 1 - row["value"]} for row in losses]
    same = [{**row, "metric": "same", "value": 1.0} for row in losses]
    rows = [row for cell in cells for row in cell]
    table = compute_correlations(summarise_rows(long(*rows, *losses, *other, *same), 0.2)).set_index("metric")
    # Of (1, 2, 3) and (1, 2, 6): 2.5 / sqrt(1 * 7), by ranks 1.
    assert table.loc["NCP", "pearson"] == pytest.approx(2.5 / math.sqrt(7))
    assert table.loc["NCP", "spearman"] == pytest.approx(1)
    assert table.loc["kept", "spearman"] == pytest.approx(-1)
    assert not is_known(table.loc["same", "pearson"])  # type: ignore[arg-type]
    assert list(table["cells"]) == [3, 3, 3]


def test_each_loss_stands_beside_each_drop_of_its_own_cell() -> None:
    rows = [*scores(ORIGINAL, None, 0.9), *scores("M", 2, 0.8), *scores("M", 5, 0.6), loss(2, 0.1), loss(5, 0.2)]
    rows += [{**loss(5, 0.7), "metric": "kept"}, {**loss(9, 0.3)}]
    table = join_losses_and_drops(summarise_rows(long(*rows), 0.2))
    assert [(each.metric, each.k, each.loss, each.score, round(each.drop, 9)) for each in each_of(table)] == [
        ("NCP", 2, 0.1, "AUROC", 0.1),
        ("NCP", 5, 0.2, "AUROC", 0.3),
        ("kept", 5, 0.7, "AUROC", 0.3),
    ]


def test_a_point_is_on_the_front_if_no_other_beats_it() -> None:
    assert _find_front([(0.3, 0.1), (0.1, 0.3), (0.2, 0.2), (0.2, 0.3), (0.1, 0.3)]) == [1, 2, 0]
    assert _find_front([]) == []
