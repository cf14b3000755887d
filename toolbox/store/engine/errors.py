"""The engine's errors in the user's terms."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import duckdb

from toolbox.errors import EngineError, InputError, ToolboxError, UsageError
from toolbox.messages import choose_setting_name
from toolbox.store.disk.folders import NO_ROOM, make_room_error


class UnreadableFileError(InputError):
    """The engine could not read or write a file, and does not say which."""


class MemoryLimitError(UsageError):
    """The engine may not take as much memory as a table needs."""


def translate_error(error: duckdb.Error, folder: Path) -> ToolboxError:
    """Return our error for an error of DuckDB, whose message may quote cells.

    Parameters
    ----------
    folder : Path
        Of the temporary files, where links lead to the inputs.
    """
    kind = type(error).__name__
    if isinstance(error, duckdb.InternalException):
        return EngineError(kind)
    message = str(error)
    known = _make_resource_error(error, message, folder)
    if known is None and isinstance(error, duckdb.InvalidInputException) and "reached an invalid state" in message:
        known = InputError("The records of the input cannot be told apart. Are its quotes and line ends right?")
    if known is None and isinstance(error, duckdb.NotImplementedException):
        known = InputError("A column has a type that cannot be read. Convert it to a number, a text or a date first.")
    known = known or _find_unreadable_input(error, message, folder)
    if known is None and (isinstance(error, duckdb.IOException) or "Failed to read file" in message):
        known = UnreadableFileError(f"A file could not be read or written{_find_system_reason(message)}.")
    return known or EngineError(kind)


def _find_system_reason(message: str) -> str:
    """Return the part of a message that comes from the system: any other part may quote a cell."""
    reasons = (os.strerror(code) for code in errno.errorcode)
    return next((f": {words}" for words in reasons if message.splitlines()[0].endswith(f": {words}")), "")


def _make_resource_error(error: duckdb.Error, message: str, folder: Path) -> ToolboxError | None:
    """Return the error of a full disk, or of a memory limit that is too small; None for any other error."""
    if (reason := _find_reason(message)) is not None:
        return make_room_error(reason, folder)
    if not isinstance(error, duckdb.OutOfMemoryException):
        return None
    # Of the room that was left on the disk the engine takes nine tenths.
    if "max_temp_directory_size" in message:
        return make_room_error(errno.ENOSPC, folder)
    limit, threads = (
        choose_setting_name("--memory-limit", python="limits=Limits(memory=..)"),
        choose_setting_name("--threads", python="threads="),
    )
    return MemoryLimitError(f"The memory limit is too small for this table. Raise {limit}, or lower {threads}.")


def _find_unreadable_input(error: duckdb.Error, message: str, folder: Path) -> InputError | None:
    """Return the input that the engine cannot read: its own message names a link, and may quote a cell."""
    try:
        links = [path for path in folder.rglob("*") if path.is_symlink()]
    except OSError:
        return None
    for link in links:
        target = link.readlink()
        if _has_changed(link, target):
            return InputError(f"{target} vanished or changed while it was read. Run again when nothing writes to it.")
        if str(link) in message:
            reason = message.splitlines()[0].rpartition(": ")[2]
            if reason not in map(os.strerror, errno.errorcode):
                return InputError(f"{target} is damaged and cannot be read. Get a complete copy.")
            return InputError(f"{target} cannot be read: {reason}.")
    return None


def _has_changed(link: Path, target: Path) -> bool:
    """Test whether a file has changed since the link to it was made."""
    try:
        # A time to come is that of another clock.
        return link.lstat().st_ctime_ns < target.stat().st_mtime_ns <= time.time_ns()
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _find_reason(message: str) -> int | None:
    """Return which of the reasons stands in the message of a library."""
    return next((reason for reason in NO_ROOM if os.strerror(reason) in message), None)
