"""Reports as Python and notebooks show them."""

from __future__ import annotations

import copy
import pickle

import pandas as pd
import pytest
from helpers.in_order import anonymize

import toolbox
from toolbox import KAnonymity

PEOPLE = pd.DataFrame({"age": [25, 27, 61, 64], "n": [9007199254740995, 1, 2, 3]})
GIVEN = {"quasi_identifiers": ["age"], "k": 2}
NAMES = pd.Index(["Ann", "Bob", "Cy", "Di"], name="person")


@pytest.mark.slow
def test_a_result_and_all_reports_pickle_copy_and_print() -> None:
    result = anonymize(PEOPLE, **GIVEN)
    reports = [
        result.summary,
        toolbox.check(result.release, quasi_identifiers=["age"], sensitive=["n"], models=[KAnonymity(2)]),
        toolbox.measure(PEOPLE, result.release, quasi_identifiers=["age"]),
        toolbox.risk(result.release, quasi_identifiers=["age"], original=PEOPLE),
        toolbox.detect(PEOPLE.astype({"age": str})),
        toolbox.singletons(PEOPLE, quasi_identifiers=["age"]),
    ]
    for report in reports:
        for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report), copy.copy(report)):
            assert again == report
    for shown in (result, *reports):
        assert repr(shown).startswith(f"<{type(shown).__name__}: ")
        assert len(repr(shown)) < 300
        assert shown._repr_html_().count("<table>") >= 1
        assert "\n" in str(shown)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        pd.testing.assert_frame_equal(again.release, result.release)
    assert b"Ann" not in pickle.dumps(anonymize(PEOPLE.set_axis(NAMES), **GIVEN, index="drop"))


def test_print_shows_what_the_command_line_shows_and_the_notebook_escapes_names() -> None:
    result = anonymize(PEOPLE.rename(columns={"age": "<b>"}), quasi_identifiers=["<b>"], k=2)
    assert str(result) == str(result.summary)
    assert "k-anonymity          2          2   holds" in str(result)
    assert "&lt;b&gt;" in result._repr_html_()
    assert "<b>" not in result._repr_html_()


@pytest.mark.slow
def test_what_was_measured_is_a_frame() -> None:
    release = anonymize(PEOPLE, **GIVEN).release
    loss = toolbox.measure(PEOPLE, release, quasi_identifiers=["age"])
    frame = loss.to_frame()
    assert frame.columns.tolist() == ["name", "attribute", "value", "unit", "direction"]
    assert frame["value"].tolist() == [one.value for one in loss.measures]
    check = toolbox.check(release, quasi_identifiers=["age"]).to_frame()
    assert check.to_dict("records") == [{"name": "k-anonymity", "attribute": None, "parameter": "k", "achieved": 2}]
