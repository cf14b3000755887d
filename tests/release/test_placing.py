"""Placing: files come to their names all together or not at all."""

import errno
import os
import resource
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.placing import Desk

from toolbox.errors import OutputError
from toolbox.release import placing
from toolbox.release.placing import move_together
from toolbox.store.disk.directory_lock import lock_directories
from toolbox.store.disk.workspace import Workspace


def test_finished_files_come_to_their_names_and_replace_earlier_ones(desk: Desk) -> None:
    (desk.out / "a").write_text("old a")
    desk.move(desk.out / "a", desk.out / "b")
    assert desk.content() == {"a": "new first", "b": "new second"}


def test_the_earlier_file_is_back_when_a_later_one_cannot_be_moved(desk: Desk) -> None:
    (desk.out / "a").write_text("old a")
    (desk.out / "file").write_text("")
    (desk.out / "folder").mkdir()
    for wrong in (desk.out / "folder", desk.out / "absent" / "b", desk.out / "file" / "b"):
        with pytest.raises(OutputError) as caught:
            desk.move(desk.out / "a", wrong)
        assert str(caught.value).startswith(f"{wrong} cannot be written: ")
        assert str(caught.value).endswith("Nothing was released.")
        assert desk.content() == {"a": "old a", "file": ""}
        desk.finish()


def test_a_file_that_was_not_there_is_not_there_when_a_later_one_cannot_be_moved(desk: Desk) -> None:
    with pytest.raises(OutputError):
        desk.move(desk.out / "a", desk.out / "absent" / "b")
    assert desk.content() == {}


def test_an_earlier_file_is_the_same_file_as_before_and_not_a_copy(desk: Desk) -> None:
    (desk.out / "a").write_text("old a")
    (desk.out / "folder").mkdir()
    before = (desk.out / "a").stat().st_ino
    with pytest.raises(OutputError):
        desk.move(desk.out / "a", desk.out / "folder")
    assert (desk.out / "a").stat().st_ino == before


def test_a_link_is_neither_followed_nor_replaced(desk: Desk) -> None:
    (desk.out / "target").write_text("old")
    (desk.out / "a").symlink_to("target")
    (desk.out / "b").symlink_to("nowhere")
    for name, target in (("a", "target"), ("b", "nowhere")):
        with pytest.raises(OutputError) as caught:
            desk.move(desk.out / "c", desk.out / name)
        assert str(caught.value) == (
            f"{desk.out / name} cannot be written: it is a symbolic link to {target!r}. Nothing was released."
        )
        desk.finish()
    assert [str((desk.out / name).readlink()) for name in ("a", "b")] == ["target", "nowhere"]
    assert desk.content() == {"a": "old", "target": "old"}


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_has_become_something_else_than_a_file_is_not_replaced(kind: str, desk: Desk) -> None:
    """Since the configuration was checked, while the run was at work; also what would go as a leftover."""
    for name in ("b", "t-00002"):
        if kind == "device":
            if os.geteuid() != 0:
                pytest.skip("Only root can make a device.")
            os.mknod(desk.out / name, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        else:
            os.mknod(desk.out / name, 0o600 | (stat.S_IFIFO if kind == "pipe" else stat.S_IFSOCK))
    before = (desk.out / "b").lstat(), (desk.out / "t-00002").lstat()
    with pytest.raises(OutputError, match="b cannot be written: it is a "):
        desk.move(desk.out / "a", desk.out / "b")
    desk.finish()
    with pytest.raises(OutputError, match="t-00002 cannot be written: it is a "):
        move_together({desk.work / "first": desk.out / "t-00001"}, desk.work, tables=[desk.out / "t"])
    assert before == ((desk.out / "b").lstat(), (desk.out / "t-00002").lstat())
    assert sorted(path.name for path in desk.out.iterdir()) == ["b", "t-00002"]


def test_the_other_names_of_an_earlier_file_keep_it(desk: Desk) -> None:
    (desk.out / "mine").write_text("mine")
    (desk.out / "a").hardlink_to(desk.out / "mine")
    desk.move(desk.out / "a", desk.out / "b")
    assert desk.content() == {"a": "new first", "b": "new second", "mine": "mine"}


def test_a_file_goes_to_another_file_system_too(desk: Desk, far: Path) -> None:
    (far / "b").write_text("old b")
    (desk.work / "second").chmod(0o600)
    desk.move(desk.out / "a", far / "b")
    assert desk.content() == {"a": "new first"}
    assert [(path.name, path.read_text()) for path in far.iterdir()] == [("b", "new second")]
    assert stat.S_IMODE((far / "b").stat().st_mode) == 0o600
    desk.finish("newer")
    with pytest.raises(OutputError):
        desk.move(far / "b", desk.out / "absent" / "c")
    assert [(path.name, path.read_text()) for path in far.iterdir()] == [("b", "new second")]


def test_whoever_waits_for_the_release_is_told_when_all_is_in_place(desk: Desk) -> None:
    told: list[dict[str, str]] = []
    files = {desk.work / "first": desk.out / "a", desk.work / "second": desk.out / "b"}
    move_together(files, desk.work, lambda: told.append({path.name: path.read_text() for path in files.values()}))
    assert told == [{"a": "new first", "b": "new second"}]


def test_nobody_is_told_where_a_file_could_not_be_moved(desk: Desk) -> None:
    told: list[str] = []
    with pytest.raises(OutputError):
        move_together({desk.work / "first": desk.out / "absent" / "a"}, desk.work, lambda: told.append("placed"))
    assert told == []


@pytest.mark.parametrize(("reason", "says"), [
    (errno.ENOSPC, "The disk is full: "),
    (errno.EDQUOT, "Your disk quota in "),
    (errno.EROFS, " lies on a file system that is read-only."),
])  # fmt: skip
def test_a_file_that_finds_no_room_leaves_all_as_it_was(
    reason: int, says: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the kernel would answer stands in for disks of every kind; end_to_end has a real one."""
    (desk.out / "a").write_text("old a")
    replace = os.replace

    def full(name: str, target: str, **folders: int) -> None:
        if target == "b":
            raise OSError(reason, os.strerror(reason))
        replace(name, target, **folders)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OutputError) as caught:
        desk.move(desk.out / "a", desk.out / "b")
    assert says in str(caught.value)
    assert str(desk.out) in str(caught.value)
    assert desk.content() == {"a": "old a"}


def test_a_file_that_may_not_grow_names_the_limit(desk: Desk, far: Path) -> None:
    (desk.work / "second").write_bytes(b"x" * 20_000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(OutputError, match=r"larger than this process may write, 10 kB \(ulimit -f\)"):
            desk.move(desk.out / "a", far / "b")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (desk.content(), list(far.iterdir())) == ({}, [])


# Two runs at once


def test_of_runs_that_finish_at_once_one_wins_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    mixes: list[dict[str, str]] = []

    def place(word: str) -> None:
        for _ in range(15):
            with Workspace(out) as workspace:
                finished = {workspace.folder / name: out / name for name in ("a", "b", "c")}
                for path in finished:
                    path.write_text(word)

                def look() -> None:
                    # Still nobody else may move anything.
                    mixes.append({name: (out / name).read_text() for name in ("a", "b", "c")})

                move_together(finished, workspace.folder, look)

    threads = [threading.Thread(target=place, args=(word,)) for word in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(mixes) == 45
    assert [mix for mix in mixes if len(set(mix.values())) > 1] == []
    assert sorted(path.name for path in out.iterdir()) == ["a", "b", "c"]


def test_nothing_to_move_is_nothing_wrong(desk: Desk) -> None:
    told: list[str] = []
    move_together({}, desk.work, lambda: told.append("placed"))
    assert (told, desk.content()) == (["placed"], {})


def test_what_an_earlier_release_has_left_goes_with_the_others_or_stays_with_them(desk: Desk) -> None:
    pieces = [desk.out / f"t-{number:05}" for number in (1, 2, 3)]
    for piece in pieces[:2]:
        piece.write_text("old")
    (desk.out / "folder").mkdir()
    with pytest.raises(OutputError):
        move_together(
            {desk.work / "first": pieces[0], desk.work / "second": desk.out / "folder"},
            desk.work,
            tables=[desk.out / "t"],
        )
    pieces[2].mkdir()
    with pytest.raises(OutputError):
        move_together({desk.work / "first": pieces[0]}, desk.work, tables=[desk.out / "t"])
    assert desk.content() == {"t-00001": "old", "t-00002": "old"}
    pieces[2].rmdir()
    desk.finish()
    move_together({desk.work / "first": pieces[0]}, desk.work, tables=[desk.out / "t"])
    assert desk.content() == {"t-00001": "new first"}


def test_of_runs_that_finish_at_once_the_pieces_are_not_mixed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A longer release comes to its place while the shorter one waits for its turn."""
    pieces = [desk.out / "t-00001", desk.out / "t-00002"]

    @contextmanager
    def after_another(directories: Iterable[Path], timeout: float) -> Iterator[None]:
        with lock_directories(directories, timeout):
            for piece in pieces:
                piece.write_text("longer")
            yield

    monkeypatch.setattr("toolbox.release.placing.lock_directories", after_another)
    move_together({desk.work / "first": pieces[0]}, desk.work, tables=[desk.out / "t"])
    assert desk.content() == {"t-00001": "new first"}


@pytest.mark.parametrize("when", ["before it is planned", "before it is done"])
def test_a_leftover_that_vanishes_is_no_fault(when: str, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    left = desk.out / "t-00002"
    left.write_text("old")
    name = "mark_of" if when == "before it is planned" else "write_journals"
    step = getattr(placing, name)

    def vanishing(*arguments: object) -> object:
        if name == "write_journals" or arguments[1] == left.name:
            left.unlink()
        return step(*arguments)

    monkeypatch.setattr(placing, name, vanishing)
    files = {desk.work / "first": desk.out / "t-00001", desk.work / "second": desk.out / "b"}
    move_together(files, desk.work, tables=[desk.out / "t"])
    assert desk.content() == {"b": "new second", "t-00001": "new first"}


def test_two_files_never_come_to_one_name(desk: Desk) -> None:
    with pytest.raises(AssertionError, match="two files would come to one name"):
        desk.move(desk.out / "a", desk.out / ".." / "out" / "a")
    assert desk.content() == {}
