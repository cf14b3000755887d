"""Texts that a spreadsheet would run as formulas, and how they are kept from it, as OWASP advises."""

from __future__ import annotations

import re

from sqlalchemy import String, and_, case, cast, false, func, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import starts_with
from toolbox.queries.numbers import as_number

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


def escaped_name(text: str) -> str:
    """Write an apostrophe before a formula, and before a text that would otherwise be taken for an escaped one.

    Examples
    --------
    >>> [escaped_name(text) for text in ("=1+1", "'=1+1", "'it", "-5")]
    ["'=1+1", "''=1+1", "'it", '-5']
    """
    return _ESCAPE + text if is_formula(text.lstrip(_ESCAPE)) else text


def formula(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test in SQL what `is_formula` tests; false for null."""
    # Comparisons, which see only the first bytes, spare most texts the rest. All characters lie before A.
    begins = and_(or_(text < ".", text >= "="), func.ascii(text).in_([ord(character) for character in _FIRST]))
    is_run = case((begins, and_(func.length(text) > 1, as_number(text).is_(None))), else_=false())
    return case((text < "A", is_run), else_=false())


def escaped(text: ColumnElement[str]) -> ColumnElement[str]:
    """Write in SQL what `escaped_name` writes."""
    first = func.ascii(text).in_([ord(character) for character in _FIRST + _ESCAPE])
    return case((and_(first, formula(func.ltrim(text, _ESCAPE))), func.concat(_ESCAPE, text)), else_=text)


def unescaped(text: ColumnElement[str]) -> ColumnElement[str]:
    """Remove the apostrophe from a text that `escaped` may have written."""
    is_escaped = and_(starts_with(text, _ESCAPE), formula(func.ltrim(text, _ESCAPE)))
    return case((is_escaped, cast(func.substr(text, 2), String)), else_=text)
