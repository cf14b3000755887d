"""Cells as programs read them: rows of a spreadsheet, formulas made harmless, numbers as Java writes them."""

from __future__ import annotations

import re
from typing import Final, Literal
from xml.sax.saxutils import escape

from sqlalchemy import Integer, String, and_, case, cast, false, func, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import contains, has_match, starts_with
from toolbox.queries.scales import as_number

# Texts that a spreadsheet would run as formulas, and how they are kept from it, as OWASP advises.

_FIRST = "=+-@\t\r"
_NUMBER = re.compile(r"\s*+[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?+\s*+")
_ESCAPE = "'"


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would run a text, by its first character. Numbers and single characters are not run.

    Examples
    --------
    >>> [is_formula(text) for text in ("=1+1", "-cmd", "@sum", "-5", "+3.5e2", "-", "a=b")]
    [True, True, True, False, False, False, False]
    """
    return len(text) > 1 and text[0] in _FIRST and not _NUMBER.fullmatch(text)


def escape_name(text: str) -> str:
    """Write an apostrophe before a formula, and before a text that would otherwise be taken for an escaped one.

    Examples
    --------
    >>> [escape_name(text) for text in ("=1+1", "'=1+1", "'it", "-5")]
    ["'=1+1", "''=1+1", "'it", '-5']
    """
    return _ESCAPE + text if is_formula(text.lstrip(_ESCAPE)) else text


def match_formula(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test in SQL what `is_formula` tests; false for null."""
    # Comparisons, which see only the first bytes, spare most texts the rest. All characters lie before A.
    begins = and_(or_(text < ".", text >= "="), func.ascii(text).in_([ord(character) for character in _FIRST]))
    is_run = case((begins, and_(func.length(text) > 1, as_number(text).is_(None))), else_=false())
    return case((text < "A", is_run), else_=false())


def escape_text(text: ColumnElement[str]) -> ColumnElement[str]:
    """Write in SQL what `escape_name` writes."""
    first = func.ascii(text).in_([ord(character) for character in _FIRST + _ESCAPE])
    return case((and_(first, match_formula(func.ltrim(text, _ESCAPE))), func.concat(_ESCAPE, text)), else_=text)


def remove_escape(text: ColumnElement[str]) -> ColumnElement[str]:
    """Remove the apostrophe from a text that `escaped` may have written."""
    is_escaped = and_(starts_with(text, _ESCAPE), match_formula(func.ltrim(text, _ESCAPE)))
    return case((is_escaped, cast(func.substr(text, 2), String)), else_=text)


# Records as rows of a spreadsheet, in SQL: texts, numbers, truth values and dates, and never formulas.

CellKind = Literal["text", "whole", "number", "truth", "date", "timestamp"]
DATE_STYLE: Final = 1
TIMESTAMP_STYLE: Final = 2
MOST_DIGITS: Final = 15
"""Digits that a spreadsheet keeps of a number; a longer one is written as text."""
UNPRINTABLE: Final = r"[\x{0}-\x{8}\x{b}-\x{1f}\x{fffe}\x{ffff}]|_x[0-9A-Fa-f]{4}_"
"""What XML does not take, and what spreadsheets would read as a character that is written so."""
_CONTROLS: Final = [*range(9), *range(11, 32), 0xFFFE, 0xFFFF]
_ENCODED: Final = "_(x[0-9A-Fa-f]{4})"
"""How a character begins that is written so; the underscore behind it may begin another one."""


def escape_sheet_name(name: str) -> str:
    """Write the name of a column within XML, as `escape_sheet_text` writes texts.

    Examples
    --------
    >>> escape_sheet_name("a<b"), escape_sheet_name("b_x0041_d")
    ('a&lt;b', 'b_x005F_x0041_d')
    """
    written = re.sub(_ENCODED, r"_x005F_\1", escape(name))
    return written.translate({code: f"_x{code:04X}_" for code in _CONTROLS})


def escape_sheet_text(text: ColumnElement[str], *, all_of_it: bool) -> ColumnElement[str]:
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
    written = func.regexp_replace(text, _ENCODED, r"_x005F_\1", "g")
    for code in _CONTROLS:
        written = func.replace(written, func.chr(code), f"_x{code:04X}_")
    return case((has_match(text, UNPRINTABLE), written), else_=text)


# Numbers as Java's ``Double.toString`` writes them, which is how the toolbox of 2010 wrote every number.

_SMALLEST_PLAIN: Final = 1e-3
_BEYOND_PLAIN: Final = 1e7

# Of the numbers next to zero one digit tells which is meant; Java writes two all the same, those of its exact value.
_TWO_DIGITS: Final = {
    "5e-324": "4.9E-324",
    "1e-323": "9.9E-324",
    "5e-323": "4.9E-323",
    "6e-323": "5.9E-323",
    "7e-323": "6.9E-323",
    "8e-323": "7.9E-323",
    "9e-323": "8.9E-323",
    "1e-322": "9.9E-323",
}
_SPECIAL: Final = {"inf": "Infinity", "nan": "NaN", **_TWO_DIGITS}


def format_java_number(value: ColumnElement[float]) -> ColumnElement[str]:
    """Write a number with the fewest digits that tell it apart, and at least one behind the point.

    From a thousandth up to ten millions it is written plainly, such as ``58.0``, otherwise as ``1.0E7``.

    Parameters
    ----------
    value : expression of doubles
        Without -0, which no table holds.
    """
    magnitude = func.abs(value)
    text = cast(magnitude, String)
    is_plain = or_(value == 0, and_(magnitude >= _SMALLEST_PLAIN, magnitude < _BEYOND_PLAIN))
    written = case(_SPECIAL, value=text, else_=case((is_plain, text), else_=_rewrite_scientific(text)))
    return func.concat(case((value < 0, "-"), else_=""), written)


def _rewrite_scientific(text: ColumnElement[str]) -> ColumnElement[str]:
    """Rewrite a number of either notation of the engine, ``12345678.5`` and ``1.5e+20``, as ``1.5E20``."""
    has_exponent = contains(text, "e")
    mantissa = func.split_part(text, "e", 1)
    digits = func.trim(func.replace(mantissa, ".", ""), "0")
    # Without an exponent the engine writes numbers of up to 16 digits, and those from a ten-thousandth on.
    places = case((starts_with(text, "0."), -4), else_=func.length(func.split_part(text, ".", 1)) - 1)
    exponent = case((has_exponent, cast(func.split_part(text, "e", 2), Integer)), else_=places)
    fraction = func.substr(digits, 2)
    shown = case((fraction == "", "0"), else_=fraction)
    return func.concat(func.left(digits, 1), ".", shown, "E", exponent)
