"""The frame of all screens, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolbox.app.steps import STEPS


def test_every_screen_opens_without_a_project_and_axe_finds_nothing(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = visit()
    for _, title in STEPS:
        page.get_by_role("link", name=title).click()
        page.get_by_role("heading", level=1, name=title).wait_for()
        assert_accessible(page)


def test_quit_ends_the_application(application: Callable[..., Any], enter: Callable[..., Any]) -> None:
    running = application()
    page = enter(running)
    page.get_by_role("button", name="Quit").click()
    page.get_by_role("heading", name="The application has ended").wait_for()
    assert running.process.wait(timeout=10) == 0
