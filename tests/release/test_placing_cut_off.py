"""Placing that is cut off: the next run makes all of it new or all of it old."""

import errno
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.placing import Desk, killed_at, killed_recovering, mixed, place_until, released

from toolbox.errors import OutputError
from toolbox.release.placing import move_together
from toolbox.store.disk.folders import Folder
from toolbox.store.disk.workspace import Workspace, remove_dead

pytestmark = pytest.mark.sampled(1)


@pytest.fixture
def desk(in_memory: Path) -> Desk:
    return Desk(in_memory)


@pytest.mark.slow
@pytest.mark.parametrize(("second", "next_run"), [("out", "out"), ("another", "out"), ("another", "another")])
def test_killed_at_any_step_the_next_run_makes_all_new_or_all_old(second: str, next_run: str, in_memory: Path) -> None:
    out, other = in_memory / "out", in_memory / second
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
        remove_dead(in_memory / next_run)
        after = released(out, other)
        assert after in ({"a": "old a", "b": "old b"}, {"a": "new a", "b": "new b"}), step
        found.append(after["a"])
        for folder in (out, other):
            remove_dead(folder)
        assert [path.name for folder in {out, other} for path in folder.iterdir() if path.name not in "ab"] == [], step
    assert found == sorted(found, reverse=True), "once new, always new"
    assert {"old a", "new a"} == set(found)
    assert step > 10


@pytest.mark.slow
@pytest.mark.parametrize("is_complete", [True, False])
@pytest.mark.parametrize("first", ["out", "another"])
def test_a_next_run_that_is_itself_killed_at_any_step_leaves_the_rest_to_the_one_after_it(
    first: str, is_complete: bool, in_memory: Path
) -> None:
    out, other = in_memory / "out", in_memory / "another"
    for folder in (out, other):
        folder.mkdir()
    wanted = "new" if is_complete else "old"
    step = 0
    while True:
        step += 1
        mixed(out, other)
        if not is_complete:
            next(other.glob(".toolbox-*/new_*")).unlink()
        was_killed = killed_recovering(step, in_memory / first)
        # Whichever folder the one after it works in.
        for folder in (out, other) if step % 2 else (other, out):
            remove_dead(folder)
        assert released(out, other) == {"a": f"{wanted} a", "b": f"{wanted} b"}, step
        assert [path.name for folder in (out, other) for path in folder.iterdir() if path.name not in "ab"] == [], step
        if not was_killed:
            break
    assert step > 5


@pytest.mark.slow
def test_what_cannot_be_completed_goes_back_as_a_whole(desk: Desk) -> None:
    mixed(desk.out, desk.out)
    for staged in desk.out.glob(".toolbox-*/new_*"):
        staged.unlink()
    remove_dead(desk.out)
    assert released(desk.out) == {"a": "old a", "b": "old b"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a", "b"])
def test_what_somebody_has_changed_since_is_not_touched(name: str, desk: Desk) -> None:
    mixed(desk.out, desk.out)
    (desk.out / name).write_text("mine")
    before = released(desk.out)
    remove_dead(desk.out)
    assert released(desk.out) == before


def test_nothing_is_touched_where_somebody_has_removed_one_of_the_new_files(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run was killed when all was in place, but for its journal."""
    monkeypatch.setattr("toolbox.release.placing.remove_journals", lambda _: os._exit(0))
    (desk.out / "b").write_text("old b")
    child = os.fork()
    if child == 0:
        place_until(-1, desk.out, desk.out, [])
    os.waitpid(child, 0)
    assert released(desk.out) == {"a": "new a", "b": "new b"}
    (desk.out / "a").unlink()
    remove_dead(desk.out)
    assert [(path.name, path.read_text()) for path in desk.out.iterdir()] == [("b", "new b")]


@pytest.mark.slow
def test_going_back_that_is_itself_cut_off_is_brought_to_an_end_by_the_next_run(
    in_memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, flush = Desk(in_memory), Folder.flush

    def lost(folder: Folder) -> None:
        if os.getpid() != recovering and folder.path == desk.out and (desk.out / "b").exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        flush(folder)

    recovering = os.getpid()
    monkeypatch.setattr(Folder, "flush", lost)
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


@pytest.mark.slow
def test_a_folder_that_was_renamed_is_completed_all_the_same(desk: Desk) -> None:
    mixed(desk.out, desk.out)
    renamed = desk.out.rename(desk.out.with_name("renamed"))
    remove_dead(renamed)
    assert released(renamed) == {"a": "new a", "b": "new b"}


def test_a_journal_that_cannot_be_read_stays_where_it_is(desk: Desk) -> None:
    mixed(desk.out, desk.out)
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
    replace = os.replace
    moved: list[str] = []

    def interrupted(name: str, target: str, **folders: int) -> None:
        replace(name, target, **folders)
        if str(name).startswith("new_"):
            moved.append(target)
            if len(moved) == after:
                raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
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
    unlink = os.unlink

    def stuck(name: str, **folder: int) -> None:
        if name == "journal.json":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        unlink(name, **folder)

    with Workspace(desk.out) as workspace:
        finished = {workspace.folder / name: desk.out / name for name in ("a", "b")}
        for path in finished:
            path.write_text(f"new {path.name}")
        with monkeypatch.context() as patched:
            patched.setattr(os, "unlink", stuck)
            move_together(finished, workspace.folder)
        assert (workspace.folder / "journal.json").exists()
    assert desk.content() == {"a": "new a", "b": "new b"}


@pytest.mark.slow
def test_killed_at_any_step_leftovers_go_with_the_others_or_stay_with_them(in_memory: Path) -> None:
    found, step = [], 0
    while True:
        step += 1
        (in_memory / "a").write_text("old a")
        (in_memory / "t-00001").write_text("old t")
        if not killed_at(step, in_memory, in_memory, tables=[in_memory / "t"]):
            break
        remove_dead(in_memory)
        after = released(in_memory)
        assert after in ({"a": "old a", "t-00001": "old t"}, {"a": "new a", "b": "new b"}), step
        found.append(len(after.keys() & {"t-00001"}))
        (in_memory / "b").unlink(missing_ok=True)
    assert set(found) == {0, 1}
