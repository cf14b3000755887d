"""From a file that somebody has to a proved release: workbooks, statistics packages, JSON lines, databases."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyreadstat
import pytest
from helpers.running import Finished, run_in_process
from helpers.workbooks import compound, people, sheet, xlsx
from python_calamine import CalamineWorkbook

import toolbox

NAMES = ["name", "age", "born", "town", "illness", "weight", "seen"]
LABELS = {"illness": {1.0: "flu", 2.0: "cold", 3.0: "gout"}}


def patients() -> list[list[Any]]:
    draw = random.Random(7)
    return [
        [
            f"N {number}",
            draw.randint(20, 80),
            date(1940, 1, 1) + timedelta(days=draw.randint(0, 20_000)),
            draw.choice(["Graz", "Linz", "Wels"]),
            draw.choice(list(LABELS["illness"].values())),
            draw.randint(500, 900) / 10,
            date(2024, 1, 1 + number % 28),
        ]
        for number in range(60)
    ]


ROWS = patients()
PASSED = Counter((illness, weight, seen) for *_, illness, weight, seen in ROWS)


def configuration(folder: Path, source: str, release: str, more: str = "", root: str = "k='3'") -> Path:
    path = folder / "c.xml"
    path.write_text(
        f"<config {root}><input {source}/><id><att name='name'/></id>"
        "<qid><att name='age'/><att name='born' type='date'/><att name='town'/></qid>"
        f"<sens><att name='illness'/></sens><output filename='{release}' {more}/></config>"
    )
    return path


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=NAMES)


def spss(path: Path) -> None:
    codes = {label: code for code, label in LABELS["illness"].items()}
    data = frame().assign(illness=lambda table: table["illness"].map(codes))
    pyreadstat.write_sav(data, path, variable_value_labels=LABELS, column_labels={"age": "Age in years"})


def sqlite_file(path: Path) -> None:
    with sqlite3.connect(path) as opened:
        opened.execute(f"CREATE TABLE people ({', '.join(NAMES)})")
        opened.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?)", [list(map(_plain, row)) for row in ROWS])


def duckdb_file(path: Path) -> None:
    given = frame()
    with duckdb.connect(path) as opened:
        opened.register("given", given)
        opened.execute("CREATE TABLE people AS SELECT * REPLACE (born::DATE AS born, seen::DATE AS seen) FROM given")


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def json_lines(path: Path) -> None:
    path.write_text("\n".join(json.dumps(dict(zip(NAMES, map(_plain, row), strict=True))) for row in ROWS))


WRITERS = {
    "p.xlsx": lambda path: people(path, [NAMES, *ROWS]),
    "p.sav": spss,
    "p.dta": lambda path: pyreadstat.write_dta(frame(), path),
    "p.jsonl": json_lines,
    "p.sqlite": sqlite_file,
    "p.duckdb": duckdb_file,
}


def released(path: Path) -> Counter[tuple[Any, ...]]:
    """Return the values of a release that passed through, as another program reads them."""
    match path.suffix:
        case ".xlsx":
            with CalamineWorkbook.from_path(path) as book:
                header, *rows = book.get_sheet_by_index(0).to_python()
            assert header == ["age", "born", "town", "illness", "weight", "seen"]
        case ".sav" | ".dta":
            read = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
            table, _ = read(str(path), apply_value_formats=True)
            rows = [list(row) for row in table.itertuples(index=False, name=None)]
        case _:
            rows = [list(row) for row in pd.read_parquet(path).itertuples(index=False, name=None)]
    classes = Counter(tuple(row[:3]) for row in rows)
    assert min(classes.values()) >= 3
    return Counter((row[3], row[4], row[5] if isinstance(row[5], date) else date.fromisoformat(row[5])) for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["xlsx", "sav", "dta", "parquet"])
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.sampled(3)
def test_any_of_them_becomes_a_proved_release_of_any_kind(name: str, ending: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    config = configuration(tmp_path, f"filename='{name}'", f"r.{ending}")
    document = run_in_process("-config", config, "--json").succeeded().document
    assert document["records_read"] == 60
    assert document["smallest_class"] >= 3
    assert released(tmp_path / f"r.{ending}") == PASSED
    checked = run_in_process("check", tmp_path / f"r.{ending}", "--qi", "age,born,town", "-k", 3, "--json")
    assert checked.succeeded().document["records"] == 60


@pytest.mark.slow
def test_labels_and_the_names_for_people_are_in_the_release(tmp_path: Path) -> None:
    spss(tmp_path / "p.sav")
    config = configuration(tmp_path, "filename='p.sav'", "r.dta")
    run_in_process("-config", config, "--quiet").succeeded()
    columns, facts = pyreadstat.read_dta(str(tmp_path / "r.dta"), output_format="dict")
    assert set(columns["illness"]) == {1, 2, 3}
    assert facts.variable_value_labels["illness"] == {1: "flu", 2: "cold", 3: "gout"}
    assert facts.column_names_to_labels["age"] == "Age in years"


@pytest.mark.slow
@pytest.mark.parametrize(("form", "ending"), [("anatomy", "xlsx"), ("genValsDist", "xlsx"), ("genValsDist", "sav")])
@pytest.mark.sampled(1)
def test_all_formats_can_be_workbooks_or_files_of_packages(form: str, ending: str, tmp_path: Path) -> None:
    people(tmp_path / "p.xlsx", [NAMES, *ROWS])
    root = "method='Anatomy' l='2'" if form == "anatomy" else "k='3'"
    output = f"format='{form}' statistics='rounded'"
    config = configuration(tmp_path, "filename='p.xlsx'", f"r.{ending}", output, root)
    run_in_process("-config", config, "--quiet").succeeded()
    written = sorted(path.name for path in tmp_path.glob("r*"))
    assert written == ([f"r_QIT.{ending}", f"r_ST.{ending}"] if form == "anatomy" else [f"r.{ending}"])


@pytest.mark.slow
def test_what_is_odd_in_a_sheet_is_in_the_summary(tmp_path: Path) -> None:
    rows = [[], NAMES, *ROWS[:30], [], *ROWS[30:]]
    xlsx(tmp_path / "p.xlsx", {"May": sheet(rows, hidden=[5]), "June": sheet([NAMES, *ROWS])})
    config = configuration(tmp_path, "filename='p.xlsx' table='May'", "r.csv")
    document = run_in_process("-config", config, "--json").succeeded().document
    assert document["lines_blank"] == 1
    notes = [note.partition("'May': ")[2] for note in document["notes"]]
    assert "the names of the columns stand in row 2, the first with a cell." in notes
    assert "1 hidden row is read as well." in notes


@pytest.mark.slow
def test_a_sheet_is_named_for_every_command(tmp_path: Path) -> None:
    book = xlsx(tmp_path / "p.xlsx", {"May": sheet([NAMES, *ROWS]), "June": sheet([NAMES, *ROWS[:9]])})
    config = configuration(tmp_path, "filename='other.csv'", "r.xlsx")
    run_in_process("-config", config, "-input", book, "--input-table", "May", "--quiet").succeeded()
    qi = ("--qi", "age,town", "--input-table", "June", "--json")
    assert run_in_process("check", book, *qi).succeeded().document["records"] == 9
    found = run_in_process("detect", book, "--columns", "age,town", "--input-table", "June", "--json").succeeded()
    assert found.document["records"] == 9
    assert run_in_process("singletons", book, *qi).succeeded().document["records"] == 9
    # The release has one sheet, whatever that of the original is called.
    both = ("--qi", "age,born,town", "--input-table", "May", "--json")
    assert run_in_process("measure", book, tmp_path / "r.xlsx", *both).succeeded().document["records"] == 60
    risk = run_in_process("risk", tmp_path / "r.xlsx", "--original", book, *both).succeeded()
    assert risk.document["records"] == 60
    for command in ("check", "detect", "singletons"):
        said = run_in_process(command, book, *(("--qi", "age") if command != "detect" else ()))
        assert (said.status, "has several sheets: 'May', 'June'." in said.stderr) == (4, True)


@pytest.mark.slow
def test_python_reads_and_names_them_as_well(tmp_path: Path) -> None:
    book = xlsx(tmp_path / "p.xlsx", {"May": sheet([NAMES, *ROWS]), "June": sheet([NAMES, *ROWS[:9]])})
    known = {"quasi_identifiers": ["age", "town"], "identifiers": ["name"], "sensitive": ["illness"], "k": 3}
    result = toolbox.anonymize(book, table="May", **known)
    assert result.summary.proof.smallest_class >= 3
    assert (
        Counter(zip(result.release["illness"], result.release["weight"], result.release["seen"], strict=True)) == PASSED
    )
    with pytest.raises(toolbox.InputError, match=r"Say which is meant: table='May'\.$"):
        toolbox.anonymize(book, **known)
    with pytest.raises(
        toolbox.UsageError, match=r"^table= says how a file is read, and the source is a table\. Leave it out\.$"
    ):
        toolbox.anonymize(frame(), table="May", **known)
    assert toolbox.check(book, quasi_identifiers=["age"], table="June").records == 9
    config = toolbox.load_config(configuration(tmp_path, "filename='p.xlsx' table='May'", "r.xlsx"))
    assert len(toolbox.anonymize(config).release) == 60


LOCKED = compound({"EncryptionInfo": b"x", "EncryptedPackage": b"x"})


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "content", "status", "said"),
    [
        ("p.xlsx", LOCKED, 4, "p.xlsx is locked by a password."),
        ("p.xlsx", b"name,age\nAda,35\n", 4, "p.xlsx has the name of a workbook, and is text."),
        ("p.csv", LOCKED, 4, "p.csv is an Excel workbook."),
        ("p.xlsx", b"PK\x03\x04" + bytes(99), 4, "p.xlsx is a damaged workbook."),
        ("p.xlsx", b"", 4, "p.xlsx is empty."),
        ("p.sav", b"$FL2" + bytes(99), 4, "p.sav cannot be read: it is damaged"),
        ("p.db", b"SQLite format 3\0" + bytes(99), 4, "p.db cannot be read: it is damaged"),
        ("p.jsonl", b'{"name": "Ada"', 4, "p.jsonl, line 1: holds no JSON, or breaks off."),
        ("p.xlsx", None, 4, "p.xlsx cannot be read: No such file"),
    ],
)
def test_what_cannot_be_read_is_told_and_nothing_is_written(
    source: str, content: bytes | None, status: int, said: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / source).write_bytes(content)
    config = configuration(tmp_path, f"filename='{source}' header='true'", "r.csv")
    _refused(run_in_process("-config", config), status, said, tmp_path)


@pytest.mark.parametrize(
    ("source", "release", "options", "status", "said"),
    [
        ("table='Mai'", "r.csv", (), 4, "p.xlsx has no sheet 'Mai'. Did you mean 'May'? It has: 'May', 'June'."),
        (
            "",
            "r.csv",
            (),
            4,
            "p.xlsx has several sheets: 'May', 'June'. Say which is meant: table='May', or --input-table",
        ),
        ("table='June'", "r.csv", (), 2, "p.xlsx has no column 'name'."),
        (
            "table='May'",
            "r.ods",
            (),
            2,
            "has the name of a workbook, and no release is written as such. End its name with .csv",
        ),
        ("table='May'", "r.xlsx", ("--split-size", "1MB"), 2, "The output is a workbook, which is not split."),
        ("table=''", "r.csv", (), 2, "table='' is empty."),
    ],
)
def test_what_does_not_fit_is_told_and_nothing_is_written(
    source: str, release: str, options: tuple[str, ...], status: int, said: str, tmp_path: Path
) -> None:
    xlsx(tmp_path / "p.xlsx", {"May": sheet([NAMES, *ROWS]), "June": sheet([["a"], [1]])})
    config = configuration(tmp_path, f"filename='p.xlsx' {source}", release)
    _refused(run_in_process("-config", config, *options), status, said, tmp_path)


def _refused(done: Finished, status: int, said: str, folder: Path) -> None:
    assert done.status == status, done.stderr
    assert said in done.stderr
    assert "Ada" not in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path for path in folder.iterdir() if path.name.startswith(("r", ".toolbox"))]
