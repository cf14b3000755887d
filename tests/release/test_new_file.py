"""A file is written whole or not at all, and replaces another one only where somebody says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import OutputError, UsageError
from toolbox.release.placing import require_free, write_whole


@pytest.fixture
def there(tmp_path: Path) -> Path:
    path = tmp_path / "people.xml"
    path.write_text("old")
    return path


def test_a_file_that_is_there_stays(there: Path) -> None:
    with pytest.raises(UsageError, match="--force"):
        require_free(there, replaces=False)
    with pytest.raises(UsageError, match="--force"):
        write_whole(there, "new", "configuration", replaces=False)
    assert [(path.name, path.read_text()) for path in there.parent.iterdir()] == [("people.xml", "old")]


def test_a_file_is_replaced_where_somebody_says_so(there: Path) -> None:
    require_free(there, replaces=True)
    write_whole(there, "new ä", "configuration", replaces=True)
    assert [(path.name, path.read_text("utf-8")) for path in there.parent.iterdir()] == [("people.xml", "new ä")]


def test_a_new_file_has_its_own_name_alone(tmp_path: Path) -> None:
    path = tmp_path / "new.xml"
    require_free(path, replaces=False)
    write_whole(path, "text\n", "configuration", replaces=False)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("new.xml", b"text\n")]


def test_the_table_itself_is_never_replaced(there: Path) -> None:
    with pytest.raises(UsageError, match="is read itself"):
        require_free(there.parent / "." / there.name, replaces=True, keeps=[there])


def test_links_and_folders_are_no_places_for_a_file(there: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(there)
    for name, what in (("link", "a symbolic link"), (".", "a folder")):
        with pytest.raises(UsageError, match=what):
            require_free(tmp_path / name, replaces=True)


def test_without_a_folder_nothing_is_made(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "a.xml"
    with pytest.raises(OutputError, match="no folder"):
        require_free(path, replaces=False)
    with pytest.raises(OutputError, match="cannot be written"):
        write_whole(path, "text", "configuration", replaces=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_links_will_do(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")  # as vfat says

    monkeypatch.setattr("os.link", none)
    write_whole(there.with_name("new.xml"), "text", "configuration", replaces=False)
    with pytest.raises(UsageError, match="--force"):
        write_whole(there, "new", "configuration", replaces=False)
    assert {path.name: path.read_text() for path in there.parent.iterdir()} == {"people.xml": "old", "new.xml": "text"}
