"""The process of a session: killed, stopped, and started again."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

import toolbox
from toolbox.app.children.protocol import ChildProcess, Progress, WorkerGoneError
from toolbox.errors import UsageError


@pytest.mark.slow
def test_a_killed_process_is_told_and_the_next_call_starts_another_one(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("town,age\nGraz,1\nGraz,2\nWien,3\n")
    (tmp_path / "c.xml").write_text(
        "<config k='2'><input filename='people.csv' header='true'/><output filename='r.csv'/>"
        "<qid><att name='town' type='category'/><att name='age'/></qid></config>"
    )
    config = toolbox.load_config(tmp_path / "c.xml")

    async def go() -> None:
        session, told = ChildProcess("session"), list[Progress]()
        assert (session.is_alive, session.pid) == (False, None)
        await session.call("open", {"source": config}, told.append)
        assert {progress.step.partition(",")[0] for progress in told} == {"read"}
        first = session.pid
        assert first is not None
        assert (await session.call("at_risk", {"k": 2, "quasi_identifiers": ["town"]}, told.append)).at_risk == 1
        with pytest.raises(UsageError, match="k is 0"):
            await session.call("at_risk", {"k": 0}, told.append)
        os.kill(first, signal.SIGKILL)
        with pytest.raises(WorkerGoneError, match="The project is unharmed"):
            await session.call("at_risk", {"k": 2}, told.append)
        await session.call("open", {"source": config}, told.append)
        assert session.pid not in (None, first)
        await session.end()
        assert not session.is_alive

    asyncio.run(go())
    # What it had made of the table is gone with it.
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "c.xml"}
