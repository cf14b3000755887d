"""The screen *Risk now*, in a browser: the slider, the chart that is flipped, and the same as a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.application import Application

CONFIGS = Path(__file__).parents[3] / "configs"
CENSUS = CONFIGS / "census_5000.csv"
QUASI_IDENTIFIERS = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
QUASI_IDENTIFIERS += ["salary-class"]


def counted(column: str, k: int, by: list[str]) -> pd.DataFrame:
    """Count the safe and the risky records of each value, as pandas does."""
    people = pd.read_csv(CENSUS, dtype=str, keep_default_na=False)
    is_small = people.groupby(by)[by[0]].transform("size") < k
    found = pd.crosstab(people[column], is_small).reindex(columns=[False, True], fill_value=0)
    return found.sort_index(key=lambda values: values.astype(int) if column == "age" else values)


def rows_of(page: Any) -> list[tuple[str, int, int]]:
    """Read the table of the values."""
    rows = page.locator("#values tbody tr").all_inner_texts()
    cells = [row.split("\t") for row in rows]
    return [(name, int(safe.replace(",", "")), int(risky.replace(",", ""))) for name, safe, risky, _ in cells]


@pytest.mark.slow
def test_twenty_five_fast_key_presses_end_twenty_five_steps_on_and_are_announced_once(
    census: Application, enter: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = enter(census)
    page.get_by_role("link", name="Risk now").click()
    page.get_by_text("4,129 of 5,000 records (82.6 %) are in classes below k = 5.").wait_for()
    page.evaluate(
        """() => {
            window.said = [];
            const region = document.getElementById("announce");
            new MutationObserver(() => window.said.push(region.textContent)).observe(region, {childList: true});
        }"""
    )
    slider = page.get_by_role("slider", name="k, the smallest class that is safe")
    slider.focus()
    for _ in range(25):
        slider.press("ArrowRight", no_wait_after=True)
    page.get_by_text("are in classes below k = 30.").wait_for()
    assert page.get_by_label("k as a number").input_value() == "30"
    expected = int(counted("age", 30, QUASI_IDENTIFIERS)[True].sum())
    said = page.locator("#announce", has_text=f"{expected:,} of 5,000 records, 100.0 %, are in classes below k = 30.")
    said.wait_for(state="attached")
    assert len(page.evaluate("window.said")) == 1
    assert slider.evaluate("element => element === document.activeElement"), "what has the focus is never replaced"
    assert_accessible(page)
    page.get_by_label("k as a number").fill("7")
    page.get_by_text("are in classes below k = 7.").wait_for()
    assert slider.input_value() == "7"


@pytest.mark.slow
def test_chart_and_table_say_what_an_independent_count_says_flipped_or_not(
    census: Application, enter: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = enter(census)
    page.get_by_role("link", name="Risk now").click()
    # By keyboard alone.
    page.get_by_text("Classes by all 9 quasi-identifiers").press("Enter")
    for name in QUASI_IDENTIFIERS[3:]:
        page.get_by_label(name, exact=True).press("Space")
    page.get_by_label("k as a number").fill("12")
    page.get_by_label("Also as a table").press("Space")
    page.get_by_label("Column").select_option("race")
    chosen = QUASI_IDENTIFIERS[:3]
    found = counted("race", 12, chosen)
    total = int(found[True].sum())
    page.get_by_text(f"{total:,} of 5,000 records ({total / 5000:.1%}".replace("%", " %")).wait_for()
    expected = [(name, int(safe), int(risky)) for name, safe, risky in found.itertuples()]
    page.locator("#values tr", has_text="European").wait_for()
    assert rows_of(page) == expected
    for is_flipped in (False, True):
        titles = page.locator("#found svg .c-mark").evaluate_all(
            "marks => marks.map(mark => mark.querySelector('title')?.textContent ?? mark.getAttribute('aria-label'))"
        )
        said = [f"{name}: {risky:,} of {safe + risky:,} records at risk" for name, safe, risky in expected]
        assert titles == said, is_flipped
        assert_accessible(page)
        with page.expect_response("**/risk?*"):
            page.get_by_label("Turn the chart").press("Space")
        page.locator("#found:not(.htmx-settling) svg").wait_for()
    page.get_by_label("Column").select_option("age")
    page.get_by_label("Sorted by").select_option("count")
    by_age = counted("age", 12, chosen)
    most = by_age.sum(axis=1).idxmax()
    page.locator("#values tbody tr:first-child th", has_text=str(most)).wait_for()
    assert page.get_by_text("Bars are ranges of values, in their order.").is_visible()
    rows = rows_of(page)
    assert sorted(rows, key=lambda row: int(row[0])) == [(n, int(s), int(r)) for n, s, r in by_age.itertuples()]
    assert [safe + risky for _, safe, risky in rows] == sorted(by_age.sum(axis=1), reverse=True)
