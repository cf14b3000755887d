"""The flow of `init`: how a file is read of which nothing is known, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from helpers.workbooks import sheet, xlsx

from toolbox.errors import InputError
from toolbox.flows.arguments.checks import Reading
from toolbox.flows.explore.suggest import suggest_roles

ROWS = "".join(f"{20 + row % 30};{'mf'[row % 2]};{row % 7},5\n" for row in range(60))


def written(folder: Path, text: str, name: str = "a.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def test_separator_header_encoding_and_decimals_are_found(tmp_path: Path) -> None:
    found = suggest_roles(written(tmp_path, f"Alter;Geschlecht;Größe\n{ROWS}", encoding="windows-1252"))
    assert found.input is not None
    assert (found.input.separator, found.input.header, found.input.encoding) == (";", True, "windows-1252")
    assert found.plan.notation.decimal == ","
    assert [column.profile.kind for column in found.columns] == ["number", "category", "number"]
    assert {"read", "look", "total"} == set(found.timings)


def test_columns_without_names_are_told_by_their_positions(tmp_path: Path) -> None:
    found = suggest_roles(written(tmp_path, ROWS))
    assert [column.name for column in found.columns] == ["column 0", "column 1", "column 2"]
    assert found.plan.headers is None
    assert found.columns[1].why == "its values look like sexes, which others may know"


def test_what_is_said_is_not_guessed(tmp_path: Path) -> None:
    path = written(tmp_path, f"x;y;z\n{ROWS}")
    found = suggest_roles(path, reading=Reading(separator=";", encoding="latin-1", header=False))
    assert found.input is not None
    assert (found.input.separator, found.input.header, found.input.encoding) == (";", False, "iso8859-1")


def test_a_folder_of_files_is_one_table(tmp_path: Path) -> None:
    for name in ("1.csv", "2.csv"):
        written(tmp_path, f"age;sex;size\n{ROWS}", name)
    found = suggest_roles(tmp_path)
    assert found.plan.records == 120
    assert f"filename='{tmp_path.name}'" in found.to_xml(tmp_path.parent / "a.xml")


def test_lines_that_do_not_fit_are_left_out_as_they_are_in_a_run(tmp_path: Path) -> None:
    assert suggest_roles(written(tmp_path, f"age;sex;size\n{ROWS}1;2\n")).plan.records == 60


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("a,b\n", "holds no record"),
        ("a,b\n1,2\n", "holds 1 record"),
        ("a,b\n" + "1\n" * 30, "of 30 lines"),
        ('a,b\n1,"2\n', "never closes"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        suggest_roles(written(tmp_path, text))


STAFF = [
    ["Geburtsdatum", "Gehalt", "Raum"],
    *(
        [f"{1 + row % 28:02}.0{1 + row % 9}.19{60 + row % 40}", f"{2 + row % 7}.{row * 3:03},50", row]
        for row in range(60)
    ),
]
"""As people type them into a workbook: texts, the day first and with decimal commas; and numbers."""


def test_texts_of_a_workbook_are_dates_and_numbers_as_those_of_a_text_file_are(tmp_path: Path) -> None:
    book = xlsx(tmp_path / "a.xlsx", {"Notes": sheet([["x"], ["y"]]), "Staff": sheet(STAFF)})
    found = suggest_roles(book, reading=Reading(table="Staff"))
    assert [column.profile.kind for column in found.columns] == ["date", "number", "number"]
    assert (found.plan.notation.decimal, found.plan.notation.thousands) == (",", ".")
    configuration = found.to_xml(tmp_path / "a.xml")
    assert "<input filename='a.xlsx' table='Staff' decimal=',' thousands='.'/>" in configuration
    assert "<att name='Geburtsdatum' type='date' format='%d.%m.%Y' hierarchy='month,year,decade'/>" in configuration


def test_texts_of_a_table_in_memory_are_dates_but_no_numbers_with_commas_which_a_call_cannot_declare() -> None:
    columns = {name: [row[index] for row in STAFF[1:]] for index, name in enumerate(STAFF[0])}
    found = suggest_roles(pa.table(columns))
    assert [column.profile.kind for column in found.columns] == ["date", "category", "number"]
    assert found.arguments["kinds"]["Geburtsdatum"] == "date %d.%m.%Y"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nobody\.csv cannot be read"):
        suggest_roles(tmp_path / "nobody.csv")
