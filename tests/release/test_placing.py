"""Placing: files come to their names all together or not at all, wherever the run is cut off."""

import errno
import json
import os
import resource
import shutil
import signal
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from toolbox.errors import OutputError
from toolbox.release import placing
from toolbox.release.placing import move_together
from toolbox.store.journal import directories_locked
from toolbox.store.workspace import Workspace, remove_dead


class Desk:
    """Two finished files, and the folder of their final names."""

    def __init__(self, folder: Path) -> None:
        self.work, self.out = folder / "work", folder / "out"
        self.work.mkdir()
        self.out.mkdir()
        self.finish()

    def finish(self, word: str = "new") -> None:
        for name in ("first", "second"):
            (self.work / name).write_text(f"{word} {name}")

    def move(self, *finals: Path) -> None:
        move_together(dict(zip((self.work / "first", self.work / "second"), finals, strict=True)), self.work)

    def content(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.out.rglob("*")) if path.is_file()}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on another file system."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("There is no second file system here, such as /dev/shm.")
    folder = memory / f"toolbox-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


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


def test_an_earlier_link_is_a_link_again(desk: Desk) -> None:
    (desk.out / "target").write_text("old")
    (desk.out / "folder").mkdir()
    (desk.out / "a").symlink_to("target")
    (desk.out / "b").symlink_to("nowhere")
    for name in ("a", "b"):
        with pytest.raises(OutputError):
            desk.move(desk.out / name, desk.out / "folder")
        desk.finish()
    assert [str((desk.out / name).readlink()) for name in ("a", "b")] == ["target", "nowhere"]
    assert (desk.out / "target").read_text() == "old"


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
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if target.name == "b":
            raise OSError(reason, os.strerror(reason))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", full)
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


# Cut off

STEPS = ("replace", "rename", "link", "unlink", "fsync", "rmdir")
"""What changes a file system for good, in the order in which it is done."""


def killed_at(step: int, out: Path, far: Path, tables: Sequence[Path] = ()) -> bool:
    """Place two files in a process that is killed just before its nth step; tell whether it got that far."""
    child = os.fork()
    if child == 0:
        place_until(step, out, far, tables)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def place_until(dies_at: int, out: Path, far: Path, tables: Sequence[Path]) -> None:
    steps = 0

    def counted(step: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal steps
            steps += 1
            if steps == dies_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*arguments, **options)

        return call

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    with Workspace(out) as workspace:
        finished = {workspace.folder / name: place / name for name, place in (("a", out), ("b", far))}
        for path in finished:
            path.write_text(f"new {path.name}")
        move_together(finished, workspace.folder, tables=tables)


def released(*folders: Path) -> dict[str, str]:
    """Read what stands at the final names; temporary files begin with a dot."""
    paths = (path for folder in folders for path in folder.iterdir() if not path.name.startswith("."))
    return {path.name: path.read_text() for path in paths}


@pytest.mark.parametrize("second", ["out", "another"])
def test_killed_at_any_step_the_next_run_makes_all_new_or_all_old(second: str, tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / second
    found = []
    step = 0
    while True:
        step += 1
        for folder in (out, other):
            folder.mkdir(exist_ok=True)
        (out / "a").write_text("old a")
        (other / "b").write_text("old b")
        if not killed_at(step, out, other):
            break
        remove_dead(out)
        after = released(out, other)
        assert after in ({"a": "old a", "b": "old b"}, {"a": "new a", "b": "new b"}), step
        found.append(after["a"])
        remove_dead(other)
        assert [path.name for folder in {out, other} for path in folder.iterdir() if path.name not in "ab"] == [], step
    assert found == sorted(found, reverse=True), "once new, always new"
    assert {"old a", "new a"} == set(found)
    assert step > 10


def mixed(desk: Desk) -> None:
    """Kill a run between its two moves, so that a new file stands beside an old one."""
    for step in range(1, 40):
        (desk.out / "a").write_text("old a")
        (desk.out / "b").write_text("old b")
        killed_at(step, desk.out, desk.out)
        if released(desk.out) == {"a": "new a", "b": "old b"}:
            return
        remove_dead(desk.out)
    raise AssertionError("no step lies between the two moves")


def test_what_cannot_be_completed_goes_back_as_a_whole(desk: Desk) -> None:
    mixed(desk)
    for staged in desk.out.glob(".toolbox-*/new_*"):
        staged.unlink()
    remove_dead(desk.out)
    assert released(desk.out) == {"a": "old a", "b": "old b"}


@pytest.mark.parametrize("name", ["a", "b"])
def test_what_somebody_has_changed_since_is_not_touched(name: str, desk: Desk) -> None:
    mixed(desk)
    (desk.out / name).write_text("mine")
    before = released(desk.out)
    remove_dead(desk.out)
    assert released(desk.out) == before


def test_nothing_is_touched_where_somebody_has_removed_one_of_the_new_files(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run was killed when all was in place, but for its journal."""
    monkeypatch.setattr("toolbox.release.placing.forget_journal", lambda _: os._exit(0))
    (desk.out / "b").write_text("old b")
    child = os.fork()
    if child == 0:
        place_until(-1, desk.out, desk.out, [])
    os.waitpid(child, 0)
    assert released(desk.out) == {"a": "new a", "b": "new b"}
    (desk.out / "a").unlink()
    remove_dead(desk.out)
    assert [(path.name, path.read_text()) for path in desk.out.iterdir()] == [("b", "new b")]


def test_going_back_that_is_itself_cut_off_is_brought_to_an_end_by_the_next_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("toolbox.release.placing.flush_directory", lost)
    found, step = [], 0
    while True:
        step += 1
        child = os.fork()
        if child == 0:
            with suppress(OutputError):
                place_until(step, desk.out, desk.out, [])
            os._exit(0)
        _, status = os.waitpid(child, 0)
        half = len(released(desk.out))
        remove_dead(desk.out)
        after = released(desk.out)
        assert after in ({}, {"a": "new a", "b": "new b"}), step
        found.append((half, len(after)))
        for name in after:
            (desk.out / name).unlink()
        if status == 0:
            break
    # Half on the way there, and half on the way back.
    assert {(1, 2), (1, 0), (0, 0)} <= set(found)
    assert found[-1] == (0, 0)


def test_a_folder_that_was_renamed_is_completed_all_the_same(desk: Desk) -> None:
    mixed(desk)
    renamed = desk.out.rename(desk.out.with_name("renamed"))
    remove_dead(renamed)
    assert released(renamed) == {"a": "new a", "b": "new b"}


def test_a_journal_that_cannot_be_read_stays_where_it_is(desk: Desk) -> None:
    mixed(desk)
    (journal,) = desk.out.glob(".toolbox-*/journal.json")
    journal.write_text(json.dumps([{"staged": 1}]))
    remove_dead(desk.out)
    assert journal.exists()
    assert (desk.out / "b").read_text() == "old b"


@pytest.mark.parametrize("after", [1, 2])
def test_an_interrupt_puts_the_earlier_files_back_unless_all_new_ones_are_in_place(
    after: int, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.out / "a").write_text("old a")
    replace = Path.replace
    moved: list[Path] = []

    def interrupted(path: Path, target: Path) -> Path:
        result = replace(path, target)
        if target.parent == desk.out and path.name.startswith("new_"):
            moved.append(target)
            if len(moved) == after:
                raise KeyboardInterrupt
        return result

    monkeypatch.setattr(Path, "replace", interrupted)
    if after == 1:
        with pytest.raises(KeyboardInterrupt):
            desk.move(desk.out / "a", desk.out / "b")
        assert desk.content() == {"a": "old a"}
    else:
        desk.move(desk.out / "a", desk.out / "b")
        assert desk.content() == {"a": "new first", "b": "new second"}


def test_an_interrupt_just_before_others_are_told_comes_too_late(desk: Desk) -> None:
    told: list[str] = []

    def placed() -> None:
        told.append("placed")
        if len(told) == 1:
            raise KeyboardInterrupt

    move_together({desk.work / "first": desk.out / "a", desk.work / "second": desk.out / "b"}, desk.work, placed)
    assert told == ["placed", "placed"]
    assert desk.content() == {"a": "new first", "b": "new second"}


def test_a_journal_that_cannot_be_removed_does_not_spoil_a_release_that_is_in_place(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def stuck(path: Path, missing_ok: bool = False) -> None:
        if path.name == "journal.json":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        unlink(path, missing_ok)

    with Workspace(desk.out) as workspace:
        finished = {workspace.folder / name: desk.out / name for name in ("a", "b")}
        for path in finished:
            path.write_text(f"new {path.name}")
        with monkeypatch.context() as patched:
            patched.setattr(Path, "unlink", stuck)
            move_together(finished, workspace.folder)
        assert (workspace.folder / "journal.json").exists()
    assert desk.content() == {"a": "new a", "b": "new b"}


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


def test_killed_at_any_step_leftovers_go_with_the_others_or_stay_with_them(tmp_path: Path) -> None:
    found, step = [], 0
    while True:
        step += 1
        (tmp_path / "a").write_text("old a")
        (tmp_path / "t-00001").write_text("old t")
        if not killed_at(step, tmp_path, tmp_path, tables=[tmp_path / "t"]):
            break
        remove_dead(tmp_path)
        after = released(tmp_path)
        assert after in ({"a": "old a", "t-00001": "old t"}, {"a": "new a", "b": "new b"}), step
        found.append(len(after.keys() & {"t-00001"}))
        (tmp_path / "b").unlink(missing_ok=True)
    assert set(found) == {0, 1}


def test_of_runs_that_finish_at_once_the_pieces_are_not_mixed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A longer release comes to its place while the shorter one waits for its turn."""
    pieces = [desk.out / "t-00001", desk.out / "t-00002"]

    @contextmanager
    def after_another(directories: Iterable[Path]) -> Iterator[None]:
        with directories_locked(directories):
            for piece in pieces:
                piece.write_text("longer")
            yield

    monkeypatch.setattr("toolbox.release.placing.directories_locked", after_another)
    move_together({desk.work / "first": pieces[0]}, desk.work, tables=[desk.out / "t"])
    assert desk.content() == {"t-00001": "new first"}


@pytest.mark.parametrize("when", ["before it is planned", "before it is done"])
def test_a_leftover_that_vanishes_is_no_fault(when: str, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    left = desk.out / "t-00002"
    left.write_text("old")
    name = "mark_of" if when == "before it is planned" else "write_journal"
    step = getattr(placing, name)

    def vanishing(*arguments: object) -> object:
        if name == "write_journal" or arguments[0] == left:
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
