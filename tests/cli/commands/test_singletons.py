"""The command `singletons`: what it asks its flow."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.recorder import Recorder
from helpers.small_reports import SINGLETONS

from toolbox.cli.commands import judges as command
from toolbox.errors import ConfigurationError, UsageError

CONFIG = """<config k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>
<qid><att name='born'/></qid></config>"""
NAMED = ("people.csv", "--qi", "born,town")


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(SINGLETONS)
    monkeypatch.setattr(command, "compare_variants", recorder)
    return recorder


def test_k_scope_and_rules_reach_the_flow(flow: Recorder) -> None:
    rules = ("--rule", "born=ranges, middles", "--rule", "town=any")
    assert command.singletons(parsed("singletons", *NAMED, *rules, "-k", 3, "--scope", "local", "--quiet")) == 0
    question, data = flow.parts
    assert ([str(attribute.column) for attribute in question.quasi_identifiers], data) == (
        ["born", "town"],
        Path("people.csv"),
    )
    assert (flow.named["k"], flow.named["scope"]) == (3, "local")
    assert flow.named["rules"] == {"born": ["ranges", "middles"], "town": ["any"]}


def test_what_is_not_said_has_its_default(flow: Recorder) -> None:
    command.singletons(parsed("singletons", *NAMED, "--quiet"))
    assert (flow.named["k"], flow.named["scope"], flow.named["rules"]) == (None, "both", {})


def test_a_configuration_names_the_table_unless_the_command_line_does(flow: Recorder, tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG)
    command.singletons(parsed("singletons", "-config", tmp_path / "c.xml", "--quiet"))
    assert flow.parts[1] == tmp_path / "people.csv"
    command.singletons(parsed("singletons", "other.csv", "-config", tmp_path / "c.xml", "--quiet"))
    assert flow.parts[1] == Path("other.csv")


def test_as_many_variants_are_shown_as_asked_for(flow: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    command.singletons(parsed("singletons", *NAMED, "--top", 1))
    assert "the variants in the order of the election, 1 of 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (["--qi", "born"], UsageError, "Nothing names the table. Write toolbox singletons DATA"),
        ([*NAMED, "-k", "1", "--top", "0", "--scope", "some", "--rule", "born"], ConfigurationError, "4 faults"),
        ([*NAMED, "--quiet", "--verbose"], UsageError, "contradict each other"),
    ],
)
def test_what_is_wrong_is_said_before_the_flow(
    words: list[str], error: type[UsageError], said: str, flow: Recorder
) -> None:
    with pytest.raises(error, match=said):
        command.singletons(parsed("singletons", *words))
    assert flow.parts == ()
