"""The tables of `measure`."""

from __future__ import annotations

import pytest
from helpers.printing import printed, words
from helpers.small_reports import LOSS

from toolbox.loss.metric import Measure
from toolbox.report.judges.measure import print_losses


def losses(*measures: Measure) -> list[str]:
    return printed(print_losses, records=1200, measures=measures, notes=["nothing else."])


def test_the_metrics_of_the_table_come_before_those_of_its_columns() -> None:
    assert words(losses(*LOSS.measures)) == words(
        [
            "records 1,200",
            "the table",
            "metric value unit better is",
            "granularity 0.5 share kept higher",
            "discernibility 67,949,026 records squared lower",
            "each quasi-identifier",
            "granularity",
            "age 0.75",
            "town 0.25",
            "note nothing else.",
        ]
    )


def test_four_metrics_stand_side_by_side_and_others_in_a_table_below() -> None:
    """The second column has no value of the first metric."""
    first = [Measure(name, "a[x]", 1.0, "", "lower") for name in ("m1", "m2", "m3", "m4", "m5")]
    second = [Measure(name, "b", 2.0, "", "lower") for name in ("m2", "m3", "m4", "m5")]
    assert losses(*first, *second)[3:] == [
        "each quasi-identifier",
        "m1 m2 m3 m4",
        "a[x] 1 1 1 1",
        "b 2 2 2",
        "m5",
        "a[x] 1",
        "b 2",
        "note nothing else.",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(3.0, "3"), (0.41210033, "0.4121"), (9999.5, "1e+04"), (145306.5619, "145,307"), (-0.5, "-0.5")],
)
def test_figures_have_four_digits_or_are_whole(value: float, shown: str) -> None:
    assert losses(Measure("m", None, value, "bits", "lower"))[3] == f"m {shown} bits lower"
