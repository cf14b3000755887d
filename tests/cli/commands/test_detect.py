"""The command `detect`: what it asks its flow, and its picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.recorder import Recorder
from helpers.small_reports import DETECTION_REPORT

from toolbox.cli.commands import explore as command
from toolbox.errors import ConfigurationError, UsageError
from toolbox.flows.arguments.checks import Reading

CONFIG = """<config k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>
<qid><att name='born'/></qid></config>"""


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(DETECTION_REPORT)
    monkeypatch.setattr(command, "detect_columns", recorder)
    return recorder


def test_the_columns_and_how_to_look_at_them_reach_the_flow(flow: Recorder) -> None:
    words = ("--columns", "born,town", "--exclude", "town", "--exclude", "card", "--max-columns", 3)
    assert (
        command.detect(
            parsed("detect", "a.csv", *words, "--on-missing", "value", "--missing", "NA", "--separator", ";", "--quiet")
        )
        == 0
    )
    data, wanted = flow.parts
    assert (data, wanted.columns, wanted.exclude) == (Path("a.csv"), ["born", "town"], ["town", "card"])
    assert (flow.named["max_columns"], flow.named["missing_is_a_value"]) == (3, True)
    assert flow.named["reading"] == Reading(separator=";", missing="NA")


def test_what_is_not_said_has_its_default(flow: Recorder) -> None:
    command.detect(parsed("detect", "a.csv", "--threads", 2, "--quiet"))
    named = {name: flow.named[name] for name in ("max_columns", "missing_is_a_value", "reading", "config")}
    assert named == {"max_columns": 4, "missing_is_a_value": False, "reading": Reading(), "config": None}
    assert flow.named["limits"].threads == 2
    assert flow.named["suda"] == (None, None)
    command.detect(parsed("detect", "a.csv", "--suda", 3, "--sampling-fraction", "10%", "--quiet"))
    assert flow.named["suda"] == (3, 0.1)


def test_a_configuration_names_the_table_unless_the_command_line_does(flow: Recorder, tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG)
    words = ("-config", tmp_path / "c.xml", "--threads", 2, "--quiet")
    command.detect(parsed("detect", *words))
    assert flow.parts[0] == tmp_path / "people.csv"
    # The limits of the command line stand in the configuration then.
    assert (flow.named["config"].limits.threads, flow.named["limits"]) == (2, None)
    command.detect(parsed("detect", "other.csv", *words))
    assert flow.parts[0] == Path("other.csv")


def test_as_many_subsets_are_shown_as_asked_for(flow: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    command.detect(parsed("detect", "a.csv", "--top", 2))
    assert "the subsets with most singletons, 2 of 3" in capsys.readouterr().out


@pytest.mark.slow
def test_a_picture_is_drawn_beside_the_document(
    flow: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    command.detect(parsed("detect", "a.csv", "--plot", tmp_path / "d.svg", "--json"))
    assert "<svg" in (tmp_path / "d.svg").read_text(encoding="utf-8")
    assert json.loads(capsys.readouterr().out)["identifiers"] == [["card"]]


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ([], UsageError, "Nothing names the table. Write toolbox detect DATA."),
        (["a.csv", "--max-columns", "0", "--top", "many", "--on-missing", "keep"], ConfigurationError, "3 faults"),
        (["a.csv", "--plot", "picture.doc"], UsageError, "ends in .png, .svg, .pdf"),
        (["a.csv", "--quiet", "--verbose"], UsageError, "contradict each other"),
    ],
)
def test_what_is_wrong_is_said_before_the_flow(
    words: list[str], error: type[UsageError], said: str, flow: Recorder
) -> None:
    with pytest.raises(error, match=said):
        command.detect(parsed("detect", *words))
    assert flow.parts == ()
