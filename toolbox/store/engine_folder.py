"""The folder in which the engine works."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from stat import S_ISVTX, S_IWOTH

from toolbox.config.model import Limits
from toolbox.errors import OutputError, UsageError
from toolbox.messages import either
from toolbox.store.room import NO_ROOM, no_room
from toolbox.store.workspace import Workspace

# Characters in the names of folders that DuckDB takes for wildcards or for the end of a path.
_SPECIAL = set("*?[]#")


def engine_folder(beside: Path | None, limits: Limits) -> Workspace:
    """Make a folder for the engine in another one, or in the system's temporary folder.

    Parameters
    ----------
    beside : Path, optional
        The other folder. If the engine cannot read its name, or everybody may rename what lies in it, it is not used,
        unless the user has named it.
    limits : Limits

    Raises
    ------
    UsageError
        If the user has named such a folder for temporary files.
    OutputError
        If no folder can be made.
    """
    if beside is not None and set(str(beside.absolute())) & _SPECIAL:
        if beside == limits.temp_dir:
            named = str(beside.absolute())
            setting = either("--temp-dir", python="temp_dir=")
            raise UsageError(f"{setting} is {named!r}. Name a folder without * ? [ ] and # in its path.")
        beside = None
    if beside is not None and _everybody_renames_in(beside):
        if beside == limits.temp_dir:
            setting = either("--temp-dir", python="temp_dir=")
            raise UsageError(
                f"{setting} is {str(beside)!r}, where everybody may put another folder in the place of yours, and so "
                f"read temporary files, which hold original values. Run chmod +t {str(beside)!r}, or name a folder of "
                "your own."
            )
        beside = None
    try:
        # The engine takes what stands before a colon in a relative path for the name of an extension.
        return Workspace(None if beside is None else beside.absolute(), limits.lock_timeout)
    except OSError as error:
        parent = beside or Path(tempfile.gettempdir())
        if error.errno in NO_ROOM:
            raise no_room(error.errno, parent) from error
        problem = f"{parent}: no folder for temporary files can be made here ({error.strerror})."
        elsewhere = either("--temp-dir", python="limits=Limits(temp_dir=..)")
        raise OutputError(f"{problem} Name a folder that you may write to in {elsewhere}.") from error


def _everybody_renames_in(folder: Path) -> bool:
    """Test whether everybody may write to a folder that has no sticky bit."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False  # making a folder there says what is wrong
    return os.name == "posix" and bool(mode & S_IWOTH) and not mode & S_ISVTX
