"""The workplace: one project after the other, none of which takes what belongs to another."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from toolbox.app.children import profile_cache as looks
from toolbox.app.children.project_session import BusyError
from toolbox.app.project.past import FOLDER
from toolbox.app.project.state import Workplace
from toolbox.errors import UsageError


def test_without_a_project_everything_says_so(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    with pytest.raises(UsageError, match=r"No project is open\. Begin with step 1"):
        workplace.opened()
    assert (workplace.current, workplace.works) == (None, [])


def test_a_project_is_opened_as_it_was_left_unless_somebody_else_has_changed_it(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town,age\nGraz,1\nWien,2\n")

    async def opened(source: Path) -> Workplace:
        workplace = Workplace(tmp_path)
        await workplace.open(source)
        return workplace

    workplace = asyncio.run(opened(tmp_path / "people.csv"))
    first = workplace.opened()
    assert (first.folder, workplace.notice) == (tmp_path / "people-project", "")
    asyncio.run(first.change("Role of town", lambda project: project.set_role("town", "quasi-identifier")))
    path = asyncio.run(first.save())
    asyncio.run(first.change("Role of age", lambda project: project.set_role("age", "sensitive")))
    workplace = asyncio.run(opened(tmp_path / "people.csv"))
    assert (workplace.opened().undoes, workplace.opened().is_saved) == ("Role of age", False)
    assert "not saved" in workplace.notice
    path.write_text(path.read_text().replace("town", "age"))
    changed = asyncio.run(opened(path)).opened()
    assert (changed.undoes, changed.is_saved) == (None, True)
    assert (path.parent / FOLDER).stat().st_mode & 0o777 == 0o700


async def with_two_tables(folder: Path) -> Workplace:
    for name in ("one.csv", "two.csv"):
        (folder / name).write_text("town,age\nGraz,1\nGraz,2\n")
    workplace = Workplace(folder)
    await workplace.open(folder / "one.csv")
    return workplace


@pytest.mark.slow
def test_what_is_at_work_ends_when_another_project_is_opened(tmp_path: Path) -> None:
    async def go() -> None:
        workplace = await with_two_tables(tmp_path)
        first = workplace.opened()
        await first.change("Role of town", lambda project: project.set_role("town", "quasi-identifier"))
        await first.preview()
        await first.release(None)
        works = workplace.works
        assert [work.name for work in works] == ["run", "release"]
        await workplace.open(tmp_path / "two.csv")
        second = workplace.opened()
        assert all(work.is_cancelled for work in works) and workplace.works == []
        assert (list(first.variants), list(second.variants), second.runs.released) == ([], [], None)
        await workplace.close()

    asyncio.run(go())


def test_who_goes_on_with_a_project_that_was_left_changes_nothing_of_the_next(tmp_path: Path) -> None:
    async def go() -> None:
        workplace = await with_two_tables(tmp_path)
        first = workplace.opened()
        await first.change("Role of age", lambda project: project.set_role("age", "sensitive"))
        await workplace.open(tmp_path / "two.csv")
        second = workplace.opened()
        before = second.project.snapshot()
        late: list[Any] = [
            lambda: first.change("k", lambda project: project.set_role("age", "other")),
            first.undo,
            first.redo,
            first.save,
            first.preview,
            lambda: first.release(None),
            lambda: first.ask("columns"),
        ]
        for begin in late:
            with pytest.raises(UsageError, match="Another project was opened meanwhile"):
                await begin()
        assert (first.project.source[0].name, second.project.source[0].name) == ("one.csv", "two.csv")
        assert (second.project.snapshot(), second.undoes, workplace.works) == (before, None, [])
        # A table that cannot be opened leaves everything as it is.
        (tmp_path / "no.xml").write_text("no")
        with pytest.raises(Exception, match=r"no\.xml"):
            await workplace.open(tmp_path / "no.xml")
        assert workplace.opened() is second
        await second.change("Role of age", lambda project: project.set_role("age", "sensitive"))
        await workplace.close()

    asyncio.run(go())


@pytest.mark.slow
def test_questions_that_wait_for_a_project_that_was_left_start_no_process_again(tmp_path: Path) -> None:
    async def go() -> None:
        before = sessions()
        workplace = await with_two_tables(tmp_path)
        first = workplace.opened()
        await first.change("Role of town", lambda project: project.set_role("town", "quasi-identifier"))
        while True:
            try:
                await first.ask("columns")
                break
            except BusyError:
                continue
        waiting = [asyncio.create_task(first.ask("at_risk", k=2)) for _ in range(5)]
        await asyncio.sleep(0)
        assert len(sessions() - before) == 1
        await workplace.open(tmp_path / "two.csv")
        await asyncio.gather(*waiting, return_exceptions=True)
        with pytest.raises(UsageError, match="Another project was opened meanwhile"):
            await first.ask("columns")
        assert sessions() <= before
        await workplace.close()

    asyncio.run(go())


def sessions() -> set[str]:
    """Return the numbers of our processes that hold a session; other tests have one."""
    found = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    named = [(pid, Path("/proc", pid, "cmdline")) for pid in found]
    return {pid for pid, path in named if path.exists() and "children.worker\0session" in path.read_text()}


def test_two_that_open_at_once_leave_one_project_open_and_the_other_closed(tmp_path: Path) -> None:
    async def go() -> None:
        workplace = await with_two_tables(tmp_path)
        await asyncio.gather(*(workplace.open(tmp_path / name) for name in ("one.csv", "two.csv")))
        assert workplace.opened().project.source[0].name in ("one.csv", "two.csv")
        await workplace.opened().change("Role of age", lambda project: project.set_role("age", "sensitive"))
        assert workplace.opened().undoes == "Role of age"

    asyncio.run(go())


def test_the_end_is_also_that_of_who_looks_at_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "_PATIENCE", 0.0)

    async def go() -> None:
        workplace = await with_two_tables(tmp_path)
        assert await workplace.looks.ask("sniff", tmp_path / "one.csv", {}) is None
        await workplace.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        await workplace.looks.close()
        assert not left

    asyncio.run(go())
