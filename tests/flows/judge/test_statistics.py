"""The part of `risk` about statistics of classes: releases of ours and of others, as readers have them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import toolbox
from toolbox.risks.figures import StatisticsRisk

RANDOM = np.random.default_rng(11)
PEOPLE = pd.DataFrame({"age": RANDOM.integers(17, 60, 200), "town": RANDOM.choice(["Graz", "Linz", "Wien"], 200)})


def statistics(release: pd.DataFrame, **named: object) -> StatisticsRisk:
    found = toolbox.risk(release, quasi_identifiers=["age", "town"], **named).statistics  # type: ignore[arg-type]
    assert found is not None
    return found


def released(**options: object) -> toolbox.Result:
    given = {"quasi_identifiers": ["age", "town"], "k": 5, "output_format": "genValsDist", **options}
    return toolbox.anonymize(PEOPLE, **given)


@pytest.fixture(scope="module")
def exact() -> toolbox.Result:
    return released()


def test_the_classes_that_a_run_solves_are_those_that_readers_solve(exact: toolbox.Result) -> None:
    age, town = statistics(exact.release).columns
    (said,) = exact.summary.solved
    assert (age.classes, age.solved, age.undecided, age.ends_are_values) == (said.classes, said.solved, 0, True)
    assert (town.kind, town.cells) == ("distribution", 200)
    labels, distributions = exact.release["town"], exact.release["town_distribution"]
    assert town.cells_disclosed == int((labels.str.startswith("{") | (labels == "*"))[distributions.notna()].sum())


@pytest.mark.slow
def test_who_knows_the_originals_knows_the_steps(exact: toolbox.Result) -> None:
    fives = PEOPLE.assign(age=PEOPLE.age // 5 * 5)
    release = toolbox.anonymize(
        fives, quasi_identifiers=["age", "town"], k=5, output_format="genValsDist", hierarchies={"age": "intervals:10"}
    ).release
    alone, beside = statistics(release), statistics(release, original=fives)
    assert (alone.columns[0].step, beside.columns[0].step) == (1, 5)
    assert beside.columns[0].solved >= alone.columns[0].solved


@pytest.mark.slow
def test_rounded_statistics_give_nothing_back() -> None:
    found = statistics(released(statistics="rounded").release)
    assert (found.cells_disclosed, found.columns[0].undecided) == (0, 0)


def test_a_release_without_statistics_gives_nothing_back() -> None:
    release = pd.DataFrame({"age": ["1", "1"], "town": ["*", "*"]})
    assert toolbox.risk(release, quasi_identifiers=["age", "town"]).statistics is None


def test_names_of_hierarchies_are_their_intervals_and_what_is_suppressed_may_be_anything() -> None:
    """Between 20 and 29 three numbers with the mean 22 and the variance 2 are 20, 23, 23 or 21, 21, 24."""
    release = pd.DataFrame(
        {
            "age": ["young"] * 3 + ["*"] * 3 + ["old"] * 3 + ["?"],
            "age_mean:variance": ["22.0:2.0"] * 3 + ["22:0"] * 3 + ["61.3333333333:0.2222222222"] * 3 + ["1:1"],
            "town": "Graz",
        }
    )
    ages = {"*": {"young": list(range(20, 30)), "old": list(range(60, 70))}}
    (age,) = statistics(release, hierarchies={"age": ages}).columns
    # Nobody knows what ? stands for.
    assert (age.classes, age.solved, age.undecided, age.cells_disclosed) == (4, 2, 1, 6)


def test_odd_statistics_are_no_error() -> None:
    release = pd.DataFrame({"age": ["1-9", None], "age_mean:variance": ["x", "=1:2"], "town": ["a", "b"]})
    (age,) = statistics(release).columns
    assert (age.solved, age.undecided, age.step) == (0, 2, None)
