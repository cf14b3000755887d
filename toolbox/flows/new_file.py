"""A file that is written whole or not at all, and that replaces another one only where somebody says so."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from toolbox.config.outputs import obstacle
from toolbox.errors import OutputError, UsageError, quote


def require_free(path: Path, *, replaces: bool, keeps: Path | None = None) -> None:
    """Stop where a file cannot be written, before any work is done for it.

    Parameters
    ----------
    replaces : bool
        Whether a file of this name may be replaced.
    keeps : Path, optional
        A file, or a folder of files, that never is.

    Raises
    ------
    UsageError
        If there is one, or what is there is no file.
    OutputError
        If there is no such folder.
    """
    if (blocking := obstacle(path)) is not None:
        raise UsageError(f"{quote(str(path))} is {blocking}. Name another file, -o FILE.")
    if keeps is not None and os.path.realpath(path) == os.path.realpath(keeps):
        raise UsageError(f"{quote(str(path))} is the table itself. Name another file, -o FILE.")
    if keeps is not None and keeps.is_dir() and keeps.resolve() in path.resolve().parents:
        problem = f"{quote(str(path))} would lie in the folder whose files are the table"
        raise UsageError(f"{problem}. Name a file somewhere else, -o FILE.")
    if os.path.lexists(path) and not replaces:
        raise UsageError(
            f"{quote(str(path))} is there already. Write --force to replace it, or name another file, -o FILE."
        )
    if not path.parent.is_dir():
        raise OutputError(
            f"There is no folder {quote(str(path.parent))}. Make it first, or name another file, -o FILE."
        )


def write_whole(path: Path, text: str, *, replaces: bool) -> None:
    """Write a file under another name, and give it its own when it is complete.

    Raises
    ------
    UsageError
        If a file of this name has come meanwhile, and may not be replaced.
    OutputError
        If it cannot be written.
    """
    unfinished = path.with_name(f".{path.name[:100]}.{token_hex(8)}")
    try:
        try:
            with unfinished.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
            if replaces:
                unfinished.replace(path)
            else:
                # A link fails where something is, which a test before could not promise.
                os.link(unfinished, path)
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
    except FileExistsError:
        raise UsageError(f"{quote(str(path))} is there already. Write --force to replace it.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{quote(str(path))} cannot be written: {reason}.") from error
