"""The tables of the AEPD note are judged as counting by hand judges them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolbox

pytestmark = [pytest.mark.real, pytest.mark.sampled(2)]

TABLES = (
    *("table1", "table2", "table3_global", "table4_local", "table5", "table6_as_printed"),
    *("table5_global_lvl3_1_no_suppression", "table6_fixed_suppress_both", "table6_fixed_wider_age"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_note(shared: Path, name: str) -> None:
    folder = shared / "fixtures" / "aepd"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))[name]
    columns = {"quasi_identifiers": ["Postcode", "Age"]}
    report = toolbox.check(folder / f"{name}.csv", sensitive=["Cholesterol"], **columns)
    assert report.records == expected["rows"]
    assert report.smallest_class == expected["k"]
    assert report.achieved("distinct l-diversity", "Cholesterol") == expected["l_distinct_cholesterol"]
    assert report.achieved("t-closeness", "Cholesterol") == pytest.approx(expected["t_closeness_equal_distance"])
    prosecutor = toolbox.risk(folder / f"{name}.csv", **columns).risk.prosecutor
    assert prosecutor is not None
    assert prosecutor.highest == pytest.approx(expected["max_risk"])
    assert prosecutor.average == pytest.approx(expected["avg_risk"])
