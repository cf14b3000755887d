"""J7: two tabs that edit one project; the last one never wins silently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from helpers.application import Application


@pytest.mark.slow
def test_the_tab_that_is_older_says_what_has_changed_and_goes_on_from_there(
    application: Callable[..., Application], enter: Callable[..., Any]
) -> None:
    running = application("census_mondrian.xml")
    first = enter(running)
    second = first.context.new_page()
    for page in (first, second):
        page.goto(f"{running.origin}/columns")
    # One page goes on from what it has done itself, as often as it likes, by fields and by forms.
    for role in ("sensitive", "other"):
        with first.expect_response(lambda response: response.request.method == "POST"):
            first.get_by_label("Role of age").select_option(role)
    first.get_by_role("button", name="Undo: Role of age").click()
    first.get_by_text("Undone: Role of age").wait_for()
    assert first.get_by_label("Role of age").input_value() == "sensitive"
    second.get_by_label("Role of sex").select_option("other")
    second.wait_for_url("**/stale?*")
    assert second.locator("#changes li").all_text_contents() == ["Role of age", "Role of age", "Undone: Role of age"]
    second.get_by_role("link", name="Load the page again").click()
    assert second.get_by_label("Role of age").input_value() == "sensitive"
    assert second.get_by_label("Role of sex").input_value() == "quasi-identifier"
    with second.expect_response(lambda response: response.request.method == "POST"):
        second.get_by_label("Role of sex").select_option("other")
    # A form that is sent as a whole hears it as well.
    first.get_by_role("button", name="Save").click()
    first.get_by_role("heading", name="This page was older than the project").wait_for()
    assert first.locator("#changes li").all_text_contents() == ["Role of sex"]
    first.get_by_role("link", name="Load the page again").click()
    assert first.get_by_label("Role of sex").input_value() == "other"
    # Browsers note an answer of this kind on the console.
    refused = [error for error in running.errors if "409" in error]
    assert len(refused) == 2
    running.errors[:] = [error for error in running.errors if "409" not in error]
