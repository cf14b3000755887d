"""How text is read without a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.config.model import Input
from toolbox.errors import SettingError, UsageError

TABLE = Path("the table")
"""What messages call the records of a call."""


def text_input(
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    table: str | None = None,
) -> Input:
    """Return how a file with a header is read; its separator is guessed unless it is named.

    Raises
    ------
    UsageError
        If there is no such encoding, or no number is written so.
    """
    try:
        known = values.encoding(encoding or "utf-8")
    except BadValueError:
        raise SettingError("encoding", encoding, "the name of an encoding, such as 'latin-1'") from None
    try:
        figures = values.decimal(decimal or "."), values.thousands(thousands or "")
    except BadValueError as error:
        raise UsageError(f"decimal={decimal!r} or thousands={thousands!r} {error.args[0]}. {error.args[1]}") from None
    if figures[0] == figures[1]:
        raise UsageError(f"thousands={thousands!r} stands before the decimals as well. Write another character.")
    return Input(
        path=TABLE,
        separator=separator or ",",
        guesses_separator=separator is None,
        encoding=known,
        decimal=figures[0],
        thousands=figures[1],
        guesses_figures=decimal is None and thousands is None,
        header=True,
        table=table,
    )


AS_GUESSED: Final = text_input()
"""How a file is read of which nothing is said."""
