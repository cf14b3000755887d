"""The command `check`: what it asks its flow, and its exit status."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.recorder import Recorder
from helpers.small_reports import CHECK, K_2

from toolbox.cli.commands import judges as command
from toolbox.errors import ConfigurationError, UsageError
from toolbox.report.judges.check import CheckReport

HOLDS = replace(CHECK, judged=(K_2,))
NAMED = ("release.csv", "--qi", "age,town")


def flow(monkeypatch: pytest.MonkeyPatch, answer: CheckReport) -> Recorder:
    recorder = Recorder(answer)
    monkeypatch.setattr(command, "check_release", recorder)
    return recorder


@pytest.mark.parametrize(("answer", "status"), [(HOLDS, 0), (CHECK, 3), (replace(CHECK, judged=()), 0)])
def test_the_status_tells_whether_all_required_models_hold(
    answer: CheckReport, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow(monkeypatch, answer)
    assert command.check(parsed("check", *NAMED, "--quiet")) == status


def test_release_population_and_harmonised_reach_the_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = flow(monkeypatch, HOLDS)
    command.check(parsed("check", *NAMED, "--population", "town.csv", "--harmonised", "--quiet"))
    question, release = recorder.parts
    assert [str(attribute.column) for attribute in question.quasi_identifiers] == ["age", "town"]
    assert release == Path("release.csv")
    assert (recorder.named["population"], recorder.named["harmonised"]) == (Path("town.csv"), True)
    command.check(parsed("check", *NAMED, "--quiet"))
    assert (recorder.named["population"], recorder.named["harmonised"]) == (None, False)


def test_the_document_of_the_report_is_printed_also_where_a_model_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flow(monkeypatch, CHECK)
    assert command.check(parsed("check", *NAMED, "--json")) == 3
    assert json.loads(capsys.readouterr().out)["holds"] is False


def test_options_that_are_wrong_stop_it_before_the_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = flow(monkeypatch, HOLDS)
    with pytest.raises(UsageError, match="contradict each other"):
        command.check(parsed("check", *NAMED, "--quiet", "--verbose"))
    with pytest.raises(ConfigurationError, match="--population"):
        command.check(parsed("check", *NAMED, "--population", ""))
    assert recorder.parts == ()


def test_queries_are_printed_each_below_the_name_of_its_test(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("check", "people", "--qi", "age,town", "-k", "3", "--sql", "postgresql")
    assert command.check(parsed(*asked)) == 0
    text = capsys.readouterr().out
    assert text.startswith("-- tests/people_k_anonymity_k_3.sql: k-anonymity (k=3)\nWITH ")
    assert text.endswith("achieved < 3\n")
    assert command.check(parsed(*asked, "--json")) == 0
    (test,) = json.loads(capsys.readouterr().out)["tests"]
    assert text == f"-- tests/{test['name']}.sql: {test['model']}\n{test['sql']}\n"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("people", "--sql", "duckdb", "--harmonised"), "--harmonised cannot be combined with --sql"),
        (("people", "--sql", "duckdb", "--population", "all.csv"), "--population cannot be combined with --sql"),
        (("--sql", "duckdb"), "Nothing names the model of dbt"),
        (("people", "--sql", "duckdb", "--person", "name"), "By person a table is judged here only"),
    ],
)
def test_what_a_query_does_not_ask_is_refused(more: tuple[str, ...], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        command.check(parsed("check", *more, "--qi", "age", "-k", "2"))
