"""A study of forty people that every test of its parts may look at; it is run once."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pandas as pd

from toolbox.experiments.cells.rows import ResultRow
from toolbox.experiments.plan.reader import read_plan
from toolbox.experiments.results.report import ExperimentReport
from toolbox.experiments.study import run_study

TOWNS = ("Graz", "Linz", "Wien")
PEOPLE = [
    (20 + number, TOWNS[number % 3], number % 4, "yes" if number % 5 and number > 15 else "no") for number in range(40)
]
"""Age, town, visits, ill: the older are ill, but for every fifth of them."""
FRAME: Final = pd.DataFrame(PEOPLE, columns=["age", "town", "visits", "ill"])
CLASSES = [
    [person for person in PEOPLE if person[1] == town and person[0] // 40 == half] for half in (0, 1) for town in TOWNS
]
"""What Mondrian ends with where k = 5: for each town those below 40, and the others."""
_FOLDERS: Final[list[tempfile.TemporaryDirectory[str]]] = []


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


def study_of(folder: Path, **said: Any) -> dict[str, Any]:
    """Return a plan with a learner, and with a method that cannot be run for lack of hierarchies."""
    usual = {
        "name": "people <&>",
        "methods": ["Mondrian", "Datafly"],
        "metrics": ["NCP", "classification metric", "precision"],
        "parameters": {"k": [2, 5, 10]},
        "classification": {"learners": ["logistic regression"], "splits": 2, "test_share": 0.25},
        "data": [data_of(folder, name="people", features=["visits"])],
    }
    return {**usual, **said}


@cache
def kept_study() -> ExperimentReport:
    """Return the results of this study in its folder, which lasts as long as the tests."""
    _FOLDERS.append(folder := tempfile.TemporaryDirectory())
    return run_study(read_plan(study_of(Path(folder.name))), Path(folder.name) / "results")


@cache
def small_study() -> ExperimentReport:
    """Return the results of this study, as if they were in no folder."""
    return replace(kept_study(), folder=None)


def timeless(rows: Iterable[ResultRow]) -> list[dict[str, Any]]:
    """Return rows without what differs from run to run."""
    return [{**row, "seconds": None} for row in rows]
