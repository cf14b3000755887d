"""k-map where the table is a sample: people are the sums of its weights, by hand and beside a brute force."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from math import floor

import numpy as np
import pandas as pd
import pytest

import toolbox

LEVELS = [dict(zip("abcd", labels, strict=True)) for labels in ("abcd", ("ab", "ab", "cd", "cd"), "****")]
TREE = [(value, LEVELS[1][value], "*") for value in "abcd"]
COSTS = (0, 1 / 3, 1)
METHODS = ["Flash", "OLA", "MinGen", "Incognito", "Datafly", "LocalRecoding"]

SURVEY = pd.DataFrame(
    {
        "A": [2, 3, 2, 2, 3, 3, 1, 2],
        "B": [3, 3, 3, 3, 3, 3, 4, 3],
        "C": [1, 3, 1, 2, 1, 1, 1, 1],
        "weight": [18, 45.5, 39, 17, 92, 8, 123.5, 51],
    }
)
"""The test table of sdcMicro: its classes stand for 108, 45.5, 17, 100 and 123.5 people."""


def survey(k: int, method: str = "Flash", threshold: int = 0, **sample: object) -> toolbox.Result:
    return toolbox.anonymize(
        SURVEY,
        quasi_identifiers=["A", "B", "C"],
        hierarchies={name: [(number, "*") for number in range(1, 5)] for name in "ABC"},
        models=[toolbox.KMap(k)],
        method=method,
        suppression_threshold=threshold,
        order="input",
        **({"sample_weight": "weight"} | sample),
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_class_stands_for_the_sum_of_its_weights(method: str) -> None:
    """Nothing need be generalised for 17 people; the achieved number is rounded down."""
    result = survey(17, method)
    columns = ["A", "B", "C"]
    assert result.release[columns].astype(str).to_numpy().tolist() == SURVEY[columns].astype(str).to_numpy().tolist()
    assert result.summary.proof.models[0].achieved == 17
    assert survey(18, method).summary.proof.models[0].achieved >= 18


@pytest.mark.slow
def test_it_is_estimated_and_never_proved() -> None:
    result = survey(17)
    assert result.summary.proof.models[0].is_estimated
    assert "k-map: it is met by an estimate of people." in result.summary.not_proved
    assert result.summary.document()["models"][0]["estimated"] is True


@pytest.mark.slow
def test_too_few_people_are_suppressed() -> None:
    """Record 4 stands for 17 people and record 2 for 45.5: both are left out rather than generalised."""
    released = survey(100, threshold=2).release
    assert released[["A", "B", "C"]].isin(["*"]).all(axis=1).tolist() == [False, True, False, True] + [False] * 4


@pytest.mark.slow
def test_a_sampling_fraction_makes_all_weights_equal() -> None:
    """A tenth of the population: a class of one record stands for ten people."""
    assert survey(10, sample_weight=None, sampling_fraction=0.1).summary.proof.models[0].achieved == 10


@pytest.mark.slow
def test_weights_that_only_nearly_add_up_do() -> None:
    """Three thirds of ten people are ten people, as `check` counts them."""
    table = pd.DataFrame({"A": [1, 1, 1], "weight": [10 / 3] * 3})
    result = toolbox.anonymize(
        table, quasi_identifiers=["A"], models=[toolbox.KMap(10)], method="LocalRecoding", sample_weight="weight"
    )
    assert result.summary.proof.models[0].achieved == 10


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", *(pytest.param(name, marks=pytest.mark.slow) for name in METHODS[1:])])
def test_records_are_people_of_the_population_also_where_their_weights_are_below_1(method: str) -> None:
    """Two classes of two records with weights of .5: two people each, not one; `check` says the same."""
    table = pd.DataFrame({"A": [1, 1, 2, 2], "weight": [0.5] * 4})
    columns = {"quasi_identifiers": ["A"], "hierarchies": {"A": [(1, "*"), (2, "*")]}, "sample_weight": "weight"}
    result = toolbox.anonymize(table, models=[toolbox.KMap(2)], method=method, order="input", **columns)
    assert result.release["A"].astype(str).tolist() == ["1", "1", "2", "2"]
    assert result.summary.proof.models[0].achieved == 2
    checked = toolbox.check(result.release.assign(weight=0.5), quasi_identifiers=["A"], sample_weight="weight")
    assert checked.achieved("k-map") == 2


def test_what_cannot_be_weighed_is_refused() -> None:
    with pytest.raises(toolbox.UsageError, match="Mondrian cannot honour k-map by weights"):
        survey(2, "Mondrian")
    with pytest.raises(toolbox.UsageError, match="The weights of the records say the sampling fraction"):
        survey(2, sampling_fraction=0.1)
    with pytest.raises(toolbox.UsageError, match="or sample_weight= if the records are a sample"):
        survey(2, sample_weight=None)
    with pytest.raises(toolbox.InputError, match="1 record has no number above 0"):
        negative = SURVEY.assign(weight=[-1, *SURVEY["weight"][1:]])
        toolbox.anonymize(
            negative, quasi_identifiers=["A"], models=[toolbox.KMap(2)], method="LocalRecoding", sample_weight="weight"
        )
    with pytest.raises(toolbox.UnsatisfiableError, match="even all records together achieve only 394"):
        survey(395)


def draw(seed: int, least: float = 1, span: float = 20) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    records, columns = int(generator.integers(8, 30)), 2 + seed % 2
    table = pd.DataFrame(
        {f"c{each}": generator.choice(list("abcd"), records, p=[0.55, 0.25, 0.15, 0.05]) for each in range(columns)}
    )
    return table.assign(weight=np.round(least + span * generator.random(records), 2))


def weigh(shown: list[tuple[object, ...]], weights: list[float]) -> int:
    """Return the people of the class that stands for fewest, who are at least its records."""
    people: dict[tuple[object, ...], float] = defaultdict(float)
    for row, weight in zip(shown, weights, strict=True):
        people[row] += weight
    return min(floor(max(each, shown.count(row)) + 1e-9) for row, each in people.items())


def require_best(table: pd.DataFrame, method: str, k: int) -> None:
    """Compare the release of a method with all nodes of the lattice, record by record."""
    columns = [name for name in table if name != "weight"]
    weights, rows = table["weight"].tolist(), table[columns].to_numpy().tolist()
    satisfying = {
        levels: sum(COSTS[level] for level in levels)
        for levels in product(range(3), repeat=len(columns))
        if weigh([tuple(LEVELS[n][value] for n, value in zip(levels, row, strict=True)) for row in rows], weights) >= k
    }
    asked = {"quasi_identifiers": columns, "hierarchies": dict.fromkeys(columns, TREE), "sample_weight": "weight"}
    result = toolbox.anonymize(
        table, method=method, models=[toolbox.KMap(k)], suppression_threshold=0, order="input", **asked
    )
    released = [tuple(row) for row in result.release[columns].to_numpy().tolist()]
    assert weigh(released, weights) == result.summary.proof.models[0].achieved >= k
    if method == "LocalRecoding":
        return
    levels = tuple(max(2 if label == "*" else len(label) - 1 for label in result.release[name]) for name in columns)
    assert levels in satisfying
    if method in ("Flash", "OLA", "MinGen"):
        assert satisfying[levels] == pytest.approx(min(satisfying.values()))


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", METHODS)
def test_methods_release_what_a_brute_force_finds(method: str) -> None:
    require_best(draw(METHODS.index(method)), method, k=30)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_methods_release_what_a_brute_force_finds_on_200_tables(method: str) -> None:
    for seed in range(34):
        require_best(draw(100 + seed), method, k=(12, 30, 55)[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_methods_release_what_a_brute_force_finds_where_weights_are_below_1(method: str) -> None:
    for seed in range(3):
        require_best(draw(300 + seed, 0.2, 1.2), method, k=4)


def draw_visits(seed: int, *, is_constant: bool) -> pd.DataFrame:
    """Return visits of persons of one weight each, who have one combination, or may have another one each time."""
    persons = draw(seed).assign(who=lambda table: [f"p{number}" for number in table.index])
    generator = np.random.default_rng(seed)
    visits = persons.loc[persons.index.repeat(generator.integers(1, 4, len(persons)))].reset_index(drop=True)
    return visits if is_constant else visits.assign(c0=generator.choice(list("abcd"), len(visits)))


def require_people_of_persons(method: str, k: int, *, is_constant: bool, seed: int) -> None:
    """Compare what a run achieves with the weights of the different persons of each class."""
    visits = draw_visits(seed, is_constant=is_constant)
    columns = [name for name in visits if name not in ("who", "weight")]
    result = toolbox.anonymize(
        visits,
        quasi_identifiers=columns,
        person="who",
        hierarchies=dict.fromkeys(columns, TREE),
        models=[toolbox.KMap(k)],
        method=method,
        sample_weight="weight",
        suppression_threshold=0,
        order="input",
    )
    shown = result.release[columns].assign(who=visits["who"], weight=visits["weight"]).drop_duplicates()
    classes = shown.groupby(columns)["weight"]
    counted = min(floor(max(total, size) + 1e-9) for total, size in zip(classes.sum(), classes.size(), strict=True))
    achieved = result.summary.proof.models[0].achieved
    assert achieved is not None
    assert k <= achieved <= counted
    if is_constant:
        assert achieved == counted


@pytest.mark.slow
def test_a_person_with_several_records_stands_for_one_weight() -> None:
    require_people_of_persons("Flash", 30, is_constant=True, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("is_constant", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_persons_of_a_class_stand_for_what_a_brute_force_sums_up(method: str, *, is_constant: bool) -> None:
    for seed in range(4):
        require_people_of_persons(method, (12, 30, 55, 100)[seed], is_constant=is_constant, seed=seed)


def test_a_person_of_several_weights_is_refused() -> None:
    visits = draw_visits(7, is_constant=True)
    several = visits["who"].duplicated()
    assert several.any()
    with pytest.raises(toolbox.InputError, match=r"persons \(who\) have records of different weights"):
        toolbox.anonymize(
            visits.assign(weight=visits["weight"] + several),
            quasi_identifiers=["c0"],
            person="who",
            models=[toolbox.KMap(12)],
            method="LocalRecoding",
            sample_weight="weight",
        )


@pytest.mark.slow
def test_check_finds_in_the_release_what_the_run_has_achieved() -> None:
    released = survey(30, "LocalRecoding").release
    found = toolbox.check(
        released, quasi_identifiers=["A", "B", "C"], models=[toolbox.KMap(30)], sample_weight="weight"
    )
    assert found.judged[0].is_estimated
    assert found.judged[0].holds
