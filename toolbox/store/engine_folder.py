"""The folder in which the engine works."""

from __future__ import annotations

import tempfile
from pathlib import Path

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
        The other folder. If the engine cannot read its name, and the user has not named it, it is not used.
    limits : Limits

    Raises
    ------
    UsageError
        If the engine cannot read the name of the folder that the user has named for temporary files.
    OutputError
        If no folder can be made.
    """
    if beside is not None and set(str(beside.absolute())) & _SPECIAL:
        if beside == limits.temp_dir:
            named = str(beside.absolute())
            setting = either("--temp-dir", python="temp_dir=")
            raise UsageError(f"{setting} is {named!r}. Name a folder without * ? [ ] and # in its path.")
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
