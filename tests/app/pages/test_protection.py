"""The form of protection: what is written into it, what is wrong with it, and what a project then says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from toolbox import Project
from toolbox.app.pages.protection import Protection, list_addable_models
from toolbox.app.project.open_project import OpenProject

FORM = {
    "model-0-type": "k-anonymity",
    "model-0-k": " 3 ",
    "model-1-type": "t-closeness",
    "model-1-t": "0.3",
    "model-1-attribute": "illness",
    "model-2-type": "made up",
    "method": "Mondrian",
    "setting-cut": "classic",
    "suppression": "2%",
    "format": "",
}


def test_a_form_is_read_and_the_project_says_it(current: OpenProject) -> None:
    project = current.project
    said = Protection.of_form(FORM)
    assert said.faults(project) == []
    said.apply(project)
    assert project.models == [
        {"type": "k-anonymity", "k": 3},
        {"type": "t-closeness", "t": 0.3, "attribute": "illness"},
    ]
    assert (project.method, project.suppression) == ("Mondrian", "2%")
    # The settings of a form are those of the method that was chosen before.
    said.apply(project)
    assert project.settings == {"cut": "classic"}
    assert Protection.of_project(project).faults(project) == []


def test_each_fault_has_its_field(current: OpenProject) -> None:
    project = current.project
    form = {**FORM, "model-0-k": "many", "model-1-t": "", "model-1-attribute": ""}
    assert [field for field, _ in Protection.of_form(form).faults(project)] == [
        "model-0-k",
        "model-1-t",
        "model-1-attribute",
    ]
    assert [field for field, _ in Protection.of_form({"method": "Mondrian"}).faults(project)] == ["add-model"]
    form = {**FORM, "model-0-k": "0", "model-1-t": "2", "suppression": "abc%", "method": "LocalRecoding"}
    found = dict(Protection.of_form(form).faults(project))
    assert list(found) == ["model-0-k", "model-1-t", "suppression"]
    assert found["suppression"].startswith("'abc%' is no percentage")
    assert Protection.of_form(FORM).find_field("cut='x' is no cut.") == "setting-cut"
    assert Protection.of_form(FORM).find_field("town has no hierarchy.") == ""


def test_what_cannot_be_chosen_is_there_with_its_reason(current: OpenProject) -> None:
    project = current.project
    choices = {choice.name: choice.refusal for choice in Protection.of_project(project).choices(project)}
    assert choices["Mondrian"] == ""
    assert "town, age have none" in choices["Datafly"]
    assert choices["Anatomy"] == "It cannot satisfy k-anonymity."
    reasons = {name: reason for name, _, reason in list_addable_models(project)}
    assert (reasons["k-anonymity"], reasons["t-closeness"]) == ("", "")
    assert reasons["k-map"].endswith("it needs a table of the population: name one below")
    project.set_role("illness", "other")
    assert {name: reason for name, _, reason in list_addable_models(project)}[
        "t-closeness"
    ] == "no column is sensitive yet"


def test_a_model_of_a_population_can_be_required_where_one_is_declared(tmp_path: Path) -> None:
    (tmp_path / "project.xml").write_text("<config><population filename='town.csv'/></config>")
    project = Project.open(tmp_path / "project.xml")
    assert project.population == tmp_path / "town.csv"
    reasons = {name: reason for name, _, reason in list_addable_models(project)}
    assert reasons["k-map"] == reasons["delta-presence"] == ""


def test_a_method_with_a_format_of_its_own_gets_it_and_leaves_it_behind(current: OpenProject) -> None:
    project = current.project
    usual, _, own = project.formats
    diverse = {"model-0-type": "distinct l-diversity", "model-0-l": "2", "model-0-attribute": "illness"}
    said = Protection.of_form({**diverse, "method": "Anatomy", "format": usual})
    said.apply(project)
    assert (project.format, [choice.refusal for choice in said.formats(project)]) == (
        own,
        ["Anatomy has a format of its own", "Anatomy has a format of its own", ""],
    )
    said = Protection.of_form({**diverse, "method": "Mondrian", "format": own})
    said.apply(project)
    assert (project.format, [choice.refusal for choice in said.formats(project)]) == (
        usual,
        ["", "", "only with Anatomy"],
    )


def test_the_attacker_is_chosen_where_persons_are_declared_and_the_method_can(current: OpenProject) -> None:
    project = current.project.copy()
    assert Protection.of_project(project).find_profile_refusal() == "", "Datafly makes whole profiles alike"
    form = {**FORM, "model-0-k": "2", "attacker": "profile"}
    said = Protection.of_form({name: text for name, text in form.items() if not name.startswith("model-1")})
    said.apply(project)
    assert project.option("attacker") is None, "nobody is declared"
    project.set_person(["illness"])
    refused = dict(said.faults(project))["attacker"]
    assert refused.startswith("Mondrian judges each row by itself. Those that judge all rows of a person: ")
    assert "Datafly" in refused
    able = replace(said, method="Datafly")
    assert "attacker" not in dict(able.faults(project))
    able.apply(project)
    assert project.option("attacker") == "profile"
    assert Protection.of_project(project).attacker == "profile"
    replace(able, attacker="").apply(project)
    assert project.option("attacker") is None
    refusals = {choice.name: choice.refusal for choice in able.choices(project)}
    assert refusals["Anatomy"] == "It counts records, not persons."


def test_what_is_suppressed_of_a_person_is_chosen_where_the_method_can(current: OpenProject) -> None:
    project = current.project.copy()
    project.set_person(["illness"])
    form = {**FORM, "model-0-k": "2", "method": "Singletons", "suppress_by": "person"}
    said = Protection.of_form({name: text for name, text in form.items() if not name.startswith("model-1")})
    assert dict(said.faults(project))["suppress_by"].startswith(
        "Singletons suppresses single rows. Those that can suppress persons: "
    )
    able = replace(said, method="Flash")
    assert "suppress_by" not in dict(able.faults(project))
    able.apply(project)
    assert project.option("suppress_by") == Protection.of_project(project).suppress_by == "person"
    replace(able, suppress_by="").apply(project)
    assert project.option("suppress_by") is None
