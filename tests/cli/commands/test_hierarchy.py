"""The command `hierarchy`, as a new user writes it."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from helpers.command_options import parsed
from helpers.running import Finished, run_in_process

from toolbox.cli.commands.hierarchy import ACTIONS
from toolbox.cli.options.parser import build_parser

AGES = "17;15-19;*\n18;15-19;*\n21;20-24;*\n22;20-24;*\n"
CONFIG = """<config><input filename='people.csv' header='true'/><output filename='out.csv'/><qid>
<att name='age'><vgh file='ages.csv'/></att></qid></config>"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ages.csv").write_text(AGES)
    (tmp_path / "people.csv").write_text("age,zip\n17,8010\n21,8020\n99,9010\n")
    (tmp_path / "c.xml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(line: str) -> Finished:
    return run_in_process("hierarchy", *line.split())


def test_options_may_stand_between_the_files() -> None:
    options = parsed("hierarchy", "check", "ages.csv", "--column", "age", "people.csv", "-o", "x.csv", "--from=arx")
    assert (options.action, options.data, options.column) == ("check", ["ages.csv", "people.csv"], "age")
    assert (options.output, vars(options)["from"]) == ("x.csv", "arx")


def test_show_draws_the_tree() -> None:
    shown = run("show ages.csv").succeeded().stdout
    assert "├── 15-19  2 values: 17, 18" in shown
    cut = run("show ages.csv --depth 1").succeeded().stdout
    assert "├── 15-19  2 values\n" in cut
    assert "of 2. --depth N shows more" in cut
    whole = run("show -config c.xml --all").succeeded().stdout
    assert "17, 18" in whole


def test_show_as_a_document_counts_the_records_of_data() -> None:
    document = run("show ages.csv people.csv --column age --json").succeeded().document
    assert document["tree"]["records"] == 2
    assert document["levels"] == [2, 1]


def test_a_check_ends_with_4_if_there_is_a_fault() -> None:
    assert run("check ages.csv").status == 0
    lacking = run("check ages.csv people.csv --column age")
    assert (lacking.status, "lacks 1 value of 1 record" in lacking.stdout) == (4, True)
    of_configuration = run("check c.xml --column age --json")
    assert (of_configuration.status, of_configuration.document["holds"]) == (4, False)
    assert run("check ages.csv people.csv --column age --quiet").stdout == ""


def test_import_and_export_write_a_file_or_standard_output() -> None:
    exported = run("export ages.csv --to rules").succeeded()
    assert exported.stdout == "17,18 => 15-19\n21,22 => 20-24\n"
    assert "written ages.txt" in run("export ages.csv -o ages.txt").succeeded().stdout
    assert Path("ages.txt").read_text() == exported.stdout
    imported = run("import ages.txt -o again.csv --quiet").succeeded()
    assert (imported.stdout, Path("again.csv").read_text()) == ("", AGES)
    assert run("export ages.csv -o ages.xml --json").succeeded().document["written"] == "ages.xml"
    assert json.loads(run("export ages.csv --json").stdout)["text"] == AGES
    assert Path("ages.xml").read_text().startswith("<att name='ages'>")


def test_rules_have_a_file_for_each_level() -> None:
    Path("two.txt").write_text("17,18,21,22 => adult\n")
    run("export ages.csv -o one.txt --quiet").succeeded()
    assert run("import one.txt two.txt").succeeded().stdout == AGES.replace("*", "adult")


def test_build_writes_what_a_run_would_use() -> None:
    shown = run("build people.csv --column zip prefix:2 -o zip.csv").succeeded().stdout
    assert Path("zip.csv").read_text() == "8010;80**;*\n8020;80**;*\n9010;90**;*\n"
    assert "├── 80**  2 values, 2 records\n" in shown
    assert "8010" not in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "Nothing says what to do. Write toolbox hierarchy show FILE; or check, build, import, export."),
        ("chek ages.csv", "toolbox hierarchy cannot 'chek'. Did you mean 'check'?"),
        ("ages.csv", "toolbox hierarchy cannot 'ages.csv'. Write one of show, check, build, import, export."),
        ("show", "Nothing names the hierarchy."),
        ("show none.csv", "There is no such file."),
        ("show ages.csv people.csv", "Write --column NAME."),
        (
            "show ages.csv people.csv people.csv --column age",
            "'people.csv' is one too many. Write the hierarchy, and then at most one table.",
        ),
        ("show ages.csv --depth 0 --from xml", "2 faults"),
        ("show ages.csv -o x.csv", "--output means nothing to show: it goes with build, import, export."),
        ("check ages.csv --all", "--all means nothing to check: it goes with show."),
        ("show -config c.xml people.csv ages.csv", "Write at most one table, as the configuration has the hierarchy."),
        ("build people.csv --column zip", "Nothing names the builder."),
        ("build", "Nothing names the table."),
        ("build people.csv prefix:2 ages.csv", "'ages.csv' is one too many. Write the table and then a builder."),
        ("build people.csv prefix:2", "Nothing names the column."),
        ("build -config c.xml --column age", "Write that of a configuration by export."),
        ("export ages.csv -o ages.csv", "'ages.csv' is read itself, and stays as it is. Name another file, -o FILE."),
        ("check -config c.xml --column sex", "declares no column 'sex'."),
        ("check ages.csv people.csv --column agee", "has no column 'agee'."),
    ],
)
def test_what_is_typed_wrongly_is_told_and_nothing_is_written(folder: Path, line: str, said: str) -> None:
    finished = run(line)
    assert (finished.status, finished.stdout) == (2, "")
    assert said in finished.stderr
    assert "Traceback" not in finished.stderr
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize("action", ACTIONS)
def test_the_help_has_an_example_of_each_action(action: str) -> None:
    assert f"\n{action}: " in (shown := build_parser("hierarchy").format_help())
    assert f"\n  toolbox hierarchy {action} " in shown


@pytest.mark.slow
def test_the_data_may_be_a_table_of_several_in_a_file() -> None:
    with duckdb.connect("people.duckdb") as people:
        people.execute("CREATE TABLE people AS SELECT unnest([17, 21]) AS age")
        people.execute("CREATE TABLE rooms AS SELECT 1 AS age")
    assert run("build people.duckdb prefix:1 --column age --input-table people").stdout == "17;1*;*\n21;2*;*\n"
    assert run("check ages.csv people.duckdb --column age --input-table people").status == 0
    told = run("check ages.csv people.duckdb --column age")
    assert (told.status, "has several tables: 'people', 'rooms'" in told.stderr) == (4, True)
