"""The tree and the table of a hierarchy, by the forms of the screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject

TOWNS = [("Graz", "Styria", "*"), ("Leoben", "Styria", "*"), ("Wien", "Vienna", "*")]


@pytest.fixture
def rows(current: OpenProject) -> OpenProject:
    current.project.set_rows("town", TOWNS)
    return current


def test_without_a_hierarchy_the_page_says_how_to_get_one(asking: Asking, current: OpenProject) -> None:
    assert "none yet" in asking.get("/hierarchies").text
    assert asking.get("/hierarchies/0").headers["location"] == "/hierarchies/0/builder"
    page = asking.get("/hierarchies/0/tree").text
    assert "has 3 values and no hierarchy yet" in page
    assert "3</strong> values below <strong>1</strong> level" in asking.post("/hierarchies/0/start").text
    assert current.project.hierarchy("town") == [("Graz", "*"), ("Leoben", "*"), ("Wien", "*")]


def test_an_edit_gives_the_column_other_rows_and_keeps_what_is_open(asking: Asking, rows: OpenProject) -> None:
    page = asking.post(
        "/hierarchies/0/edit",
        ("action", "rename"),
        ("chosen", "1:Styria"),
        ("name", "South"),
        ("opened", '["2:*", "1:Styria"]'),
        ("focus", "1:Styria"),
    )
    assert rows.project.hierarchy("town") == [("Graz", "South", "*"), ("Leoben", "South", "*"), TOWNS[2]]
    assert 'data-key="1:South" data-position="1" data-size="2" data-open="true"' in page.text
    assert 'name="focus" value="1:South"' in page.text
    assert 'data-key="0:Wien"' not in page.text
    assert "data-edited" in page.text
    assert "data-edited" not in asking.get("/hierarchies/0/tree").text, "nobody else's focus is taken"


def test_an_edit_that_is_refused_is_told_beside_its_field_and_changes_nothing(
    asking: Asking, rows: OpenProject
) -> None:
    page = asking.post("/hierarchies/0/edit", ("action", "rename"), ("chosen", "1:Styria"), ("name", "Vienna"))
    assert "Level 1 has &#39;Vienna&#39; already." in page.text
    assert 'value="Vienna" autocomplete="off" aria-describedby="name-fault" aria-invalid="true"' in page.text
    assert rows.project.hierarchy("town") == TOWNS
    for opened in ("[", "7", '[["a"]]'):
        assert asking.post("/hierarchies/0/edit", ("action", "nothing"), ("opened", opened)).status == 200


def test_a_branch_is_fetched_when_it_is_opened(asking: Asking, rows: OpenProject) -> None:
    found = asking.get("/hierarchies/0/branch", at="1:Styria")
    assert found.text.count("<li") == 2
    assert "1 record" in found.text
    assert [asking.get("/hierarchies/0/branch", at=at).status for at in ("1:Oslo", "9:*", "")] == [404, 404, 404]


def test_values_without_a_path_are_put_below_the_root_and_paths_without_a_value_go(
    asking: Asking, current: OpenProject
) -> None:
    current.project.set_rows("town", [("Graz", "Styria", "*"), ("Linz", "Upper Austria", "*")])
    page = asking.get("/hierarchies/0/tree").text
    assert "The hierarchy lacks 2 values of 2 records." in page
    asking.post("/hierarchies/0/edit", ("action", "cover"))
    page = asking.post("/hierarchies/0/edit", ("action", "forget"))
    assert current.project.hierarchy("town") == [TOWNS[0], ("Leoben", "Leoben", "*"), ("Wien", "Wien", "*")]
    assert "stops a run" not in page.text


def test_a_level_is_added_and_removed_where_the_button_stands(asking: Asking, rows: OpenProject) -> None:
    page = asking.post("/hierarchies/0/edit", ("view", "rules"), ("action", "add_level 2"))
    assert '<textarea class="code rules" id="level-2"' in page.text
    asking.post("/hierarchies/0/edit", ("view", "rules"), ("action", "remove_level 1"))
    assert rows.project.hierarchy("town") == TOWNS
    assert "cannot be chosen" in asking.post("/hierarchies/0/edit", ("action", "remove_level 99")).text


def test_the_table_is_searched_and_its_rows_are_grouped(asking: Asking, rows: OpenProject) -> None:
    assert "1 row of 3" in asking.get("/hierarchies/0/table", find="wien").text
    page = asking.post(
        "/hierarchies/0/edit?find=r", ("view", "table"), ("action", "group"), ("chosen", "0:Graz"), ("group", "city")
    )
    assert 'name="find" value="r"' in page.text
    assert rows.project.hierarchy("town") == [("Graz", "city", "*"), *TOWNS[1:]]
    again = asking.post("/hierarchies/0/edit", ("view", "table"), ("action", "group"), ("chosen", "0:Wien"))
    assert "is no label" in again.text


def test_a_hierarchy_file_that_is_gone_is_told_and_another_one_may_be_made(
    asking: Asking, current: OpenProject
) -> None:
    snapshot = current.project.snapshot()
    gone = snapshot.xml.replace("<att name='town'/>", "<att name='town'><vgh file='gone.csv'/></att>")
    current.project.restore(replace(snapshot, xml=gone))
    page = asking.get("/hierarchies/0/tree").text
    assert "There is no such file. Write the path of a hierarchy file." in page
    assert "Begin by hand" in page


def test_markup_in_names_is_text(asking: Asking, current: OpenProject) -> None:
    hostile = '"><script>alert(1)</script>'
    current.project.set_rows("town", [("Graz", hostile, "*"), ("Leoben", hostile, "*"), ("Wien", "&amp;", "*")])
    for view in ("tree", "rules", "table"):
        page = asking.get(f"/hierarchies/0/{view}").text
        assert "<script>alert" not in page
        assert "&amp;amp;" in page


def test_a_hierarchy_is_removed(asking: Asking, rows: OpenProject) -> None:
    assert "none yet" in asking.post("/hierarchies/0/remove").text
    assert rows.project.hierarchy("town") is None
