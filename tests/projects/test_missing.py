"""A project keeps the records that lack a value, or leaves them out; numbers and dates become words, and come back."""

from pathlib import Path

from toolbox import Project

PEOPLE = "age,born,town,pay\n21,1971-01-24,Graz,1\n,1972-02-25,Linz,2\n23,,Graz,\n24,1974-04-27,,4\n"


def begin(folder: Path) -> Project:
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    project = Project.of_file(folder / "people.csv", folder)
    project.set_roles({**dict.fromkeys(("age", "born", "town"), "quasi-identifier"), "pay": "sensitive"})
    project.set_builder("age", "intervals:5,10")
    project.set_builder("born", "dates:month,year")
    return project


def test_missing_becomes_a_category_and_what_holds_numbers_or_dates_is_taken_for_words(tmp_path: Path) -> None:
    project = begin(tmp_path)
    before = project.xml()
    assert project.list_words_for_missing(["age", "town", "born"]) == ["age", "born"]
    project.keep_missing(["age", "born", "town"])
    kinds = {column.name: column.kind for column in project.columns()}
    assert (kinds["age"], kinds["born"], project.input["on_missing"]) == ("category", "category", "keep")
    assert [project.hierarchy(name) for name in ("age", "born", "town")] == ["auto:3", "auto:3", None]
    assert project.faults() == []
    assert project.list_words_for_missing(["age", "town", "born"]) == []
    project.skip_missing({"age": ("number", "intervals:5,10"), "born": ("date", "dates:month,year")})
    assert project.input["on_missing"] == "skip"
    project.set_input(on_missing=None)
    assert project.xml() == before


def test_a_category_that_somebody_has_chosen_stays_one(tmp_path: Path) -> None:
    project = begin(tmp_path)
    project.set_kind("age", "category")
    project.set_builder("age", "prefix:1")
    project.keep_missing(["age"])
    project.skip_missing({"age": ("number", "intervals:5,10")})
    assert (project.hierarchy("age"), project.columns()[0].kind) == ("prefix:1", "category")
