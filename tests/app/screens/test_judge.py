"""The screen *Judge and release*, by its forms."""

from __future__ import annotations

from helpers.asgi import Asking

from toolbox.app.state import Workplace


def test_a_project_that_cannot_be_released_says_why(asking: Asking, workplace: Workplace) -> None:
    # Datafly needs hierarchies.
    page = asking.get("/judge").text
    assert "The project cannot be released yet" in page and "disabled>" in page
    workplace.opened().set_method("Mondrian")
    assert "The project cannot be released yet" not in asking.get("/judge").text


def test_a_folder_that_is_not_there_stops_no_release_as_it_is_made(asking: Asking, workplace: Workplace) -> None:
    workplace.opened().set_method("Mondrian")
    workplace.opened().set_output(filename=workplace.opened().path.parent / "new" / "release.csv")
    assert "The project cannot be released yet" not in asking.get("/judge").text


def test_a_file_that_is_not_there_or_not_ours_is_told_beside_its_field(asking: Asking, workplace: Workplace) -> None:
    for path in ("nothing.csv", "../x.csv", "", "/etc/passwd"):
        page = asking.post("/judge/file", ("judged", path)).text
        assert 'href="#judged"' in page, path
    assert 'href="#file"' in asking.post("/judge/release", ("file", "../../release.csv")).text
    assert workplace.works == []
