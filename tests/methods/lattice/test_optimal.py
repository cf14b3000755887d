"""Random tables, models and metrics: every search agrees with a plain program that looks at each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isclose, prod
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.brute_incognito import Levels, Outcome, evaluate
from helpers.lattices import K2, people
from helpers.random_tables import Sample
from helpers.requirements import Columns, Requirement, all_of, protected_samples, requirements
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from toolbox.config.formats import FORMATS
from toolbox.config.model import Config, Input, Limits, Output
from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.flows.arguments.anonymize import declare_columns
from toolbox.loss.metric import list_installed_metrics
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.loss_input import LossInput
from toolbox.methods.lattice.objectives import MeasuredCosts, find_objective, make_objective
from toolbox.methods.lattice.optimal import Flash
from toolbox.methods.lattice.optimum import SearchTask, search_lattice
from toolbox.methods.lattice.searching import Order, check_every_node, check_halves, check_paths, check_subsets_first
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables

RUNS = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
METRICS = [metric.name for metric in list_installed_metrics() if not metric.needs_label]
ORDERS = [check_every_node, check_subsets_first, check_halves, check_paths]


def tables_of(store: Store, sample: Sample, columns: Columns, required: Sequence[Requirement]) -> Tables:
    described, protected = declare_columns(sample.names, list(columns), sample.hierarchies, sample.kinds)
    config = Config(
        source="the test",
        path=None,
        input=Input(path=Path("the table"), missing=""),
        output=Output(path=None, format=FORMATS["genVals"]),
        quasi_identifiers=described,
        sensitive=protected,
    )
    table = pa.Table.from_pandas(sample.frame[sample.names].assign(**columns), preserve_index=False)
    judged = {one.model.attribute: True for one in required if one.model.attribute is not None}
    return Loader(config, open_arrow_source(store, table), store, judged).load().tables


def expected_outcome(sample: Sample, required: Sequence[Requirement], columns: Columns, limit: int) -> Outcome:
    rows = list(zip(*(one.texts for one in sample.columns), strict=True))
    named = [{text: (one.name(text), *labels) for text, labels in one.paths.items()} for one in sample.columns]
    return evaluate(rows, named, all_of(required, columns), threshold=limit)


def measured(tables: Tables, outcome: Outcome, models: Sequence[object], limit: int, name: str) -> dict[Levels, float]:
    """Return the cost of every satisfying node: what the metric says of its tables."""
    checker = Checker(tables, models, limit)  # type: ignore[arg-type]
    metric = MeasuredCosts(_with_k(name, models), LossInput(tables), models)  # type: ignore[arg-type]
    fast = None
    try:
        fast = make_objective(name, tables, checker, checker.frequencies)
    except UsageError:
        assert name not in ("loss metric (LM)", "non-uniform entropy")
    costs: dict[Levels, float] = {}
    for checked in checker.check(list(outcome.satisfying)):
        levels = checked.node.levels
        assert checked.node[1:] == outcome.satisfying[levels]
        costs[levels] = metric.cost(checked)
        if fast is not None:
            # The same number, whichever way it was computed.
            assert isclose(fast.value(fast.cost(checked)), metric.value(costs[levels]), rel_tol=1e-9, abs_tol=1e-9)
    return costs


def _with_k(name: str, models: Sequence[Any]) -> object:
    metric = find_objective(name)
    ks = [model.k for model in models if model.k_is_class_size]
    return metric(k=max(ks)) if "k" in metric.__dataclass_fields__ and ks else metric()


def is_small(drawn: tuple[Sample, Columns]) -> bool:
    """Return whether a lattice has so few nodes that a metric may measure the tables of each."""
    return prod(len(one.hierarchy[0]) for one in drawn[0].columns) <= times(6, slow=18)


@pytest.mark.slow
@settings(RUNS, max_examples=times(2, slow=500))
@given(
    protected_samples().filter(is_small),
    st.lists(requirements(), min_size=1, max_size=2),
    st.sampled_from([0, 0, 1, 3, 8, 100]),
    st.sampled_from(METRICS),
)
def test_all_searches_find_the_optimum_and_the_minimal_nodes(
    protected: tuple[Sample, Mapping[str, Sequence[object]]], required: list[Requirement], limit: int, name: str
) -> None:
    sample, columns = protected
    outcome, models = expected_outcome(sample, required, columns, limit), [one.model for one in required]
    with Store(limits=Limits(threads=1)) as store:
        tables = tables_of(store, sample, columns, required)
        costs = measured(tables, outcome, models, limit, name)
        for order in ORDERS:
            question = SearchTask(models=models, limit=limit, objective=name, order=order)
            if not costs or not can_be_measured(tables, models, name):
                with pytest.raises(UsageError if costs else UnsatisfiableError):
                    search_lattice(tables, question)
                continue
            answer = search_lattice(tables, question)
            assert {node.levels: node[1:] for node in answer.minimal} == outcome.minimal
            assert answer.best.levels == best_of(costs, outcome)
            assert answer.searched.is_proved
            assert (answer.searched.value is None) == (min(costs.values()) == inf)


def can_be_measured(tables: Tables, models: Sequence[object], name: str) -> bool:
    """Return whether the metric has a value for the table as it is."""
    metric = MeasuredCosts(_with_k(name, models), LossInput(tables), models)  # type: ignore[arg-type]
    return not metric.refusal()


def best_of(costs: Mapping[Levels, float], outcome: Outcome) -> Levels:
    """Return the node of least cost; of ties that which suppresses fewest, then the lowest, then the first."""
    least = min(costs.values())
    ties = [levels for levels, cost in costs.items() if isclose(cost, least, rel_tol=1e-12, abs_tol=1e-12)]
    return min(ties, key=lambda node: (outcome.satisfying[node].suppressed, sum(node), tuple(-level for level in node)))


def test_every_node_is_listed_where_that_is_asked_for(store: Store) -> None:
    question = SearchTask(models=K2, limit=0, objective="lm", order=check_every_node, lists_nodes=True)
    listed = search_lattice(people(store), question).searched.tagged
    assert [(node.levels, node.tag, node.is_minimal) for node in listed] == [
        ((0, 0), "fails", False),
        ((0, 1), "satisfies", True),
        ((1, 0), "fails", False),
        ((1, 1), "satisfies", False),
        ((2, 0), "satisfies", True),
        ((2, 1), "satisfies", False),
    ]
    assert listed[1] == ((0, 1), "satisfies", True, True, 3, 3, 0, pytest.approx(0.5))
    assert listed[0].value is None


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["average-class-size", "c-avg", "arx-average-class-size"])
def test_the_roots_are_released_where_no_other_node_satisfies(store: Store, name: str, order: Order) -> None:
    # Of seven people, none but the roots brings six together; there nothing is to be seen, and no class to measure.
    question = SearchTask(models=(KAnonymity(k=6),), limit=0, objective=name, order=order, lists_nodes=True)
    answer = search_lattice(people(store), question)
    assert (answer.best.levels, [node.levels for node in answer.minimal]) == ((2, 1), [(2, 1)])
    assert (answer.searched.value, answer.searched.bound, answer.searched.is_proved) == (None, None, True)
    assert answer.searched.tagged[-1].value is None


def test_of_releases_without_a_value_that_which_suppresses_fewest_is_best(store: Store) -> None:
    # With everybody suppressed or at the roots, no node has a class; the roots suppress nobody.
    question = SearchTask(models=(KAnonymity(k=6),), limit=7, objective="average-class-size", order=check_paths)
    answer = search_lattice(people(store), question)
    assert (answer.best.levels, answer.best.suppressed, answer.searched.value) == ((2, 1), 0, None)


@pytest.mark.parametrize("k", [2, 6])
def test_a_metric_that_measures_nothing_is_refused(store: Store, k: int) -> None:
    question = SearchTask(models=(OfNoK(k=k),), limit=0, objective="c-avg", order=check_paths)
    with pytest.raises(UsageError, match=r"C_avg cannot be the objective: no k is given\."):
        search_lattice(people(store), question)


class OfNoK(KAnonymity):
    """A model that does not say how large a class should be."""

    k_is_class_size = False


def test_no_node_satisfies(store: Store) -> None:
    question = SearchTask(models=(KAnonymity(k=8),), limit=0, objective="lm", order=check_paths)
    with pytest.raises(UnsatisfiableError, match="with 0 records suppressed at most"):
        search_lattice(people(store), question)


def test_a_search_that_is_cut_off_where_nothing_has_a_value_says_so(store: Store) -> None:
    flash = Flash(models=K2, suppression_threshold=0, objective="average-class-size", node_limit="1")
    tables = flash.run(people(store)).tables
    assert tables.searched is not None
    assert (tables.searched.value, tables.searched.is_proved) == (None, False)
    assert tables.notes[-1] == (
        "Not proved to be optimal: the search was cut off. No release that was found has a value of average class size."
    )


def test_a_search_that_is_cut_off_tells_its_bound(store: Store) -> None:
    question = SearchTask(models=K2, limit=0, objective="lm", order=check_paths, seconds=1e-9)
    answer = search_lattice(people(store), question)
    assert (answer.best.levels, answer.minimal) == ((2, 1), ())
    assert not answer.searched.is_proved
    assert (answer.searched.value, answer.searched.bound) == (1.0, 0.0)
