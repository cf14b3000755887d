"""An open project: changes that can be undone, questions to the session, previews that become variants."""

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
from toolbox.app.project.files import Reach
from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.state import Workplace
from toolbox.errors import UsageError


def test_a_change_that_fails_leaves_the_project_as_it_was(asking: Asking, current: OpenProject) -> None:
    before, undoes = current.project.snapshot(), current.undoes

    def edit(project: Project) -> None:
        project.set_role("town", "other")
        project.set_role("nowhere", "other")

    with pytest.raises(UsageError, match="nowhere"):
        asking.runner.run(current.change("Roles", edit))
    assert (current.project.snapshot(), current.undoes) == (before, undoes)
    # What changes nothing is nothing to undo.
    asking.runner.run(current.change("Nothing", lambda project: project.set_role("town", "quasi-identifier")))
    assert current.undoes == undoes


def test_only_changes_that_were_not_saved_are_told_when_it_is_opened_again(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town\nGraz\nLinz\n")

    async def open_again() -> list[str]:
        project, notices = Project.of_file(tmp_path / "people.csv", tmp_path), []
        for town, saves in (("A", True), ("B", False), ("C", True)):
            opened = OpenProject(project, Reach(tmp_path), "Opened")
            notices.append(opened.notice)
            rows = [("Graz", town, "*"), ("Linz", "D", "*")]
            await opened.change("Role", lambda changed: changed.set_role("town", "quasi-identifier"))
            await opened.change("Rows", lambda changed, rows=rows: changed.set_rows("town", rows))
            if saves:
                await opened.save()
            await opened.close()
            project = Project.open(tmp_path / "project.xml")
        return notices

    unsaved = "Changes that were not saved are there again. Undo takes them back."
    assert asyncio.run(open_again()) == ["", "", unsaved]


def test_a_preview_becomes_a_variant_of_this_very_project(asking: Asking, current: OpenProject) -> None:
    async def previewed() -> None:
        await current.change("Method", lambda project: project.set_method("Mondrian"))
        await current.preview()
        assert [work.words for work in current.works] == ["Preview Mondrian, k = 2"]
        assert current.work is not None and current.work.task is not None
        await current.work.task

    asking.runner.run(previewed())
    variant = current.variants.last
    assert variant is not None
    assert (variant.words, variant.records, variant.smallest, current.works) == ("Mondrian, k = 2", 4, 2, [])
    assert variant.fingerprint == current.fingerprint
    assert current.held(variant.number) is not None
    assert asking.runner.run(current.ask("at_risk", k=2, column="town")).at_risk == 4
    asking.runner.run(current.change("k", lambda project: project.set_models([{"type": "k-anonymity", "k": 4}])))
    assert variant.fingerprint != current.fingerprint
    asking.runner.run(current.change("Back", variant.restore))
    assert (variant.fingerprint, current.k) == (current.fingerprint, 2)
    assert (asking.runner.run(current.undo()), current.k) == ("Back", 4)
    assert (asking.runner.run(current.redo()), current.k) == ("Back", 2)


@dataclass
class _Slow:
    """An edit that goes on until it may end."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: threading.Event = field(default_factory=threading.Event)

    def edit(self, project: Project) -> None:
        self.loop.call_soon_threadsafe(self.begun.set)
        assert self.may_end.wait(30)
        project.set_role("age", "sensitive")

    async def during(self, current: OpenProject, *others: Coroutine[Any, Any, Any]) -> list[Any]:
        """Make a change, and begin others while it goes on; return what they return."""
        self.loop = asyncio.get_running_loop()
        change = asyncio.create_task(current.change("Role of age", self.edit))
        await self.begun.wait()
        tasks = [asyncio.create_task(other) for other in others]
        await asyncio.sleep(0)
        self.may_end.set()
        _, *found = await asyncio.gather(change, *tasks, return_exceptions=True)
        return found


def test_who_comes_during_a_change_waits_for_it(tmp_path: Path) -> None:
    async def go() -> None:
        for name in ("one.csv", "two.csv"):
            (tmp_path / name).write_text("town,age\nGraz,1\nGraz,2\n")
        workplace = Workplace(tmp_path)
        await workplace.open(tmp_path / "one.csv")
        current = workplace.opened()
        await current.change("Role of town", lambda project: project.set_role("town", "quasi-identifier"))
        saved, undone = await _Slow().during(current, current.save(), current.undo())
        assert "<sens>" in saved.read_text() and not current.is_saved
        assert (undone, current.undoes, current.redoes) == ("Role of age", "Role of town", "Role of age")
        assert [column.role for column in current.project.columns()] == ["quasi-identifier", "other"]
        assert await _Slow().during(current, workplace.open(tmp_path / "two.csv")) == [None]
        assert workplace.opened().project.source[0].name == "two.csv"
        assert workplace.opened().undoes is None and "<sens>" not in workplace.opened().project.xml()
        assert "<sens>" in current.project.xml()

    asyncio.run(go())


def test_a_preview_that_is_cancelled_before_it_begins_is_no_variant(asking: Asking, current: OpenProject) -> None:
    async def go() -> None:
        await current.change("Method", lambda project: project.set_method("Mondrian"))
        await current.preview()
        work = current.work
        await current.cancel()
        assert work is not None and work.is_cancelled
        assert list(current.variants) == []

    asking.runner.run(go())


def test_a_table_that_was_changed_is_read_again(asking: Asking, current: OpenProject) -> None:
    table, fingerprint = current.project.source[0], current.fingerprint
    before = table.read_text()
    assert asking.runner.run(current.ask("at_risk", k=2)).records == 4
    try:
        table.write_text(before + "Graz,17,1971-03-05,flu\n")
        assert asking.runner.run(current.ask("at_risk", k=2)).records == 5
        assert current.fingerprint != fingerprint
    finally:
        table.write_text(before)
    assert asking.runner.run(current.ask("at_risk", k=2)).records == 4
