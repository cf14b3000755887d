"""From the name of a metric to an objective: on arrays where that is known to be right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest
from helpers.lattices import checker_of, objective
from helpers.small_tables import declared, load

from toolbox.errors import UsageError
from toolbox.loss.cells import IyengarLoss
from toolbox.loss.metric import LeftOut, Measure
from toolbox.loss.sizes import NumberOfClasses
from toolbox.methods.lattice import objectives as choosing
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.objectives import (
    LatticeCellCosts,
    MeasuredCosts,
    _EntropyCosts,
    _LevelCosts,
    _SizeCosts,
    find_objective,
)
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.published.tables import Comparison
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class Doubled(IyengarLoss):
    """Another way from costs to a value, of which only `values` tells."""

    name: ClassVar[str] = "doubled"

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        yield self.measure(2.0)


def test_metrics_are_found_by_both_of_their_names() -> None:
    assert find_objective(" LM ") is find_objective("loss metric (lm)") is IyengarLoss
    assert find_objective("number-of-classes") is NumberOfClasses


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UsageError, match=r"objective 'non-uniform-entropi' is no loss metric. Did you mean 'non-uni"):
        find_objective("non-uniform-entropi")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ncp", LatticeCellCosts),
        ("normalised-conditional-entropy", LatticeCellCosts),
        ("non-uniform-entropy", _EntropyCosts),
        ("arx-discernibility", _SizeCosts),
        ("absolute-distance", _LevelCosts),
    ],
)
def test_what_is_computed_on_arrays(store: Store, name: str, kind: type) -> None:
    assert type(objective(checker_of(store), name)) is kind


def test_a_metric_that_overrides_its_values_is_measured(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "list_objectives", lambda: {"doubled": Doubled})
    assert isinstance(objective(checker_of(store), "doubled"), MeasuredCosts)


def test_a_column_whose_labels_have_several_meanings_is_measured(store: Store) -> None:
    tables = load(store, "age\n21\n22\n34", declared("age", hierarchies={"age": "21 22 *\n22 22 *\n34 34 *"})).tables
    assert isinstance(objective(Checker(tables, [KAnonymity(k=2)], 0), "lm"), MeasuredCosts)


def test_a_label_that_nobody_judges_is_a_fault(store: Store) -> None:
    with pytest.raises(UsageError, match="the privacy models judge, of which there are 0 here"):
        objective(checker_of(store), "classification-metric")
