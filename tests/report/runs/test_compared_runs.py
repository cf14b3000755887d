"""Compared runs: their order, and how long each took."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from helpers.small_reports import COMPARISON

from toolbox.report.runs.compare import INFORMATION_KEPT, ComparedMetric, sort_runs

LOST = ComparedMetric("discernibility", "records squared", "lower")


@pytest.mark.parametrize("seed", range(3))
def test_the_best_comes_first_and_what_cannot_be_done_last(seed: int) -> None:
    runs = list(COMPARISON.runs)
    random.Random(seed).shuffle(runs)
    assert sort_runs(runs, INFORMATION_KEPT) == COMPARISON.runs
    fewer = replace(runs[0], values={"discernibility": 5.0}, variant=COMPARISON.runs[0].variant)
    assert sort_runs([*COMPARISON.runs, fewer], LOST)[0] is fewer


def test_the_seconds_are_those_of_the_method_and_its_proof() -> None:
    assert [run.seconds for run in COMPARISON.runs] == [1.75, 1.75, 1.75, None]
