"""A title above the header, and lines below the table: found where it looks like one, never read, numbers of lines stay."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import toolbox
from toolbox import Project, load_config
from toolbox.flows.release.anonymize import run

_ROWS = [(20 + number % 4, "mf"[number % 2], f"1.{500 + number % 3},50") for number in range(40)]
_TITLE = "Patients of Graz, 2024\n\n"


def write_table(path: Path, title: str = _TITLE, separator: str = ";", footer: str = "", ends: str = "\n") -> Path:
    rows = [("age", "sex", "income"), *_ROWS]
    text = title + "".join(f"{separator.join(map(str, row))}\n" for row in rows) + footer
    path.write_bytes(text.replace("\n", ends).encode())
    return path


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("", 1),
        ("\n\n", 1),
        ("Patients\n", 2),
        (_TITLE, 3),
        ("Patients;;\n", 2),
        ('"Patients\nof Graz"\n', 3),
        ("Patients\n" * 30, 31),
    ],
)
def test_the_header_below_a_title_is_found(tmp_path: Path, title: str, line: int) -> None:
    found = toolbox.sniff(write_table(tmp_path / "people.csv", title))
    assert (found.header_line, found.columns, found.records) == (line, ("age", "sex", "income"), len(_ROWS))
    assert (found.separator, found.decimal, found.thousands, found.rows[0]) == (";", ",", ".", ("20", "m", "1.500,50"))


def test_a_header_that_lacks_a_name_is_no_title(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age;sex\n" + "".join(f"{age};{sex};x\n" for age, sex, _ in _ROWS))
    assert toolbox.sniff(tmp_path / "people.csv").header_line == 1


def test_what_cannot_be_read_below_the_table_has_its_own_line(tmp_path: Path) -> None:
    found = toolbox.sniff(write_table(tmp_path / "people.csv", footer="Total: 40\n"))
    assert [(line.number, line.reason) for line in found.unreadable] == [
        (44, "It has 1 value, and the table has 3 columns.")
    ]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_run_reads_what_is_below_its_header(tmp_path: Path, ends: str, packed: bool) -> None:
    path = write_table(tmp_path / "people.csv", 'A "title; of\nno table\n', footer="Total\n", ends=ends)
    if packed:
        path = tmp_path / "people.csv.gz"
        path.write_bytes(gzip.compress((tmp_path / "people.csv").read_bytes()))
    (tmp_path / "c.xml").write_text(
        f"<config method='Mondrian' k='2'><input filename='{path.name}' separator=';' header='true' headerLine='3'/>"
        "<output filename='out.csv'/><qid><att name='age' type='number'/><att name='sex' type='category'/></qid>"
        "<sens><att name='income'/></sens></config>"
    )
    release = run(load_config(tmp_path / "c.xml"))
    assert (release.summary.records_read, release.summary.lines_rejected) == (len(_ROWS), 1)
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "age;sex;income"


def test_a_project_and_a_suggestion_say_where_the_header_is(tmp_path: Path) -> None:
    project = Project.of_file(write_table(tmp_path / "people.csv"), tmp_path / "project")
    assert dict(project.input) == {
        "separator": ";",
        "header": "true",
        "header_line": "3",
        "decimal": ",",
        "thousands": ".",
    }
    assert [column.name for column in project.columns()] == ["age", "sex", "income"]
    assert "headerLine='3'" in toolbox.suggest(tmp_path / "people.csv").to_xml().replace('"', "'")


@pytest.mark.slow
def test_python_names_the_line_by_the_argument_for_the_header(tmp_path: Path) -> None:
    path = write_table(tmp_path / "people.csv", "Patients;of;Graz\n")
    assert toolbox.sniff(path, header=True).columns == ("Patients", "of", "Graz"), "nobody asks to look for another"
    assert toolbox.sniff(path, header=2).columns == ("age", "sex", "income")
    kinds = {"age": "number", "sex": "category"}
    made = toolbox.anonymize(path, quasi_identifiers=["age", "sex"], kinds=kinds, header=2, k=2, undeclared="drop")
    assert (made.summary.records_read, list(made.release.columns)) == (len(_ROWS), ["age", "sex"])


@pytest.mark.parametrize("line", ["0", "x", "20000"])
def test_a_line_that_is_none_is_refused(tmp_path: Path, line: str) -> None:
    path = write_table(tmp_path / "people.csv")
    (tmp_path / "c.xml").write_text(f"<config><input filename='{path.name}' headerLine='{line}'/></config>")
    with pytest.raises(toolbox.ConfigurationError, match="headerLine"):
        load_config(tmp_path / "c.xml")
