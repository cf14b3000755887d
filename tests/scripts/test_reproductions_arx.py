"""ARX's own tests on Adult: its numbers beside those of our searches."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from reproductions.arx import (
    Adult,
    Case,
    agrees,
    draw_as_java,
    find_best,
    is_mapped,
    make_models,
    read_cases,
    run_cases,
    study,
)
from reproductions.frame import Data


@pytest.fixture(scope="module")
def adult(shared: Path) -> Adult:
    return Adult.of(Data(shared))


def find(test: str, number: int) -> Case:
    return next(case for case in read_cases() if (case.test, case.number) == (test, number))


def test_340_cases_are_asked_of_us() -> None:
    counts = Counter(case.test for case in read_cases())
    assert counts.total() == 340
    assert (counts["UtilityMetrics"], counts["UtilityMetricsLoss"], counts["AnonymizationCombinations"]) == (
        135,
        100,
        26,
    )


def test_random_numbers_are_those_of_java() -> None:
    """`new java.util.Random(42).nextInt()` returns these four; of each, the upper 31 bits are taken."""
    whole = [-1170105035, 234785527, -1360544799, 205897768]
    assert list(islice(draw_as_java(42, 100), 4)) == [(number % 2**32 >> 1) % 100 for number in whole]


@pytest.mark.slow
@pytest.mark.real
def test_scores_of_nodes_are_those_of_arx(adult: Adult) -> None:
    """Discernibility of eight columns under k = 5, at the lowest node: 463,536,157."""
    case = next(
        each
        for each in read_cases()
        if each.test == "UtilityMetrics" and each.metric == "discernibility" and each.models == "k=5"
    )
    nodes = sorted(case.expected)[:2]
    assert case.expected[nodes[0]] == (463536157.0,)
    known = study(adult, case, nodes)
    assert agrees(known, case._replace(expected={node: case.expected[node] for node in nodes}))


@pytest.mark.real
@pytest.mark.slow
def test_every_score_of_a_node_is_that_of_arx(adult: Adult) -> None:
    """But for delta-presence, which ours takes more strictly."""
    asked = [each for each in read_cases() if each.test == "UtilityMetrics" and "presence" not in each.models]
    assert [case.number for case, same in run_cases(adult, asked) if not same] == []
    assert len(asked) == 63


@pytest.mark.real
@pytest.mark.slow
def test_the_best_node_is_that_of_arx_where_no_number_can_rank_them(adult: Adult) -> None:
    """The loss of the columns by rank, for twelve balances of generalisation and suppression, and with weights."""
    asked = [each for each in read_cases() if each.is_optimum and each.models == "k=5" and each.sensitive]
    assert [(case.test, case.number) for case, same in run_cases(adult, asked) if not same] == []


@pytest.mark.real
@pytest.mark.slow
def test_nothing_satisfies_an_entropy_of_100_values(adult: Adult) -> None:
    case = find("AnonymizationLDiversity", 1)
    assert case.expected == {}
    assert find_best(study(adult, case, [(1, 4, 1, 2, 3, 2, 2, 1)]), case) is None


def test_models_without_a_counterpart_are_not_mapped(tmp_path: Path) -> None:
    case = find("AnonymizationEntropyLDiversity", 0)
    nobody = Adult(None, {}, None)  # type: ignore[arg-type]
    assert not is_mapped(nobody, case)
    with pytest.raises(KeyError):
        list(make_models(case))
