"""Checks of single arguments of a Python call: numbers and words, lists and dicts. None says nothing, as they do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar, get_args

from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import SettingError, UsageError, shorten_text

_Word = TypeVar("_Word", bound=str)

_MOST_DIGITS = 60
"""Python does not write numbers of thousands of digits."""


def check_finite_number(name: str, value: object) -> float:
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
        raise SettingError(name, _shorten_value(value), f"a whole number of at least {least}, or None")


def check_path(name: str, value: object) -> Path:
    """Return the path that an argument names.

    Raises
    ------
    SettingError
        If it is none.
    """
    if not isinstance(value, (str, Path)) or not str(value).strip():
        raise SettingError(name, _shorten_value(value), "the path of a file")
    return Path(value)


def require_list(name: str, value: Any, of: str = "") -> tuple[Any, ...]:
    """Return what a list holds; None says nothing, as an empty one.

    Parameters
    ----------
    of : str
        What it lists, for messages: "of columns".

    Raises
    ------
    UsageError
        If it is a text, or no list.

    Examples
    --------
    >>> require_list("sensitive", ["illness"]), require_list("sensitive", None)
    (('illness',), ())
    """
    if value is None:
        return ()
    wanted = f"a list {of}".rstrip()
    if isinstance(value, str):
        raise UsageError(f"{name} is a text. Write {wanted}, [{value!r}].")
    if not isinstance(value, Iterable):
        raise SettingError(name, _shorten_value(value), wanted)
    return tuple(value)


def require_column_dict(name: str, value: Any) -> dict[Any, Any]:
    """Return what a dict says of each column; None says nothing, as an empty one.

    Raises
    ------
    SettingError
        If it is no dict.

    Examples
    --------
    >>> require_column_dict("weights", {"age": 2}), require_column_dict("weights", None)
    ({'age': 2}, {})
    """
    if value is None:
        return {}
    if not hasattr(value, "items"):
        raise SettingError(name, _shorten_value(value), "a dict, by the names of columns")
    return dict(value.items())


def freeze_arguments(arguments: object, lists: Iterable[str], dicts: Iterable[str]) -> None:
    """Turn lists and dicts of a caller into the fields of a frozen dataclass.

    Raises
    ------
    UsageError
    """
    for name in lists:
        object.__setattr__(arguments, name, require_list(name, getattr(arguments, name), "of columns"))
    for name in dicts:
        object.__setattr__(arguments, name, require_column_dict(name, getattr(arguments, name)))


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return the values of an argument that may be one value or many; None is none.

    Examples
    --------
    >>> as_tuple(3), as_tuple([3, 5]), as_tuple(range(2, 4)), as_tuple(None)
    ((3,), (3, 5), (2, 3), ())
    """
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


def _shorten_value(value: object) -> object:
    if isinstance(value, Integral) and abs(int(value)) >= 10**_MOST_DIGITS:
        return f"a number of more than {_MOST_DIGITS} digits"
    return value if len(str(value)) < _MOST_DIGITS else shorten_text(value)


def check_word(name: str, value: _Word, words: object) -> _Word:
    """Return a word that is one of a Literal type.

    Raises
    ------
    SettingError
        If it is none of them.
    """
    if value not in get_args(words):
        raise SettingError(name, value, "one of " + ", ".join(map(repr, get_args(words))))
    return value
