"""The page of a result in Python."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.page_text import rows, words
from helpers.small_summary import SUMMARY

import toolbox
from toolbox import KMap
from toolbox.errors import OutputError, SettingError, UsageError
from toolbox.flows.release.python import Result

PEOPLE = pd.DataFrame(
    {
        "name": [f"person {letter}" for letter in "abcdefgh"],
        "age": [21, 22, 23, 24, 61, 62, 63, 64],
        "illness": ["flu", "cold"] * 4,
        "born": pd.to_datetime(["1990-05-01", "1991-06-02"] * 4),
    }
)
COLUMNS: dict[str, Any] = {"identifiers": ["name"], "quasi_identifiers": ["age"], "sensitive": ["illness"]}


@pytest.fixture(scope="module")
def result() -> Result:
    return toolbox.anonymize(PEOPLE, **COLUMNS, k=4, order="sorted", undeclared="drop")


@pytest.mark.slow
def test_a_table_has_both_pages(result: Result, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    inside = result.to_html(path=target)
    assert target.read_text(encoding="utf-8") == inside
    outside = result.to_html("public")
    assert result.to_html("public", path=target) == outside
    assert target.read_text(encoding="utf-8") == outside
    assert "8 original values became 2 in the release." in words(inside)
    assert ["[21:24]", "4"] in rows(outside)
    assert "before" not in words(outside).replace("columns held before", "")


@pytest.mark.slow
def test_a_page_tells_those_inside_what_an_attacker_learns_who_matches_everybody(result: Result) -> None:
    said = words(result.to_html(matching=True))
    assert "For everybody at least 4 rows remain." in said
    with pytest.raises(UsageError, match="Leave matching= out, or write an internal page"):
        result.to_html("public", matching=True)


@pytest.mark.slow
def test_a_wrong_kind_and_a_place_that_is_none_are_said(result: Result, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="one of 'internal', 'public'"):
        result.to_html("secret")  # type: ignore[arg-type]
    with pytest.raises(OutputError, match="There is no folder"):
        result.to_html(path=tmp_path / "nowhere" / "page.html")


@pytest.mark.slow
def test_a_file_is_read_again_and_a_configuration_judged_by_its_files(tmp_path: Path) -> None:
    PEOPLE[["age", "illness"]].to_csv(tmp_path / "people.csv", index=False)
    said = words(toolbox.anonymize(tmp_path / "people.csv", quasi_identifiers=["age"], k=4).to_html())
    assert "8 original values became 2 in the release." in said
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='4'><input filename='people.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='age'/></qid></config>"
    )
    assert "Release report: out.csv" in words(toolbox.anonymize(tmp_path / "c.xml").to_html())


@pytest.mark.slow
def test_what_no_judge_can_read_still_has_the_page_of_its_proof() -> None:
    result = toolbox.anonymize(PEOPLE, **COLUMNS, method="Anatomy", l=2, undeclared="drop")
    said = words(result.to_html())
    assert "satisfies distinct l-diversity of illness with l = 2." in said
    assert "The finished release could not be measured again" in said


def test_a_pickled_result_has_no_page_and_no_original_records(result: Result) -> None:
    pickled = pickle.dumps(result)
    assert b"person " not in pickled
    with pytest.raises(UsageError, match="does not know its source any more"):
        pickle.loads(pickled).to_html()
    with pytest.raises(UsageError, match="does not know its source any more"):
        Result(SUMMARY, ()).to_html()


@pytest.mark.slow
def test_a_model_that_compares_with_a_population_has_its_figure_inside_alone() -> None:
    """Of the register, four people fit the one class."""
    register = pd.DataFrame({"age": [21, 22, 23, 24]})
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "method": "Flash", "hierarchies": {"age": "intervals:10"}}
    result = toolbox.anonymize(PEOPLE[["age"]].head(2), **asked, models=[KMap(k=3)], population=register)
    inside, outside = result.to_html(), result.to_html("public")
    assert ["k-map", "3", "4", "holds"] in [row[:4] for row in rows(inside)]
    assert "This release satisfies k-map with k = 3." in words(inside)
    assert "not shown here: k-map with k = 3, which compares with a population." in words(outside)
    assert "Nothing was required" not in words(outside)
