"""The flow of `singletons`, with what a pencil finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.questions import question
from helpers.small_tables import arrow

import toolbox
from toolbox.errors import SettingError, UnknownColumnError
from toolbox.flows.explore.singletons import compare_variants
from toolbox.flows.judge.question import make_configured_question
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.report.explore.singletons import SingletonsReport

# Two women of Graz; who is of Linz and who is of Wels stand out by their towns alone.
PEOPLE = arrow("town sex\nGraz f\nGraz f\nLinz f\nWels f\n")
ASKED = question("town", "sex")


@pytest.fixture(scope="module")
def report() -> SingletonsReport:
    return compare_variants(ASKED, PEOPLE)


def test_the_elected_variant_changes_only_those_who_stand_out(report: SingletonsReport) -> None:
    assert (report.k, report.records, report.incomplete, report.unchanged.below_k) == (2, 4, 0, 2)
    assert (report.best.name, report.best.below_k, report.best.modified) == ("town any (local)", 0, 2)
    assert report.all_tried
    assert set(report.timings) == {"read", "compare", "total"}


def test_one_scope_and_the_rules_of_a_column_are_tried_alone() -> None:
    found = compare_variants(ASKED, PEOPLE, scope="global", rules={"sex": ["any"]})
    assert [variant.name for variant in found.variants] == ["town any", "town any, sex any", "as it is", "sex any"]


@pytest.mark.slow
def test_k_is_that_of_the_models_unless_the_call_says_another() -> None:
    asked = question("town", models=[KAnonymity(k=3)])
    assert compare_variants(asked, PEOPLE).unchanged.below_k == 4
    assert compare_variants(asked, PEOPLE, k=2).unchanged.below_k == 2


@pytest.mark.slow
def test_a_column_of_text_holds_numbers_if_all_its_values_are_some_and_no_codes(tmp_path: Path) -> None:
    """Only of numbers there are ranges."""
    path = tmp_path / "people.csv"
    path.write_text("age,zip,note\n21,01010,a\n34,8010,7\n,8020,\n")
    found = compare_variants(question("age", "zip", "note"), path, scope="global")
    alone = {variant.name for variant in found.variants if variant.columns == 1}
    assert {name for name in alone if name.endswith(" ranges")} == {"age ranges"}
    assert {"zip any", "note any"} <= alone


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        ({"k": 1}, SettingError, "k is 1; write a whole number of at least 2"),
        ({"k": "3"}, SettingError, "k is '3'"),
        ({"k": 2.5}, SettingError, "k is 2.5"),
        ({"k": True}, SettingError, "k is True"),
        ({"scope": "some"}, SettingError, "scope is 'some'; write one of local, global, both"),
        ({"rules": {"twon": ["any"]}}, UnknownColumnError, "Did you mean 'town'"),
    ],
)
def test_what_is_wrong_is_refused(said: dict[str, Any], error: type[SettingError], message: str) -> None:
    with pytest.raises(error, match=message):
        compare_variants(ASKED, PEOPLE, **said)


def test_persons_are_counted_where_they_are_declared(tmp_path: Path) -> None:
    """The two records of a are one person, who stands out; b and c share theirs."""
    (tmp_path / "visits.csv").write_text("p,q,x\na,1,flu\na,1,cold\nb,2,flu\nc,2,gout\n")
    (tmp_path / "c.xml").write_text(
        "<config method='Singletons' k='2'><input filename='visits.csv' header='true' separator=','/>"
        "<output filename='out.csv'/><person><att name='p'/></person><qid><att name='q'/></qid></config>"
    )
    asked = make_configured_question(toolbox.load_config(tmp_path / "c.xml"))
    found = compare_variants(asked, tmp_path / "visits.csv")
    assert (found.records, found.unchanged.below_k, found.unchanged.share) == (4, 1, 1 / 3)
    assert found.notes[0] == "Persons are counted (by p), also where a name in the document says records."
