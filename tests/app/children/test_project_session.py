"""What a run is called; what a session does with a project is in `test_state.py`."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

import toolbox
from toolbox.app.children import project_session
from toolbox.app.children.project_session import BusyError, ProjectSession, UnreadError, format_run_name

CONFIGS = Path(__file__).parents[3] / "configs"


def test_a_run_is_called_by_its_method_and_what_is_required() -> None:
    assert format_run_name(toolbox.load_config(CONFIGS / "census_mondrian.xml")) == "Mondrian, k = 5"
    assert format_run_name(toolbox.load_config(CONFIGS / "clinic_anatomy.xml")).startswith("Anatomy, l = ")


@pytest.mark.slow
def test_a_reading_that_was_cancelled_begins_again_only_when_somebody_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = toolbox.Project.open(CONFIGS / "census_mondrian.xml")

    async def go() -> None:
        session = ProjectSession()
        monkeypatch.setattr(project_session, "_PATIENCE", 0.0)
        with pytest.raises(BusyError, match=r"Read census_5000\.csv is still at work"):
            await session.ask(project, "columns", {})
        await session.cancel()
        assert session.work is not None and session.work.is_cancelled
        with pytest.raises(UnreadError):
            await session.ask(project, "columns", {})
        assert session.is_unread
        session.read()
        monkeypatch.setattr(project_session, "_PATIENCE", 60.0)
        assert len(await session.ask(project, "columns", {})) == 10
        await session.close()

    asyncio.run(go())


@pytest.mark.slow
def test_who_cancels_what_waits_does_not_end_what_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    project = toolbox.Project.open(CONFIGS / "census_mondrian.xml")

    async def go() -> None:
        session = ProjectSession()
        monkeypatch.setattr(project_session, "_PATIENCE", 0.0)
        with pytest.raises(BusyError):
            await session.ask(project, "columns", {})
        reading = session.work
        await session.preview(project, lambda *_: pytest.fail("it was cancelled"))
        waiting = session.work
        assert reading is not None and waiting is not None and not reading.is_over
        await session.cancel()
        assert waiting.task is not None
        await waiting.task
        assert (waiting.is_cancelled, reading.is_over, reading.error) == (True, True, None)
        assert len(await session.ask(project, "columns", {})) == 10
        await session.close()

    asyncio.run(go())


@pytest.mark.slow
def test_of_questions_that_wait_while_the_process_dies_none_reaches_a_process_without_a_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = toolbox.Project.open(CONFIGS / "census_mondrian.xml")
    monkeypatch.setattr(project_session, "_PATIENCE", 60.0)

    async def go() -> list[object]:
        session = ProjectSession()
        await session.ask(project, "columns", {})
        number = session._process.pid
        assert number is not None
        os.kill(number, signal.SIGSTOP)
        asked = [asyncio.create_task(session.ask(project, "at_risk", {"k": k})) for k in (2, 2, 2)]
        await asyncio.sleep(0.5)
        # The first is at work, the others wait behind it.
        os.kill(number, signal.SIGKILL)
        found = await asyncio.gather(*asked, return_exceptions=True)
        await session.close()
        return found

    first, *others = asyncio.run(go())
    assert not isinstance(first, Exception), first
    assert others == [first, first]
