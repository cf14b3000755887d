"""A metric of which nothing is known is measured on the tables of each node."""

from __future__ import annotations

from math import inf

import pytest
from helpers.lattices import NODES, checker_of
from pytest import approx

from toolbox.loss.cells import IyengarLoss
from toolbox.loss.distances import RelativeDistance
from toolbox.loss.sizes import AverageClassSize, NormalisedAverageClassSize
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.loss_input import LossInput
from toolbox.methods.lattice.objectives import MeasuredCosts
from toolbox.store.engine.store import Store


def test_the_metric_itself_is_asked(store: Store) -> None:
    checker = checker_of(store)
    found = MeasuredCosts(IyengarLoss(), LossInput(checker.tables), checker.models)
    costs = [found.cost(checked) for checked in checker.check(NODES[:2])]
    assert costs == approx([6 / 14, 7 / 14])
    assert not found.is_cheap
    (checked,) = checker.check([(0, 0)])
    assert found.bound(checked) == -inf


@pytest.mark.slow
def test_a_metric_without_a_value_at_the_roots_is_none_that_measures_nothing(store: Store) -> None:
    checker = checker_of(store)
    (at_roots,) = checker.check([(2, 1)])
    average = MeasuredCosts(AverageClassSize(), LossInput(checker.tables), checker.models)
    assert (average.cost(at_roots), average.refusal()) == (inf, "")
    without_k = MeasuredCosts(NormalisedAverageClassSize(), LossInput(checker.tables), checker.models)
    assert (without_k.cost(at_roots), without_k.refusal()) == (inf, "no k is given")


@pytest.mark.slow
def test_no_table_of_a_node_stays(store: Store) -> None:
    checker = checker_of(store)
    found = MeasuredCosts(RelativeDistance(), LossInput(checker.tables), checker.models)
    before, after = (_tables_after(found, checker, store) for _ in range(2))
    assert before == after


def _tables_after(found: MeasuredCosts, checker: Checker, store: Store) -> int:
    (checked,) = checker.check([(1, 1)])
    found.cost(checked)
    return len(store._made)
