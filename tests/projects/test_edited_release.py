"""The method, what it must reach, the table and the release are said and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox import Project
from toolbox.errors import InputError


def test_a_new_method_keeps_what_is_required_and_drops_the_settings_of_the_old_one(declared: Project) -> None:
    declared.set_method("Mondrian", dimension="distinct")
    declared.set_models([{"type": "k-anonymity", "k": 3}])
    assert "<config method='Mondrian' k='3' undeclared='drop' dimension='distinct'>" in declared.xml()
    declared.set_method("Incognito_l")
    assert declared.models == [{"type": "k-anonymity", "k": 3}]
    assert "<model name='k-anonymity' k='3'/>" in declared.xml() and "dimension" not in declared.xml()
    declared.set_method("Mondrian")
    assert "<config method='Mondrian' k='3' undeclared='drop'>" in declared.xml() and "privacy" not in declared.xml()


def test_settings_of_all_parts_are_said_and_taken_back(declared: Project) -> None:
    before = declared.xml()
    declared.set_input(missing="-", on_missing="keep", encoding="latin-1")
    declared.set_output(format="genValsDist", filename=declared.path.parent / "other.csv", split_size="1MB")
    declared.set_suppression("2%")
    declared.set_option("seed", 7)
    assert declared.input["on_missing"] == "keep"
    assert (declared.format, declared.output["filename"], declared.suppression) == ("genValsDist", "other.csv", "2%")
    assert declared.config().seed == 7
    declared.set_input(missing=None, on_missing=None, encoding=None)
    declared.set_output(format=None, filename=declared.path.parent / "people_release.csv", split_size=None)
    declared.set_suppression(None)
    declared.set_option("seed", None)
    assert declared.xml() == before


def test_a_file_that_is_gone_is_told_and_another_one_can_be_named(declared: Project, people: Path) -> None:
    people.rename(people.with_name("moved.csv"))
    with pytest.raises(InputError):
        declared.columns()
    declared.set_input(files=people.with_name("moved.csv"))
    assert declared.source == (people.with_name("moved.csv"),)
    assert [column.role for column in declared.columns()][:2] == ["identifier", "quasi-identifier"]
    declared.set_input(files=[people.with_name("moved.csv"), people.with_name("more.csv")])
    assert [path.name for path in declared.source] == ["moved.csv", "more.csv"]


def test_a_population_is_named_another_one_takes_its_place_and_nobody_knows_it_any_more(tmp_path: Path) -> None:
    path = tmp_path / "project.xml"
    path.write_text(
        "<config><!-- all --><population filename='a.csv' separator=';'/><qid><att name='age'/></qid></config>"
    )
    project = Project.open(path)
    project.set_population(tmp_path / "a.csv")
    assert "<population filename='a.csv' separator=';'/>" in project.xml(), "it is the same, and read as it was"
    project.set_population(tmp_path / "more" / "b & c.csv")
    assert "<population filename='more/b &amp; c.csv'/>" in project.xml()
    assert project.population == tmp_path / "more/b & c.csv"
    project.set_population(None)
    project.set_population(None)
    assert (project.population, "population" in project.xml(), "<!-- all -->" in project.xml()) == (None, False, True)
