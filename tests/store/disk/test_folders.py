"""Directories that are held open: what stands in them is looked at before it is used."""

import os
import stat

import pytest

from toolbox.store.disk.folders import Folder


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "here").mkdir()
    with Folder.opened(tmp_path / "here") as opened:
        yield opened


def test_what_is_written_is_read_again_and_is_for_its_user_alone(folder):
    folder.write("a", b"content")
    assert folder.read("a", 7) == b"content"
    assert stat.S_IMODE(folder.status("a").st_mode) == 0o600
    assert folder.names() == ["a"]


def test_a_file_that_is_there_is_never_written_over(folder):
    folder.write("a", b"first")
    with pytest.raises(FileExistsError):
        folder.write("a", b"second")
    assert folder.read("a", 99) == b"first"


def test_a_file_that_is_longer_than_it_may_be_is_refused(folder):
    folder.write("a", b"content")
    with pytest.raises(OSError, match="File too large"):
        folder.read("a", 6)


def test_no_link_is_followed(folder, tmp_path):
    (tmp_path / "mine").write_text("mine")
    (folder.path / "link").symlink_to(tmp_path / "mine")
    for step in (lambda: folder.read("link", 99), lambda: folder.open("link"), lambda: folder.write("link", b"x")):
        with pytest.raises(OSError, match="link"):
            step()
    assert stat.S_ISLNK(folder.status("link").st_mode)
    folder.remove("link")
    assert (tmp_path / "mine").read_text() == "mine"
    (tmp_path / "other").symlink_to(folder.path)
    with pytest.raises(OSError, match="other"), Folder.opened(tmp_path / "other"):
        pass


def test_a_named_pipe_keeps_nobody_waiting(folder):
    os.mkfifo(folder.path / "pipe")
    with pytest.raises(PermissionError, match="is no file of yours"):
        folder.read("pipe", 99)


def test_a_folder_that_is_renamed_stays_the_one_that_was_opened(folder, tmp_path):
    folder.write("a", b"mine")
    folder.path.rename(tmp_path / "there")
    folder.path.mkdir()
    (folder.path / "a").write_text("not mine")
    assert folder.read("a", 99) == b"mine"
    folder.write("b", b"new")
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["a", "b"]


def test_files_move_and_have_second_names_between_folders(folder):
    (folder.path / "within").mkdir()
    folder.write("new", b"new")
    folder.write("old", b"old")
    with Folder.opened(folder.path.__class__("within"), within=folder) as within:
        assert within.path == folder.path / "within"
        folder.link("old", within, "kept")
        folder.move("new", folder, "old")
        assert (folder.read("old", 9), within.read("kept", 9)) == (b"new", b"old")
        within.flush()
    assert sorted(folder.names()) == ["old", "within"]
