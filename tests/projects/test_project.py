"""A configuration is edited step by step, and what nobody edits stays as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import toolbox
from toolbox import Project
from toolbox.cli.main import main
from toolbox.config.editing.saving import list_differences
from toolbox.errors import ConfigurationError, InputError, SettingError, UnknownColumnError, UsageError

CONFIGS = sorted(
    path
    for path in (Path(__file__).parents[2] / "configs").glob("*.xml")
    if "<config" in path.read_text(encoding="utf-8")
)


def test_a_project_of_a_table_says_how_it_is_read_and_nothing_of_its_columns(project: Project) -> None:
    assert project.xml() == (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<config method='Mondrian' k='5' undeclared='drop'>\n"
        "  <input filename='people.csv' separator=',' header='true'/>\n"
        "  <output filename='people_release.csv' order='sorted'/>\n"
        "</config>\n"
    )
    assert {column.role for column in project.columns()} == {"other"}
    assert [column.looks for column in project.columns()] == ["category", "number", "category", "category"]
    assert project.faults() == [
        "<config> has no <qid>. Add <qid> with an <att> for each column that an attacker may know."
    ]


def test_whatever_is_wrong_is_a_usage_error_that_says_what_there_is(declared: Project, tmp_path: Path) -> None:
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'"):
        declared.set_role("agee", "other")
    with pytest.raises(SettingError, match="one of identifier, quasi-identifier, sensitive, other"):
        declared.set_role("age", "secret")  # type: ignore[arg-type]
    for edit, told in (
        (lambda: declared.set_kind("age", "numbr"), "numbr"),
        (lambda: declared.set_builder("age", "intervls:5"), "intervals"),
        (lambda: declared.set_method("Mondrain"), "Mondrian"),
        (lambda: declared.set_method("Mondrian", dimensoin="x"), "dimension"),
        (lambda: declared.set_models([{"k": 5}]), "type"),
        (lambda: declared.set_input(seperator=";"), "separator"),
        (lambda: declared.set_output(format="\x00"), r"U\+0000"),
        (lambda: declared.set_rows("town", [("\ud800", "*")]), r"U\+D800"),
        (lambda: declared.option("sede"), "seed"),
    ):
        with pytest.raises(UsageError, match=told):
            edit()
    for edit, told in (
        (lambda: declared.set_priority("age", 0), "priority is 0"),
        (lambda: declared.set_weight("age", float("nan")), "weight is nan"),
        (lambda: declared.set_weight("illness", 2), "no quasi-identifier"),
        (lambda: declared.set_kind("name", "number"), "is an identifier"),
    ):
        with pytest.raises(UsageError, match=told):
            edit()
    declared.set_role("name", "other")
    with pytest.raises(UsageError, match="'name' has no role yet"):
        declared.set_priority("name", 1)
    with pytest.raises(ConfigurationError, match="no such file"):
        Project.open(tmp_path / "nothing.xml")
    with pytest.raises(InputError, match="cannot be read"):
        Project.of_file(tmp_path / "nothing.csv", tmp_path)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_opens_is_saved_elsewhere_and_says_the_same(path: Path, tmp_path: Path) -> None:
    project = Project.open(path)
    assert project.faults() == []
    project.save(tmp_path / "deep" / "project.xml")
    assert list_differences(toolbox.load_config(path), toolbox.load_config(tmp_path / "deep" / "project.xml")) == []
    text = project.xml()
    assert Project.open(tmp_path / "deep" / "project.xml").xml() == text
    assert all(f"<!--{part.partition('-->')[0]}-->" in text for part in path.read_text().split("<!--")[1:])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "column"),
    [("clinic_incognito.xml", None), pytest.param("census_datafly.xml", "sex", marks=pytest.mark.slow)],
)
def test_a_saved_project_makes_the_bytes_of_its_configuration(name: str, column: str | None, tmp_path: Path) -> None:
    shutil.copytree(CONFIGS[0].parent, tmp_path, dirs_exist_ok=True)
    project = Project.open(tmp_path / name)
    if column is not None:
        rows = project.hierarchy(column)
        assert isinstance(rows, list)
        project.set_rows(column, rows)
    project.set_output(filename=tmp_path / "mine.csv", order="sorted")
    project.save(tmp_path / "project.xml")
    theirs = tmp_path / "theirs.csv"
    assert main(["-config", str(tmp_path / "project.xml"), "--quiet"]) == 0
    assert main(["-config", str(tmp_path / name), "-output", str(theirs), "--order", "sorted", "--quiet"]) == 0
    assert (tmp_path / "mine.csv").read_bytes() == theirs.read_bytes()


def test_a_copy_says_the_same_and_is_changed_by_itself(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,town\n1,Graz\n2,Wien\n")
    project = Project.of_file(tmp_path / "people.csv", tmp_path)
    project.set_role("age", "quasi-identifier")
    project.set_rows("age", [["1", "*"], ["2", "*"]])
    copy = project.copy()
    assert (copy.snapshot(), copy.path) == (project.snapshot(), project.path)
    copy.set_role("town", "sensitive")
    assert [column.role for column in project.columns()] == ["quasi-identifier", "other"]
    assert [column.role for column in copy.columns()] == ["quasi-identifier", "sensitive"]


def test_a_column_that_a_release_may_show_tells_no_persons_apart_any_more(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("patient,age\nP1,30\nP1,30\nP2,40\n", encoding="utf-8")
    person, known = "<person><att name='patient'/></person>", "<qid><att name='age'/></qid>"
    files = "<input filename='visits.csv' header='true'/><output filename='release.csv'/>"
    text = f"<config k='2'>{files}{person}<id><att name='patient'/></id>{known}</config>"
    (tmp_path / "visits.xml").write_text(text, encoding="utf-8")
    project = Project.open(tmp_path / "visits.xml")
    assert [column.role for column in project.columns()] == ["identifier", "quasi-identifier"]
    project.set_kind("age", "number")
    assert "<person>" in project.xml()
    project.set_role("patient", "sensitive")
    assert "<person>" not in project.xml()
    assert project.faults() == []
