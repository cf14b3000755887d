"""The workplace: changes that can be undone, questions to the session, previews that become variants."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from helpers.asgi import Asking

from toolbox import Project
from toolbox.app.state import FOLDER, Workplace
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
    assert (workplace.undo(), workplace.k) == ("Back", 4)
    assert (workplace.redo(), workplace.k) == ("Back", 2)


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
    path = first.save()
    asyncio.run(first.change("Role of age", lambda project: project.set_role("age", "sensitive")))
    again = asyncio.run(opened(tmp_path / "people.csv"))
    assert (again.undoes, again.is_saved) == ("Role of age", False)
    assert "not saved" in again.notice
    path.write_text(path.read_text().replace("town", "age"))
    changed = asyncio.run(opened(path))
    assert (changed.undoes, changed.is_saved) == (None, True)
    assert (path.parent / FOLDER).stat().st_mode & 0o777 == 0o700


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
