"""A project begins with what can be guessed of how a table is read."""

from __future__ import annotations

from pathlib import Path

from toolbox import Project
from toolbox.projects.project import free_path, write_first_configuration


def test_separator_encoding_header_and_mark_are_guessed(tmp_path: Path) -> None:
    table = tmp_path / "leute.csv"
    table.write_bytes("Größe;Ort\n180,5;Köln\nNA;Köln\n175;Bonn\n".encode("latin-1"))
    assert (
        "<input filename='leute.csv' separator=';' header='true' encoding='windows-1252' missing='NA' decimal=','/>"
        in write_first_configuration(table, tmp_path)
    )
    bare = tmp_path / "bare.tsv"
    bare.write_text("1\t2\n3\t4\n")
    text = write_first_configuration(bare, tmp_path / "project")
    assert "<input filename='../bare.tsv' separator='\\t' header='false'/>" in text
    assert "<output filename='bare_release.csv' order='sorted'/>" in text


def test_a_project_may_begin_in_a_folder_that_is_not_there_yet(people: Path, tmp_path: Path) -> None:
    project = Project.of_file(people, tmp_path / "deep" / "er")
    assert len(project.columns()) == 4


def test_a_new_project_takes_no_other_ones_name(tmp_path: Path) -> None:
    assert free_path(tmp_path).name == "project.xml"
    (tmp_path / "project.xml").touch()
    assert free_path(tmp_path).name == "project-2.xml"
