"""Files of SPSS, Stata and SAS: labels, missing values, dates, and what a damaged one says."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from helpers.file_tables import FileReader

PEOPLE = pd.DataFrame(
    {
        "age": [35.0, 62.0, -9.0],
        "sex": [1.0, 2.0, None],
        "edu": [3.0, 1.0, 3.0],
        "twice": [1.0, 2.0, 1.0],
        "born": [date(1985, 2, 28), None, date(1850, 1, 1)],
        "seen": [datetime(2020, 1, 2, 3, 4, 5)] * 3,
        "town": ["Graz", "", "Wörgl"],
        "half": [0.5, 1.0, None],
    }
)
LABELS = {
    "age": {-9.0: "refused"},
    "sex": {1.0: "male", 2.0: "female"},
    "edu": {3.0: "college", 1.0: "none", 2.0: "school"},
    "twice": {1.0: "yes", 2.0: "yes"},
}


def sav(path: Path, **how: object) -> Path:
    pyreadstat.write_sav(
        PEOPLE,
        path,
        column_labels={"age": "Age in years"},
        variable_value_labels=LABELS,
        variable_measure={"edu": "ordinal"},
        **how,
    )
    return path


def test_labels_stand_in_the_place_of_codes_where_every_code_has_its_own(read: FileReader, tmp_path: Path) -> None:
    path = sav(tmp_path / "p.sav")
    assert read.rows(path) == [
        tuple(PEOPLE.columns),
        (35, "male", "college", 1, date(1985, 2, 28), datetime(2020, 1, 2, 3, 4, 5), "Graz", 0.5),
        (62, "female", "none", 2, None, datetime(2020, 1, 2, 3, 4, 5), None, 1.0),
        (-9, None, "college", 1, date(1850, 1, 1), datetime(2020, 1, 2, 3, 4, 5), "Wörgl", None),
    ]
    assert read.notes(path) == [
        "2 columns have values without a label, or one label twice, and keep their codes: age, twice."
    ]
    source = read.source(path)
    assert source.codebooks[0].label == "Age in years"
    assert source.orders == (None, None, ("none", "school", "college"), *[None] * 5)


def test_values_that_the_user_calls_missing_are_missing(read: FileReader, tmp_path: Path) -> None:
    path = sav(tmp_path / "p.zsav", missing_ranges={"age": [-9]}, compress=True)
    assert [row[0] for row in read.rows(path)] == ["age", 35, 62, None]


def test_stata_and_sas_are_read_as_well(read: FileReader, tmp_path: Path) -> None:
    frame = PEOPLE[["age", "sex", "born", "town"]].assign(sex=pd.array([1, 2, 2], "int32"))
    stata, sas, portable = tmp_path / "p.dta", tmp_path / "p.xpt", tmp_path / "p.por"
    pyreadstat.write_dta(frame, stata, variable_value_labels={"sex": {1: "male", 2: "female", 9: "never"}})
    pyreadstat.write_xport(frame, sas)
    pyreadstat.write_por(frame[["age", "sex"]], portable)
    born = [date(1985, 2, 28), None, date(1850, 1, 1)]
    towns = ["Graz", None, "Wörgl"]
    assert read.rows(stata)[1:] == list(zip([35, 62, -9], ["male", "female", "female"], born, towns, strict=True))
    assert read.rows(sas)[1:] == list(zip([35, 62, -9], [1, 2, 2], born, towns, strict=True))
    assert [row[:2] for row in read.rows(portable)[1:]] == [(35, 1), (62, 2), (-9, 2)]


def test_missing_values_of_stata_with_a_letter_are_missing(read: FileReader, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "a", 3], dtype=object)})
    pyreadstat.write_dta(frame, tmp_path / "p.dta", missing_user_values={"a": ["a"]})
    assert read.rows(tmp_path / "p.dta") == [("a",), (1,), (None,), (3,)]


def test_a_file_in_another_encoding_is_read_when_it_is_named(read: FileReader, tmp_path: Path) -> None:
    path = sav(tmp_path / "p.sav")
    content = path.read_bytes()
    path.write_bytes(content.replace("Wörgl".encode(), "Wörgl ".encode("latin-1")))
    said = read.refusal(path)
    assert said.startswith("p.sav: its texts are in another encoding than it says. Name the right one, such as")
    assert "Wörgl" in [row[6] for row in read.rows(path, encoding="latin-1")]


@pytest.mark.parametrize("name", ["p.sav", "p.dta"])
def test_half_a_file_is_damaged(name: str, read: FileReader, tmp_path: Path) -> None:
    path = tmp_path / name
    writer = pyreadstat.write_sav if name == "p.sav" else pyreadstat.write_dta
    writer(pd.DataFrame({"a": [float(value) for value in range(1000)]}), path)
    path.write_bytes(path.read_bytes()[:-2000])
    assert read.refusal(path) == f"{name} cannot be read: it is damaged, or of a version that is not known."


def test_files_whose_codes_have_other_labels_are_no_one_table(read: FileReader, tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1.0, 2.0]})
    for name, labels in (("1.sav", {1.0: "male", 2.0: "female"}), ("2.sav", {1.0: "female", 2.0: "male"})):
        pyreadstat.write_sav(frame, tmp_path / name, variable_value_labels={"sex": labels})
    said = read.refusal(tmp_path / "1.sav", tmp_path / "2.sav")
    assert (
        said
        == "2.sav: the codes of 'sex' have other labels than in 1.sav, or stand without. Give them the same labels in all files."
    )
