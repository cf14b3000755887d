"""Where the population of a run is, and whether anybody asks for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from helpers.small_tables import declared

import toolbox
from toolbox import DeltaPresence, KAnonymity, KMap
from toolbox.config.model import Input
from toolbox.errors import UsageError
from toolbox.flows.arguments.models import require_counted_alone
from toolbox.flows.arguments.population import find_population, find_population_input, require_population
from toolbox.methods.local_recoding.method import LocalRecoding

PEOPLE = pd.DataFrame({"age": [21, 22, 34]})
REGISTER = pd.DataFrame({"age": [21, 22, 23, 34, 36]})
DECLARED = {"quasi_identifiers": ["age"], "hierarchies": {"age": "intervals:10,20"}, "method": "Flash"}


def test_nobody_asks_for_a_population_in_vain() -> None:
    assert require_population([KAnonymity(k=2)], is_named=False) is False
    assert require_population([KAnonymity(k=2), KMap(k=2)], is_named=True) is True
    with pytest.raises(UsageError, match=r"k-map \(k=2\) compares with a population, and none is named"):
        require_population([KMap(k=2)], is_named=False)
    with pytest.raises(UsageError, match="which is not read where the records stay in an engine"):
        require_counted_alone([KMap(k=2)], "the records stay in an engine")


def test_a_session_says_that_it_sums_up_no_weights(tmp_path: Path) -> None:
    PEOPLE.assign(w=10).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "plan.xml").write_text(
        "<config method='LocalRecoding' sampleWeight='w'><input filename='people.csv' header='true'/>"
        "<output filename='release.csv'/><qid><att name='age'/></qid><privacy><model name='k-map' k='20'/></privacy></config>"
    )
    with toolbox.open(tmp_path / "plan.xml") as session:
        with pytest.raises(UsageError, match=r"does not estimate k-map \(k=20\) by the weights w: it compares with"):
            session.run()
        assert session.run(models=[KAnonymity(k=2)]).summary.proof.models[0].holds


@pytest.mark.slow
def test_a_population_that_nobody_asks_for_is_not_read() -> None:
    result = toolbox.anonymize(PEOPLE, quasi_identifiers=["age"], k=2, population="nowhere.csv")
    assert "The population was not read: no required model compares with it, as k-map does." in result.summary.notes
    assert find_population(declared("age"), "nowhere.csv").require_for_models([KMap(k=2)], LocalRecoding).is_asked_for


def test_the_separator_is_that_of_the_population(tmp_path: Path) -> None:
    register, odd = tmp_path / "register.csv", tmp_path / "odd.csv"
    register.write_text("town;age\nGraz;21\n", encoding="utf-8")
    odd.write_text("town||age\nGraz||21\n", encoding="utf-8")
    config = declared("age town")
    assert [find_population_input(config, path).separator for path in (register,)] == [";"]
    of_input = replace(config, input=Input(path=Path("people.csv"), header=True, separator="||"))
    assert [find_population_input(of_input, path).separator for path in (register, odd)] == [";", "||"]
    assert find_population_input(of_input, None) is None


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("as_file", [True, False])
def test_a_call_takes_a_table_or_a_path(tmp_path: Path, *, as_file: bool) -> None:
    """[20:30) covers three people, [30:40) two."""
    register = REGISTER
    if as_file:
        register = tmp_path / "register.csv"
        REGISTER.to_csv(register, index=False)
    result = toolbox.anonymize(PEOPLE, **DECLARED, models=[KMap(k=2)], population=register, suppression_threshold=0)
    assert sorted(result.release["age"]) == ["[20:30)", "[20:30)", "[30:40)"]
    assert result.summary.proof.models[0].achieved == 2
    assert result.summary.document()["population"]["people"] == 5


@pytest.mark.slow
def test_a_session_knows_it_for_every_run() -> None:
    columns = {name: DECLARED[name] for name in ("quasi_identifiers", "hierarchies")}
    with toolbox.open(PEOPLE, population=REGISTER, **columns) as session:
        presence = DeltaPresence(delta_max=0.7)
        variants = [session.run(method="Flash", models=[model]) for model in (KMap(k=3), KAnonymity(k=1), presence)]
    achieved = [variant.summary.proof.models[0].achieved for variant in variants]
    assert achieved == [3, 1, pytest.approx(2 / 3)]
    assert [variant.summary.population is None for variant in variants] == [False, True, False]
    again = toolbox.anonymize(**variants[2].arguments)
    assert again.summary.proof.models[0].achieved == pytest.approx(2 / 3)


def test_counted_combinations_are_not_compared_with_a_population() -> None:
    counts = PEOPLE.assign(n=1)
    with pytest.raises(UsageError, match="not read where only combinations are counted"):
        toolbox.generalise(counts, quasi_identifiers=["age"], models=[KMap(k=2)])
