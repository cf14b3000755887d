"""A class of several records may be one person: identifiers are compared with the classes, and the verdict says it."""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.releases import read_text_table
from helpers.running import run_in_process

import toolbox
from toolbox import UsageError

VISITS = [["P1", "34", "f", "HIV"]] * 5 + [
    [f"P{number}", str(59 + number), "m", illness]
    for number, illness in enumerate(["flu", "cold", "flu", "gout", "flu"], start=2)
]
"""Five visits of one woman, and five men with one visit each."""
HEADER = ["patient", "age", "sex", "illness"]
ASKED = ("--qi", "age,sex", "--sensitive", "illness", "-k", 5)
FEW = "5 records in the smallest class, but 1 person by patient"


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "visits.csv", HEADER, VISITS)
    return tmp_path


def configuration(folder: Path, root: str = "method='Mondrian' k='5'", ids: Sequence[str] = ("patient",)) -> Path:
    path = folder / "visits.xml"
    named = "".join(f"<att name='{name}'/>" for name in ids)
    path.write_text(
        f"<config {root}><input filename='visits.csv' header='true'/><output filename='release.csv' order='input'/>"
        f"<id>{named}</id>"
        "<qid><att name='age'/><att name='sex' type='category'/></qid>"
        "<sens><att name='illness' type='category'/></sens></config>",
        encoding="utf-8",
    )
    return path


@pytest.mark.slow
def test_a_run_without_a_configuration_stops_and_asks(folder: Path) -> None:
    stopped = run_in_process("anonymize", "visits.csv", "--id", "patient", *ASKED, "-output", "out.csv", cwd=folder)
    assert stopped.status == 2
    assert FEW in stopped.stderr
    assert "--rows-are-people" in stopped.stderr
    assert "P1" not in stopped.stderr + stopped.stdout
    assert "HIV" not in stopped.stderr + stopped.stdout
    assert sorted(path.name for path in folder.iterdir()) == ["visits.csv"]


@pytest.mark.slow
def test_whoever_says_that_rows_are_people_is_heard_and_it_is_saved(folder: Path) -> None:
    words = ("anonymize", "visits.csv", "--id", "patient", *ASKED, "-output", "out.csv", "--rows-are-people")
    run_in_process(*words, "--save-config", "saved.xml", "--quiet", cwd=folder).succeeded()
    assert "rowsArePeople='true'" in (folder / "saved.xml").read_text(encoding="utf-8")
    again = run_in_process("-config", "saved.xml", "--json", cwd=folder).succeeded()
    assert not {"few_people", "not_proved"} & again.document.keys()


@pytest.mark.slow
def test_a_run_with_a_configuration_says_it_in_the_verdict_and_not_among_the_notes(folder: Path) -> None:
    path = configuration(folder)
    shown = run_in_process("-config", path, "--html", folder / "page.html").succeeded()
    assert f"not proved {FEW}. Classes count records, not people." in shown.stdout
    assert shown.stdout.index("proved") < shown.stdout.index(FEW) < shown.stdout.index("generalised")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.index('class="verdict-words"') < page.index(f"Not proved: {FEW}") < page.index('class="tile-name"')
    told = run_in_process("-config", path, "--json").succeeded().document
    assert told["not_proved"] == [f"{FEW}. Classes count records, not people."]
    assert told["few_people"] == [{"column": "patient", "classes": 1, "records": 5, "smallest": 5, "people": 1}]
    assert not any("patient" in note for note in told["notes"])


@pytest.mark.slow
def test_a_public_page_tells_nothing_of_identifiers(folder: Path) -> None:
    words = ("--html", folder / "page.html", "--report-kind", "public", "--quiet")
    run_in_process("-config", configuration(folder), *words).succeeded()
    assert "patient" not in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_call_stops_as_a_command_line_does() -> None:
    table = pd.DataFrame(VISITS, columns=HEADER).astype({"age": int})
    said: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"], "k": 5}
    with pytest.raises(UsageError, match=f"{FEW}.*rows_are_people=True"):
        toolbox.anonymize(table, identifiers=["patient"], **said)
    assert len(toolbox.anonymize(table, identifiers=["patient"], rows_are_people=True, **said).release) == 10
    # Whoever has no identifier has not said that there are several records of one person.
    assert len(toolbox.anonymize(table.drop(columns="patient"), **said).release) == 10


@pytest.mark.slow
def test_where_each_record_has_its_own_value_nothing_is_said(folder: Path) -> None:
    rows = [[*row, str(number)] for number, row in enumerate(VISITS)]
    write(folder / "visits.csv", [*HEADER, "visit"], rows)
    words = ("anonymize", "visits.csv", "--id", "patient,visit", *ASKED, "-output", "out.csv", "--json")
    assert "not_proved" not in run_in_process(*words, cwd=folder).succeeded().document


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Mondrian", "Anatomy"])
def test_a_kept_store_knows_no_identifier(folder: Path, method: str) -> None:
    import duckdb

    root = "method='Mondrian' k='5'" if method == "Mondrian" else "method='Anatomy' l='2'"
    path = configuration(folder, root)
    if method == "Anatomy":
        path.write_text(path.read_text(encoding="utf-8").replace(" order='input'", ""), encoding="utf-8")
    run_in_process("-config", path, "--store", folder / "kept.duckdb", "--quiet").succeeded()
    with duckdb.connect(str(folder / "kept.duckdb"), read_only=True) as store:
        names = [row[0] for row in store.sql("SELECT column_name FROM duckdb_columns() WHERE NOT internal").fetchall()]
    assert names
    assert not [name for name in names if name.startswith("id_") or name == "patient"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["risk", "check"])
def test_judges_say_it_where_the_release_has_the_column(folder: Path, command: str) -> None:
    rows = [[row[0], "34" if row[1] == "34" else "[61:65]", *row[2:]] for row in VISITS]
    write(folder / "release.csv", HEADER, [*rows, *[["P9", "*", "*", "flu"]] * 6])
    words = (command, "release.csv", "--qi", "age,sex", "--id", "patient", "-k", 5)
    assert "5 records in a class, but 1 person by patient" in run_in_process(*words, cwd=folder).stdout
    unknown = run_in_process(command, "release.csv", "--qi", "age,sex", "--id", "patent", cwd=folder)
    assert (unknown.status, "Did you mean 'patient'?" in unknown.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["risk", "check"])
@pytest.mark.parametrize("order", ["input", "sorted"])
def test_judges_count_the_people_of_each_class_by_the_original(folder: Path, command: str, order: str) -> None:
    path = configuration(folder)
    path.write_text(path.read_text(encoding="utf-8").replace("order='input'", f"order='{order}'"), encoding="utf-8")
    run_in_process("-config", path, "--quiet").succeeded()
    said = run_in_process(command, "-config", path).stdout.replace("\n", " ")
    assert "5 records in a class, but 1 person by patient. Classes count records." in said
    assert "whole table" not in said


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", ["risk", "check"])
@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([["[34:65]", "{f,m}"]] * 9, "release.csv has 9 records, "),
        ([["34", "f"]] * 4 + [["[34:65]", "{f,m}"]] * 6, "agree in all quasi-identifiers are in several classes."),
        ([["[34:65]", "f"]] * 9 + [["40", "m"]], "is not what the released value stands for"),
    ],
    ids=["too few", "of one combination", "others"],
)
def test_where_nobody_can_tell_who_is_in_which_class_the_whole_table_is_told(
    folder: Path, command: str, rows: list[list[str]], why: str
) -> None:
    path = configuration(folder)
    write(folder / "release.csv", HEADER[1:], [[*row, visit[-1]] for row, visit in zip(rows, VISITS, strict=False)])
    said = run_in_process(command, "-config", path).stdout.replace("\n", " ")
    assert "visits.csv has 10 records, but 6 people by patient. Classes count records." in said
    assert "That is of the whole table, because nobody can tell which class each record is in: " in said
    assert why in said


# By brute force


def records(draw: random.Random, count: int) -> list[list[str]]:
    """Draw visits of few patients; some have no number, and the age of each record is its own."""
    patients, wards = draw.choice([3, 9, 40, 200]), draw.choice([2, 30, 400])
    ages = draw.sample(range(1000, 9000), count)
    return [
        [
            draw.choice(["", "?", *(f"P{draw.randrange(patients)}" for _ in range(9))]),
            f"W{draw.randrange(wards)}",
            str(age),
            draw.choice("mf"),
            draw.choice(["flu", "cold", "gout", "ulcer"]),
        ]
        for age in ages
    ]


def expected(groups: Sequence[Sequence[list[str]]], rows: Sequence[list[str]], k: int) -> list[dict[str, Any]]:
    """Count the people of each class in plain Python."""
    found = []
    for place, name in enumerate(["patient", "ward"]):
        values = [row[place] for row in rows]
        if len(set(values) - {"", "?"}) == len(rows):
            return []
        few = []
        for group in groups:
            numbers = Counter(row[place] for row in group)
            people = numbers.pop("", 0) + numbers.pop("?", 0) + len(numbers)
            if len(group) >= k > people:
                few.append((people, len(group)))
        if few:
            people, smallest = min(few)
            sizes = sum(size for _, size in few)
            found.append(
                {"column": name, "classes": len(few), "records": sizes, "smallest": smallest, "people": people}
            )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(times(3, slow=200)))
def test_the_people_of_each_class_are_those_that_brute_force_counts(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rows = records(draw, draw.choice([60, 500]))
    k = draw.choice([2, 3, 7, 30])
    write(tmp_path / "visits.csv", ["patient", "ward", "age", "sex", "illness"], rows)
    path = configuration(tmp_path, f"method='Mondrian' k='{k}'", ["patient", "ward"])
    told = run_in_process("-config", path, "--json").succeeded().document
    classes: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    released = read_text_table(tmp_path / "release.csv").columns(["age", "sex"])
    for shown, row in zip(released, rows, strict=True):
        classes[shown].append(row)
    found = expected(list(classes.values()), rows, k)
    assert told.get("few_people", []) == found
    judged = run_in_process("check", "-config", path, "--json").succeeded().document
    assert [said.partition(".")[0] for said in judged.get("not_proved", [])] == [
        f"{few['smallest']} records in a class, but {few['people']} {'person' if few['people'] == 1 else 'people'} "
        f"by {few['column']}"
        for few in found
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(times(1, slow=40)))
def test_the_people_of_each_group_of_anatomy_are_those_that_brute_force_counts(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rows = records(draw, 120)
    write(tmp_path / "visits.csv", ["patient", "ward", "age", "sex", "illness"], rows)
    path = configuration(tmp_path, "method='Anatomy' l='2'", ["patient", "ward"])
    path.write_text(path.read_text(encoding="utf-8").replace(" order='input'", ""), encoding="utf-8")
    told = run_in_process("-config", path, "--json").succeeded().document
    of_age = {row[2]: row for row in rows}
    groups: dict[str, list[list[str]]] = defaultdict(list)
    for age, *_, group in read_text_table(tmp_path / "release_QIT.csv").rows:
        groups[group].append(of_age[age])
    assert told.get("few_people", []) == expected(list(groups.values()), rows, 2)


@pytest.mark.slow
def test_suppressed_records_are_in_no_class(tmp_path: Path) -> None:
    rows = [["P1", "20", "f", "flu"]] * 2 + [[f"P{number}", "60", "m", "flu"] for number in range(2, 8)]
    write(tmp_path / "visits.csv", HEADER, rows)
    path = configuration(tmp_path, "method='Datafly' k='3' suppThreshold='2'")
    text = path.read_text(encoding="utf-8")
    text = text.replace("<att name='age'/>", "<att name='age'><vgh build='intervals' width='5'/></att>")
    text = text.replace("<att name='sex' type='category'/>", "<att name='sex'><vgh build='prefix' keep='1'/></att>")
    path.write_text(text, encoding="utf-8")
    told = run_in_process("-config", path, "--json").succeeded().document
    assert (told["records_suppressed"], told["smallest_class"], "few_people" in told) == (2, 6, False)


@pytest.mark.parametrize("first", [None, "1"])
def test_an_identifier_that_hardly_anybody_has_does_not_tell_records_apart(first: str | None) -> None:
    visits = pd.DataFrame({"age": 5 * ["34"], "patient": 5 * ["P1"], "ssn": [first, *4 * [None]]}, dtype="object")
    told = toolbox.check(visits, quasi_identifiers=["age"], identifiers=["patient", "ssn"], k=5).not_proved
    assert told == ("5 records in a class, but 1 person by patient. Classes count records.",)
