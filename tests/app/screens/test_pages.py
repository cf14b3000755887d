"""What all pages about a hierarchy do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.asgi import Asking

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject


def test_a_column_that_is_not_there_is_no_page(asking: Asking) -> None:
    assert [asking.get(f"/hierarchies/{number}/tree").status for number in (4, 10**9)] == [404, 404]


def test_a_change_can_be_undone_by_its_words(asking: Asking, current: OpenProject) -> None:
    asking.post("/hierarchies/0/start")
    assert current.undoes == "Begin a hierarchy (town)"
    asking.runner.run(current.undo())
    assert current.project.hierarchy("town") is None
