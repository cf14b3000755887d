"""The folder beside a project that the application keeps: what can be undone, what was tried, and the log."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG, S_IWGRP, S_IWOTH

FOLDER = ".toolbox-app"


def kept_folder(project_folder: Path) -> Path | None:
    """Return the folder, which is made if there is none; None if somebody else could have written what it holds.

    A link is nobody's: what is behind it may be anybody's file.
    """
    folder = project_folder / FOLDER
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_ours(folder):
            return folder
    return None


def _is_ours(folder: Path) -> bool:
    """Return whether a folder and all that is in it belong to us alone, and are files and folders."""
    if not S_ISDIR(folder.lstat().st_mode):
        return False
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        if not (S_ISDIR(status.st_mode) or S_ISREG(status.st_mode)):
            return False
        # Windows has no such owners, and modes that say nothing of others.
        if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & (S_IWGRP | S_IWOTH)):
            return False
    return True
