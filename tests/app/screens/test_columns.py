"""What a form of the screen *Columns* says otherwise than the project is found, role first."""

from starlette.datastructures import FormData

from toolbox import ProjectColumn
from toolbox.app.screens.columns import _edits, said

COLUMNS = (
    ProjectColumn(name="age", header="age", position=0, role="quasi-identifier", kind="number", weight=2.5),
    ProjectColumn(name="town", header="town", position=1, role="other"),
)


def test_only_what_differs_is_an_edit() -> None:
    form = FormData({
        **{"weight-0": "2.5", "priority-0": " 2 ", "kind-0": "number", "role-0": "sensitive"},
        **{"role-1": "other", "kind-1": "", "role-9": "other", "role-x": "other", "secret-0": "x", "role--1": "other"},
    })  # fmt: skip
    assert _edits(COLUMNS, form) == [(0, "role", "sensitive"), (0, "priority", "2")]


def test_details_are_texts() -> None:
    assert [said(COLUMNS[0], detail) for detail in ("role", "kind", "priority", "weight")] == [
        *("quasi-identifier", "number", "", "2.5"),
    ]
