"""The command `anonymize`: what it asks its flow, and what it prints of the summary."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.small_summary import SUMMARY

from toolbox.cli.commands.anonymize import anonymize
from toolbox.config.model import Config
from toolbox.errors import UsageError
from toolbox.flows.release import anonymize as flow
from toolbox.report.runs.summary import Summary

CONFIG = """<config method='Mondrian' k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>
<qid><att name='age'/></qid></config>"""


@dataclass
class Run:
    """Stands for the flow: keeps the configuration, places the release, and has a summary made by hand."""

    summary: Summary = SUMMARY
    config: Config | None = None

    def __call__(self, config: Config, *, watcher: object, placed: object) -> Run:
        self.config = config
        print("a method by other people prints")
        placed()  # type: ignore[operator]
        return self


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    replaced = Run()
    monkeypatch.setattr(flow, "run", replaced)
    return replaced


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.xml").write_text(CONFIG)
    (tmp_path / "people.csv").write_text("age\n21\n")
    return tmp_path


def test_options_override_the_configuration_of_the_folder(run: Run) -> None:
    placed: list[str] = []
    words = ("-k", 5, "--escape-formulas", "--dimension", "distinct", "--set", "cut=classic", "--quiet")
    assert anonymize(parsed("anonymize", *words), lambda: placed.append("now")) == 0
    assert placed == ["now"]
    assert run.config is not None
    assert (run.config.k, run.config.method, run.config.output.escapes_formulas) == (5, "Mondrian", True)
    assert run.config.settings == {"dimension": "distinct", "cut": "classic"}
    anonymize(parsed("anonymize", "--quiet"), lambda: None)
    assert (run.config.k, run.config.output.escapes_formulas, run.config.settings) == (2, False, {})


@pytest.mark.parametrize("text", ["dimension", "=distinct"])
def test_a_setting_has_a_name_and_a_value(text: str, run: Run) -> None:
    with pytest.raises(UsageError) as caught:
        anonymize(parsed("anonymize", "--set", text), lambda: None)
    assert str(caught.value) == f"--set is {text!r}. Write --set NAME=VALUE, such as --set dimension=distinct."
    assert run.config is None


def test_standard_output_holds_the_document_alone(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    anonymize(parsed("anonymize", "--json"), lambda: None)
    printed = capsys.readouterr()
    assert json.loads(printed.out)["method"] == "Datafly"
    assert printed.err == "a method by other people prints\n"


def test_without_a_document_the_tables_stand_on_standard_output(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    anonymize(parsed("anonymize"), lambda: None)
    printed = capsys.readouterr()
    assert "1,210 read, 10 skipped, 3 suppressed, 1,197 released" in printed.out
    assert "released" not in printed.err
    anonymize(parsed("anonymize", "--quiet"), lambda: None)
    assert capsys.readouterr() == ("", "a method by other people prints\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no device that is always full.")
def test_a_release_stands_also_where_its_summary_cannot_be_printed(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert anonymize(parsed("anonymize", "--json"), lambda: None) == 0
    assert capsys.readouterr().err.splitlines()[1:] == [
        "toolbox: the release is complete, but its summary could not be printed. Standard output cannot be written: "
        "No space left on device."
    ]
