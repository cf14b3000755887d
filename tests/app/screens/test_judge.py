"""The screen *Judge and release*, by its forms."""

from __future__ import annotations

from helpers.asgi import Asking

from toolbox.app.runs import Judged
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


def test_a_report_behind_a_link_that_leads_out_is_not_written(asking: Asking, workplace: Workplace) -> None:
    link = workplace.root / "led.html"
    link.symlink_to(workplace.root.parent / "elsewhere.html")
    page = asking.post("/judge/release", ("file", "led.csv"), ("kind", "internal")).text
    assert 'href="#file"' in page and workplace.works == []
    link.unlink()


def test_a_judgement_without_the_original_records_says_so(asking: Asking, workplace: Workplace) -> None:
    check = {"records": 4, "classes": 2, "smallest_class": 2, "records_suppressed": 0, "models": [], "holds": True}
    risk = {"uniqueness": {"records": 0}}
    lost = {"metrics": [{"name": "normalised certainty penalty", "attribute": None, "value": 0.1}]}
    workplace.runs.judged = Judged("a.csv", check, {"metrics": []}, risk)
    assert "Judged without the original records" in asking.get("/judge").text
    workplace.runs.judged = Judged("a.csv", check, lost, risk)
    assert "Judged without" not in asking.get("/judge").text
    workplace.runs.judged = None
