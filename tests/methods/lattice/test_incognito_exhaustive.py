"""Incognito on random tables, against a plain program that looks at every node of the lattice."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.beside_store import Released, anonymize
from helpers.brute_incognito import Outcome, classes_of, evaluate
from helpers.random_tables import Column, Sample, samples
from helpers.requirements import Columns, Requirement, Satisfies, all_of, protected_samples, requirements
from helpers.small_tables import declared
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from toolbox.errors import UnsatisfiableError
from toolbox.methods.lattice.incognito import Incognito
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store

# The same tables in every run. No shrinking: a failing table is small enough, and each attempt is a run of the toolbox.
RUNS = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


def expected_outcome(sample: Sample, satisfies: Satisfies, threshold: int) -> Outcome:
    rows = list(zip(*(one.texts for one in sample.columns), strict=True))
    return evaluate(rows, paths_of(sample), satisfies, threshold=threshold)


def paths_of(sample: Sample) -> list[dict[str, tuple[str, ...]]]:
    """Return each value as a release writes it, then its generalisations."""
    return [{text: (one.name(text), *labels) for text, labels in one.paths.items()} for one in sample.columns]


def search(
    store: Store, sample: Sample, threshold: int | None, columns: Columns = MappingProxyType({}), *models: PrivacyModel
) -> Released:
    asked = replace(declared(""), k=sample.k, suppression_threshold=threshold)
    return anonymize(
        store,
        Incognito.configured(asked, models or (KAnonymity(k=sample.k),)),
        sample.frame.assign(**columns),
        sample.names,
        sensitive=list(columns),
        hierarchies=sample.hierarchies,
        kinds=sample.kinds,
    )


def agrees(result: Released, sample: Sample, outcome: Outcome, satisfies: Satisfies) -> bool:
    """Whether the nodes are those of the plain program, and the release is its table at the chosen one."""
    nodes = result.tables.minimal_nodes
    assert {node.levels: node[1:] for node in nodes} == outcome.minimal
    assert len(nodes) == len(outcome.minimal)
    assert result.tables.levels == outcome.chosen
    rows = list(zip(*(one.texts for one in sample.columns), strict=True))
    roots = tuple(one.hierarchy[0][-1] for one in sample.columns)
    shown = {
        number: labels if satisfies(numbers) else roots
        for labels, numbers in classes_of(rows, paths_of(sample), outcome.chosen).items()
        for number in numbers
    }
    released = list(result.release[sample.names].itertuples(index=False, name=None))
    proof, counts = result.proof, outcome.satisfying[outcome.chosen]
    assert (proof.classes, proof.records_suppressed) == (counts.released, counts.suppressed)
    return released == [shown[number] for number in range(sample.size)]


@pytest.mark.slow
@settings(RUNS, max_examples=times(2, slow=30))
@given(samples(), st.sampled_from([0, 0, 0, 1, 2, 5, None]))
def test_k_anonymity_gives_the_nodes_of_an_exhaustive_search(
    store: Store, sample: Sample, threshold: int | None
) -> None:
    satisfies = brute.k_anonymous(sample.k)
    outcome = expected_outcome(sample, satisfies, sample.k if threshold is None else threshold)
    assert agrees(search(store, sample, threshold), sample, outcome, satisfies)


@pytest.mark.slow
@settings(RUNS, max_examples=times(3, slow=6))
@given(st.integers(5, 6), st.integers(2, 6), st.sampled_from([0, 0, 3]), st.data())
def test_many_quasi_identifiers_give_the_nodes_of_an_exhaustive_search(
    store: Store, width: int, k: int, threshold: int, data: st.DataObject
) -> None:
    texts = st.lists(st.sampled_from("xyz"), min_size=30, max_size=30)
    hierarchy = [("x", "xy", "*"), ("y", "xy", "*"), ("z", "z-", "*")]
    sample = Sample([Column("category", data.draw(texts), hierarchy) for _ in range(width)], k)
    satisfies = brute.k_anonymous(k)
    outcome = expected_outcome(sample, satisfies, threshold)
    assert agrees(search(store, sample, threshold), sample, outcome, satisfies)


@pytest.mark.slow
@settings(RUNS, max_examples=times(3, slow=45))
@given(protected_samples(), st.lists(requirements(), min_size=1, max_size=2), st.sampled_from([0, 3]))
def test_every_model_and_several_at_once_give_the_nodes_of_an_exhaustive_search(
    store: Store, protected: tuple[Sample, Columns], required: list[Requirement], threshold: int
) -> None:
    """Nobody is suppressed where suppression does not help one of the models, whatever the threshold."""
    sample, columns = protected
    satisfies = all_of(required, columns)
    models = [one.model for one in required]
    effective = threshold if all(model.suppression_helps for model in models) else 0
    outcome = expected_outcome(sample, satisfies, effective)
    if outcome.chosen is None:
        with pytest.raises(UnsatisfiableError):
            search(store, sample, threshold, columns, *models)
        return
    result = search(store, sample, threshold, columns, *models)
    assert agrees(result, sample, outcome, satisfies)
    assert result.proof.records_suppressed <= effective
