"""Plans as TOML and as mappings; all faults at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.small_study import data_of, plan_of

import toolbox
from toolbox.errors import ConfigurationError
from toolbox.experiments.plan.plan import Learning, Wish
from toolbox.experiments.plan.reader import USUAL_METRICS, read_plan

PLAN = """
seed = 7
methods = ["Mondrian", "Mondrian:cut=classic"]
suppression_threshold = "5%"

[parameters]
k = [2, 5]
t = 0.2

[classification]
learners = ["decision tree"]
test_on = "original"

[[data]]
table = "people.csv"
quasi_identifiers = ["age", "town"]
sensitive = ["ill"]
label = "ill"
hierarchies = { age = "intervals:5,10", town = "towns.csv" }

[[data]]
configuration = "census.xml"
label = "ill"
methods = ["Datafly"]
"""


def test_a_plan_is_read_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(PLAN)
    (tmp_path / "towns.csv").write_text("Graz;South\nWien;North\n")
    plan = read_plan(path)
    assert (plan.name, plan.seed, plan.suppression_threshold) == ("study", 7, "5%")
    assert plan.wishes == (Wish(k=2, t=0.2), Wish(k=5, t=0.2))
    assert plan.metrics == USUAL_METRICS
    assert plan.learning == Learning(learners=("decision tree",), test_on="original")
    people, census = plan.data
    assert (people.name, census.name) == ("people", "census")
    assert people.columns["hierarchies"] == {"age": "intervals:5,10", "town": str(tmp_path / "towns.csv")}
    assert census.configuration == tmp_path / "census.xml"
    assert plan.list_data_methods(census) == ("Datafly",)


def test_a_plan_may_ask_for_any_models(tmp_path: Path) -> None:
    models = ["k-anonymity:k=3", ["k-anonymity:k=2", "distinct l-diversity:l=2:attribute=ill"]]
    words = plan_of(tmp_path, models=models)
    del words["parameters"]
    assert [str(wish) for wish in read_plan(words).wishes] == [
        "k-anonymity:k=3",
        "k-anonymity:k=2; distinct l-diversity:l=2:attribute=ill",
    ]


def test_requirements_that_differ_in_any_digit_are_two_and_what_is_named_twice_is_one(tmp_path: Path) -> None:
    words = plan_of(
        tmp_path,
        parameters={"k": [1_000_000, 1_000_001], "t": [0.1234567, 0.1234568]},
        metrics=["ncp", "precision", "normalised certainty penalty"],
    )
    plan = read_plan(words)
    assert [str(wish) for wish in plan.wishes] == [
        "k=1000000; t=0.1234567",
        "k=1000000; t=0.1234568",
        "k=1000001; t=0.1234567",
        "k=1000001; t=0.1234568",
    ]
    assert plan.metrics == ("ncp", "precision")
    words = plan_of(tmp_path, models=["k-anonymity:k=3", ["k-anonymity:k=3"]])
    del words["parameters"]
    assert [str(wish) for wish in read_plan(words).wishes] == ["k-anonymity:k=3"]


def faults_of(words: dict[str, Any]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read_plan(words)
    return str(caught.value)


def test_all_faults_of_a_plan_are_told_at_once(tmp_path: Path) -> None:
    said = faults_of(
        {
            "sed": 3,
            "repetitions": 0,
            "methods": ["Mondriaan", "Mondrian:dimensio=range"],
            "metrics": ["NPC"],
            "models": ["k-anonymity"],
            "parameters": {"k": ["five"], "m": 2},
            "classification": {"learners": ["deep network"], "test_share": 2},
            "data": [
                {"quasi_identifiers": ["age"]},
                {"table": "a.csv", "name": "one"},
                {"configuration": "b.xml", "name": "one", "sensitive": ["ill"], "separator": ";"},
                data_of(tmp_path, features=["ill"]),
                data_of(
                    tmp_path,
                    name="columns",
                    kinds={"age": "figure", "town": "date %Q"},
                    weights={"age": 0, "town": "much"},
                    priorities={"age": 1.5},
                    hierarchies={"age": "intervals:5,12:width=5", "town": "tree:absent.csv", "x": "cuts:a", "y": 5},
                ),
            ],
            "suppression_threshold": "some",
        }
    )
    for expected in (
        "there is no setting 'sed'. Did you mean 'seed'?",
        "repetitions is '0'. Write a whole number, at least 1.",
        "There is no method 'Mondriaan'. Did you mean 'Mondrian'?",
        "Mondrian has no setting 'dimensio'. Did you mean 'dimension'?",
        "There is no loss metric 'NPC'.",
        "models: 'k-anonymity' lacks k. Write 'k-anonymity:k=..'.",
        "models cannot be combined with [parameters].",
        "[parameters]: k is",
        "[parameters]: there is no setting 'm'.",
        "There is no learner 'deep network'.",
        "test_share is '2'. Write a number, from 0.01 to 0.9.",
        '[[data]] 1: it names no records. Write table = "FILE"',
        "[[data]] 2: quasi_identifiers names no column.",
        "[[data]] 3: sensitive cannot be combined with a configuration",
        "[[data]] 3: separator cannot be combined with a configuration",
        "two data sets are called 'one'.",
        "names no label.",
        "has its label among its features.",
        "[[data]] 5: kinds.age is 'figure'. Write one of: number, category, date, timestamp.",
        "[[data]] 5: kinds.town is 'date %Q'.",
        "[[data]] 5: weights.age is '0'. Write a number above 0.",
        "[[data]] 5: weights.town is 'much'.",
        "[[data]] 5: priorities.age is '1.5'. Write a whole number, at least 1.",
        "[[data]] 5: hierarchies.age: 'intervals:5,12:width=5' says width= twice. Say it once.",
        "[[data]] 5: hierarchies.town: absent.csv: There is no such file.",
        "[[data]] 5: hierarchies.x: at='a' ",
        "[[data]] 5: hierarchies.y is '5'. Write a file, a builder such as",
        "suppression_threshold is 'some'.",
    ):
        assert expected in said, expected


def test_a_plan_without_data_is_shown_some() -> None:
    assert 'it names no data set. Write:\n[[data]]\ntable = "people.csv"' in faults_of({"methods": ["Mondrian"]})


def test_the_plans_that_come_with_the_toolbox_have_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLBOX_DATA", str(tmp_path))
    trees = tmp_path / "data" / "adult_hierarchies"
    trees.mkdir(parents=True)
    for name in ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]:
        (trees / f"adult_hierarchy_{name}.csv").write_text("1;*\n2;*\n")
    configs = Path(toolbox.__file__).parents[1] / "configs"
    plans = {path.stem: read_plan(path) for path in configs.glob("*.toml")}
    assert set(plans) == {"census_study", "marchand_study"}
    assert read_plan(configs / "census_study.xml") == plans["census_study"]
    assert [data.name for data in plans["marchand_study"].data] == ["credit", "Adult"]
    assert [wish.k for wish in plans["marchand_study"].wishes] == list(range(2, 11))


def test_cells_are_counted_before_they_are_made(tmp_path: Path) -> None:
    assert "it has 200,000,000,000 cells, and a study has at most 100,000." in faults_of(
        plan_of(tmp_path, repetitions=100_000_000_000)
    )
    many = list(range(1, 1001))
    assert "[parameters]: these are 1,000,000,000 requirements" in faults_of(
        plan_of(tmp_path, parameters={"k": many, "l": many, "t": many})
    )


def test_a_data_set_is_not_called_as_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDY_SECRET", "hunter2")
    (data,) = read_plan({"data": [{"table": "$STUDY_SECRET", "quasi_identifiers": ["age"]}]}).data
    assert (data.name, data.table) == ("$STUDY_SECRET", Path("hunter2"))
    assert data.as_written("hunter2: not hunter20 nor a/hunter2") == "$STUDY_SECRET: not hunter20 nor a/hunter2"
