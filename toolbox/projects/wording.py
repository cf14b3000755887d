"""Texts of a configuration from what Python gives: kinds of columns, and paths."""

from __future__ import annotations

import os
from pathlib import Path

from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.errors import UsageError, quote


def column_kind(text: str) -> str:
    """Return the kind of a column as a configuration writes it.

    Raises
    ------
    UsageError
        If there is no such kind.
    """
    try:
        return values.kind(text)
    except BadValueError as error:
        raise UsageError(f"kind={quote(text)} {error.args[0]}. {error.args[1]}") from None


def relative(path: Path, folder: Path) -> str:
    """Return a path as a configuration in a folder writes it: relative to that."""
    try:
        return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    except ValueError:  # on another drive
        return str(path.absolute())
