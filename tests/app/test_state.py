"""The workplace: changes that can be undone, questions to the session, previews that become variants."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from helpers.asgi import Asking

from toolbox import Project
from toolbox.app import looks
from toolbox.app.keeping import FOLDER
from toolbox.app.state import Workplace
from toolbox.errors import UsageError


def test_a_change_that_fails_leaves_the_project_as_it_was(asking: Asking, workplace: Workplace) -> None:
    before, undoes = workplace.opened().snapshot(), workplace.undoes

    def edit(project: Project) -> None:
        project.set_role("town", "other")
        project.set_role("nowhere", "other")

    with pytest.raises(UsageError, match="nowhere"):
        asking.runner.run(workplace.change("Roles", edit))
    assert (workplace.opened().snapshot(), workplace.undoes) == (before, undoes)
    # What changes nothing is nothing to undo.
    asking.runner.run(workplace.change("Nothing", lambda project: project.set_role("town", "quasi-identifier")))
    assert workplace.undoes == undoes


def test_a_preview_becomes_a_variant_of_this_very_project(asking: Asking, workplace: Workplace) -> None:
    async def previewed() -> None:
        await workplace.change("Method", lambda project: project.set_method("Mondrian"))
        await workplace.preview()
        assert [work.words for work in workplace.works] == ["Preview Mondrian, k = 2"]
        assert workplace.work is not None and workplace.work.task is not None
        await workplace.work.task

    asking.runner.run(previewed())
    variant = workplace.variants.last
    assert variant is not None
    assert (variant.words, variant.records, variant.smallest, workplace.works) == ("Mondrian, k = 2", 4, 2, [])
    assert variant.fingerprint == workplace.fingerprint
    assert workplace.held(variant.number) is not None
    assert asking.runner.run(workplace.ask("at_risk", k=2, column="town")).at_risk == 4
    asking.runner.run(workplace.change("k", lambda project: project.set_models([{"type": "k-anonymity", "k": 4}])))
    assert variant.fingerprint != workplace.fingerprint
    asking.runner.run(workplace.change("Back", lambda project: workplace.restore(project, variant)))
    assert (variant.fingerprint, workplace.k) == (workplace.fingerprint, 2)
    assert (asking.runner.run(workplace.undo()), workplace.k) == ("Back", 4)
    assert (asking.runner.run(workplace.redo()), workplace.k) == ("Back", 2)


def test_without_a_project_everything_says_so(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    with pytest.raises(UsageError, match=r"No project is open\. Begin with step 1"):
        asyncio.run(workplace.ask("at_risk", k=2))
    assert (workplace.fingerprint, workplace.works, workplace.undoes, workplace.is_saved) == ("", [], None, False)


def test_a_project_is_opened_as_it_was_left_unless_somebody_else_has_changed_it(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town,age\nGraz,1\nWien,2\n")

    async def opened(source: Path) -> Workplace:
        workplace = Workplace(tmp_path)
        await workplace.open(source)
        return workplace

    first = asyncio.run(opened(tmp_path / "people.csv"))
    assert first.folder == tmp_path / "people-project"
    asyncio.run(first.change("Role of town", lambda project: project.set_role("town", "quasi-identifier")))
    path = asyncio.run(first.save())
    asyncio.run(first.change("Role of age", lambda project: project.set_role("age", "sensitive")))
    again = asyncio.run(opened(tmp_path / "people.csv"))
    assert (again.undoes, again.is_saved) == ("Role of age", False)
    assert "not saved" in again.notice
    path.write_text(path.read_text().replace("town", "age"))
    changed = asyncio.run(opened(path))
    assert (changed.undoes, changed.is_saved) == (None, True)
    assert (path.parent / FOLDER).stat().st_mode & 0o777 == 0o700


@dataclass
class _Slow:
    """An edit that goes on until it may end."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: threading.Event = field(default_factory=threading.Event)

    def edit(self, project: Project) -> None:
        self.loop.call_soon_threadsafe(self.begun.set)
        assert self.may_end.wait(30)
        project.set_role("age", "sensitive")

    async def during(self, workplace: Workplace, *others: Coroutine[Any, Any, Any]) -> list[Any]:
        """Make a change, and begin others while it goes on; return what they return."""
        self.loop = asyncio.get_running_loop()
        change = asyncio.create_task(workplace.change("Role of age", self.edit))
        await self.begun.wait()
        tasks = [asyncio.create_task(other) for other in others]
        await asyncio.sleep(0)
        self.may_end.set()
        _, *found = await asyncio.gather(change, *tasks, return_exceptions=True)
        return found


def test_who_comes_during_a_change_waits_for_it(tmp_path: Path) -> None:
    async def go() -> None:
        workplace = await _with_two_tables(tmp_path)
        await workplace.change("Role of town", lambda project: project.set_role("town", "quasi-identifier"))
        saved, undone = await _Slow().during(workplace, workplace.save(), workplace.undo())
        assert "<sens>" in saved.read_text() and not workplace.is_saved
        assert (undone, workplace.undoes, workplace.redoes) == ("Role of age", "Role of town", "Role of age")
        assert [column.role for column in workplace.opened().columns()] == ["quasi-identifier", "other"]
        assert await _Slow().during(workplace, workplace.open(tmp_path / "two.csv")) == [None]
        assert workplace.opened().source[0].name == "two.csv"
        assert workplace.undoes is None and "<sens>" not in workplace.opened().xml()

    asyncio.run(go())


def test_what_is_at_work_ends_when_another_project_is_opened(tmp_path: Path) -> None:
    async def go() -> None:
        workplace = await _with_two_tables(tmp_path)
        await workplace.change("Role of town", lambda project: project.set_role("town", "quasi-identifier"))
        await workplace.preview()
        await workplace.release(None)
        works, first = workplace.works, workplace.variants
        assert [work.name for work in works] == ["run", "release"]
        opening = asyncio.create_task(workplace.open(tmp_path / "two.csv"))
        while not opening.done() and not any(work.is_cancelling for work in works):
            await asyncio.sleep(0)
        with pytest.raises(UsageError, match="Another project was opened meanwhile"):
            await workplace.undo()
        await opening
        assert all(work.is_cancelled for work in works) and workplace.works == []
        assert (list(first), list(workplace.variants), workplace.runs.released) == ([], [], None)
        await workplace.close()

    asyncio.run(go())


async def _with_two_tables(folder: Path) -> Workplace:
    for name in ("one.csv", "two.csv"):
        (folder / name).write_text("town,age\nGraz,1\nGraz,2\n")
    workplace = Workplace(folder)
    await workplace.open(folder / "one.csv")
    return workplace


def test_a_preview_that_is_cancelled_before_it_begins_is_no_variant(asking: Asking, workplace: Workplace) -> None:
    async def go() -> None:
        await workplace.change("Method", lambda project: project.set_method("Mondrian"))
        await workplace.preview()
        work = workplace.work
        await workplace.cancel()
        assert work is not None and work.is_cancelled
        assert list(workplace.variants) == []

    asking.runner.run(go())


def test_a_table_that_was_changed_is_read_again(asking: Asking, workplace: Workplace) -> None:
    table, fingerprint = workplace.opened().source[0], workplace.fingerprint
    before = table.read_text()
    assert asking.runner.run(workplace.ask("at_risk", k=2)).records == 4
    try:
        table.write_text(before + "Graz,17,1971-03-05,flu\n")
        assert asking.runner.run(workplace.ask("at_risk", k=2)).records == 5
        assert workplace.fingerprint != fingerprint
    finally:
        table.write_text(before)
    assert asking.runner.run(workplace.ask("at_risk", k=2)).records == 4


def test_the_end_is_also_that_of_who_looks_at_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "_PATIENCE", 0.0)

    async def go() -> None:
        workplace = await _with_two_tables(tmp_path)
        assert await workplace.looks.ask("sniff", tmp_path / "one.csv", {}) is None
        await workplace.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        await workplace.looks.close()
        assert not left

    asyncio.run(go())
