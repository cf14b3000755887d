"""A project is written whole: hierarchies that somebody else has written stay, and own ones that nobody names go."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox import Project
from toolbox.errors import OutputError, UsageError


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_hierarchies_are_written_beside_the_configuration_and_no_other_file_stays(declared: Project) -> None:
    folder = declared.path.parent
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    assert files(folder) == ["people.csv"], "nothing is written before"
    assert not declared.is_saved
    declared.save()
    assert declared.is_saved and Project.open(declared.path).is_saved
    assert files(folder) == ["hierarchies/town.csv", "people.csv", "project.xml"]
    before = declared.snapshot()
    declared.set_rows("town", [("Graz", "south", "*"), ("Linz", "north", "*")])
    declared.save()
    assert files(folder) == ["hierarchies/town-2.csv", "people.csv", "project.xml"]
    declared.restore(before)
    assert not declared.is_saved, "the file of this state is gone"
    declared.save()
    assert files(folder) == ["hierarchies/town.csv", "people.csv", "project.xml"]
    assert (folder / "hierarchies/town.csv").read_text(encoding="utf-8") == "Graz;*\nLinz;*\n"


def test_a_file_of_somebody_else_never_changes(declared: Project, people: Path) -> None:
    shared = people.with_name("towns.csv")
    shared.write_text("Graz;*\nLinz;*\n", encoding="utf-8")
    declared.set_builder("town", "towns.csv")
    assert declared.hierarchy("town") == [("Graz", "*"), ("Linz", "*")]
    declared.set_rows("town", [("Graz", "south", "*"), ("Linz", "north", "*")])
    declared.save()
    assert shared.read_text(encoding="utf-8") == "Graz;*\nLinz;*\n"
    again = Project.open(declared.path)
    again.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    again.save()
    assert files(people.parent)[:2] == ["hierarchies/town-2.csv", "hierarchies/town.csv"]


def test_two_columns_of_one_file_part_when_one_is_edited(declared: Project) -> None:
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    declared.set_builder("illness", "hierarchies/town.csv")
    declared.set_rows("illness", [("flu", "*"), ("gout", "*")])
    assert declared.hierarchy("town") == [("Graz", "*"), ("Linz", "*")]


def test_elsewhere_a_project_finds_the_same_files_and_takes_its_own_along(declared: Project, tmp_path: Path) -> None:
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    declared.save()
    target = tmp_path / "deep" / "er" / "mine.xml"
    declared.save(target)
    assert declared.path == target
    assert "filename='../../people.csv'" in declared.xml() and "file='hierarchies/town.csv'" in declared.xml()
    assert Project.open(target).faults() == []
    assert (tmp_path / "hierarchies/town.csv").exists(), "the project that was there is as it was"
    declared.save(tmp_path / "deep" / "other.xml")
    with pytest.raises(UsageError, match="is there already"):
        declared.save(target.with_name("again.xml"))


def test_where_nothing_can_be_written_the_configuration_stays(declared: Project, tmp_path: Path) -> None:
    declared.save()
    before = declared.path.read_bytes()
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    (tmp_path / "hierarchies").write_text("a file")
    with pytest.raises(OutputError, match="cannot be made"):
        declared.save()
    (tmp_path / "hierarchies").unlink()
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies/town.csv").symlink_to(tmp_path / "people.csv")
    with pytest.raises(UsageError, match="symbolic link"):
        declared.save()
    assert declared.path.read_bytes() == before


def test_under_another_name_the_project_that_was_there_keeps_its_hierarchies(declared: Project) -> None:
    folder, first = declared.path.parent, declared.path
    declared.set_rows("town", [("Graz", "A", "*"), ("Linz", "B", "*")])
    declared.save()
    declared.save(folder / "second.xml")
    declared.set_rows("town", [("Graz", "X", "*"), ("Linz", "X", "*")])
    declared.save()
    declared.remove_hierarchy("town")
    declared.save(folder / "third.xml")
    assert files(folder)[:2] == ["hierarchies/town-2.csv", "hierarchies/town.csv"]
    assert Project.open(first).hierarchy("town") == [("Graz", "A", "*"), ("Linz", "B", "*")]
    assert Project.open(folder / "second.xml").hierarchy("town") == [("Graz", "X", "*"), ("Linz", "X", "*")]


def test_a_copy_knows_what_is_written_and_gives_new_rows_another_file(declared: Project) -> None:
    declared.set_rows("town", [("Graz", "A", "*"), ("Linz", "B", "*")])
    declared.save()
    changed = declared.copy()
    changed.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    declared.restore(changed.snapshot())
    assert "file='hierarchies/town-2.csv'" in declared.xml()
    declared.save()
    assert files(declared.path.parent)[0] == "hierarchies/town-2.csv", "the one before is gone"


def test_what_the_file_holds_already_is_not_written_over_a_later_correction(declared: Project, tmp_path: Path) -> None:
    declared.set_rows("town", [("Graz", "A", "*"), ("Linz", "B", "*")])
    declared.save()
    again = Project.open(declared.path)
    again.restore(declared.snapshot())
    corrected = "Graz;C;*\nLinz;C;*\n"
    (tmp_path / "hierarchies/town.csv").write_text(corrected, encoding="utf-8")
    again.set_role("age", "other")
    again.save()
    assert (tmp_path / "hierarchies/town.csv").read_text(encoding="utf-8") == corrected
