"""The arguments by which people look at a session: numbers, names of columns, words of a short list."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from numbers import Integral

from toolbox.errors import SettingError, UnknownColumnError


def require_whole(name: str, value: object, least: int) -> int:
    """Return a whole number that is large enough.

    Raises
    ------
    SettingError
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise SettingError(name, value, f"a whole number of at least {least}")
    return int(value)


def require_column(name: object, known: Collection[str]) -> str:
    """Return the name of a column that the session has.

    Raises
    ------
    UnknownColumnError
    """
    if str(name) not in known:
        raise UnknownColumnError(str(name), "The session", list(known))
    return str(name)


def require_word(name: str, value: object, words: Sequence[str]) -> str:
    """Return one of some words.

    Raises
    ------
    SettingError
    """
    if value not in words:
        raise SettingError(name, value, " or ".join(filter(None, [", ".join(words[:-1]), words[-1]])))
    return str(value)
