"""k-map and delta-presence by every method, on random tables with their populations, beside a plain program."""

from __future__ import annotations

import pytest
from helpers.amounts import some
from helpers.brute_population import Case, discernibility, minimal_nodes, random_case, released_satisfies

import toolbox
from toolbox import Result
from toolbox.errors import UnsatisfiableError
from toolbox.methods.anonymizer import list_installed_methods

SEARCHES = ("MinGen", "Flash", "OLA", "Incognito")
LOCAL = ("Mondrian", "LocalRecoding", "Datafly")
CASES = range(200)


def release_of(case: Case, method: str, **more: object) -> Result | None:
    """Make a release; None if no release can satisfy the models."""
    try:
        return toolbox.anonymize(
            case.frame, **case.declared, method=method, models=case.models, population=case.population, **more
        )
    except UnsatisfiableError:
        return None


def cases_for(method: str, *, suppresses: bool) -> list[Case]:
    """Return the cases whose models a method can honour, with the limit on suppression."""
    chosen = list_installed_methods()[method.lower()]
    return [
        case
        for case in map(random_case, CASES)
        if all(map(chosen.supports, case.models))
        if not (suppresses and case.limit) or chosen.suppresses_for_any or _all_helped(case)
    ]


def _all_helped(case: Case) -> bool:
    return all(model.suppression_helps for model in case.models)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("turn", range(len(SEARCHES)))
def test_searches_find_all_minimal_nodes_and_the_optimum(turn: int) -> None:
    """Each search takes every case with ``--slow``; by default each takes some."""
    method = SEARCHES[turn]
    for case in some(cases_for(method, suppresses=True), every=200, start=7 * turn):
        expected = minimal_nodes(case)
        result = release_of(case, method, suppression_threshold=case.limit, objective="discernibility")
        if result is None:
            assert expected == {}, case
            continue
        assert {node.levels: node.suppressed for node in result.summary.minimal_nodes} == expected, case
        assert result.summary.searched is not None
        assert result.summary.searched.value == discernibility(case), case
        if method == "Incognito":
            by_classes = release_of(case, method, suppression_threshold=case.limit)
            assert by_classes is not None
            assert {node.levels for node in by_classes.summary.minimal_nodes} == set(expected), case


@pytest.mark.sampled(2)
@pytest.mark.parametrize("turn", range(len(LOCAL)))
def test_every_release_satisfies_the_models_by_what_its_cells_stand_for(turn: int) -> None:
    method, released = LOCAL[turn], 0
    for case in some(cases_for(method, suppresses=False), every=80, start=5 * turn):
        none_suppressed = {"suppression_threshold": 0} if method == "Datafly" else {}
        result = release_of(case, method, **none_suppressed)
        if result is None:
            continue
        released += 1
        assert released_satisfies(case, result.release), case
        checked = toolbox.check(
            result.release, **case.declared, models=case.models, population=case.population, limits="1GB"
        )
        assert checked.holds, case
    assert released > 0


def test_each_method_either_honours_populations_or_is_refused() -> None:
    models = [
        toolbox.KMap(k=2),
        toolbox.DeltaPresence(delta_max=0.5),
        toolbox.DeltaPresence(delta_max=1, delta_min=0.1),
    ]
    able = {
        method.name: tuple(method.supports(model) for model in models)
        for method in set(list_installed_methods().values())
        if method.__module__.startswith("toolbox.")
    }
    assert {name for name, supported in able.items() if all(supported)} == {
        *SEARCHES,
        "Mondrian",
        "Datafly",
    }
    assert able["LocalRecoding"] == (True, True, False)
    assert {name for name, supported in able.items() if not any(supported)} == {
        "Anatomy",
        "MDAV",
        "PrioPrivacy",
        "Singletons",
    }
