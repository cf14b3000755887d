"""Checks of single arguments of a Python call: numbers and words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from numbers import Integral, Real
from typing import Any, TypeVar, get_args

from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import SettingError, shortened

_Word = TypeVar("_Word", bound=str)

_MOST_DIGITS = 60
"""Python does not write numbers of thousands of digits."""


def finite_number(name: str, value: object) -> float:
    """Return a finite number, of Python or of numpy.

    Raises
    ------
    SettingError
        If it is none.
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            if math.isfinite(number := float(value)):
                return number
    raise SettingError(name, value, "a finite number")


def require_whole_number(name: str, value: object, least: int) -> None:
    """Stop unless an argument is None or a whole number of at least `least`.

    Raises
    ------
    SettingError
    """
    if value is None:
        return
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= int(value) <= LARGEST_INTEGER:
        raise SettingError(name, _short(value), f"a whole number of at least {least}, or None")


def several(value: Any) -> tuple[Any, ...]:
    """Return the values of an argument that may be one value or many.

    Examples
    --------
    >>> several(3), several([3, 5]), several(range(2, 4))
    ((3,), (3, 5), (2, 3))
    """
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


def _short(value: object) -> object:
    if isinstance(value, Integral) and abs(int(value)) >= 10**_MOST_DIGITS:
        return f"a number of more than {_MOST_DIGITS} digits"
    return value if len(str(value)) < _MOST_DIGITS else shortened(value)


def one_of(name: str, value: _Word, words: object) -> _Word:
    """Return a word that is one of a Literal type.

    Raises
    ------
    SettingError
        If it is none of them.
    """
    if value not in get_args(words):
        raise SettingError(name, value, "one of " + ", ".join(map(repr, get_args(words))))
    return value
