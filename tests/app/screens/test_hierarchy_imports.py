"""The import of a hierarchy, which is accepted or discarded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.asgi import Asking

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject

OLD = [("Graz", "Styria", "*"), ("Leoben", "Styria", "*"), ("Wien", "Vienna", "*")]
NEW = b"Graz;South;*\nWien;Vienna;*\nOslo;North;*\n"


def test_nothing_changes_before_it_is_accepted(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", OLD)
    page = asking.upload("/hierarchies/0/import", [("new.csv", NEW)]).text
    assert "new.csv: what would change" in page
    assert '<td>Styria → *</td><td class="changed">South → *</td>' in page
    assert "The hierarchy lacks 1 value of 1 record." in page
    assert current.project.hierarchy("town") == OLD
    asking.post("/hierarchies/0/import/accept")
    assert current.project.hierarchy("town") == [
        ("Graz", "South", "*"),
        ("Wien", "Vienna", "*"),
        ("Oslo", "North", "*"),
    ]
    assert current.undoes == "Import new.csv (town)"


def test_what_is_discarded_leaves_the_old_one_unharmed(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", OLD)
    asking.upload("/hierarchies/0/import", [("new.csv", NEW)])
    page = asking.post("/hierarchies/0/import/discard").text
    assert "Discarded new.csv. The hierarchy of town is as it was." in page
    asking.post("/hierarchies/0/import/accept")
    assert current.project.hierarchy("town") == OLD


def test_what_is_no_hierarchy_is_refused(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", OLD)
    page = asking.upload("/hierarchies/0/import", [("new.csv", b"Graz;a;1\nWien;a;2\n")]).text
    assert "Lines 1 and 2 agree in column 2" in page
    assert "what would change" not in page
    assert "No file is chosen." in asking.upload("/hierarchies/0/import", []).text


def test_the_file_of_another_column_is_noticed(asking: Asking, current: OpenProject) -> None:
    page = asking.upload("/hierarchies/0/import", [("ages.csv", b"17;15-19\n18;15-19\n")]).text
    assert "Not one of the 3 values of" in page
