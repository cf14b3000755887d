"""Numbers as Java's ``Double.toString`` writes them, which is how the toolbox of 2010 wrote every number."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Integer, String, and_, case, cast, func, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import contains, starts_with

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


def java_number(value: ColumnElement[float]) -> ColumnElement[str]:
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
    written = case(_SPECIAL, value=text, else_=case((is_plain, text), else_=_scientific(text)))
    return func.concat(case((value < 0, "-"), else_=""), written)


def _scientific(text: ColumnElement[str]) -> ColumnElement[str]:
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
