"""Locks that the operating system holds for a process."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from toolbox.store.disk.directory_lock import FileLock, NotOurLockError, find_lock_holder


def test_a_lock_is_held_by_one_and_free_when_it_is_let_go(tmp_path: Path) -> None:
    first = FileLock.take(tmp_path / "lock", create=True)
    assert first is not None
    assert FileLock.take(tmp_path / "lock") is None
    first.release()
    second = FileLock.take(tmp_path / "lock")
    assert second is not None
    second.remove()
    with pytest.raises(FileNotFoundError):
        FileLock.take(tmp_path / "lock")


def test_a_lock_is_never_taken_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    (tmp_path / "lock").symlink_to("mine")
    with pytest.raises(OSError, match="lock"):
        FileLock.take(tmp_path / "lock")


def test_what_is_no_file_is_not_opened_nor_locked(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    for create in (False, True):
        with pytest.raises(NotOurLockError, match="is no lock of yours"):
            FileLock.take(tmp_path / "lock", create=create)


def test_a_lock_that_holds_something_is_not_removed(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock", create=True)
    assert lock is not None
    lock.write(b"who")
    lock.remove()
    assert (tmp_path / "lock").read_bytes() == b"who"
    again = FileLock.take(tmp_path / "lock")
    assert again is not None
    again.release()


def test_only_the_file_that_is_locked_is_removed_and_not_one_that_has_its_name_since(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock", create=True)
    assert lock is not None
    assert lock.is_the_file((tmp_path / "lock").lstat())
    (tmp_path / "lock").unlink()
    other = FileLock.take(tmp_path / "lock", create=True)
    assert other is not None
    assert not lock.is_the_file((tmp_path / "lock").lstat())
    lock.remove()
    assert (tmp_path / "lock").exists()
    other.remove()
    assert not (tmp_path / "lock").exists()


def test_a_lock_that_was_let_go_is_let_go_once(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock", create=True)
    assert lock is not None
    lock.release()
    lock.release()
    lock.remove()
    assert (tmp_path / "lock").exists()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="this system does not tell who holds a lock")
def test_the_holder_of_a_lock_is_this_process_and_of_a_free_one_nobody(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock", create=True)
    assert lock is not None
    assert find_lock_holder(tmp_path / "lock") in (os.getpid(), None)  # in a container the system may tell of none
    lock.release()
    assert find_lock_holder(tmp_path / "lock") is None
    assert find_lock_holder(tmp_path / "absent") is None


def test_where_a_file_system_knows_no_locks_a_run_goes_on_and_nobody_else_s_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not supported")

    monkeypatch.setattr("fcntl.flock", unsupported)
    lock = FileLock.take(tmp_path / "lock", create=True)
    assert lock is not None
    assert FileLock.take(tmp_path / "lock") is None
    lock.remove()
    assert not (tmp_path / "lock").exists()


def test_any_other_fault_of_a_lock_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr("fcntl.flock", broken)
    with pytest.raises(OSError, match="broken"):
        FileLock.take(tmp_path / "lock", create=True)


@pytest.mark.parametrize("step", ["open", "flock"])
def test_a_lock_that_was_interrupted_while_it_was_made_can_be_removed(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call has had its effect; nobody has its result."""
    module = os if step == "open" else fcntl
    call = getattr(module, step)

    def interrupted(*arguments: object, **options: object) -> None:
        call(*arguments, **options)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(module, step, interrupted)
    lock = FileLock(tmp_path / "lock")
    with pytest.raises(KeyboardInterrupt):
        lock.acquire(create=True)
    assert (tmp_path / "lock").exists()
    lock.remove()
    assert not (tmp_path / "lock").exists()


def test_a_lock_that_cannot_be_removed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    lock = FileLock.take(tmp_path / "lock", create=True)
    assert lock is not None
    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", busy)
        lock.remove()
    assert capsys.readouterr().err == (
        f"toolbox: {tmp_path / 'lock'} could not be removed (Device or resource busy). The next run that writes there "
        "removes it, or remove it by hand.\n"
    )
    again = FileLock.take(tmp_path / "lock")
    assert again is not None
    again.remove()
    assert not (tmp_path / "lock").exists()
