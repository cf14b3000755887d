"""Which table of a file is meant, where it holds several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolbox.errors import InputError, did_you_mean, quote
from toolbox.messages import either


def chosen_table(path: Path, wanted: str | None, names: Sequence[str]) -> str:
    """Return the table that is wanted, or the only one.

    Raises
    ------
    InputError
    """
    listed = ", ".join(map(quote, names[:20])) + (", .." if len(names) > 20 else "")
    if not names:
        raise InputError(f"{path} is a database without a table.")
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"{path} has no table {quote(wanted)}.{did_you_mean(wanted, names)} It has: {listed}.")
        return wanted
    if len(names) > 1:
        choice = either(f"table={names[0]!r}, or --input-table {quote(names[0])}", python=f"table={names[0]!r}")
        raise InputError(f"{path} has several tables: {listed}. Say which is meant: {choice}.")
    return names[0]
