"""The part of `risk` about sensitive values, as it is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from helpers.questions import question
from helpers.small_tables import arrow

import toolbox
from toolbox.errors import SettingError, UsageError
from toolbox.flows.judge.question import make_configured_question
from toolbox.flows.judge.risk import assess_risk


def test_without_a_sensitive_attribute_there_is_nothing_to_tell() -> None:
    assert assess_risk(question("age"), arrow("age\n1\n1\n")).sensitive == ()


@pytest.mark.slow
def test_each_attribute_is_told_by_its_own_name() -> None:
    release = pd.DataFrame({"age": ["2*", "2*"], "ill, or not": ["flu", "flu"], "[b]pay": ["1", "2"]})
    found = assess_risk(question("age", sensitive=list(release.columns[1:])), pa.Table.from_pandas(release)).sensitive
    assert [(one.attribute, one.certain) for one in found] == [("ill, or not", 2), ("[b]pay", 0)]


@pytest.mark.slow
def test_the_groups_of_an_anatomy_are_its_classes(tmp_path: Path) -> None:
    people = pd.DataFrame({"age": [23, 25, 61, 64], "illness": ["flu", "gout", "flu", "cold"]})
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "c.xml").write_text(
        "<config method='Anatomy' l='2'><input filename='people.csv' header='true'/>"
        "<output filename='out.csv' format='anatomy'/><qid><att name='age'/></qid><sens><att name='illness'/></sens></config>"
    )
    toolbox.anonymize(tmp_path / "c.xml")
    asked = make_configured_question(toolbox.load_config(tmp_path / "c.xml"))
    assert asked.release is not None
    (found,) = assess_risk(asked, asked.release).sensitive
    assert (found.people, found.certain, found.largest) == (4, 0, 0.5)


def test_people_are_counted_above_any_belief_that_is_asked_for() -> None:
    asked, release = question("age", sensitive=["ill"]), arrow("age ill\n1 flu\n1 flu\n1 flu\n1 gout\n2 flu\n2 gout")
    (found,) = assess_risk(asked, release, above=0.7).sensitive
    assert found.believed_above == ((0.5, 4), (0.7, 4), (0.9, 0))
    (found,) = assess_risk(asked, release, above=[0.3, 0.7]).sensitive
    assert found.believed_above == ((0.3, 6), (0.5, 4), (0.7, 4), (0.9, 0))
    for above in ([0.3, 2], 0, 1, True, "half"):
        with pytest.raises(SettingError, match="above"):
            assess_risk(asked, release, above=above)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Also write --sensitive NAMES"):
        assess_risk(question("age"), release, above=0.7)


@pytest.mark.slow
def test_a_value_of_its_own_for_each_record_is_noted() -> None:
    asked = question("age", sensitive=["ill"])
    rows = [f"{number % 2} p{number}" for number in range(12)]
    for last, is_noted in (("1 p12", True), ("1 p11", False)):
        notes = assess_risk(asked, arrow("\n".join(["age ill", *rows, last]))).notes
        assert any("has a different value for each record" in note for note in notes) is is_noted


PERSONS = pd.DataFrame(
    {
        "p": ["a", "a", "b", "b", "c", "c", "d", "d"],
        "q": ["1", "1", "1", "1", "2", "2", "2", "2"],
        "x": ["flu", "flu", "flu", "flu", "a", "b", "c", "d"],
        "y": ["u", "v", "u", "v", "u", "v", "u", "v"],
    }
)


def test_persons_may_have_several_values_each() -> None:
    """All have u and v, so that their classes tell nothing of y; of four persons two have flu, all of one class."""
    under_one_node = {"y": {"*": {"letters": ["u", "v"], "others": ["w"]}}}
    asked: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": ["x", "y"], "person": "p", "k": 2}
    report = toolbox.risk(PERSONS, original=PERSONS, matching=True, hierarchies=under_one_node, **asked)
    x, y = report.sensitive
    assert (x.people, x.certain, x.shared, x.largest, x.expected_hits, x.share_without_release) == (4, 2, 0, 1, 3, 0.5)
    # Of the second class each value is one of two persons, and one of four in the table.
    assert (x.skewness.largest_ratio, x.skewness.grown_by) == (2.0, ((0.2, 4), (0.5, 0)))
    assert (y.people, y.certain, y.shared, y.largest, y.expected_hits, y.share_without_release) == (4, 0, 4, 1, 4, 1)
    assert (y.skewness.largest_ratio, y.skewness.grown_by) == (1.0, ((0.2, 0), (0.5, 0)))
    assert y.similarity is not None and y.similarity.levels == ((0, 0), (1, 4))
    assert report.matching is not None and report.matching.beliefs is not None
    assert [(each.attribute, each.certain, each.expected_hits) for each in report.matching.beliefs.values] == [
        ("x", 2, pytest.approx(3)),
        ("y", 0, pytest.approx(4)),
    ]
    told = [advice.finding for advice in report.advice]
    assert "x is certain of 2 people, whose class has one value of it." in told
    assert "All persons in the class of 4 people share one value of y, beside others." in told
