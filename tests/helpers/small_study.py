"""A study of forty people that every test of its parts may look at; it is run once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from toolbox.experiments.plan_reader import read_plan
from toolbox.experiments.report import ExperimentReport
from toolbox.experiments.study import run_study

TOWNS = ("Graz", "Linz", "Wien")
PEOPLE = [
    (20 + number, TOWNS[number % 3], number % 4, "yes" if number % 5 and number > 15 else "no") for number in range(40)
]
"""Age, town, visits, ill: the older are ill, but for every fifth of them."""


def write_people(folder: Path) -> Path:
    """Write the people into a file."""
    rows = ["age,town,visits,ill", *(",".join(map(str, person)) for person in PEOPLE)]
    path = folder / "people.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def data_of(folder: Path, **said: Any) -> dict[str, Any]:
    """Return the words of a plan on these people."""
    people = {"table": str(write_people(folder)), "quasi_identifiers": ["age", "town"], "sensitive": ["ill"]}
    return {**people, "label": "ill", **said}


def plan_of(folder: Path, **said: Any) -> dict[str, Any]:
    """Return a plan: Mondrian, k = 2 and 5, one loss metric."""
    usual = {"methods": ["Mondrian"], "metrics": ["NCP"], "parameters": {"k": [2, 5]}, "data": [data_of(folder)]}
    return {**usual, **said}


@cache
def small_study() -> ExperimentReport:
    """Return the results of a study with a learner, and with a method that cannot be run for lack of hierarchies."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = plan_of(
            folder,
            name="people <&>",
            methods=["Mondrian", "Datafly"],
            metrics=["NCP", "classification metric", "precision"],
            parameters={"k": [2, 5, 10]},
            classification={"learners": ["logistic regression"], "splits": 2, "test_share": 0.25},
            data=[data_of(folder, name="people", features=["visits"])],
        )
        return run_study(read_plan(plan))
