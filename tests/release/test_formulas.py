"""Formulas in a release: counted by column, never shown, and kept from a spreadsheet on demand."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.amounts import some
from helpers.hostile import configuration, run_here, write

import toolbox

pytestmark = pytest.mark.sampled(2)

QID = "<att name='=a' type='category'/><att name='b'/>"
TABLE = "=a,b,c,d\n" + "=1+1,-5,-5,x\n=1+1,-7,+3,-\n'=2,3,@sum,\tx\n'=2,4,+cmd,=y\n" * 2
COUNTED = [
    {"column": "=a", "cells": 4, "header": True},
    {"column": "c", "cells": 4, "header": False},
    {"column": "d", "cells": 4, "header": False},
]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.csv", TABLE)
    write(tmp_path / "c.xml", configuration(QID))
    return tmp_path


@pytest.mark.slow
def test_cells_and_headers_are_counted_and_numbers_are_not(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", "c.xml", "--json"], capsys)
    assert run.document["formulas"] == {"escaped": False, "columns": COUNTED}
    (note,) = (note for note in run.document["notes"] if "spreadsheet" in note)
    assert note == (
        "A spreadsheet may run texts that begin with =, +, -, @, tab or CR as formulas: 4 cells and the header of =a, "
        "4 cells of c, 4 cells of d. --escape-formulas writes an apostrophe before them."
    )
    assert (desk / "out.csv").read_text(encoding="utf-8") == TABLE


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("by", [{"config": True}, {"quasi_identifiers": ["=a", "b"], "kinds": {"=a": "category"}}])
def test_an_apostrophe_is_written_before_them_and_read_back(desk: Path, by: dict[str, object]) -> None:
    config = toolbox.load_config(desk / "c.xml", escape_formulas=True)
    document = toolbox.anonymize(config).summary.document()
    assert document["formulas"] == {"escaped": True, "columns": COUNTED}
    assert (desk / "out.csv").read_text(encoding="utf-8") == (
        "'=a,b,c,d\n" + "'=1+1,-5,-5,x\n'=1+1,-7,+3,-\n''=2,3,'@sum,'\tx\n''=2,4,'+cmd,'=y\n" * 2
    )
    asked = {"config": toolbox.load_config(desk / "c.xml")} if "config" in by else by
    release, original = desk / "out.csv", desk / "in.csv"
    assert toolbox.check(release, **asked).smallest_class == 2  # type: ignore[arg-type]
    assert toolbox.measure(original, release, **asked).value("normalised certainty penalty") == 0  # type: ignore[arg-type]
    consistency = toolbox.risk(release, original=original, **asked).risk.consistency  # type: ignore[arg-type]
    assert (consistency.lowest, consistency.unmatched) == (2, 0)  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "header", "cells"), [("genValsDist", "b_mean:variance", 4), ("anatomy", "=a", 4)])
def test_every_format_is_counted(
    form: str, header: str, cells: int, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = "method='Anatomy' l='2'" if form == "anatomy" else "k='2'"
    sens = "<att name='c' type='category'/>"
    write(desk / "c.xml", configuration(QID, root=root, output=f"format='{form}'", sens=sens))
    columns = run_here(["-config", "c.xml", "--json"], capsys).document["formulas"]["columns"]
    assert {one["column"]: one["cells"] for one in columns}[header] == cells


def test_dropped_records_are_not_counted(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(desk / "in.csv", "a,c\n" + "x,=1\n" * 3 + "y,=2\n")
    write(desk / "tree.csv", "x;x;*\ny;y;*\n")
    qid = "<att name='a'><vgh file='tree.csv'/></att>"
    write(desk / "c.xml", configuration(qid, root="method='Datafly' k='2' suppressed='drop'"))
    run = run_here(["-config", "c.xml", "--json"], capsys)
    assert run.document["records_suppressed"] == 1
    assert run.document["formulas"]["columns"] == [{"column": "c", "cells": 3, "header": False}]


@pytest.mark.slow
@pytest.mark.parametrize(("decimal", "cells"), [(".", 0), (",", 3)])
def test_noise_below_zero_is_a_formula_where_a_spreadsheet_reads_no_number(
    decimal: str, cells: int, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(desk / "in.csv", "a;c\n" + f"x;-900{decimal}5\n" * 3)
    words = ["anonymize", "in.csv", "--qi", "a", "-k", "2", "--treat", "c=noise:gaussian:1:2", "--seed", "1"]
    run = run_here([*words, "--decimal", decimal, "--separator", ";", "-output", "out.csv", "--json"], capsys)
    assert sum(one["cells"] for one in run.document["formulas"]["columns"]) == cells


@pytest.mark.slow
@pytest.mark.parametrize("target", ["out.parquet"])
def test_parquet_has_none(target: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", "c.xml", "--json", "-output", target, "--escape-formulas"], capsys)
    assert run.document["formulas"]["columns"] == []


def test_the_toolbox_of_2010_escaped_nothing(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", "c.xml", "--escape-formulas", "--compatibility", "utd"], capsys)
    assert run.status == 2
    assert "The toolbox of 2010, which compatibility asks for, wrote formulas as they are." in run.err


@pytest.mark.slow
def test_many_columns_are_counted_as_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"c{number}" for number in range(60)]
    rows = [["=1" if (row * number) % 7 == 1 else "1" for number in range(60)] for row in range(9)]
    # The last record is alone in its class.
    text = "".join(f"{'ab'[row == 8]},{','.join(cells)}\n" for row, cells in enumerate(rows))
    write(tmp_path / "in.csv", f"q,{','.join(names)}\n{text}")
    for drops, released in some(((True, rows[:8]), (False, rows)), every=2):
        config = f"""<config k='2' suppressed='{"drop" if drops else "keep"}' method='Datafly' suppThreshold='1'>
<input filename='in.csv' header='true'/><output filename='out.csv'/><qid><att name='q'><vgh build='auto'/></att></qid></config>"""
        write(tmp_path / "c.xml", config)
        summary = toolbox.anonymize(toolbox.load_config(tmp_path / "c.xml")).summary
        expected = {name: sum(cells[at] == "=1" for cells in released) for at, name in enumerate(names)}
        assert {found.column: found.cells for found in summary.formulas} == {k: n for k, n in expected.items() if n}
        assert summary.document()["records_suppressed"] == 1
