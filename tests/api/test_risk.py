"""`risk` of tables in memory."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import toolbox

PEOPLE = pd.DataFrame({"age": [21, 23, 38, 39], "town": ["a", "b", "a", "c"], "illness": ["x", "y", "x", "x"]})


@pytest.mark.slow
def test_numbers_are_compared_as_numbers_whatever_the_types() -> None:
    release = pd.DataFrame({"age": [21.0, 23.0, 38.0, 39.0]})
    report = toolbox.risk(release, quasi_identifiers=["age"], original=PEOPLE)
    assert report.risk.consistency.counts == ((1, 4),)


def test_missing_values_of_pandas_are_values() -> None:
    people = pd.DataFrame({"age": [21, None, None, 39]})
    report = toolbox.risk(people, quasi_identifiers=["age"], original=people, k=2)
    assert report.risk.consistency.counts == ((1, 2), (2, 2))


@pytest.mark.slow
def test_original_records_need_no_sensitive_column_which_is_read_in_the_release() -> None:
    release = PEOPLE.assign(age=["[21;30[", "[21;30[", "[30;40[", "[30;40["])
    lacking, whole = (
        toolbox.risk(release, quasi_identifiers=["age"], sensitive=["illness"], original=original, matching=True)
        for original in (PEOPLE[["age"]], PEOPLE)
    )
    found, expected = lacking.document(), whole.document()
    assert {**found, "timings": 0} == {**expected, "timings": 0}
    with pytest.raises(toolbox.UsageError, match="'illness'"):
        toolbox.risk(release[["age"]], quasi_identifiers=["age"], sensitive=["illness"], original=PEOPLE)


@pytest.mark.slow
def test_truth_values_beside_what_hides_them_are_understood() -> None:
    people = pd.DataFrame({"smoker": [True, False, True]})
    release = pd.DataFrame({"smoker": [True, "*", True]})
    report = toolbox.risk(release, quasi_identifiers=["smoker"], original=people)
    assert report.risk.consistency.counts == ((1, 1), (3, 2))


@pytest.mark.slow
def test_a_mask_stands_for_codes_that_are_as_long() -> None:
    people = pd.DataFrame({"zip": ["13001", "13002", "1300", "14000"]})
    release = pd.DataFrame({"zip": ["130**", "130**", "1300", "14***"]})
    report = toolbox.risk(release, quasi_identifiers=["zip"], original=people, kinds={"zip": "category"})
    assert report.risk.consistency.counts == ((1, 2), (2, 2))
    with pytest.raises(toolbox.InputError, match="15"):
        release = pd.DataFrame({"zip": ["15***"]})
        toolbox.risk(release, quasi_identifiers=["zip"], original=people, kinds={"zip": "category"})


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"k": "2"}, "k is '2'"),
        ({"k": 2.5}, "whole number"),
        ({"threshold": "0.5"}, "threshold is '0.5'"),
        ({"config": "c.xml"}, "load_config"),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], told: str) -> None:
    named = {} if "config" in arguments else {"quasi_identifiers": ["age"]}
    with pytest.raises(toolbox.UsageError, match=told):
        toolbox.risk(PEOPLE, **named, **arguments)
