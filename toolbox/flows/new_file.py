"""A file that is written whole or not at all, and that replaces another one only where somebody says so."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from toolbox.config.outputs import Content, mode_of, obstacle
from toolbox.errors import OutputError, UsageError, quote
from toolbox.messages import either
from toolbox.store.workspace import Workspace


def require_free(path: Path, *, replaces: bool, keeps: Sequence[Path] = ()) -> None:
    """Stop where a file cannot be written, before any work is done for it.

    Parameters
    ----------
    replaces : bool
        Whether a file of this name may be replaced.
    keeps : sequence of Path
        Files that are read, or folders of them, which never are.

    Raises
    ------
    UsageError
        If there is one, or what is there is no file.
    OutputError
        If there is no such folder.
    """
    another = either("another file, -o FILE", python="another file")
    remedy = f"Name {another}."
    if (blocking := obstacle(path)) is not None:
        raise UsageError(f"{quote(str(path))} is {blocking}. {remedy}")
    for read in keeps:
        if os.path.realpath(path) == os.path.realpath(read):
            raise UsageError(f"{quote(str(path))} is read itself, and stays as it is. {remedy}")
        if read.is_dir() and read.resolve() in path.resolve().parents:
            problem = f"{quote(str(path))} would lie in the folder whose files are the table"
            raise UsageError(f"{problem}. Name a file somewhere else.")
    if os.path.lexists(path) and not replaces:
        raise UsageError(f"{quote(str(path))} is there already. Write --force to replace it, or name {another}.")
    if not path.parent.is_dir():
        raise OutputError(f"There is no folder {quote(str(path.parent))}. Make it first, or name {another}.")


def content_of_page(kind: str) -> Content:
    """Return what is in a page: of a public one everybody may know it."""
    return "public page" if kind == "public" else "internal page"


def write_whole(path: Path, text: str, content: Content, *, replaces: bool) -> None:
    """Write a file under another name, and give it its own when it is complete.

    Parameters
    ----------
    content : str
        What is in it, which says who may read it.

    Raises
    ------
    UsageError
        If a file of this name has come meanwhile, and may not be replaced.
    OutputError
        If it cannot be written.
    """
    try:
        # In a folder of its own: what cannot be removed from it now the next run removes.
        with Workspace(path.parent) as workspace:
            unfinished = workspace.folder / "unfinished"
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode_of(content))
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            if replaces:
                unfinished.replace(path)
            else:
                _give_name(unfinished, path)
    except FileExistsError:
        raise UsageError(f"{quote(str(path))} is there already. Write --force to replace it.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{quote(str(path))} cannot be written: {reason}.") from error


def _give_name(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, unless something has it."""
    try:
        # A link fails where something is, which a test before could not promise.
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems know no links, such as those of memory sticks.
        if os.path.lexists(path):
            raise FileExistsError from None
        unfinished.rename(path)
