"""J7: a killed process, a reload and a restart lose nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.application import Application

import toolbox


def session_process(application: Application) -> int:
    """The number of the process that computes."""
    pids = Path(f"/proc/{application.process.pid}/task/{application.process.pid}/children").read_text().split()
    (found,) = (int(pid) for pid in pids if "children.worker\0session" in Path(f"/proc/{pid}/cmdline").read_text())
    return found


@pytest.mark.slow
def test_a_killed_process_is_started_again_and_changes_outlive_the_application(
    application: Callable[..., Application], enter: Callable[..., Any]
) -> None:
    running = application("census_mondrian.xml")
    page = enter(running)
    page.goto(f"{running.origin}/protect")
    panel = page.get_by_role("complementary")
    panel.get_by_text("At risk").wait_for()
    os.kill(session_process(running), signal.SIGKILL)
    page.get_by_label("k", exact=True).fill("7")
    page.get_by_role("button", name="Keep without a preview").click()
    # The same question is asked of another process, which reads the table again.
    panel.get_by_text("below k\u00a0=\u00a07").wait_for()
    assert session_process(running) > 0
    os.kill(session_process(running), signal.SIGKILL)
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 7").wait_for()
    running.end()
    again = application(running.folder / "census_mondrian.xml")
    page = enter(again)
    page.goto(f"{again.origin}/protect")
    assert page.get_by_label("k", exact=True).input_value() == "7"
    assert page.get_by_role("row", name="Mondrian, k = 7").is_visible()
    page.get_by_role("button", name="Undo: Protection").click()
    assert page.get_by_label("k", exact=True).input_value() == "5"
    assert toolbox.load_config(running.folder / "census_mondrian.xml").k == 5


@pytest.mark.slow
def test_a_bar_of_an_application_that_is_gone_does_not_go_on(
    application: Callable[..., Application], enter: Callable[..., Any]
) -> None:
    running = application("census_mondrian.xml")
    page = enter(running)
    page.goto(f"{running.origin}/protect")
    page.get_by_role("radio", name="PrioPrivacy").check()
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("progressbar").wait_for()
    running.process.kill()
    page.locator("main").get_by_text("The application does not answer.").first.wait_for()
    assert page.get_by_role("progressbar").count() == 0
    assert page.get_by_role("button", name="Cancel").count() == 0
    running.errors.clear()
    page.wait_for_timeout(1500)
    assert running.errors == [], "nothing is asked again"
