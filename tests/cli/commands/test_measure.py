"""The command `measure`: what it asks its flow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.recorder import Recorder
from helpers.small_reports import LOSS

from toolbox.cli.commands import judges as command
from toolbox.errors import ConfigurationError, UsageError


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(LOSS)
    monkeypatch.setattr(command, "measure_release", recorder)
    return recorder


def test_both_tables_the_label_and_k_reach_the_flow(flow: Recorder) -> None:
    words = ("people.csv", "release.csv", "--qi", "age", "--weight", "age=2", "--label", "illness", "-k", 3, "--quiet")
    assert command.measure(parsed("measure", *words)) == 0
    question, original, release = flow.parts
    assert (original, release) == (Path("people.csv"), Path("release.csv"))
    assert (flow.named["label"], flow.named["k"]) == ("illness", 3)
    assert [(str(attribute.column), attribute.weight) for attribute in question.quasi_identifiers] == [("age", 2.0)]


def test_the_document_of_the_report_is_printed(flow: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    command.measure(parsed("measure", "people.csv", "release.csv", "--qi", "age", "--json"))
    assert json.loads(capsys.readouterr().out)["records"] == 1200


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (["people.csv", "--qi", "age"], UsageError, "measure compares two tables"),
        (["--qi", "age"], UsageError, "Nothing names the original records"),
        (["a.csv", "b.csv", "--qi", "age", "-k", "none"], ConfigurationError, "--k 'none' is not a whole number"),
        (["a.csv", "b.csv", "--qi", "age", "--quiet", "--verbose"], UsageError, "contradict each other"),
    ],
)
def test_what_is_wrong_is_said_before_the_flow(
    words: list[str], error: type[UsageError], said: str, flow: Recorder
) -> None:
    with pytest.raises(error, match=said):
        command.measure(parsed("measure", *words))
    assert flow.parts == ()
