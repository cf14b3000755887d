"""The command `report`: what it asks its flow, and the page that it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.command_options import parsed
from helpers.findings import INTERNAL
from helpers.learned_values import ILLNESS
from helpers.recorder import Recorder
from helpers.small_reports import L_3
from helpers.solved_statistics import FOUND

from toolbox.cli.commands import judges as command
from toolbox.errors import ConfigurationError, UsageError
from toolbox.report.html.findings import UntoldModel
from toolbox.risks.figures import Attack

NAMED = ("release.csv", "--qi", "age")


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Recorder:
    monkeypatch.chdir(tmp_path)
    recorder = Recorder(INTERNAL)
    monkeypatch.setattr(command, "report_release", recorder)
    return recorder


def test_tables_threshold_kind_and_models_reach_the_flow(flow: Recorder) -> None:
    more = ("--original", "people.csv", "--population", "town.csv", "--threshold", 0.1, "-k", 3, "--quiet")
    assert command.report(parsed("report", *NAMED, *more, "--report-kind", "public")) == 0
    question, release = flow.parts
    assert (release, question.smallest_class) == (Path("release.csv"), 3)
    named = {name: flow.named[name] for name in ("original", "population", "threshold", "kind")}
    assert named == {"original": Path("people.csv"), "population": Path("town.csv"), "threshold": 0.1, "kind": "public"}


def test_attackers_who_are_asked_for_reach_the_flow(flow: Recorder) -> None:
    more = ("--original", "people.csv", "--matching", "--known", "age", "--insiders", 0.1, "--earlier", "before.csv")
    command.report(parsed("report", *NAMED, *more, "--key", "person", "--quiet"))
    named = {name: flow.named[name] for name in ("attack", "earlier", "link")}
    attack = Attack(known=("age",), insiders=0.1)
    assert named == {"attack": attack, "earlier": Path("before.csv"), "link": "person"}


def test_the_page_stands_beside_the_release_or_where_somebody_wants_it(
    flow: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    command.report(parsed("report", *NAMED))
    assert Path("release.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert capsys.readouterr().err == "toolbox: wrote release.html, the internal report.\n"
    command.report(parsed("report", *NAMED, "--html", "page.htm", "--json"))
    told = {"html": "page.htm", "kind": "internal", "holds": True, "not_judged": [], "advice": []}
    found = json.loads(capsys.readouterr().out)
    asked = [each["guidance"] for each in found.pop("guidance")]
    assert found == {**told, "sample": None, "statistics": None, "sensitive": []}
    assert asked == ["gdpr", "hipaa-expert-determination", "ema-0070"]


def test_what_statistics_and_classes_tell_is_in_the_document(
    flow: Recorder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = replace(INTERNAL, statistics=FOUND, sensitive=(ILLNESS,))
    monkeypatch.setattr(command, "report_release", Recorder(found))
    command.report(parsed("report", *NAMED, "--json"))
    told = json.loads(capsys.readouterr().out)
    assert (told["statistics"]["cells"], told["statistics"]["cells_disclosed"]) == (40, 10)
    assert [(values["attribute"], values["certain"]) for values in told["sensitive"]] == [("illness", 2)]


def test_a_model_that_could_not_be_judged_is_not_said_to_hold(
    flow: Recorder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    untold = (UntoldModel("k-map", None, {"k": 5}, 5),)
    monkeypatch.setattr(command, "report_release", Recorder(replace(INTERNAL, untold=untold)))
    assert command.report(parsed("report", *NAMED, "--json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["holds"], told["not_judged"]) == (None, ["k-map"])


def test_a_page_that_is_there_is_replaced_only_by_force(flow: Recorder) -> None:
    Path("release.html").write_text("mine")
    with pytest.raises(UsageError, match=r"is there already\. Write --force"):
        command.report(parsed("report", *NAMED))
    assert Path("release.html").read_text() == "mine"
    assert command.report(parsed("report", *NAMED, "--force", "--quiet")) == 0
    assert Path("release.html").read_text() != "mine"


def test_what_is_no_page_and_a_kind_that_is_none_are_refused(flow: Recorder) -> None:
    with pytest.raises(
        UsageError, match=r"'page.pdf' is no name of a page. Write --html FILE with a name that ends in .html"
    ):
        command.report(parsed("report", *NAMED, "--html", "page.pdf"))
    with pytest.raises(ConfigurationError, match="internal, public"):
        command.report(parsed("report", *NAMED, "--report-kind", "secret"))
    assert flow.parts == ()


def test_a_release_that_fails_has_its_page_and_status_3(flow: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = Recorder(replace(INTERNAL, models=(L_3,)))
    monkeypatch.setattr(command, "report_release", failing)
    assert command.report(parsed("report", *NAMED, "--quiet")) == 3
    assert "should not be published" in Path("release.html").read_text(encoding="utf-8")
