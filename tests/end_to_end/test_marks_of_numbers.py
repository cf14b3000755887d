"""Numbers with decimal commas: every command finds them, or says what would make numbers of them."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pandas as pd
import pytest
from helpers.running import run_in_process

import toolbox

CONFIGURATION = """<config method='Mondrian'>
  <input filename='people.csv' separator=';' header='true'/><output filename='{}.csv'/>
  <qid><att name='age' type='number'><vgh build='intervals' width='10,20'/></att></qid>
  <sens><att name='income'/></sens>
  <privacy><model name='k-anonymity' k='5'/><model name='distinct l-diversity' attribute='income' l='2'/></privacy>
</config>
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    draw = random.Random(31)
    incomes = [f"{draw.randint(1, 8)}.{draw.randint(100, 999)},{draw.randint(10, 99)}" for _ in range(120)]
    lines = ["age;income", *(f"{20 + row % 40};{income}" for row, income in enumerate(incomes))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def column(name: str, of: str) -> list[str]:
    with Path(name).open(encoding="utf-8", newline="") as file:
        return [row[of] for row in csv.DictReader(file, delimiter=";")]


def bounds(label: str) -> tuple[float, float]:
    low, high = label.strip("[]").split(":")
    return tuple(float(end.replace(".", "").replace(",", ".")) for end in (low, high))


OPTIONS = ("anonymize", "people.csv", "--qi", "age,income", "-k", "5", "--order", "input")


@pytest.mark.slow
def test_options_read_them_as_numbers_and_say_so_and_a_saved_configuration_does_the_same() -> None:
    document = run_in_process(*OPTIONS, "-output", "r.csv", "--save-config", "s.xml", "--json").succeeded().document
    notes = [note for note in document["notes"] if note.startswith("income has numbers with decimal commas and '.'")]
    assert len(notes) == 1
    assert "--decimal ',' --thousands '.'" in notes[0]
    labels = column("r.csv", "income")
    incomes = [float(text.replace(".", "").replace(",", ".")) for text in column("people.csv", "income")]
    # Intervals, each around its income, and no sets of exact incomes.
    assert all(low <= income <= high for (low, high), income in zip(map(bounds, labels), incomes, strict=True))
    assert len(set(labels)) < 120 // 4
    first = Path("r.csv").read_bytes()
    assert "decimal=','" in Path("s.xml").read_text()
    assert "thousands='.'" in Path("s.xml").read_text()
    run_in_process("-config", "s.xml", "--quiet").succeeded()
    assert Path("r.csv").read_bytes() == first


@pytest.mark.slow
def test_options_that_say_it_do_the_same_as_options_that_do_not() -> None:
    run_in_process(*OPTIONS, "-output", "found.csv", "--quiet").succeeded()
    run_in_process(*OPTIONS, "-output", "said.csv", "--decimal", ",", "--thousands", ".", "--quiet").succeeded()
    assert Path("found.csv").read_bytes() == Path("said.csv").read_bytes()


@pytest.mark.slow
def test_a_configuration_says_what_would_be_numbers_and_releases_the_same_bytes() -> None:
    Path("a.xml").write_text(CONFIGURATION.format("a"))
    Path("b.xml").write_text(CONFIGURATION.format("b").replace("name='income'/>", "name='income' type='category'/>", 1))
    told = run_in_process("-config", "a.xml", "--json").succeeded().document["notes"]
    assert [note for note in told if "income: its values would be numbers with decimal commas" in note] == [
        "income: its values would be numbers with decimal commas and '.' between thousands, and are taken for "
        "categories. Write decimal=',' thousands='.' at the input if they are numbers."
    ]
    silent = run_in_process("-config", "b.xml", "--json").succeeded().document["notes"]
    assert [note for note in silent if "would be numbers" in note] == []
    assert sorted(Path("a.csv").read_text().splitlines()) == sorted(Path("b.csv").read_text().splitlines())


@pytest.mark.slow
def test_judges_find_them_as_if_they_had_been_said() -> None:
    words = ("people.csv", "--qi", "age", "--sensitive", "income", "--json")
    found = run_in_process("check", *words).succeeded().document
    said = run_in_process("check", *words, "--decimal", ",", "--thousands", ".").succeeded().document
    assert found["models"] == said["models"]
    assert [note for note in found["notes"] if note.startswith("income has numbers with decimal commas")] != []
    assert [note for note in said["notes"] if "numbers" in note] == []
    run_in_process(*OPTIONS, "-output", "r.csv", "--quiet").succeeded()
    for command in (("measure", "people.csv", "r.csv"), ("risk", "r.csv", "--original", "people.csv")):
        judged = [
            run_in_process(*command, "--qi", "age,income", *marks, "--json").succeeded().document
            for marks in ((), ("--decimal", ",", "--thousands", "."))
        ]
        assert [note for note in judged[0]["notes"] if note.startswith("income has numbers with decimal commas")] != []
        for document in judged:
            document.pop("timings"), document.pop("notes")
        assert judged[0] == judged[1]


@pytest.mark.slow
def test_singletons_finds_them() -> None:
    words = ("singletons", "people.csv", "--qi", "age,income", "--json")
    judged = [
        run_in_process(*words, *marks).succeeded().document for marks in ((), ("--decimal", ",", "--thousands", "."))
    ]
    assert [note for note in judged[0]["notes"] if note.startswith("income has numbers with decimal commas")] != []
    assert judged[0]["variants"] == judged[1]["variants"]


@pytest.mark.slow
def test_a_data_frame_of_texts_says_what_would_be_numbers() -> None:
    frame = pd.read_csv("people.csv", sep=";", dtype=str)
    frame["age"] = frame["age"].astype(int)
    notes = toolbox.anonymize(frame, quasi_identifiers=["age", "income"], k=5).summary.notes
    (note,) = [note for note in notes if "would be numbers" in note]
    assert note == (
        "income: its values would be numbers with decimal commas and '.' between thousands, and are taken for "
        "categories. If they are numbers, make some of them, or write decimal=',', thousands='.' where a file is read."
    )
    report = toolbox.check(frame, quasi_identifiers=["age"], sensitive=["income"])
    assert [note for note in report.notes if note.startswith("income: its values would be numbers")] != []
