"""How text is read without a configuration."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.config.model import DEFAULT_MISSING, Input
from toolbox.errors import SettingError, UsageError, quote
from toolbox.messages import choose_setting_name

_POSITION: Final = re.compile(r"(?:column )?([0-9]{1,9})")
TABLE = Path("the table")
"""What messages call the records of a call."""


@dataclass(frozen=True)
class Reading:
    """How a file is read, as the arguments of a call say it; None where nothing is said."""

    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: str | None = None
    table: str | None = None

    @property
    def said(self) -> list[str]:
        """The names of the arguments that say something."""
        return [name for name, value in vars(self).items() if value is not None]

    def require_file(self) -> None:
        """Stop where anything is said of a file, and the caller gives a table.

        Raises
        ------
        UsageError
        """
        for name in self.said[:1]:
            raise UsageError(f"{name}= says how a file is read, and the source is a table. Leave it out.")

    def input(self) -> Input:
        """Return how a file is read; its separator is guessed unless it is named.

        Raises
        ------
        UsageError
            If an argument is wrong.
        """
        for name in self.said:
            value = getattr(self, name)
            if name == "header" and not isinstance(value, bool):
                raise SettingError(name, value, "True or False")
            if name != "header" and not isinstance(value, str):
                raise SettingError(name, value, "a text, or None")
        decimal, thousands = _read("decimal", values.parse_decimal, self.decimal or "."), self.thousands or ""
        if _read("thousands", values.parse_thousands, thousands) == decimal:
            raise UsageError(f"thousands={thousands!r} stands before the decimals as well. Write another character.")
        return Input(
            path=TABLE,
            separator="," if self.separator is None else _read("separator", values.parse_separator, self.separator),
            guesses_separator=self.separator is None,
            encoding=_parse_encoding(self.encoding or "utf-8"),
            decimal=decimal,
            thousands=thousands,
            guesses_figures=self.decimal is None and self.thousands is None,
            missing=DEFAULT_MISSING if self.missing is None else self.missing,
            header=self.header is not False,
            table=self.table,
        )


def name_column_position(name: object) -> str:
    """Return what a column is called in a file without a header, by its position from 0.

    Raises
    ------
    UsageError
        If it is no position.

    Examples
    --------
    >>> name_column_position("2"), name_column_position("column 2")
    ('column 2', 'column 2')
    """
    match = _POSITION.fullmatch(str(name))
    if match is None:
        without = choose_setting_name("--header no", python="header=False")
        raise UsageError(
            f"{without} says that no names are there, and {quote(str(name))} is no position. Write 0, say."
        )
    return f"column {int(match[1])}"


def make_text_input(
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
    return Reading(separator=separator, encoding=encoding, decimal=decimal, thousands=thousands, table=table).input()


def _read(name: str, parse: Callable[[str], str], text: str) -> str:
    try:
        return parse(text)
    except BadValueError as error:
        raise UsageError(f"{name}={text!r} {error.args[0]}. {error.args[1]}") from None


def _parse_encoding(text: str) -> str:
    try:
        return values.parse_encoding(text)
    except BadValueError:
        raise SettingError("encoding", text, "the name of an encoding, such as 'latin-1'") from None


AS_SAID: Final = Reading()
"""Nothing is said."""
AS_GUESSED: Final = make_text_input()
"""How a file is read of which nothing is said."""
