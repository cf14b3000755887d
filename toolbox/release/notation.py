"""How delimited text writes a value, a record and a header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import String, case, cast, func, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import contains, joined_texts
from toolbox.queries.formulas import escaped, escaped_name

_FEW = 20
"""Values that are written one by one. The time that the engine needs to plan them grows with their square."""
_FEW_ESCAPED = 2
"""The same where each is asked whether it is a formula, in ten times the expressions."""


@dataclass(frozen=True)
class Notation:
    """The separator, and what is quoted.

    Records are written by the queries, not by the engine's writer: then what all records of a class have in common is
    written once for the class.
    """

    separator: str
    """Of any length."""
    quotes_least: bool = False
    """Whether only a value that holds the separator or a line end is quoted."""
    passes_plain: bool = False
    """Whether values that pass through are known to need no quotes."""
    escapes_formulas: bool = False
    """Whether an apostrophe goes before what a spreadsheet would run."""

    @property
    def _special(self) -> list[str]:
        # A single character of the separator is enough: at the end of a value it would join the separator that
        # follows. A line that begins with # is a comment to some readers.
        special = {self.separator} if self.quotes_least else {*self.separator, '"', "#"}
        return sorted(special | {"\r", "\n"})

    def value(self, text: ColumnElement[str]) -> ColumnElement[str]:
        """Write one value; null is an empty field, empty text is ``""``."""
        shown = escaped(text) if self.escapes_formulas else text
        # An escaped text is long to plan. Its apostrophe needs quotes only where it is special.
        looked_at = shown if "'" in self._special else text
        needs_quotes = or_(text == "", *(contains(looked_at, special) for special in self._special))
        quoted = func.concat('"', func.replace(shown, '"', '""'), '"')
        return case((needs_quotes, quoted), else_=func.coalesce(shown, ""))

    def values(self, texts: Sequence[ColumnElement[str]]) -> list[ColumnElement[str]]:
        """Write neighbouring values, in as few pieces as possible."""
        if len(texts) <= (_FEW_ESCAPED if self.escapes_formulas else _FEW):
            return [self.value(text) for text in texts]
        return [joined_texts(texts, self.value, self.separator)]

    def passed(self, columns: Sequence[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
        """Write neighbouring values that pass through: in as many pieces, or in one."""
        if self.passes_plain and not self.escapes_formulas:
            # A null adds nothing to a record.
            return list(columns)
        return [*self.values([cast(column, String) for column in columns])]

    def record(self, values: Sequence[ColumnElement[str]]) -> ColumnElement[str]:
        """Join written values, or pieces of several, to one record; a null is an empty field."""
        if len(values) == 1:
            return func.coalesce(values[0], "")
        # Not concat_ws, which takes half as long again, and leaves nulls out with their separators.
        first, *others = values
        return func.concat(first, *(part for value in others for part in (self.separator, value)))

    def header(self, names: Sequence[str]) -> str:
        """Write the names of the columns, quoted as values are."""
        shown = [escaped_name(name) for name in names] if self.escapes_formulas else names
        return self.separator.join(
            '"' + name.replace('"', '""') + '"'
            if not name or any(special in name for special in self._special)
            else name
            for name in shown
        )
