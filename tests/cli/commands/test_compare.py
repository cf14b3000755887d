"""The command `compare`: what it asks its flow, its picture, and its exit status."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.recorder import Recorder
from helpers.small_reports import COMPARISON

from toolbox.cli.commands import compare as command
from toolbox.errors import ConfigurationError, UsageError

CONFIG = "<config k='2'><input filename='people.csv' header='true'/><qid><att name='age'/></qid></config>"


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(COMPARISON)
    monkeypatch.setattr(command, "compare_methods", recorder)
    return recorder


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "c.xml").write_text(CONFIG)
    return tmp_path / "c.xml"


def test_what_to_compare_reaches_the_flow(flow: Recorder, config: Path) -> None:
    words = (
        "-k",
        "3, 5,3",
        "-l",
        "2,2.5",
        "-t",
        ".1",
        "--methods",
        "Mondrian,Datafly",
        "--methods",
        "toolbox.methods.datafly:Datafly",
    )
    more = ("--metrics", "precision, kept", "--by", "ncp", "-suppThreshold", 0, "--threshold", 0.1, "--threads", 1)
    assert command.compare(parsed("compare", config, *words, *more, "--quiet")) == 0
    source, _, question, _ = flow.parts
    requirements = question.requirements
    assert (requirements.k, requirements.l, requirements.t) == ((3, 5), (2, 2.5), (0.1,))
    assert question.methods == ["Mondrian", "Datafly", "toolbox.methods.datafly:Datafly"]
    assert (question.metrics, question.by) == (["precision", "kept"], "ncp")
    assert (question.suppression_threshold, question.threshold) == (0, 0.1)
    assert (source.path, source.limits.threads) == (config, 1)


def test_a_table_is_described_by_options(flow: Recorder, tmp_path: Path) -> None:
    hierarchies = ("--hierarchy", "zip=zip.csv", "--hierarchy", "age=intervals:5,10")
    words = ("--qi", "age,zip", "--sensitive", "ill", *hierarchies, "--kind", "age=number")
    command.compare(
        parsed("compare", tmp_path / "a.csv", *words, "--weight", "age=2", "--memory-limit", "1GB", "--quiet")
    )
    source, opened, question, reading = flow.parts
    assert reading.said == []
    assert source == tmp_path / "a.csv"
    columns = opened.columns
    assert (columns.quasi_identifiers, columns.sensitive) == (("age", "zip"), ("ill",))
    assert (columns.hierarchies["zip"].name, columns.kinds, columns.weights) == (
        "zip.csv",
        {"age": "number"},
        {"age": 2},
    )
    assert columns.hierarchies["age"] == "intervals:5,10"
    assert opened.limits.memory == "1GB"
    assert (question.requirements.k, question.methods, question.metrics, question.threshold) == ((), [], [], None)


def test_the_configuration_may_be_an_option(flow: Recorder, config: Path) -> None:
    command.compare(parsed("compare", "-config", config, "--quiet"))
    assert flow.parts[0].path == config


def test_how_the_table_is_read_may_be_said(flow: Recorder, config: Path, tmp_path: Path) -> None:
    words = ("--separator", "\\t", "--encoding", "latin-1", "--input-table", "people", "--quiet")
    command.compare(parsed("compare", tmp_path / "a.csv", "--qi", "age", *words))
    reading = flow.parts[3]
    assert (reading.separator, reading.encoding, reading.table) == ("\t", "iso8859-1", "people")
    # Options win over a configuration.
    command.compare(parsed("compare", config, *words[:4], "--quiet"))
    source = flow.parts[0]
    assert (source.input.separator, source.input.encoding) == ("\t", "iso8859-1")


@pytest.mark.slow
def test_a_picture_is_drawn_beside_the_document(
    flow: Recorder, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert command.compare(parsed("compare", config, "--plot", tmp_path / "d.svg", "--json")) == 0
    assert "<svg" in (tmp_path / "d.svg").read_text(encoding="utf-8")
    assert json.loads(capsys.readouterr().out)["runs"][0]["method"] == "Mondrian"


def test_where_nothing_could_be_done_the_status_says_so(
    monkeypatch: pytest.MonkeyPatch, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = replace(COMPARISON, runs=COMPARISON.runs[3:], records=None)
    monkeypatch.setattr(command, "compare_methods", Recorder(nothing))
    pytest.importorskip("matplotlib")
    assert command.compare(parsed("compare", config, "--plot", tmp_path / "d.svg")) == 3
    assert "It needs a hierarchy" in capsys.readouterr().out
    assert not (tmp_path / "d.svg").exists()


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ([], UsageError, "Nothing names the table. Write toolbox compare CONFIG, or toolbox compare DATA --qi NAMES."),
        (["a.csv"], UsageError, "a.csv is a table. Say which columns"),
        (["a.csv", "-config", "c.xml"], UsageError, "Write one of them"),
        (["c.xml", "--sensitive", "age"], UsageError, "so --sensitive cannot be combined with it"),
        (["none.xml"], ConfigurationError, "none.xml"),
        (["a.csv", "--qi", "age", "-k", "3,x", "-t", "2", "--threshold", "p"], ConfigurationError, "3 faults"),
        (["a.csv", "--qi", "age", "-k", "0", "--methods", "No,Nein", "--by", "best"], ConfigurationError, "4 faults"),
        (["a.csv", "--qi", "age", "--plot", "picture.doc"], UsageError, "ends in .png, .svg, .pdf"),
        (["a.csv", "--qi", "age", "--quiet", "--verbose"], UsageError, "contradict each other"),
    ],
)
def test_what_is_wrong_is_said_before_the_flow(
    words: list[str], error: type[UsageError], said: str, flow: Recorder, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(config.parent)
    with pytest.raises(error, match=said):
        command.compare(parsed("compare", *words))
