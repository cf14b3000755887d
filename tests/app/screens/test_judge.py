"""The screen *Judge and release*, by its forms."""

from __future__ import annotations

from helpers.asgi import Asking

from toolbox.app.children.project_session import Work
from toolbox.app.children.runs import CommandError, FileJudgements
from toolbox.app.project.documents import FinishedRelease
from toolbox.app.project.open_project import OpenProject
from toolbox.app.screens.judge import _find_failure
from toolbox.errors import CancelledError, InputError


def test_a_project_that_cannot_be_released_says_why(asking: Asking, current: OpenProject) -> None:
    # Datafly needs hierarchies.
    page = asking.get("/judge").text
    assert "The project cannot be released yet" in page and "disabled>" in page
    current.project.set_method("Mondrian")
    assert "The project cannot be released yet" not in asking.get("/judge").text


def test_a_folder_that_is_not_there_stops_no_release_as_it_is_made(asking: Asking, current: OpenProject) -> None:
    current.project.set_method("Mondrian")
    current.project.set_output(filename=current.project.path.parent / "new" / "release.csv")
    assert "The project cannot be released yet" not in asking.get("/judge").text


def test_a_file_that_is_not_there_or_not_ours_is_told_beside_its_field(asking: Asking, current: OpenProject) -> None:
    for path in ("nothing.csv", "../x.csv", "", "/etc/passwd"):
        page = asking.post("/judge/file", ("judged", path)).text
        assert 'href="#judged"' in page, path
    assert 'href="#file"' in asking.post("/judge/release", ("file", "../../release.csv")).text
    assert current.works == []


def test_of_two_files_that_cannot_be_judged_only_the_last_one_is_told(asking: Asking, current: OpenProject) -> None:
    current.runs.work = Work("judge", "Judge x.csv")
    current.runs.work.end(CommandError("x.csv has no column 'age'."))
    assert "x.csv has no column" in asking.get("/judge").text
    page = asking.post("/judge/file", ("judged", "nothing.csv")).text
    current.runs.work = None
    assert "nothing.csv" in page and "x.csv has no column" not in page


def test_a_report_behind_a_link_that_leads_out_is_not_written(asking: Asking, current: OpenProject) -> None:
    link = current.folder / "led.html"
    link.symlink_to(current.folder.parent / "elsewhere.html")
    page = asking.post("/judge/release", ("file", "led.csv"), ("kind", "internal")).text
    assert 'href="#file"' in page and current.works == []
    link.unlink()


def test_a_judgement_without_the_original_records_says_so(asking: Asking, current: OpenProject) -> None:
    check = {"records": 4, "classes": 2, "smallest_class": 2, "records_suppressed": 0, "models": [], "holds": True}
    risk = {"uniqueness": {"records": 0}}
    lost = {"metrics": [{"name": "normalised certainty penalty", "attribute": None, "value": 0.1}]}
    current.runs.judged = FileJudgements("a.csv", check, {"metrics": []}, risk)
    assert "judged without the original records" in asking.get("/judge").text
    current.runs.judged = FileJudgements("a.csv", check, lost, risk)
    assert "judged without" not in asking.get("/judge").text
    current.runs.judged = None


def test_the_file_that_was_to_be_judged_stays_in_its_field_which_says_from_where(
    asking: Asking, current: OpenProject
) -> None:
    current.runs.asked = current.folder / "theirs;.csv"
    page = asking.get("/judge").text
    current.runs.asked = None
    assert 'value="theirs;.csv"' in page and f"From the folder {current.folder}." in page
    assert f"From the folder of the project, {current.folder}." in page


def test_each_note_has_its_remedy_as_a_button_and_names_no_attribute(asking: Asking, current: OpenProject) -> None:
    counts = ("records_read", "records_skipped", "records_released", "records_suppressed", "classes")
    remedies = [
        ("undeclared", "drop", [], "Leave them out"),
        ("order", "shuffled", [], "Release in a random order"),
        ("role", "identifier", ["illness"], "Leave illness out, as an identifier"),
        ("role", None, ["a"], "Say what they are"),
        ("on_missing", "keep", [], "Keep these records, with missing as a category"),
        ("files", None, [], "Look at these lines"),
    ]
    told = [
        {
            "note": f"Found {n}: say x='{n}'.",
            "finding": f"Found {n}.",
            "remedies": [dict(zip(("setting", "value", "columns"), each[:3], strict=True))],
        }
        for n, each in enumerate(remedies)
    ]
    document = {
        **dict.fromkeys(counts, 1),
        **{"method": "Mondrian", "models": [], "timings": {"total": 0.1}, "sha256": {"release": {}}, "release": []},
        **{"notes": [each["note"] for each in told], "remedies": told},
    }
    current.runs.released = FinishedRelease("f", document, str(current.folder))
    page = asking.get("/judge").text
    assert all(f"Found {n}." in page and words in page for n, (*_, words) in enumerate(remedies))
    assert "say x=" not in page
    asking.post("/judge/remedy", ("setting", "undeclared"), ("value", "drop"))
    asking.post("/judge/remedy", ("setting", "order"), ("value", "shuffled"))
    asking.post("/judge/remedy", ("setting", "role"), ("value", "identifier"), ("column", "illness"))
    current.runs.released = None
    assert (current.project.option("undeclared"), current.project.output["order"]) == ("drop", "shuffled")
    assert {column.name: column.role for column in current.project.columns()}["illness"] == "identifier"
    before = current.project.snapshot()
    assert asking.post("/judge/remedy", ("setting", "filename"), ("value", "/etc/passwd")).status == 404
    assert current.project.snapshot() == before


def test_what_fails_in_a_judgement_is_told_beside_its_field() -> None:
    judged, released = Work("judge", "Judge x.csv"), Work("release", "Release")
    assert (_find_failure(None), _find_failure(judged)) == ([], [])
    for work in (judged, released):
        work.end(CommandError("x.csv has no column 'age'.", "Nor 'town'."))
    assert _find_failure(judged) == [("judged", "Judge x.csv: x.csv has no column 'age'."), ("judged", "Nor 'town'.")]
    assert [sentence for _, sentence in _find_failure(released)][1:] == ["Nor 'town'.", "Nothing was written."]
    released.end(InputError("x.csv is empty."))
    assert _find_failure(released)[0] == ("", "Release: x.csv is empty.")
    released.end(CancelledError("Cancelled."))
    assert _find_failure(released) == []
