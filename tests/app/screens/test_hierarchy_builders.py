"""The wizards of builders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking
from helpers.plugged import install

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject


def test_a_preview_shows_what_a_builder_makes_and_changes_nothing(asking: Asking, current: OpenProject) -> None:
    before = current.project.xml()
    page = asking.get("/hierarchies/1/builder", build="intervals", width="2,10").text
    assert "makes of the 4 values of today 3 labels, then 2, then 1." in page
    assert "<bdi>[16:18)</bdi>" in page
    assert current.project.xml() == before


def test_a_builder_is_used_and_its_form_shows_it_again(asking: Asking, current: OpenProject) -> None:
    page = asking.post("/hierarchies/1/builder/use", ("build", "intervals"), ("width", "10"), ("top", "20")).text
    assert current.project.hierarchy("age") == "intervals:10:top=20"
    assert "made of the values of today by the rule <code>intervals:10:top=20</code>" in page
    page = asking.get("/hierarchies/1/builder").text
    assert 'name="width" value="10"' in page
    assert 'name="origin" value=""' in page


def test_dates_are_built_from_as_the_column_writes_them(asking: Asking, current: OpenProject) -> None:
    asking.post("/hierarchies/2/builder/use", ("build", "dates"), ("periods", "year,decade"))
    assert "1970s" in asking.get("/hierarchies/2/table").text


def test_dates_that_are_edited_become_categories_and_dates_again(asking: Asking, current: OpenProject) -> None:
    asking.post("/hierarchies/2/builder/use", ("build", "dates"), ("periods", "year"))
    asking.post("/hierarchies/2/edit", ("action", "group"), ("chosen", "1:1980"), ("group", "the eighties"))
    assert current.project.columns()[2].kind == "category"
    asking.post("/hierarchies/2/builder/use", ("build", "dates"), ("periods", "decade"))
    assert current.project.columns()[2].kind == "date"
    assert current.project.hierarchy("born") == "dates:decade"


def test_what_does_not_fit_is_told_beside_the_field(asking: Asking, current: OpenProject) -> None:
    for build, field, text, said in [
        ("intervals", "width", "5,12", "width= has 12 after 5"),
        ("intervals", "width", "", "lacks width="),
        ("order", "values", "Graz,Wien", "outside the hierarchy"),
    ]:
        number = 0 if build == "order" else 1
        page = asking.post(f"/hierarchies/{number}/builder/use", ("build", build), (field, text)).text
        assert f'id="{field}-fault"' in page
        assert said in page
    assert current.project.hierarchy("age") is None
    assert asking.get("/hierarchies/1/builder", build="<b>").status == 200
    assert asking.post("/hierarchies/1/builder/use").status == 200


def test_of_more_values_than_can_be_shown_a_rule_is_used_unseen(
    asking: Asking, current: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolbox.app.project.desk.MOST_VALUES", 3)
    page = asking.get("/hierarchies/1/builder", build="intervals", width="10").text
    assert "4 values are more than are shown here. Build the hierarchy by a rule." in page
    page = asking.post("/hierarchies/1/builder/use", ("build", "intervals"), ("width", "ten")).text
    assert "which is not a number" in page
    asking.post("/hierarchies/1/builder/use", ("build", "intervals"), ("width", "10"))
    assert current.project.hierarchy("age") == "intervals:10"


THEIRS = """
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from toolbox.hierarchy.builders.builder import COUNT, FormField
from toolbox.hierarchy.builders.texts import TextBuilder

@dataclass(frozen=True, kw_only=True)
class Letters(TextBuilder):
    '''First letters of towns.'''

    name: ClassVar[str] = "letters"
    main: ClassVar[str | None] = "many"
    settings: ClassVar = MappingProxyType({"many": COUNT})
    form: ClassVar = MappingProxyType({"many": FormField("How many letters", first="1")})

    many: int

    def naming(self, counts):
        return lambda text: (text[: self.many] + "..",)
"""


def test_a_builder_of_somebody_else_has_a_form_like_ours(
    asking: Asking, current: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "toolbox.hierarchy_builders", {"letters": "Letters"}, THEIRS)
    page = asking.get("/hierarchies/0/builder", build="letters", many="2").text
    assert "How many letters" in page
    assert "First letters of towns." in page
    assert "<code>letters:2</code> makes of the" in page
    asking.post("/hierarchies/0/builder/use", ("build", "letters"), ("many", "1"))
    assert current.project.hierarchy("town") == "letters:1"
