"""Rules, a field for each level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.asgi import Asking

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject


def test_rules_are_edited_level_by_level(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", [("Graz", "Styria", "*"), ("Leoben", "Styria", "*"), ("Wien", "Vienna", "*")])
    assert "Graz,Leoben =&gt; Styria\nWien =&gt; Vienna\n</textarea>" in asking.get("/hierarchies/0/rules").text
    rules = ("rules", "Graz => Styria\r\nLeoben,Wien => elsewhere"), ("rules", "Styria,elsewhere => Austria")
    asking.post("/hierarchies/0/rules", *rules)
    assert current.project.hierarchy("town") == [
        ("Graz", "Styria", "Austria"),
        ("Leoben", "elsewhere", "Austria"),
        ("Wien", "elsewhere", "Austria"),
    ]


def test_a_wrong_rule_is_told_beside_its_level_and_nothing_is_lost(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", [("Graz", "Styria", "*"), ("Wien", "Vienna", "*")])
    page = asking.post("/hierarchies/0/rules", ("rules", "Graz => Styria"), ("rules", "Linz => Austria")).text
    assert '<p class="fault" id="level-2-fault">' in page
    assert "Linz =&gt; Austria</textarea>" in page
    assert "There is no rule" in asking.post("/hierarchies/0/rules").text
    assert current.project.hierarchy("town") == [("Graz", "Styria", "*"), ("Wien", "Vienna", "*")]


def test_what_rules_cannot_say_is_told_instead(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", [("Graz, Austria", "Styria"), ("Wien", "Styria")])
    page = asking.get("/hierarchies/0/rules").text
    assert "Rules cannot say &#39;Graz, Austria&#39;, which has a comma." in page
    assert "<textarea" not in page
