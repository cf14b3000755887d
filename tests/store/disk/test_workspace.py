"""The folder of a run: its own while it lives, removed by the next run when it is dead, and nothing else ever."""

import errno
import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers import children
from helpers.amounts import times

from toolbox.store.disk import workspace
from toolbox.store.disk.directory_lock import DIRECTORY_LOCK, FileLock, lock_directories
from toolbox.store.disk.workspace import Workspace, remove_dead

# A process that makes a folder with files in it, says so, and waits.
LIVING = """
import sys, time
from pathlib import Path
from toolbox.store.disk.workspace import Workspace
with Workspace(Path(sys.argv[1])) as workspace:
    (workspace.folder / "spill").mkdir()
    (workspace.folder / "spill" / "data").write_text("x")
    (workspace.folder / "input.csv").symlink_to(Path(sys.argv[1]) / "mine.csv")
    print(workspace.folder, flush=True)
    time.sleep(60)
"""


@contextmanager
def another_run(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start a process that holds a folder."""
    with children.start([sys.executable, "-c", LIVING, str(place)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kill a process, once for all tests; return the folder that it leaves behind."""
    with another_run(tmp_path_factory.mktemp("killed")) as (process, folder):
        process.kill()
        process.wait()
    assert (folder / "spill" / "data").exists()
    return folder


@pytest.fixture
def dead(killed: Path, tmp_path: Path) -> Path:
    """Return a folder whose process was killed, beside a file of the user's to which it holds a link."""
    (tmp_path / "mine.csv").write_text("mine")
    folder = shutil.copytree(killed, tmp_path / killed.name, symlinks=True)
    (folder / "input.csv").unlink()
    (folder / "input.csv").symlink_to(tmp_path / "mine.csv")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("is_taken", [False, True])
def test_an_interrupt_between_the_folder_and_its_lock_leaves_nothing(
    is_taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire = FileLock.acquire

    def interrupted(lock: FileLock, *, create: bool = False) -> None:
        if is_taken:
            acquire(lock, create=create)
        raise KeyboardInterrupt

    monkeypatch.setattr(FileLock, "acquire", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Workspace(tmp_path)
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_removed_is_told_and_goes_with_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    own = Workspace(tmp_path)
    (own.folder / "data").touch()
    with monkeypatch.context() as patched:
        patched.setattr(os, "rmdir", busy)
        own.close()
    told = "could not be removed (Device or resource busy). The next run that writes there removes it, or remove it by"
    assert capsys.readouterr().err == f"toolbox: {own.folder} {told} hand.\n"
    assert names(tmp_path) == [own.folder.name]
    remove_dead(tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("call", [1, 2])
def test_a_folder_goes_though_opening_it_fails_once(call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Workspace(tmp_path)
    (made.folder / "spill").mkdir()
    usual, count = os.open, itertools.count(1)

    def fails_once(*arguments: Any, **options: Any) -> int:
        if next(count) == call:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return usual(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", fails_once)
        made.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_goes_when_it_is_closed_and_closing_twice_does_no_harm(tmp_path: Path) -> None:
    with Workspace(tmp_path) as own:
        (own.folder / "deep" / "deeper").mkdir(parents=True)
        assert own.folder.stat().st_mode & 0o777 == 0o700
    own.close()
    assert names(tmp_path) == []


@pytest.mark.slow
def test_what_a_killed_run_has_left_is_removed_and_no_link_is_followed(dead: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path) as own:
        assert names(tmp_path) == [own.folder.name, "mine.csv"]
    assert (tmp_path / "mine.csv").read_text() == "mine"


@pytest.mark.slow
def test_what_a_living_run_holds_stays(tmp_path: Path) -> None:
    with another_run(tmp_path) as (process, folder):
        remove_dead(tmp_path)
        assert (folder / "spill" / "data").exists()
        process.send_signal(signal.SIGSTOP)
        remove_dead(tmp_path)
        assert (folder / "spill" / "data").exists()
        process.kill()
        process.wait()
        remove_dead(tmp_path)
        assert names(tmp_path) == []


def test_what_a_run_in_this_process_holds_stays(tmp_path: Path) -> None:
    with Workspace(tmp_path) as first, Workspace(tmp_path) as second:
        remove_dead(tmp_path)
        assert names(tmp_path) == sorted([first.folder.name, second.folder.name])


@pytest.mark.slow
def test_a_child_of_a_fork_does_not_remove_what_is_its_parent_s(tmp_path: Path) -> None:
    program = """
import os, sys
from pathlib import Path
from toolbox.store.disk.workspace import Workspace
own = Workspace(Path(sys.argv[1]))
if os.fork() == 0:
    sys.exit(0)
os.wait()
print(own.folder.exists())
"""
    run = children.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True"
    assert names(tmp_path) == []


@pytest.mark.slow
def test_a_run_of_another_machine_is_left_alone(dead: Path, tmp_path: Path) -> None:
    """Not every network file system tells the locks of one machine to another."""
    prefix, _, _, number = dead.name.rsplit("-", 3)
    foreign = dead.rename(dead.with_name(f"{prefix}-00000000-11111111-{number}"))
    remove_dead(tmp_path)
    assert (foreign / "spill" / "data").exists()


@pytest.mark.parametrize("known", ["host", "boot"])
def test_a_run_of_this_machine_is_known_by_its_name_or_its_start(known: str, dead: Path, tmp_path: Path) -> None:
    """A container has a new name, a machine that was started again a new start."""
    prefix, host, boot, number = dead.name.rsplit("-", 3)
    parts = (host, "11111111") if known == "host" else ("00000000", boot)
    renamed = dead.rename(dead.with_name("-".join((prefix, *parts, number))))
    (renamed / "lock").write_text(renamed.name)
    remove_dead(tmp_path)
    assert names(tmp_path) == ["mine.csv"]


def test_what_only_looks_like_ours_is_left_alone(dead: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "lock").write_text("")
    number = 0

    def our_name() -> Path:
        nonlocal number
        number += 1
        return dead.with_name(f"{dead.name[:-4]}{number:04x}")

    our_name().write_text("a file")
    our_name().symlink_to(tmp_path / "elsewhere")
    unlocked = our_name()
    unlocked.mkdir()
    (unlocked / "anything").write_text("no lock was ever here")
    for name in (".toolbox-", ".toolbox-notes", ".toolbox-abc", f"{dead.name}.bak", ".toolboxrc"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("mine")
    (tmp_path / DIRECTORY_LOCK).write_text("somebody's text")
    before = [name for name in names(tmp_path) if name != dead.name]
    remove_dead(tmp_path)
    assert names(tmp_path) == before
    assert (tmp_path / "elsewhere" / "lock").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_of_another_user_is_left_alone(dead: Path, tmp_path: Path) -> None:
    os.chown(dead, 65534, 65534)
    remove_dead(tmp_path)
    assert (dead / "spill" / "data").exists()


def test_a_folder_that_was_cut_off_before_its_lock_goes_if_it_is_empty(dead: Path, tmp_path: Path) -> None:
    dead.with_name(f"{dead.name[:-4]}0000").mkdir()
    remove_dead(tmp_path)
    assert names(tmp_path) == ["mine.csv"]


def test_a_removal_that_was_cut_off_goes_on(dead: Path, tmp_path: Path) -> None:
    (dead / "spill" / "data").unlink()
    remove_dead(tmp_path)
    assert names(tmp_path) == ["mine.csv"]


def test_the_lock_of_a_directory_that_nobody_holds_goes_too(tmp_path: Path) -> None:
    (tmp_path / DIRECTORY_LOCK).touch()
    remove_dead(tmp_path)
    assert names(tmp_path) == []
    held = FileLock.take(tmp_path / DIRECTORY_LOCK, create=True)
    assert held is not None
    remove_dead(tmp_path)
    assert names(tmp_path) == [DIRECTORY_LOCK]
    held.remove()
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_listed_is_no_error(tmp_path: Path) -> None:
    remove_dead(tmp_path / "absent")
    (tmp_path / "file").touch()
    remove_dead(tmp_path / "file")


def test_a_run_whose_folder_is_taken_for_a_dead_one_before_it_is_locked_makes_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir, taken = Path.mkdir, []

    def followed_by_another_run(path: Path, mode: int = 0o777) -> None:
        mkdir(path, mode)
        if not taken:
            taken.append(path)
            remove_dead(tmp_path)

    monkeypatch.setattr(workspace.Path, "mkdir", followed_by_another_run)
    with Workspace(tmp_path) as own:
        assert (own.folder / "lock").exists()
        assert own.folder not in taken
    assert names(tmp_path) == []


def test_many_runs_at_once_remove_only_what_is_dead(tmp_path: Path) -> None:
    lost = []

    def work() -> None:
        for _ in range(times(10, slow=25)):
            with Workspace(tmp_path) as own:
                (own.folder / "data").write_text("x")
                remove_dead(tmp_path)
                if not (own.folder / "data").exists():
                    lost.append(own.folder)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (lost, names(tmp_path)) == ([], [])


# Locks


def test_whoever_waits_for_a_lock_that_is_removed_gets_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / DIRECTORY_LOCK
    first = FileLock.take(path, create=True)
    assert first is not None
    got: list[FileLock | None] = []

    def wait() -> None:
        with lock_directories([tmp_path]):
            got.append(FileLock.take(path))

    waiting = threading.Thread(target=wait)
    waiting.start()
    first.remove()
    waiting.join()
    assert (got, names(tmp_path)) == ([None], [])
