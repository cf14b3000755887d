"""The screen *Look*, in a browser: records beside their release, and the class of one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import run
from typing import Any

import pandas as pd
import pytest

import toolbox

ROOT = Path(__file__).parents[3]


def cells_of(page: Any) -> list[list[str]]:
    return [row.split("\t") for row in page.locator(".compared tbody tr").all_inner_texts()]


@pytest.mark.slow
def test_two_variants_are_looked_at_beside_the_records(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None], tmp_path: Path
) -> None:
    page = visit("census_mondrian.xml")
    page.get_by_role("link", name="Protect").first.click()
    page.locator("#preview").click()
    page.get_by_role("row", name="Mondrian, k = 5").wait_for()
    page.get_by_label("k", exact=True).fill("50")
    page.locator("#preview").click()
    page.get_by_role("row", name="Mondrian, k = 50").wait_for()
    page.get_by_role("link", name="Look").first.click()
    page.get_by_role("heading", level=1, name="Look").wait_for()
    assert_accessible(page)
    smallest = {}
    for number, k in ((1, 5), (2, 50)):
        page.get_by_label("Variant").select_option(str(number))
        page.get_by_role("table", name=f"as variant {number} releases them").wait_for()
        written = tmp_path / f"release_{k}.csv"
        config = toolbox.load_config(ROOT / "configs/census_mondrian.xml", k=k, order="input", output=written)
        toolbox.anonymize(config)
        rows = cells_of(page)
        assert [row[3] for row in rows] == list(pd.read_csv(written, dtype=str)["age"][:50])
        smallest[number] = min(int(row[1]) for row in rows)
        assert smallest[number] >= k
    page.get_by_label("Class of record 3", exact=True).focus()
    page.locator("#class", has_text="Record 3 cannot be told from").wait_for()
    page.get_by_label("In classes smaller than").fill("51")
    page.get_by_role("button", name="Show").press("Enter")
    page.locator("#showing", has_text="50 of").wait_for()
    assert {row[1] for row in cells_of(page)} == {"50"}
    page.get_by_role("link", name="age").click()
    page.locator("#showing", has_text="sorted by age").wait_for()
    ages = [int(row[2]) for row in cells_of(page)]
    assert ages == sorted(ages)
    page.get_by_role("link", name="Columns before and after").press("Enter")
    page.get_by_role("img", name="age, as it is released").wait_for()
    assert_accessible(page)


@pytest.mark.slow
def test_a_million_records_are_opened_sorted_filtered_and_paged_to_the_last(
    application: Callable[..., Any], enter: Callable[..., Any], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "configs", tmp_path, dirs_exist_ok=True)
    words = [sys.executable, ROOT / "scripts/generate_census.py", "--records", "1000000"]
    run([*words, "--output", tmp_path / "census_1m.csv"], check=True)
    xml = (tmp_path / "census_mondrian.xml").read_text().replace("census_5000.csv", "census_1m.csv")
    (tmp_path / "million.xml").write_text(xml)
    page = enter(application(tmp_path / "million.xml"))
    page.get_by_role("link", name="Risk now").click()
    page.get_by_text("50,846 of 1,000,000 records (5.1 %) are in classes below k = 5.").wait_for(timeout=60_000)
    people = pd.read_csv(tmp_path / "census_1m.csv", dtype={"age": int})
    page.get_by_role("link", name="Look").first.click()
    page.get_by_role("link", name="Last").click()
    page.locator("#showing", has_text="999,951 to 1,000,000 of 1,000,000").wait_for()
    assert [int(row[2]) for row in cells_of(page)] == list(people["age"][-50:])
    page.get_by_role("link", name="age").click()
    page.locator("#showing", has_text="sorted by age").wait_for()
    page.get_by_label("Page, of 20,000").fill("15000")
    page.get_by_role("button", name="Go").click()
    page.locator("#showing", has_text="749,951 to 750,000").wait_for()
    ordered = people["age"].sort_values(kind="stable")[749_950:750_000]
    assert [int(row[2]) for row in cells_of(page)] == list(ordered)
    assert [int(row[0].replace(",", "")) - 1 for row in cells_of(page)] == list(ordered.index)
    page.get_by_label("In classes smaller than").fill("5")
    page.get_by_role("button", name="Show").click()
    page.locator("#showing", has_text="of 50,846").wait_for()
