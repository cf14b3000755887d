"""Each promise of loss metrics is kept by ours, and fails for a metric that breaks it; otherwise it could be empty."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

import pytest
from sqlalchemy import select

from toolbox import LossMetric
from toolbox.checks import METRIC_CHECKS, CheckFailed, check_metric
from toolbox.loss.cells import NormalisedCertaintyPenalty
from toolbox.loss.metric import Measure
from toolbox.loss.sizes import NumberOfClasses

BY_NAME = {check.name: check for check in METRIC_CHECKS}
_COUNTER = count()


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("metric", [NormalisedCertaintyPenalty, NumberOfClasses])
def test_ours_keep_every_promise(metric: type[LossMetric]) -> None:
    check_metric(metric)


@dataclass(frozen=True, kw_only=True)
class Classes(LossMetric):
    """How many classes there are."""

    name: ClassVar[str] = "my classes"
    unit: ClassVar[str] = "classes"
    range: ClassVar[str] = "0 .. N"
    direction: ClassVar[Any] = "higher"

    def values(self, comparison: Any) -> Any:
        yield self.measure(comparison.store.count(comparison.release.classes))


class Nameless(Classes):
    def values(self, comparison: Any) -> Any:
        yield Measure("another", None, 1.0, "classes", "higher")


class Silent(Classes):
    def values(self, comparison: Any) -> Any:
        yield self.left_out("I have nothing to say")


class Twice(Classes):
    def values(self, comparison: Any) -> Any:
        yield from super().values(comparison)
        yield from super().values(comparison)


class Random(Classes):
    def values(self, comparison: Any) -> Any:
        yield self.measure(next(_COUNTER))


class Wide(Classes):
    range: ClassVar[str] = "0 .. 1"


class Vague(Classes):
    range: ClassVar[str] = "any"


class Reversed(Classes):
    direction: ClassVar[Any] = "lower"


class Climbing(Classes):
    """Finds a table of two classes better than one of many, though the original is best."""

    def values(self, comparison: Any) -> Any:
        number = comparison.store.count(comparison.release.classes)
        yield self.measure({2: 15.0}.get(number, number))


class Changing(Classes):
    def __reduce__(self) -> Any:
        return Wide, ()


class Relative(NormalisedCertaintyPenalty):
    """Charges cells by what else the release shows, which a search does not know when it asks what each label costs."""

    def costs(self, comparison: Any, index: int) -> Any:
        costs = super().costs(comparison, index).subquery()
        shown = comparison.store.count(comparison.release.cells[index])
        return select(costs.c.cell_id, (costs.c.cost / shown).label("cost"))


@dataclass(frozen=True, kw_only=True)
class Untold(Classes):
    k: int = 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("check", "metric", "seen"),
    [
        ("values_are_numbers_under_its_name", Nameless, "under the name 'another'"),
        ("values_are_numbers_under_its_name", Silent, "no value of any release"),
        ("values_are_numbers_under_its_name", Twice, "values of None, None"),
        ("the_same_release_has_the_same_value", Random, "two values of"),
        ("values_lie_in_its_range", Wide, "and the range is 0 .. 1"),
        ("values_lie_in_its_range", Vague, "which is not written as in '0 .. 1'"),
        ("more_generalisation_is_never_better", Climbing, "better than"),
        ("the_original_is_best", Reversed, "of the original"),
        ("searches_charge_its_values", Relative, "where a search takes it for"),
        ("it_can_be_sent_and_compared", Changing, "another metric after it was sent"),
        ("it_is_described", Untold, "no docstring"),
    ],
)
def test_a_broken_promise_is_found(check: str, metric: type[LossMetric], seen: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        BY_NAME[check](metric)
    assert str(caught.value).startswith("A loss metric breaks its promise.")
    assert seen in str(caught.value)


def test_every_promise_has_a_metric_that_breaks_it() -> None:
    marks = test_a_broken_promise_is_found.pytestmark
    tried = {case[0] for mark in marks if mark.name == "parametrize" for case in mark.args[1]}
    assert tried == set(BY_NAME)
