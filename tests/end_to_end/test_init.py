"""`toolbox init` as somebody uses it who has a file and nothing else: the configuration runs, and shows nobody.

What a person says of the tables stands in ``helpers/known_columns.py``; it was written before any program was asked.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from helpers import known_columns
from helpers.amounts import some
from helpers.known_columns import Judged, Table
from helpers.running import Finished, run_in_process

import toolbox

WHO = re.compile(r"[^\s@]+@[^\s@]+\.\w|\+43|\bAT\d{18}\b")
"""Addresses, telephone numbers and accounts, as the tables write them."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def roles(finished: Finished) -> dict[str, str]:
    return {one["column"]: one["role"] for one in finished.succeeded().document["columns"]}


def disagreements(found: dict[str, str], judged: Judged) -> list[tuple[str, str]]:
    """List the columns of which the program and a person say different things."""
    expected = (
        (judged.identifiers, {"identifier"}),
        (judged.known, {"quasi-identifier"}),
        (judged.sensitive, {"sensitive", "as it is"}),
        (judged.withheld, {"identifier", "quasi-identifier"}),
    )
    return [(name, found[name]) for names, those in expected for name in sorted(names) if found[name] not in those]


def released(name: str, separator: str) -> list[Sequence[str]]:
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=separator))


def proved(*words: object) -> dict[str, object]:
    """Run a configuration, and return its document."""
    document = run_in_process(*words, "--json").succeeded().document
    assert all(model["holds"] for model in document["models"])
    return document


# Real tables


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("file", "judged"),
    [
        ("census-income_463.data", known_columns.CENSUS),
        ("adult.csv", known_columns.ADULT),
        ("credit_default.csv.gz", known_columns.CREDIT),
        ("driver_licences_valle_d_aosta.csv.gz", known_columns.LICENCES),
    ],
)
def test_of_real_tables_it_says_what_a_person_says_and_the_configuration_runs(
    shared: Path, file: str, judged: Judged
) -> None:
    found = roles(run_in_process("init", shared / "data" / file, "-o", "a.xml", "--json"))
    assert disagreements(found, judged) == []
    document = proved("-config", "a.xml")
    assert document["records_released"]
    passed = {one["column"] for one in document["passed_through"]}
    assert all(found.get(name) in (None, "sensitive", "as it is") for name in passed)


# A hospital, and a survey


def no_secret_is_in(table: Table, rows: list[Sequence[str]]) -> None:
    """Look at each cell of a release."""
    assert len(rows) == len(table.rows) + 1
    assert set(rows[0]) == (set(table.names) - table.judged.identifiers)
    cells = {cell for row in rows[1:] for cell in row}
    parts = {part for cell in cells for part in re.split(r"[{},~]", cell)}
    assert not (cells | parts) & table.secrets
    assert [cell for cell in cells if WHO.search(cell)] == []


@pytest.mark.slow
@pytest.mark.sampled(1)
# First the language whose table is no UTF-8.
@pytest.mark.parametrize("language", sorted(known_columns.LANGUAGES, key=lambda one: one != "french"))
def test_a_hospital_is_understood_in_five_languages_and_no_patient_is_released_whatever_the_method(
    language: str,
) -> None:
    table = known_columns.hospital(language)
    encoding = "windows-1252" if language == "french" else "utf-8"
    Path("patients.csv").write_text(table.text(";"), encoding=encoding)
    finished = run_in_process("init", "patients.csv", "--json")
    assert disagreements(roles(finished), table.judged) == []
    assert proved("-config", "patients.xml")["records_released"] == len(table.rows)
    no_secret_is_in(table, released("patients_release.csv", ";"))
    # The same as read again by whoever judges it.
    run_in_process("check", "patients_release.csv", "-config", "patients.xml").succeeded()
    # The hierarchies are complete. Six columns of dates, towns and postcodes are as many combinations as records: some
    # may go.
    for method in some(("Datafly", "LocalRecoding", "Mondrian", "Incognito_k"), every=4):
        proved("-config", "patients.xml", "-method", method, "-suppThreshold", len(table.rows) // 5)


@pytest.mark.slow
def test_a_survey_has_few_quasi_identifiers_and_its_answers_are_released_when_somebody_says_so() -> None:
    table = known_columns.survey()
    Path("survey.csv").write_text(table.text(), encoding="utf-8")
    found = roles(run_in_process("init", "survey.csv", "--json"))
    assert disagreements(found, table.judged) == []
    assert sum(role == "quasi-identifier" for role in found.values()) == len(table.judged.known)
    assert proved("-config", "survey.xml")["records_released"] == len(table.rows)
    assert set(released("survey_release.csv", ",")[0]) == table.judged.known
    found = toolbox.suggest("survey.csv")
    decided = {one.profile.position: "sensitive" for one in found.columns if one.name in table.judged.withheld}
    Path("survey.xml").write_text(found.with_roles(decided).to_xml("survey.xml"), encoding="utf-8")
    assert proved("-config", "survey.xml")["records_released"] == len(table.rows)
    no_secret_is_in(table, released("survey_release.csv", ","))


def test_a_survey_of_a_statistics_package_with_labels_is_understood_as_well() -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    pytest.importorskip("toolbox.store.readers", reason="files of statistics packages are not read yet")
    table = known_columns.survey()
    frame = pd.DataFrame(table.rows, columns=table.names).replace("", None)
    numbers = [name for name in table.names if name in ("age", "household_size") or name in table.judged.withheld]
    frame[numbers] = frame[numbers].apply(pd.to_numeric)
    frame["gender"] = frame["gender"].map({"female": 1, "male": 2, "diverse": 3})
    scale = {1: "not at all", 2: "little", 3: "some", 4: "much", 5: "very much"}
    labels = {name: scale for name in numbers if name in table.judged.withheld and not name.endswith("0")}
    labels["gender"] = {1: "female", 2: "male", 3: "diverse"}
    pyreadstat.write_sav(frame, "survey.sav", variable_value_labels=labels)
    found = roles(run_in_process("init", "survey.sav", "--json"))
    assert disagreements(found, table.judged) == []
    assert sum(role == "quasi-identifier" for role in found.values()) == len(table.judged.known)
    assert proved("-config", "survey.xml")["records_released"] == len(table.rows)
    rows = released("survey_release.csv", ",")
    assert set(rows[0]) == table.judged.known
    assert not {cell for row in rows for cell in row} & table.secrets


# Next month


@pytest.mark.slow
def test_next_months_file_runs_and_its_new_column_is_not_released() -> None:
    table = known_columns.hospital("german", rows=60)
    Path("patients.csv").write_text(table.text(";"), encoding="utf-8")
    run_in_process("init", "patients.csv", "--quiet").succeeded()
    grown = [[*row, f"secret {index}"] for index, row in enumerate(table.rows)]
    new = Table([*table.names, "Hausarzt"], grown, table.judged)
    Path("patients.csv").write_text(new.text(";"), encoding="utf-8")
    proved("-config", "patients.xml")
    rows = released("patients_release.csv", ";")
    assert "Hausarzt" not in rows[0]
    assert "secret" not in Path("patients_release.csv").read_text(encoding="utf-8")


# Tables that nobody expects


TABLES = {
    "names that no document holds": '"a\nb", age,age,age,,"x--y","<i>\'"\n'
    + "".join(f"{n % 5},{n % 4},{20 + n % 30},{n % 3},{n % 2},{n % 6},{n % 7}\n" for n in range(60)),
    "names of SQL": "select,from,'; drop table x,group by\n"
    + "".join(f"{n % 5},{n % 4},{n % 3},{n % 2}\n" for n in range(60)),
    "one column": "age\n" + "".join(f"{20 + n % 30}\n" for n in range(60)),
    "two records": "age,sex\n30,f\n40,m\n",
    "an empty column": "age,nothing\n" + "".join(f"{20 + n % 30},\n" for n in range(60)),
    "a constant": "age,country\n" + "".join(f"{20 + n % 30},Austria\n" for n in range(60)),
    "missing ages": "age,sex\n" + "".join(f"{'NA' if n % 3 else 20 + n % 30},{'fm'[n % 2]}\n" for n in range(60)),
    "thousands": "age;amount\n" + "".join(f"{20 + n % 30};{1 + n % 3}.{100 + n % 7},50\n" for n in range(60)),
    "days and months": "seen,age\n" + "".join(f"{1 + n % 12}/{1 + n % 9}/2020,{20 + n % 30}\n" for n in range(60)),
    "times": "seen,age\n" + "".join(f"2020-01-0{1 + n % 9}T10:0{n % 9}:00Z,{20 + n % 30}\n" for n in range(60)),
    "coordinates": "lat,lon\n" + "".join(f"47.{1000 + 37 * n},15.{2000 + 41 * n}\n" for n in range(60)),
    "lines that do not fit": "age,sex\n1,m,x\n" + "".join(f"{20 + n % 30},{'fm'[n % 2]}\n" for n in range(60)),
}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", TABLES)
def test_the_configuration_runs_whatever_the_table_is(what: str) -> None:
    Path("a.csv").write_text(TABLES[what], encoding="utf-8")
    run_in_process("init", "a.csv", "--quiet").succeeded()
    proved("-config", "a.xml")


# `detect`


def test_detect_does_not_elect_the_telephone_number_and_says_why() -> None:
    table = known_columns.hospital("english")
    # Two patients of one household.
    table.rows[1][8] = table.rows[0][8]
    Path("patients.csv").write_text(table.text(";"), encoding="utf-8")
    document = run_in_process("detect", "patients.csv", "--json", "--max-columns", 2).succeeded().document
    left_out = {one["column"]: one["why"] for one in document["left_out"]}
    assert left_out["phone"] == "its values look like telephone numbers"
    assert set(left_out) <= table.judged.identifiers
    assert "--all" in document["notes"][0]
    everything = run_in_process("detect", "patients.csv", "--json", "--max-columns", 2, "--all").succeeded().document
    assert everything["left_out"] == []
    assert len(everything["columns"]) == len(table.names)
    named = run_in_process("detect", "patients.csv", "--json", "--columns", "phone,sex").succeeded().document
    assert [one["name"] for one in named["columns"]] == ["sex", "phone"]
