"""`check`, `measure` and `risk` called from Python, with tables as pandas has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import toolbox

PEOPLE = pd.DataFrame({"age": [21, 25, 33, 38, 64]})
CONFIG = """<config method='Mondrian' k='1'><input filename='people.csv' header='true'/><output order='input' filename='r.csv'/>
<qid><att name='age'/></qid></config>"""


def test_intervals_of_pandas_are_intervals() -> None:
    release = PEOPLE.assign(age=pd.cut(PEOPLE["age"], [20, 30, 40, 70], right=False))
    assert toolbox.check(release, quasi_identifiers=["age"]).classes == 3
    cost = toolbox.measure(PEOPLE, release, quasi_identifiers=["age"])
    # Of 43 years: 21 to 30 twice, 30 to 40 twice, and 40 to 64.
    assert cost.value("normalised certainty penalty") == pytest.approx((2 * 9 + 2 * 10 + 24) / 5 / 43)
    alone = PEOPLE.assign(age=pd.array(release["age"]).astype(pd.IntervalDtype("int64", "left")))
    assert toolbox.measure(PEOPLE, alone, quasi_identifiers=["age"]).measures == cost.measures


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


@pytest.mark.parametrize("models", [toolbox.KAnonymity(k=2), [toolbox.KAnonymity]])
def test_models_are_a_list_of_models(models: Any) -> None:
    with pytest.raises(toolbox.UsageError, match="Write"):
        toolbox.check(PEOPLE, quasi_identifiers=["age"], models=models)


def test_limits_may_stand_beside_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG, encoding="utf-8")
    config = toolbox.load_config(tmp_path / "c.xml")
    assert toolbox.check(PEOPLE, config=config, limits=toolbox.Limits(threads=1)).holds


def test_a_column_may_hold_numbers_and_what_hides_them() -> None:
    release = PEOPLE.assign(age=[21, "*", 33.0, None, "[60:64]"])
    before = release.copy()
    cost = toolbox.measure(PEOPLE, release, quasi_identifiers=["age"])
    assert cost.value("normalised certainty penalty") == pytest.approx((43 + 43 + 4) / 5 / 43)
    assert toolbox.check(release, quasi_identifiers=["age"]).suppressed == 1
    pd.testing.assert_frame_equal(release, before)
