"""How values, histograms and comparisons read."""

from __future__ import annotations

import json

from toolbox.report.explore.records import Bar, BeforeAndAfter, CountedBar, Histogram, ValueAtRisk, ValuesAtRisk


def test_values_say_which_of_them_are_listed() -> None:
    found = ValuesAtRisk(k=5, column="[b]town", total=9, offset=4, values=(ValueAtRisk("[i]a", 1_000, 2),))
    assert repr(found) == "<ValuesAtRisk: [b]town: values 5 to 5 of 9, at risk below k = 5>"
    assert "1,000         2   [i]a" in str(found)
    assert ValuesAtRisk(k=5, column="a", total=9, offset=9, values=()).headline().startswith("a: values none of 9")
    assert json.loads(json.dumps(found.document()))["values"] == [{"value": "[i]a", "safe": 1000, "at_risk": 2}]


def test_a_histogram_counts_what_shares_a_bar() -> None:
    found = Histogram(k=5, column="a", is_binned=False, bars=(Bar(None, 1, 2, 3),), others=Bar("others", 7, 8, 9))
    assert found.headline() == "a: 8 values in 2 bars, at risk below k = 5"
    assert "others (7)" in str(found)
    assert found.document()["others"] == {"label": "others", "values": 7, "safe": 8, "at_risk": 9}


def test_a_comparison_says_what_is_suppressed() -> None:
    before, after = CountedBar("x", 1, 2_000), CountedBar("others", 3, 4)
    found = BeforeAndAfter(column="a", is_binned=True, before=(before,), after=(after,), suppressed=1_234)
    assert found.headline() == "a: 1 value in 1 bar, released 3 values in 1 bar, 1,234 records suppressed"
    assert "2,000   x" in str(found) and "4   others (3)" in str(found)
    assert found.document()["after"] == [{"label": "others", "values": 3, "records": 4}]
