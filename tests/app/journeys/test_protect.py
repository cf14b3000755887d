"""The screen *Protect*, in a browser: previews that stay, compared two by two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.slow
def test_previews_are_kept_and_two_are_compared(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = visit("census_mondrian.xml")
    page.get_by_role("link", name="Protect").first.click()
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 5").wait_for()
    page.get_by_label("k", exact=True).fill("20")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 20").wait_for()
    assert_accessible(page)
    # By keyboard from here on.
    for number in (1, 2):
        page.get_by_label(f"Compare variant {number}").press("Space")
    page.get_by_role("button", name="Compare the two chosen").press("Enter")
    page.get_by_role("heading", level=1, name="Two variants compared").wait_for()
    smallest = page.get_by_role("row", name="Smallest class").get_by_role("cell").all_inner_texts()
    assert smallest == ["5", "20"]
    assert_accessible(page)
    page.goto(page.url.partition("/protect")[0] + "/protect")
    page.get_by_role("button", name="Take up variant 1").press("Enter")
    assert page.get_by_label("k", exact=True).input_value() == "5"


@pytest.mark.slow
def test_what_is_wrong_is_said_beside_the_field_and_on_top(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = visit("census_mondrian.xml")
    page.get_by_role("link", name="Protect").first.click()
    page.get_by_label("Another model").select_option("t-closeness")
    page.get_by_role("button", name="Add it").click()
    page.get_by_label("t", exact=True).fill("often")
    page.get_by_role("button", name="Keep without a preview").click()
    page.get_by_role("alert").get_by_role("link", name="t is not a number. Write one, such as 0.2.").click()
    assert page.get_by_label("t", exact=True).get_attribute("aria-invalid") == "true"
    assert page.get_by_role("link", name="Say which sensitive attribute t-closeness protects.").is_visible()
    assert_accessible(page)
    page.get_by_label("t", exact=True).fill("0.3")
    page.get_by_label("Sensitive attribute of t-closeness").select_option("diagnosis")
    page.get_by_role("button", name="Keep without a preview").click()
    page.get_by_role("button", name="Undo: Protection").wait_for()
    assert page.get_by_label("t", exact=True).input_value() == "0.3"
    page.get_by_label("k", exact=True).fill("0")
    page.get_by_label("Most records that may be suppressed").fill("abc%")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("alert").get_by_role("link", name="'abc%' is no percentage").click()
    assert page.get_by_label("k", exact=True).get_attribute("aria-invalid") == "true"
    assert_accessible(page)
    page.get_by_label("k", exact=True).fill("5")
    page.get_by_label("Most records that may be suppressed").fill("")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 5").wait_for()
    assert page.get_by_role("alert").count() == 0
