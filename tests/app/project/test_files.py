"""Only files below the root can be named, whatever somebody writes and wherever links lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.app.children.runs import _make_temporary_folder
from toolbox.app.project.files import find_path_below, find_project_folder, find_source_below
from toolbox.app.screens.data import _list_completions, _list_entries
from toolbox.errors import OutputError, UsageError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "year").mkdir(parents=True)
    for name in ("people.csv", "project.xml", "notes.doc", ".hidden.csv", "year/2026.parquet", "<b> & co.csv"):
        (root / name).write_text("x")
    (tmp_path / "secret.csv").write_text("x")
    (root / "out.csv").symlink_to(tmp_path / "secret.csv")
    (root / "way").symlink_to(tmp_path)
    (root / "circle").symlink_to(root / "circle")
    return root


def test_paths_that_lead_out_of_the_root_are_refused(root: Path) -> None:
    for text in (
        "../secret.csv",
        "/etc/passwd",
        "out.csv",
        "way/secret.csv",
        "year/../../secret.csv",
        "circle",
        "",
        "a\0b",
    ):
        with pytest.raises(UsageError):
            find_source_below(root, text)
    assert find_source_below(root, " year/2026.parquet ") == (root / "year/2026.parquet").resolve()
    assert find_path_below(root, str(root / "year")) == (root / "year").resolve()
    for table in ("year", "year/*.parquet", "peo*.csv"):
        assert find_source_below(root, table) == (root / table).resolve()
    with pytest.raises(UsageError, match="is not below"):
        find_source_below(root, "*.csv")  # out.csv leads out of the root
    with pytest.raises(UsageError, match="the whole folder"):
        find_source_below(root, ".")
    (root / "nothing").mkdir()
    for table in ("nothing", "year/*.csv"):
        with pytest.raises(UsageError, match=r"a folder without a file|no file that there is"):
            find_source_below(root, table)
    with pytest.raises(UsageError, match="no file that there is"):
        find_source_below(root, "nothing.csv")


def test_folders_tables_and_projects_are_listed_and_links_are_not(root: Path) -> None:
    listed, has_more = _list_entries(root, root)
    assert [(entry.path, entry.is_folder, entry.is_project) for entry in listed] == [
        ("year", True, False),
        ("<b> & co.csv", False, False),
        ("people.csv", False, False),
        ("project.xml", False, True),
    ]
    assert not has_more
    assert _list_entries(root, root / "nothing") == ([], False)


def test_a_name_that_is_too_long_is_told_in_short(root: Path) -> None:
    with pytest.raises(UsageError, match=r"^.a{40}. cannot be opened: File name too long\."):
        find_source_below(root, "a" * 5000)


def test_the_project_of_a_pattern_lies_in_a_folder_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "[a]").mkdir()
    for pattern, folder in (("**/**/*", "_-project"), ("2026-*/*.csv", "_-project"), ("[a]/*.csv", "[a]/_-project")):
        assert find_project_folder(tmp_path, tmp_path / pattern) == tmp_path / folder


def test_a_folder_that_was_made_for_nothing_goes_again(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with _make_temporary_folder(tmp_path / "there" / "a" / "b"):
        assert (tmp_path / "there" / "a" / "b").is_dir()
    with _make_temporary_folder(tmp_path / "there"):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]
    with _make_temporary_folder(tmp_path / "there" / "a" / "b"):
        (tmp_path / "there" / "a" / "release.csv").touch()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "release.csv", "there"]
    with (
        pytest.raises(OutputError, match="cannot be made: "),
        _make_temporary_folder(tmp_path / "there" / "a" / "release.csv" / "b"),
    ):
        pass


def test_paths_are_completed_in_any_case(root: Path) -> None:
    assert _list_completions(root, "P") == ["people.csv", "project.xml"]
    assert _list_completions(root, "ye") == ["year/"]
    assert _list_completions(root, "year/20") == ["year/2026.parquet"]
    assert _list_completions(root, "../") == []
