"""A privacy model and a loss metric by other people say their own sentences on the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.page_text import rows
from helpers.plugged import install

from toolbox.cli.main import main

_MODEL = '''
from dataclasses import dataclass
from sqlalchemy import func, select
from toolbox import PrivacyModel

@dataclass(frozen=True, kw_only=True)
class Company(PrivacyModel):
    """Nobody is alone."""
    name = "company"
    meaning = "At least {value} people, and {braces} of any kind, share {of}."
    monotone = True
    suppression_helps = True
    bounds = ("least",)
    least: int = 2

    @property
    def required(self):
        return self.least

    @property
    def least_records(self):
        return self.least

    def achieved(self, classes):
        return select(classes.sizes.c.equivalence_id, classes.sizes.c.size.label("achieved"))

    def holds(self, achieved):
        return achieved >= self.least

    def worst(self, achieved):
        return func.min(achieved)
'''
_METRIC = '''
from dataclasses import dataclass
from toolbox import LossMetric

@dataclass(frozen=True, kw_only=True)
class Nothing(LossMetric):
    """Always seven."""
    name = "seven"
    unit = "sevens"
    range = "7 .. 7"
    direction = "lower"
    meaning = "Seven, <whatever> happens."
    rank = 15

    def values(self, comparison):
        yield self.measure(7.0)
'''


def make_page(folder: Path, *options: str) -> list[list[str]]:
    source, page = folder / "people.csv", folder / "page.html"
    source.write_text("age\n23\n25\n24\n61\n67\n64\n")
    words = ["--qi", "age", "--method", "Mondrian", "--output", str(folder / "out.csv"), "--quiet"]
    assert main(["anonymize", str(source), *words, *options, "--html", str(page)]) == 0
    return rows(page.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_model_that_is_required_and_one_that_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "toolbox.privacy_models", {"company": "Company"}, _MODEL)
    sentence = "At least 3 people, and {braces} of any kind, share the sensitive attribute."
    required = make_page(tmp_path, "--model", "company:least=3")
    assert [row for row in required if row[0] == "company"] == [["company", "3", "3", "holds", sentence]]
    measured = make_page(tmp_path, "--k", "3")
    assert [row for row in measured if row[0] == "company"] == [["company", "least", "3", sentence]]


@pytest.mark.slow
def test_a_metric_in_its_place_among_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "toolbox.loss_metrics", {"seven": "Nothing"}, _METRIC)
    shown = make_page(tmp_path, "--k", "3")
    names = [row[0] for row in shown]
    place = names.index("seven")
    assert shown[place][1:] == ["7", "sevens", "7 .. 7", "lower", "Seven, <whatever> happens."]
    assert (names[place - 1], names[place + 1]) == ("normalised certainty penalty", "loss metric (LM)")
