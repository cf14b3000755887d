"""What every loss metric says of itself, whoever wrote it."""

import re
from dataclasses import fields

import pytest

from toolbox.loss.cells import Precision
from toolbox.loss.metric import LeftOut, LossMetric, Measure, list_installed_metrics


@pytest.mark.parametrize("metric", list_installed_metrics(), ids=lambda metric: metric.name)
def test_a_metric_says_its_unit_range_direction_and_paper(metric: type[LossMetric]) -> None:
    assert metric.unit
    assert " .. " in metric.range
    assert metric.direction in ("lower", "higher")
    assert re.search(r"\b(19|20)\d\d\b", metric.reference)
    assert ("label" in {one.name for one in fields(metric)}) == metric.needs_label


def test_a_measure_has_the_name_unit_and_direction_of_its_metric() -> None:
    assert Precision().measure(0.25, "age") == Measure("precision", "age", 0.25, "share", "higher")
    assert Precision().measure(0.25).attribute is None


def test_columns_with_the_same_reason_are_left_out_together() -> None:
    reasons = {"age": "no hierarchy", "sex": "too odd", "zip": "no hierarchy"}
    assert list(Precision().columns_left_out(reasons)) == [
        LeftOut("precision", "age, zip: no hierarchy"),
        LeftOut("precision", "sex: too odd"),
    ]
