"""Records as rows of a spreadsheet, in SQL: texts, numbers, truth values and dates, and never formulas."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import BigInteger, Date, Double, String, and_, case, cast, func, literal
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import has_match, is_finite
from toolbox.queries.dialect_dates import microseconds

CellKind = Literal["text", "whole", "number", "truth", "date", "timestamp"]
DATE_STYLE: Final = 1
TIMESTAMP_STYLE: Final = 2
MOST_DIGITS: Final = 15
"""Digits that a spreadsheet keeps of a number; a longer one is written as text."""
_LARGEST: Final = 10**MOST_DIGITS
_FIRST_DAY: Final = date(1900, 3, 1)
"""Spreadsheets know no dates before 1900, and a 29 February in that year."""
_DAY_0: Final = date(1899, 12, 30)
_DAY: Final = 86_400_000_000
_DAYS_TO_1970: Final = 25_569
_MILLISECOND: Final = 1_000
UNPRINTABLE: Final = r"[\x{1}-\x{8}\x{b}-\x{1f}\x{fffe}\x{ffff}]|_x[0-9A-Fa-f]{4}_"
"""What XML does not take, and what spreadsheets would read as a character that is written so."""
_CONTROLS: Final = [*range(1, 9), *range(11, 32), 0xFFFE, 0xFFFF]


class Cell(NamedTuple):
    """How a column is written."""

    value: ColumnElement[Any]
    kind: CellKind
    letters: str
    """Of the column."""
    has_unprintable: bool = False
    """Whether a text of the column holds what must be written otherwise."""


def row(cells: Sequence[Cell], number: ColumnElement[int]) -> ColumnElement[str]:
    """Write one record; a null is no cell.

    Parameters
    ----------
    number : ColumnElement
        Of the row, from 1.
    """
    place = cast(number, String)
    written = [func.coalesce(_cell(cell, place), "") for cell in cells]
    return func.concat('<row r="', place, '">', *written, "</row>")


def _cell(cell: Cell, place: ColumnElement[str]) -> ColumnElement[str]:
    value = cell.value

    def plain(shown: ColumnElement[Any], attributes: str = "") -> ColumnElement[str]:
        return _unless_null(value, f'<c r="{cell.letters}', place, f'"{attributes}><v>', shown, "</v></c>")

    text = cast(value, String)
    as_text = _text(cell, text, place)
    match cell.kind:
        case "text":
            return as_text
        case "whole":
            return case((and_(value > -_LARGEST, value < _LARGEST), plain(text)), else_=as_text)
        case "number":
            return case((is_finite(cast(value, Double)), plain(text)), else_=as_text)
        case "truth":
            return plain(case((value, "1"), else_="0"), ' t="b"')
        case "date":
            days = cast(value - _date(_DAY_0), String)
            return case((value >= _date(_FIRST_DAY), plain(days, f' s="{DATE_STYLE}"')), else_=as_text)
        case "timestamp":
            micros = microseconds(value)
            days = cast(cast(micros, Double) / float(_DAY) + float(_DAYS_TO_1970), String)
            first = (_FIRST_DAY - date(1970, 1, 1)).days * _DAY
            fits = and_(micros >= first, cast(micros, BigInteger) % _MILLISECOND == 0)
            return case((fits, plain(days, f' s="{TIMESTAMP_STYLE}"')), else_=as_text)


def _date(day: date) -> ColumnElement[Any]:
    return cast(literal(day.isoformat()), Date)


def _text(cell: Cell, text: ColumnElement[str], place: ColumnElement[str]) -> ColumnElement[str]:
    begin = '" t="inlineStr"><is><t xml:space="preserve">'
    shown = escaped(text, all_of_it=cell.has_unprintable)
    return _unless_null(text, f'<c r="{cell.letters}', place, begin, shown, "</t></is></c>")


def _unless_null(value: ColumnElement[Any], *parts: Any) -> ColumnElement[str]:
    return case((value.is_not(None), func.concat(*parts)))


def escaped(text: ColumnElement[str], *, all_of_it: bool) -> ColumnElement[str]:
    """Write a text within XML.

    Parameters
    ----------
    all_of_it : bool
        Whether some texts hold characters that XML does not take, and that spreadsheets write as ``_x000D_``.
    """
    for character, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = func.replace(text, character, name)
    if not all_of_it:
        return text
    written = func.regexp_replace(text, "_x([0-9A-Fa-f]{4})_", r"_x005F_x\1_", "g")
    for code in _CONTROLS:
        written = func.replace(written, func.chr(code), f"_x{code:04X}_")
    return case((has_match(text, UNPRINTABLE), written), else_=text)
