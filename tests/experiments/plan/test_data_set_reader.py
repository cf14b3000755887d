"""What a plan says of a data set: its hierarchies are read, and what is described is declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.small_study import data_of, plan_of

from toolbox.errors import ConfigurationError
from toolbox.experiments.plan.reader import read_plan


def faults_of(folder: Path, **said: Any) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_plan(plan_of(folder, data=[data_of(folder, **said)]))
    return [str(fault).removeprefix("[[data]] 1: ") for fault in caught.value.faults]


def test_what_is_wrong_with_hierarchies_is_known_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDY_SECRET", str(tmp_path))
    (tmp_path / "odd.csv").write_text("Graz;South;*\nLinz;*\n")
    for tree, kind, expected in (
        ("prefx:3", "category", "hierarchies.town is 'prefx:3'. It is no builder and no file. Did you mean 'prefix'?"),
        ("$STUDY_SECRET/no.csv", "category", "hierarchies.town: $STUDY_SECRET/no.csv: There is no such file."),
        ("tree:$STUDY_SECRET/no.csv", "category", "hierarchies.town: $STUDY_SECRET/no.csv: There is no such file."),
        (str(tmp_path / "odd.csv"), "category", f"hierarchies.town: {tmp_path}/odd.csv, line 2: "),
        (str(tmp_path / "odd.csv"), "date", "hierarchies.town: the column is a date. Write periods such as month,year"),
        ("/dev/zero", "category", "hierarchies.town: /dev/zero is no regular file"),
        ("tree:/dev/zero", "category", "hierarchies.town: /dev/zero is no regular file"),
        ("prefx:" + 5000 * "a", "category", "hierarchies.town is 'prefx:aaa"),
        ("year,month", "date", "hierarchies.town is 'year,month'. It is not in order. Write the shortest"),
        ([["Graz", "South"], ["Linz"]], "category", "hierarchies.town: the rows, line 2: "),
        ({"Graz": "South", "Linz": ["North"]}, "category", "hierarchies.town: The hierarchy of 'town' mixes texts and"),
        (["year", "month"], "date", "hierarchies.town is \"['year', 'month']\". It is not in order."),
        (
            "prefix:1",
            "number",
            "hierarchies.town: prefix takes texts, and the column is declared as a number. "
            "Write kinds.town = 'category', or another hierarchy.",
        ),
    ):
        (fault,) = faults_of(tmp_path, hierarchies={"town": tree}, kinds={"town": kind})
        assert fault.startswith(expected), fault


def test_a_single_period_is_no_file_in_the_folder_of_the_plan(tmp_path: Path) -> None:
    data_of(tmp_path)
    path = tmp_path / "study.toml"
    path.write_text(
        "[[data]]\ntable = 'people.csv'\nquasi_identifiers = ['age']\nhierarchies = { age = 'year' }\n"
        "[[data]]\nname = 'more'\ntable = 'people.csv'\nquasi_identifiers = ['age']\nhierarchies = { age = 'a,b.csv' }\n"
    )
    (tmp_path / "a,b.csv").write_text("20;*\n21;*\n")
    first, second = read_plan(path).data
    assert first.columns["hierarchies"] == {"age": "year"}
    assert second.columns["hierarchies"] == {"age": str(tmp_path / "a,b.csv")}


def test_a_column_is_one_thing_and_what_is_described_is_declared(tmp_path: Path) -> None:
    found = faults_of(
        tmp_path,
        quasi_identifiers=["age", "town", "age"],
        sensitive=["ill", "town"],
        identifiers=["ill"],
        hierarchies={"visits": "intervals:5", "ill": "prefix:1"},
        kinds={"tow": "category"},
        weights={"ill": 2},
        priorities={"agee": 1},
        encoding="utf-9",
        on_missing="kep",
    )
    starts = [
        "'ill' is declared twice, by sensitive and by identifiers. Leave one of the two out.",
        "'town' is declared twice, by quasi_identifiers and by sensitive. Leave one of the two out.",
        "encoding is 'utf-9'.",
        "hierarchies.visits: this column is neither a quasi-identifier nor sensitive. Leave it out, or declare",
        "kinds.tow: this column is neither a quasi-identifier nor sensitive. Leave it out, or declare the column. Did you",
        "on_missing is 'kep'. Did you mean 'keep'?",
        "priorities.agee: this column is no quasi-identifier. Leave it out, or declare the column. Did you mean 'age'?",
        "quasi_identifiers has the column 'age' twice. Leave one of the two out.",
        "weights.ill: this column is no quasi-identifier.",
    ]
    assert [fault[: len(start)] for fault, start in zip(found, starts, strict=True)] == starts
