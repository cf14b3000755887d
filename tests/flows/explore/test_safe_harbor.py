"""Safe Harbor of HIPAA as a preset of `init`: what each of the 18 identifiers becomes, and what the release shows."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from helpers.running import run_in_process

from toolbox.errors import InputError
from toolbox.flows.explore.safe_harbor import build_zip_hierarchy, follow_safe_harbor
from toolbox.flows.explore.suggest import suggest_roles

HEADER = "name,age,zip,admitted,birth_date,sex,diagnosis,phone,mrn,city"
ZIPS = ("02138", "02139", "03601", "99999")
PEOPLE = "zip,population\n02138,15000\n02139,5001\n03601,20000\n"


def write_people(folder: Path) -> Path:
    """Write 120 patients: everybody of 90 and above, four ZIP codes, one day of admission each."""
    lines = [
        f"{('Ann Lee', 'Bob Fox')[row % 2]},{row % 100},{ZIPS[row % 4]},202{row % 5}-03-{row % 28 + 1:02},"
        f"19{30 + row % 60}-05-{row % 28 + 1:02},{'fm'[row % 2]},{('I10', 'E11.9')[row // 7 % 2]},617-555-{1000 + row},"
        f"{700000 + row},{('Boston', 'Keene')[row % 2]}"
        for row in range(120)
    ]
    path = folder / "people.csv"
    path.write_text("\n".join([HEADER, *lines, ""]))
    return path


def test_three_digits_stay_where_more_than_20000_people_live_in_all_places_that_share_them(tmp_path: Path) -> None:
    (tmp_path / "zips.csv").write_text(PEOPLE)
    assert build_zip_hierarchy(tmp_path / "zips.csv") == "02138;021;*\n02139;021;*\n03601;000;*\n"


def test_20000_people_are_not_more_than_20000(tmp_path: Path) -> None:
    (tmp_path / "zips.csv").write_text("zip,population\n02138,15000\n02139,5000\n")
    assert build_zip_hierarchy(tmp_path / "zips.csv") == "02138;000;*\n02139;000;*\n"


@pytest.mark.parametrize("line", ["0213,5", "02138,", "02138,-1", "Boston,7"])
def test_a_line_that_tells_no_people_of_a_zip_code_is_counted(tmp_path: Path, line: str) -> None:
    (tmp_path / "zips.csv").write_text(f"{PEOPLE}{line}\n")
    with pytest.raises(InputError, match="1 line has no ZIP code of five digits and a number of people"):
        build_zip_hierarchy(tmp_path / "zips.csv")


def test_columns_become_what_the_rule_says(tmp_path: Path) -> None:
    found = follow_safe_harbor(suggest_roles(write_people(tmp_path)).plan, None)
    assert {column.name: (column.role, column.treatment) for column in found.columns} == {
        "name": ("identifier", ""),
        "age": ("as it is", "top:90"),
        "zip": ("identifier", "redact:000"),
        "admitted": ("as it is", "truncate:year"),
        "birth_date": ("identifier", ""),
        "sex": ("quasi-identifier", ""),
        "diagnosis": ("sensitive", ""),
        "phone": ("identifier", ""),
        "mrn": ("identifier", ""),
        "city": ("identifier", ""),
    }
    assert found.k == 1


NAMED = {
    "next of kin": ("A", "Ann Lee"),
    "household member": ("A", "Bob Fox"),
    "Landkreis": ("B", "Gotha"),
    "county_fips": ("B", "25017"),
    "state county": ("B", "MA 17"),
    "census tract": ("B", "301.02"),
    "precinct": ("B", "12"),
    "driver's license": ("G and K", "S12"),
    "policy number": ("H to K", "P9"),
    "VIN": ("L", "WVWZZZ1JZ3W386752"),
    "Fahrzeugschein": ("L", "W-12K"),
    "IMEI": ("M", "351756051523999"),
    "voice print": ("P", "9f3c"),
    "mugshot": ("Q", "m1.png"),
    "state": ("", "MA"),
    "Bundesland": ("", "Bayern"),
}
"""Names of columns in several words and languages, each with its letter of the rule and a value."""


def test_columns_of_other_names_are_those_that_the_rule_lists(tmp_path: Path) -> None:
    values = [[f"{value}{'' if letter == '' else row % 3}" for letter, value in NAMED.values()] for row in range(60)]
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(NAMED), *values])
    found = follow_safe_harbor(suggest_roles(tmp_path / "people.csv").plan, None)
    said = {each.name: each.why.partition(",")[0].removeprefix("Safe Harbor ") for each in found.columns}
    dropped = {name: letter for name, (letter, _) in NAMED.items() if letter}
    assert {each.name for each in found.columns if each.role == "identifier"} == set(dropped)
    assert {name: said[name] for name in dropped} == dropped


def test_an_age_in_months_is_capped_at_90_years(tmp_path: Path) -> None:
    lines = "\n".join(f"{row * 18},{row % 100}" for row in range(1, 61))
    (tmp_path / "people.csv").write_text(f"age_months,age\n{lines}\n")
    found = follow_safe_harbor(suggest_roles(tmp_path / "people.csv").plan, None)
    assert [column.treatment for column in found.columns] == ["top:1080", "top:90"]


@pytest.mark.slow
def test_the_configuration_runs_and_its_release_shows_what_may_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = list(csv.DictReader(write_people(tmp_path).open()))
    (tmp_path / "zips.csv").write_text(PEOPLE)
    asked = ["init", "people.csv", "--preset", "hipaa-safe-harbor", "--zip-population", "zips.csv", "--yes", "--quiet"]
    run_in_process(*asked).succeeded()
    run_in_process("-config", "people.xml", "--quiet").succeeded()
    released = list(csv.DictReader((tmp_path / "people_release.csv").open()))
    shown = {"02138": "021", "02139": "021", "03601": "000", "99999": "*"}
    expected = Counter(
        (str(min(int(row["age"]), 90)), shown[row["zip"]], row["admitted"][:4], row["sex"], row["diagnosis"])
        for row in rows
    )
    assert Counter(tuple(row.values()) for row in released) == expected
    assert list(released[0]) == ["age", "zip", "admitted", "sex", "diagnosis"]


@pytest.mark.slow
def test_without_a_population_every_zip_code_is_000(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path)
    run_in_process("init", "people.csv", "--preset", "hipaa-safe-harbor", "--yes", "--quiet").succeeded()
    run_in_process("-config", "people.xml", "--quiet").succeeded()
    released = csv.DictReader((tmp_path / "people_release.csv").open())
    assert {row["zip"] for row in released} == {"000"}


def test_a_population_without_the_preset_is_an_error(tmp_path: Path) -> None:
    path = write_people(tmp_path)
    refused = run_in_process("init", str(path), "--zip-population", str(path))
    assert refused.status == 2
    assert "--zip-population belongs to --preset hipaa-safe-harbor" in refused.stderr
