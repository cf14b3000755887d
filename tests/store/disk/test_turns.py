"""Runs that release into one folder take turns: whoever waits says so, and not for ever."""

import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from toolbox.errors import OutputError
from toolbox.store.disk.directory_lock import DIRECTORY_LOCK, lock_directories, require_lockable


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock as another run does."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def refusal(place: Path, timeout: float = 0.05) -> str:
    with pytest.raises(OutputError) as caught, lock_directories([place], timeout):
        raise AssertionError("the lock was taken")
    return str(caught.value)


def test_whoever_waits_says_so_and_for_whom_and_gives_up_in_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / DIRECTORY_LOCK
    with held(lock):
        assert refusal(tmp_path) == (
            f"{lock} is held by another run (process {os.getpid()}); --lock-timeout 0.05 is over. Wait until that run "
            "has ended, or end it; if none is at work, remove the file. Nothing was released."
        )
        assert capsys.readouterr().err == (
            f"toolbox: waiting for another run (process {os.getpid()}) to release into {tmp_path}, "
            "0.05 seconds at most.\n"
        )
        assert "--lock-timeout 0 is over" in refusal(tmp_path, 0)
        assert capsys.readouterr().err == ""
    with lock_directories([tmp_path], 0):
        assert lock.exists()
    assert list(tmp_path.iterdir()) == []


def test_the_time_is_one_for_all_folders(tmp_path: Path) -> None:
    """Ten folders do not take ten times as long, and no lock is left."""
    for number in range(3):
        (tmp_path / str(number)).mkdir()
    turns = lock_directories([tmp_path / str(number) for number in range(3)], 0.01)
    with held(tmp_path / "2" / DIRECTORY_LOCK), pytest.raises(OutputError), turns:
        pass
    assert [path.name for path in sorted(tmp_path.rglob(".*"))] == [DIRECTORY_LOCK]


@pytest.mark.parametrize("kind", ["a named pipe", "a folder", "a symbolic link to 'elsewhere'"])
def test_what_is_no_file_is_neither_opened_nor_waited_for(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / DIRECTORY_LOCK
    match kind:
        case "a named pipe":
            os.mkfifo(lock)
        case "a folder":
            lock.mkdir()
        case _:
            (tmp_path / "elsewhere").touch()
            lock.symlink_to("elsewhere")
    before = lock.lstat()
    message = refusal(tmp_path, 1000)
    assert message.startswith(f"{lock} is {kind}, where runs lock the folder, and none has made it. Remove it, or ")
    with pytest.raises(OutputError, match=re.escape(message)):
        require_lockable(tmp_path)
    assert lock.lstat() == before
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_lock_of_another_user_is_neither_opened_nor_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / DIRECTORY_LOCK
    lock.touch()
    os.chown(lock, 65534, 65534)
    opened: list[str] = []
    system_open = os.open

    def watched(path: str, *rest: int, **more: int) -> int:
        descriptor = system_open(path, *rest, **more)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            opened.append(str(path))
        return descriptor

    monkeypatch.setattr(os, "open", watched)
    assert refusal(tmp_path).startswith(f"{lock} is held by user number 65534; ")
    assert "waiting for user number 65534 to release into" in capsys.readouterr().err
    assert opened == []
    assert lock.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_when_another_user_has_ended_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / DIRECTORY_LOCK
    lock.touch()
    os.chown(lock, 65534, 65534)
    monkeypatch.setattr(time, "sleep", lambda _: lock.unlink())
    with lock_directories([tmp_path], 1000):
        assert lock.stat().st_uid == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_content_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / DIRECTORY_LOCK).write_text("mine")
    (tmp_path / "mine").hardlink_to(tmp_path / DIRECTORY_LOCK)
    with lock_directories([tmp_path], 0):
        pass
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {DIRECTORY_LOCK: "mine", "mine": "mine"}
