"""The command `risk`: what it asks its flow, and its picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.recorder import Recorder
from helpers.small_reports import RISK_REPORT

from toolbox.cli.commands import judges as command
from toolbox.config.model import Input
from toolbox.errors import ConfigurationError, UsageError
from toolbox.risks.figures import Attack

CONFIG = """<config method='Mondrian' k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>
<qid><att name='age'/></qid></config>"""
NAMED = ("release.csv", "--qi", "age")


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(RISK_REPORT)
    monkeypatch.setattr(command, "assess_risk", recorder)
    return recorder


def test_tables_threshold_and_k_reach_the_flow(flow: Recorder) -> None:
    more = ("--original", "people.csv", "--population", "town.csv", "--threshold", 0.1, "-k", 3, "--quiet")
    assert command.risk(parsed("risk", *NAMED, *more)) == 0
    assert flow.parts[1] == Path("release.csv")
    named = {name: flow.named[name] for name in ("original", "population", "threshold", "k")}
    assert named == {"original": Path("people.csv"), "population": Path("town.csv"), "threshold": 0.1, "k": 3}


def test_an_attacker_who_matches_reaches_the_flow(flow: Recorder) -> None:
    more = ("--original", "people.csv", "--matching", "--known", "age,town", "--insiders", 0.1, "--quiet")
    assert command.risk(parsed("risk", *NAMED, *more)) == 0
    assert flow.named["attack"] == Attack(known=("age", "town"), insiders=0.1)


def test_a_belief_reaches_the_flow(flow: Recorder) -> None:
    assert command.risk(parsed("risk", *NAMED, "--above", 0.3, "--above", "75%", "--quiet")) == 0
    assert flow.named["above"] == [0.3, 0.75]


def test_an_empty_list_of_known_columns_is_not_all_of_them(flow: Recorder) -> None:
    with pytest.raises(UsageError, match="--known names no column"):
        command.risk(parsed("risk", *NAMED, "--original", "people.csv", "--matching", "--known", ""))


def test_the_records_of_a_configuration_are_compared_where_they_are_still_there(flow: Recorder, tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG)
    (tmp_path / "people.csv").write_text("age\n21\n")
    words = ("release.csv", "-config", tmp_path / "c.xml", "--quiet")
    command.risk(parsed("risk", *words))
    original = flow.named["original"]
    assert isinstance(original, Input)
    assert original.path == tmp_path / "people.csv"
    (tmp_path / "people.csv").unlink()
    command.risk(parsed("risk", *words))
    assert flow.named["original"] is None


def test_a_file_that_the_command_line_names_is_asked_for_also_where_it_is_not_there(flow: Recorder) -> None:
    command.risk(parsed("risk", *NAMED, "--original", "nobody.csv", "--quiet"))
    assert flow.named["original"] == Path("nobody.csv")


def test_a_picture_is_drawn_beside_the_document(
    flow: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    command.risk(parsed("risk", *NAMED, "--plot", tmp_path / "r.svg", "--json"))
    assert "<svg" in (tmp_path / "r.svg").read_text(encoding="utf-8")
    assert json.loads(capsys.readouterr().out)["threshold"] == 0.2


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (["--plot", "r.txt"], UsageError, "ends in .png, .svg, .pdf"),
        (["-k", "none", "--threshold", "much"], ConfigurationError, "2 faults"),
        (["--quiet", "--verbose"], UsageError, "contradict each other"),
    ],
)
def test_what_is_wrong_is_said_before_the_flow(
    words: list[str], error: type[UsageError], said: str, flow: Recorder
) -> None:
    with pytest.raises(error, match=said):
        command.risk(parsed("risk", *NAMED, *words))
    assert flow.parts == ()
