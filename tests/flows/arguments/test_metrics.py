"""The loss metrics that a call names."""

from __future__ import annotations

import pytest

from toolbox.errors import UsageError
from toolbox.flows.arguments.models import choose_metrics
from toolbox.loss.cells import Precision
from toolbox.loss.metric import make_standard_metrics


def test_a_metric_is_found_by_its_name_its_letters_or_itself_and_once() -> None:
    found = choose_metrics(["Normalised_Certainty-Penalty", "NCP", Precision(), "precision", "nue"])
    assert [metric.name for metric in found] == ["normalised certainty penalty", "precision", "non-uniform entropy"]
    names = [metric.name for metric in make_standard_metrics()]
    assert [metric.name for metric in choose_metrics(names)] == names


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["precison"], r"no loss metric 'precison'. Did you mean 'precision'\? There are: C_avg, .*, mine, "),
        (["acs"], "no loss metric 'acs'"),
        ([3], "holds int, which is no metric"),
        ("precision", r"Write a list, such as \['precision'\]"),
        (Precision(), "is one metric"),
    ],
)
def test_what_is_none_is_told_with_what_there_is(asked: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose_metrics(asked, "mine")
