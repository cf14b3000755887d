"""What is said where a disk is full, and whose fault a file is."""

import errno
import os

import pytest

from toolbox.errors import InputError, OutputError
from toolbox.store.disk.folders import make_file_error, make_room_error, translate_file_errors
from toolbox.store.engine.errors import _find_reason


@pytest.mark.parametrize(
    ("reason", "found", "remedy"),
    [
        (errno.ENOSPC, "The disk is full: ", "Free some room, or name folders with more room: "),
        (errno.EDQUOT, "Your disk quota in {} is used up (", "Free some room, or name folders with more room: "),
        (errno.EFBIG, "A file in {} would become larger than ", "Raise the limit, or name folders with more room: "),
        (errno.EROFS, "{} lies on a file system that is read-only.", "Make it writable, or name another folder."),
    ],
)
def test_each_reason_names_its_folder_and_what_helps(tmp_path, reason, found, remedy):
    message = str(make_room_error(reason, tmp_path))
    assert message.startswith(found.format(tmp_path))
    assert str(tmp_path) in message
    assert remedy in message
    assert message.endswith("Nothing was released.")


def test_the_room_that_is_left_is_told_in_units_that_people_read(tmp_path, monkeypatch):
    for free, total, said in [
        (999, 1000, "999 bytes of 1 kB are left"),
        (1_500_000, 250_000_000_000, "1.5 MB of 250 GB are left"),
        (0, 3 * 10**15, "0 bytes of 3e+03 TB are left"),
    ]:
        usage = type("Usage", (), {"free": free, "total": total})
        monkeypatch.setattr("shutil.disk_usage", lambda _, usage=usage: usage)
        assert f"The disk is full: {said} in {tmp_path}." in str(make_room_error(errno.ENOSPC, tmp_path))


def test_a_folder_that_is_gone_is_no_second_error(tmp_path):
    assert "nothing is known of the room left" in str(make_room_error(errno.ENOSPC, tmp_path / "gone"))


def test_a_file_of_the_run_is_written_and_any_other_is_read(tmp_path):
    (tmp_path / "input.csv").symlink_to("/data/theirs.csv")
    theirs = OSError(errno.EACCES, "Permission denied", str(tmp_path / "input.csv"))
    ours = OSError(errno.EACCES, "Permission denied", str(tmp_path / "staged"))
    other = OSError(errno.EACCES, "Permission denied", "/data/other.csv")
    expected = [
        (theirs, InputError, "/data/theirs.csv cannot be read: Permission denied."),
        (ours, OutputError, f"{tmp_path / 'staged'} cannot be written: Permission denied. Nothing was released."),
        (other, InputError, "/data/other.csv cannot be read: Permission denied."),
    ]
    for error, kind, message in expected:
        made = make_file_error(error, tmp_path)
        assert (type(made), str(made)) == (kind, message)


def test_an_error_without_a_file_names_none():
    assert str(make_file_error(OSError(errno.EIO, "Input/output error"))) == (
        "A file cannot be read or written: Input/output error. Nothing was released."
    )


def test_a_full_disk_is_told_as_such_whichever_file_was_written(tmp_path):
    with pytest.raises(OutputError, match="The disk is full") as caught, translate_file_errors(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "staged"))
    assert isinstance(caught.value.__cause__, OSError)


def test_a_library_names_the_reason_within_its_own_words():
    assert _find_reason(f'Could not write file "x": {os.strerror(errno.ENOSPC)}') == errno.ENOSPC
    assert _find_reason(f"IO Error: {os.strerror(errno.EDQUOT)}!") == errno.EDQUOT
    assert _find_reason("Out of memory") is None


@pytest.mark.parametrize(
    ("limit", "said"),
    [(5_000_000, "larger than this process may write, 5 MB (ulimit -f)."), (-1, "larger than its file system takes.")],
)
def test_a_file_that_may_not_grow_is_told_whose_limit_it_is(tmp_path, monkeypatch, limit, said):
    monkeypatch.setattr("resource.getrlimit", lambda _: (limit, -1))
    assert said in str(make_room_error(errno.EFBIG, tmp_path))


def test_a_name_that_is_too_long_for_the_system_is_told_in_our_terms() -> None:
    name = "x" * 5_000
    error = OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), name)
    assert "File name too long" in str(make_file_error(error))
