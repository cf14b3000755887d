"""What a session is opened with."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolbox
from toolbox.app.children.project_session import build_session_config, copy_without_output, run_hierarchies, run_levels

CONFIG = """<config method='Datafly' k='2' suppThreshold='0'>
  <input filename='people.csv' separator=',' header='true'/>
  <output filename='nowhere/release.csv'/>
  <qid><att name='town'/><att name='age'/></qid>
</config>
"""
PEOPLE = "town,age\nGraz,17\nGraz,18\nWien,21\nWien,23\n"


@pytest.fixture
def project(tmp_path: Path) -> toolbox.Project:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "project.xml").write_text(CONFIG, encoding="utf-8")
    return toolbox.Project.open(tmp_path / "project.xml")


def test_hierarchies_and_methods_open_no_other_session(project: toolbox.Project) -> None:
    first = build_session_config(project)
    project.set_rows("town", [("Graz", "*")])
    project.set_builder("age", "intervals:10")
    project.set_method("LocalRecoding")
    assert build_session_config(project) == first
    project.set_role("age", "other")
    assert build_session_config(project) != first


@pytest.mark.slow
def test_a_run_in_it_is_told_the_hierarchies_and_makes_the_classes_of_a_release(project: toolbox.Project) -> None:
    project.set_rows("town", [("Graz", "Austria"), ("Wien", "Austria")])
    project.set_builder("age", "intervals:10")
    told = run_hierarchies(project)
    assert told == {"town": [("Graz", "Austria"), ("Wien", "Austria")], "age": "intervals:10"}
    with toolbox.open(build_session_config(project)) as session:
        assert [value[0] for value in session.at_risk(2, "town").values] == ["Graz", "Wien"]
        variant = session.run(method="Datafly", k=2, suppression_threshold=0, hierarchies=told)
    project.set_output(filename=project.path.parent / "release.csv")
    released = toolbox.anonymize(project.config()).summary.proof
    assert (variant.summary.proof.classes, variant.summary.proof.smallest_class) == (2, 2)
    assert (released.classes, released.smallest_class) == (2, 2)


@pytest.mark.slow
def test_levels_are_told_to_a_run_and_stop_no_session(project: toolbox.Project) -> None:
    first = build_session_config(project)
    project.set_rows("town", [("Graz", "Austria"), ("Wien", "Austria")])
    project.set_builder("age", "intervals:10")
    project.set_levels("town", 1, 1)
    project.set_method("Incognito")
    assert (copy_without_output(project).faults(), build_session_config(project) == first) == ([], True)
    assert run_levels(project) == {"town": (1, 1), "age": (0, None)}
    with toolbox.open(build_session_config(project)) as session:
        asked = {"hierarchies": run_hierarchies(project), "levels": run_levels(project)}
        variant = session.run(method="Incognito", k=2, suppression_threshold=0, **asked)
    assert [column.level for column in variant.summary.quasi_identifiers] == [1, 1]


def test_where_a_release_goes_does_not_matter_to_a_preview(project: toolbox.Project) -> None:
    project.set_output(filename=project.path.parent / "nobody" / "release.csv")
    assert any("folder that does not exist" in fault for fault in project.faults())
    assert not any("folder" in fault for fault in copy_without_output(project).faults())
    assert "nobody" in project.xml()


@pytest.mark.slow
def test_numbers_whose_hierarchy_masks_their_digits_are_texts(project: toolbox.Project) -> None:
    project.set_role("town", "other")
    project.set_kind("age", None)
    project.set_builder("age", "prefix:1")
    with toolbox.open(build_session_config(project)) as session:
        variant = session.run(method="Datafly", k=2, hierarchies=run_hierarchies(project), classes=True)
    assert variant.classes is not None and variant.classes["age"].to_pylist() == ["1*", "2*"]
