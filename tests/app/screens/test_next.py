"""Next month's table beside what last month's was made with, by its forms."""

from __future__ import annotations

import pytest
from helpers.asgi import Asking

from toolbox.app.children.runs import NextTable
from toolbox.app.project.open_project import OpenProject
from toolbox.cli.main import main


def test_it_begins_with_the_project_that_is_open(asking: Asking, current: OpenProject) -> None:
    page = asking.get("/next").text
    assert f'name="named" value="{current.project.path.name}"' in page and 'name="table" value=""' in page


def test_each_file_that_is_not_there_or_not_ours_is_told_beside_its_field(asking: Asking) -> None:
    for path in ("nothing.csv", "../x.csv", "", "/etc/passwd"):
        page = asking.post("/next/look", ("named", path), ("table", path)).text
        assert 'href="#named"' in page and 'href="#table"' in page, path
    assert asking.app.state.workplace.next.work is None


def test_a_project_that_names_files_elsewhere_is_not_fitted(asking: Asking, current: OpenProject) -> None:
    text = current.project.path.read_text().replace("people.csv", "/etc/passwd")
    (current.folder / "led.xml").write_text(text)
    page = asking.post("/next/look", ("named", "led.xml"), ("table", "people.csv")).text
    assert 'href="#named"' in page and "is not below" in page
    assert asking.app.state.workplace.next.work is None


def test_nothing_is_released_before_a_look_nor_in_a_way_that_is_not_possible(
    asking: Asking, current: OpenProject
) -> None:
    now: NextTable = asking.app.state.workplace.next
    assert "The same for next month" in asking.post("/next/release", ("small_classes", "merge")).text
    table = current.folder / "people.csv"
    now.named, now.table = current.folder / "saved.json", table
    now.found = {
        **{"lacking": [], "can_be_applied": True, "records": 4, "records_read": 4, "records_skipped": 0},
        **{"noun": "record", "columns": [], "models": [], "classes": 2, "small_classes": 1, "small_records": 1},
        **{"new_columns": [], "gone_columns": [], "knows_all_columns": True, "undeclared": "drop"},
        "ways": [{"small_classes": "suppress", "problem": "1 record would be suppressed, and 0 may be."}],
    }
    page = asking.post("/next/release", ("small_classes", "suppress"), ("file", "x.csv")).text
    assert 'href="#small_classes"' in page and "Not possible: 1 record would be suppressed" in page
    assert now.work is None
    now.named = now.table = now.found = None


@pytest.mark.slow
def test_a_release_beside_an_earlier_one_stops_or_is_repaired(asking: Asking, current: OpenProject) -> None:
    folder, now = current.folder, asking.app.state.workplace.next
    towns = {"june": ("Graz", "Graz", "Linz", "Linz"), "july": ("Graz", "Linz", "Linz", "Graz")}
    for name, lived in towns.items():
        lines = ["who,town,illness", *(f"P{number},{town},flu" for number, town in enumerate(lived))]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    options = ["--qi", "town", "--sensitive", "illness", "--person", "who", "-method", "Flash", "--quiet", "-k", "2"]
    options += ["--hierarchy", "town=auto", "--save-recoding", str(folder / "june.json")]
    assert main(["anonymize", str(folder / "june.csv"), *options, "-output", str(folder / "first.csv")]) == 0

    async def wait() -> None:
        assert now.work is not None and now.work.task is not None
        await now.work.task

    asking.post("/next/look", ("named", "june.json"), ("table", "july.csv"))
    asking.runner.run(wait())
    fields = [("small_classes", "merge"), ("undeclared", "drop"), ("file", "second.csv"), ("earlier", "june.csv")]
    assert 'href="#earlier"' in asking.post("/next/release", *fields[:3], ("earlier", "../june.csv")).text
    asking.post("/next/release", *fields)
    asking.runner.run(wait())
    page = asking.get("/next").text
    assert "Nothing was released" in page and not (folder / "second.csv").exists()
    # What was filled in is still there.
    assert 'name="file" value="second.csv"' in page and ">june.csv</textarea>" in page
    asking.post("/next/release", *fields, ("repair", "on"))
    asking.runner.run(wait())
    assert now.work.error is None
    assert {line.split(",")[0] for line in (folder / "second.csv").read_text().split()[1:]} == {"*"}


@pytest.mark.slow
def test_pseudonyms_are_made_with_the_key_file_that_is_chosen(asking: Asking, current: OpenProject) -> None:
    folder, now = current.folder, asking.app.state.workplace.next
    for month in ("may", "april"):
        (folder / f"{month}.csv").write_text("who,town\nP1,Graz\nP2,Graz\n")
    assert main(["key", "new", str(folder / "own.key")]) == 0
    options = ["--qi", "town", "--treat", "who=pseudonym", "-method", "Flash", "--quiet", "-k", "2", "--order", "input"]
    options += ["--hierarchy", "town=auto", "--save-recoding", str(folder / "april.json")]
    options += ["--key", str(folder / "own.key")]
    assert main(["anonymize", str(folder / "april.csv"), *options, "-output", str(folder / "a.csv")]) == 0

    async def wait() -> None:
        assert now.work is not None and now.work.task is not None
        await now.work.task

    asking.post("/next/look", ("named", "april.json"), ("table", "may.csv"))
    asking.runner.run(wait())
    fields = [("small_classes", "suppress"), ("undeclared", "drop"), ("file", "b.csv")]
    assert 'href="#key_file"' in asking.post("/next/release", *fields, ("key_file", "../own.key")).text
    asking.post("/next/release", *fields)
    asking.runner.run(wait())
    assert 'href="#key_file"' in asking.get("/next").text and not (folder / "b.csv").exists()
    asking.post("/next/release", *fields, ("key_file", "own.key"))
    asking.runner.run(wait())
    assert now.work.error is None
    released = [line.split(",") for line in (folder / "b.csv").read_text().splitlines()[1:]]
    assert [(len(who), town) for who, town in released] == [(32, "Graz")] * 2
    # The report beside it gives another release the same pseudonyms; what is no report, or no key file, is told beside
    # its field.
    again = [*fields[:2], ("file", "c.csv"), ("key_file", "own.key")]
    asking.post("/next/release", *again[:3], ("key_file", "may.csv"))
    asking.runner.run(wait())
    assert 'href="#key_file"' in asking.get("/next").text
    asking.post("/next/release", *again, ("same_domain", "may.csv"))
    asking.runner.run(wait())
    assert 'href="#same_domain"' in asking.get("/next").text and not (folder / "c.csv").exists()
    asking.post("/next/release", *again, ("same_domain", "b.json"))
    asking.runner.run(wait())
    assert now.work.error is None
    assert {line.split(",")[0] for line in (folder / "c.csv").read_text().splitlines()[1:]} == {
        who for who, _ in released
    }


def test_the_recoding_of_a_project_lies_beside_it_and_a_saved_one_is_itself(current: OpenProject) -> None:
    now = NextTable()
    now.named = current.folder / "project.xml"
    assert now.recoding == current.folder / "project-recoding.json"
    now.named = current.folder / "saved.json"
    assert now.recoding == now.named
