"""The command line as people and programs use it."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import duckdb
import pytest
from helpers.hostile import CATEGORY, configuration, files, run_apart, run_here, write

from toolbox.cli.options import ANONYMIZE, COMMON

pytestmark = pytest.mark.sampled(3)

VERSION = version("anonymisation-toolbox")
DATA = "a,b,c\nx,1,p\ny,2,q\nx,3,p\ny,4,q\nx,5,p\n"
KEPT = "a,b,c\nx,1,p\ny,2,q\nx,3,p\ny,4,q\nx,5,p\n"
ALL_ONE = "a,b,c\n" + "".join(f'"{{x,y}}",{number},{letter}\n' for number, letter in zip("12345", "pqpqp", strict=True))

DATAFLY = """<att name='a'><map><entry cat='x' int='0'/><entry cat='y' int='1'/></map>
    <vgh value='[0:1]' label='any'/></att>"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write five records and a configuration with k = 2, which they satisfy as they are."""
    write(tmp_path / "in.csv", DATA)
    return write(tmp_path / "c.xml", configuration(sens="<att name='c' type='category'/>"))


@pytest.mark.parametrize(
    "options",
    [
        ["-k", "4"],
        ["-K", "4"],
        ["--k", "4"],
        ["--k=4"],
        ["-k=4"],
        ["-k", " 4 "],
        ["-k", "2", "-k", "4"],
    ],
    ids=" ".join,
)
def test_an_option_has_one_dash_or_two_and_any_case_and_wins(
    options: list[str], config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(["-config", config, *options, "--quiet"], capsys).status == 0
    assert (config.parent / "out.csv").read_text() == ALL_ONE


def test_the_subcommand_is_optional_and_in_any_case(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ([], ["anonymize"], ["ANONYMIZE"]):
        assert run_here([*command, "-CONFIG", config, "--quiet"], capsys).status == 0


def test_names_of_methods_and_formats_are_written_in_any_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in.csv", DATA)
    path = write(tmp_path / "c.xml", configuration(DATAFLY, root="method='mondrian' k='4'"))
    options = ["-METHOD", "DATAFLY", "-suppthreshold", "0", "-OUTPUTFORMAT", "genvalsdist", "--json"]
    run = run_here(["-config", path, *options], capsys)
    assert run.document["method"] == "Datafly"
    first = (tmp_path / "out.csv").read_text().splitlines()[:2]
    assert first == ["a,a_distribution,b,c", "any,0.6:0.4,1,p"]


def test_input_and_output_of_the_command_line_are_relative_to_the_working_directory(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    write(here / "mine.csv", "a,b,c\nz,1,p\nz,2,q\n")
    monkeypatch.chdir(here)
    run = run_here(["-config", "../c.xml", "-input", "mine.csv", "-output", "mine.out", "--quiet"], capsys)
    assert run.status == 0
    assert (here / "mine.out").read_text() == "a,b,c\nz,1,p\nz,2,q\n"
    assert not (tmp_path / "out.csv").exists()


def test_the_configuration_is_config_xml_unless_another_one_is_named(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config.rename(config.with_name("config.xml"))
    monkeypatch.chdir(config.parent)
    assert run_here(["--quiet"], capsys).status == 0
    assert (config.parent / "out.csv").read_text() == KEPT


def test_a_separator_may_be_a_dash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.csv", "a-b\nx-1\nx-2\n")
    path = write(tmp_path / "c.xml", configuration())
    assert run_here(["-config", path, "-separator", "-", "--quiet"], capsys).status == 0
    assert (tmp_path / "out.csv").read_text() == "a-b\nx-1\nx-2\n"


@pytest.mark.parametrize(
    "options",
    [["--dimension", "distinct"], ["--set", "dimension=distinct"], ["--set=dimension=DISTINCT"]],
    ids=" ".join,
)
def test_a_setting_of_the_method_has_its_own_option_or_stands_behind_set(
    options: list[str], config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_here(["-config", config, "--json", *options], capsys)
    assert run.document["settings"] == {"dimension": "distinct", "cut": "fallback", "naming": "values"}


def test_several_settings_stand_behind_several_sets(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--set", "dimension=distinct", "--set", "cut=classic"]
    run = run_here(["-config", config, "--json", *options], capsys)
    assert run.document["settings"] == {"dimension": "distinct", "cut": "classic", "naming": "values"}


def test_json_is_one_document_with_stable_names(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", config, "--json", "--input-digest", "plain"], capsys)
    document = run.document
    expected = {
        "toolbox_version": VERSION,
        "method": "Mondrian",
        "records_read": 5,
        "records_skipped": 0,
        "records_suppressed": 0,
        "classes": 2,
        "smallest_class": 2,
        "average_class": 2.5,
        "models": [{"name": "k-anonymity", "attribute": None, "required": 2, "achieved": 2, "holds": True}],
        "release": [str(config.parent / "out.csv")],
    }
    assert {name: document[name] for name in expected} == expected
    (quasi_identifier,) = document["quasi_identifiers"]
    assert quasi_identifier["name"] == "a"
    assert {"level", "range"} <= set(quasi_identifier)
    assert {"read", "write", "total"} <= set(document["timings"])
    assert {"toolbox", "duckdb", "python"} <= set(document["versions"])
    digest = {name: hashlib.sha256(content).hexdigest() for name, content in files(config.parent).items()}
    assert document["sha256"] == {
        "input": digest["in.csv"],
        "configuration": digest["c.xml"],
        "release": {str(config.parent / "out.csv"): digest["out.csv"]},
    }
    assert run.err == ""


def test_json_gives_the_levels_of_a_method_that_generalises_whole_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in.csv", DATA)
    path = write(tmp_path / "c.xml", configuration(DATAFLY, root="method='Datafly' k='4' suppThreshold='0'"))
    (quasi_identifier,) = run_here(["-config", path, "--json"], capsys).document["quasi_identifiers"]
    assert (quasi_identifier["name"], quasi_identifier["level"]) == ("a", 1)


def test_json_gives_the_range_of_released_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.csv", "a,b\n5,1\n9,2\n21,3\n30,4\n")
    path = write(tmp_path / "c.xml", configuration("<att name='a' type='number'/>"))
    (quasi_identifier,) = run_here(["-config", path, "--json"], capsys).document["quasi_identifiers"]
    assert (quasi_identifier["level"], quasi_identifier["range"]) == (None, "[5:9] .. [21:30]")


def test_json_survives_any_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "größe 😀.csv", "a,b\nx,1\nx,2\n")
    config = configuration(CATEGORY, source="größe 😀.csv", target="ne'u.csv")
    run = run_here(["-config", write(tmp_path / "c.xml", config), "--json"], capsys)
    assert run.document["release"] == [str(tmp_path / "ne'u.csv")]


def test_anatomy_names_both_files(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", config, "--json", "-outputFormat", "anatomy"], capsys)
    names = [str(config.parent / name) for name in ("out_QIT.csv", "out_ST.csv")]
    assert run.document["release"] == names
    assert list(run.document["sha256"]["release"]) == names
    assert sorted(files(config.parent)) == ["c.xml", "in.csv", "out_QIT.csv", "out_ST.csv"]
    records = (config.parent / "out_QIT.csv").read_text().splitlines()
    assert records[0] == "a,group"
    assert sorted(record.split(",")[0] for record in records[1:]) == ["x", "x", "x", "y", "y"]


def test_the_report_is_the_document_that_json_prints(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = config.parent / "report.json"
    printed = run_here(["-config", config, "--json", "--report", report], capsys).document
    assert json.loads(report.read_text()) == printed


def test_the_rejects_are_the_lines_that_could_not_be_read(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(config.parent / "in.csv", DATA + "x,6\nx,7,p,q\n")
    rejects = config.parent / "rejected.txt"
    run = run_here(["-config", config, "--json", "--rejects", rejects], capsys)
    assert run.document["lines_rejected"] == 2
    assert run.document["first_rejected"] == [7, 8]
    assert rejects.read_text() == "x,6\nx,7,p,q\n"


def test_the_store_is_a_database_of_the_two_tables(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = config.parent / "kept.duckdb"
    assert run_here(["-config", config, "--quiet", "-k", "4", "--store", store], capsys).status == 0
    with duckdb.connect(str(store), read_only=True) as database:
        tables = database.sql("SELECT table_name FROM information_schema.tables").fetchall()
        sizes = {name: len(database.table(name).fetchall()) for (name,) in tables}  # views can be read as well
        ((size,),) = database.table("EquivalenceTable").project("size").fetchall()
    assert (sizes["AnonRecordTable"], size) == (5, 5)
    assert sorted(files(config.parent)) == ["c.xml", "in.csv", "kept.duckdb", "out.csv"]


def test_without_a_store_nothing_is_left_but_the_release(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(config.parent)
    assert run_here(["-config", config, "--quiet"], capsys).status == 0
    assert files(config.parent) == before | {"out.csv": KEPT.encode()}


def test_a_release_replaces_an_older_one(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(config.parent / "out.csv", "older and longer\n" * 100)
    assert run_here(["-config", config, "--quiet"], capsys).status == 0
    assert (config.parent / "out.csv").read_text() == KEPT


def test_quiet_prints_nothing(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", config, "--quiet"], capsys)
    assert (run.status, run.out, run.err) == (0, "", "")


def test_quiet_still_prints_errors(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", config, "--quiet", "-k", "0"], capsys)
    assert (run.status, run.out) == (2, "")
    assert "-k '0' is too small" in run.err


def test_the_summary_for_eyes_goes_to_standard_error(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["-config", config], capsys)
    assert (run.status, run.out) == (0, "")
    for shown in ("Mondrian", "5 read", "k-anonymity", "holds", "released", str(config.parent / "out.csv")):
        assert shown in run.err


def test_a_summary_shows_names_that_look_like_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.csv", "[red]a[/],b\n[x],1\n[x],2\n")
    path = write(tmp_path / "c.xml", configuration("<att name='[red]a[/]' type='category'/>", target="[bold]out.csv"))
    run = run_here(["-config", path], capsys)
    assert run.status == 0, run.err
    for shown in ("[red]a[/]", "[bold]out.csv"):
        assert shown in run.err


@pytest.mark.parametrize("spelling", ["--version", "-version", "--VERSION"])
def test_version_prints_one_line(spelling: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here([spelling], capsys)
    assert (run.status, run.out, run.err) == (0, f"toolbox {VERSION}\n", "")


@pytest.mark.parametrize("spelling", ["--help", "-help", "-h"])
def test_help_lists_every_option(spelling: str, tmp_path: Path) -> None:
    run = run_apart([spelling], tmp_path)
    assert (run.status, run.err) == (0, "")
    flags = [flag for option in (*ANONYMIZE, *COMMON) for flag in option.flags]
    assert [flag for flag in [*flags, "--help", "--version"] if flag not in run.out] == []


def test_methods_are_listed_for_eyes_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run_here(["methods"], capsys)
    assert shown.status == 0
    assert all(name in shown.out for name in ("Datafly", "Mondrian", "k-anonymity"))
    document = run_here(["methods", "--json"], capsys).document
    assert document["toolbox_version"] == VERSION
    assert {"methods", "privacy_models", "metrics"} <= set(document)
    methods = {method["name"]: method for method in document["methods"]}
    assert methods["Datafly"]["full_domain"] is True
    assert methods["Mondrian"]["settings"] == {
        "dimension": ["range", "distinct", "interval"],
        "cut": ["fallback", "classic"],
        "naming": ["values", "regions"],
    }
    assert "k-anonymity" in [model["name"] for model in document["privacy_models"]]


def test_a_process_prints_no_progress_where_standard_error_is_no_terminal(config: Path) -> None:
    run = run_apart(["-config", config, "--json"], config.parent)
    assert (run.status, run.err) == (0, "")
    assert run.document["classes"] == 2
    shown = run_apart(["-config", config], config.parent)
    assert (shown.status, shown.out) == (0, "")
    assert "\x1b" not in shown.err
    assert "starting" not in shown.err


def test_the_working_directory_is_left_as_it_was(config: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    assert run_apart(["-config", config, "--quiet"], here).status == 0
    assert files(here) == {}


def test_a_warning_of_the_configuration_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.csv", "a,b\n10,1\n25,2\n")
    att = "<att name='a'><vgh value='[0:50]'><node value='[0:25]'/><node value='[25:50]'/></vgh></att>"
    run = run_here(["-config", write(tmp_path / "c.xml", configuration(att, root="k='1'")), "--json"], capsys)
    assert any("[25]" in note and "the first of them takes it" in note for note in run.document["notes"])
    assert any("k=1 protects nobody" in note for note in run.document["notes"])


def test_the_command_line_of_the_original_works_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.data", "Female;30\nMale;40\nFemale;35\nMale;45\n")
    att = """<att index='0' name='sex'><map><entry cat='Female' int='0'/><entry cat='Male' int='1'/></map>
        <vgh value='[0:1]'/></att>"""
    path = write(tmp_path / "config.xml", configuration(att, given="", source="nowhere", target="nowhere.out"))
    given = f"-method Datafly -config {path} -k 2 -l 3 -c 1 -t 0.3 -suppThreshold 0 -input {tmp_path / 'in.data'}"
    more = f"-separator ; -output {tmp_path / 'out.data'} -outputFormat genVals"
    assert run_here([*given.split(), *more.split()], capsys).status == 0
    assert (tmp_path / "out.data").read_text() == "Female;30\nMale;40\nFemale;35\nMale;45\n"
