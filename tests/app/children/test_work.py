"""What is at work, and what becomes of it."""

from __future__ import annotations

import asyncio

from toolbox.app.children.project_session import BusyError, Work
from toolbox.app.children.protocol import Progress
from toolbox.errors import CancelledError


def test_a_work_tells_how_far_it_is_and_how_it_ended() -> None:
    async def begun(error: Exception | None) -> Work:
        async def doing(work: Work) -> None:
            work.told(Progress(1, "read", "3 of 4", 0.75))
            if error is not None:
                raise error

        work = Work("run", "Preview")
        work.begin(doing)
        assert (work.is_over, work.task is not None) == (False, True)
        assert work.task is not None
        await work.task
        return work

    done = asyncio.run(begun(None))
    assert (done.is_over, done.error, done.step, done.share) == (True, None, "read: 3 of 4", 0.75)
    assert done.seconds == done.seconds
    assert asyncio.run(begun(CancelledError("Cancelled."))).is_cancelled
    failed = asyncio.run(begun(ValueError("a cell")))
    assert not failed.is_cancelled
    assert "ValueError" in str(failed.error) and "a cell" not in str(failed.error)


def test_the_session_and_commands_are_two_slots() -> None:
    assert [Work(name, "").slot for name in ("open", "run", "release", "judge")] == ["session"] * 2 + ["command"] * 2
    assert str(BusyError(Work("open", "Read people.csv"))) == "Read people.csv is still at work."
