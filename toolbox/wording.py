"""How messages count, and what they call a setting: as the user writes it, in a configuration or in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_IN_PYTHON: ContextVar[bool] = ContextVar("asked_in_python", default=False)


@contextmanager
def asked_in_python(is_so: bool = True) -> Iterator[None]:
    """Make messages name the arguments of a Python call instead of options and attributes, while the block runs."""
    token = _IN_PYTHON.set(is_so)
    try:
        yield
    finally:
        _IN_PYTHON.reset(token)


def is_asked_in_python() -> bool:
    """Return whether messages name the arguments of a Python call."""
    return _IN_PYTHON.get()


def either(otherwise: str, *, python: str, in_python: bool | None = None) -> str:
    """Choose what to call a setting.

    Parameters
    ----------
    otherwise : str
        What a configuration or a command line says.
    python : str
        What a Python call says.
    in_python : bool, optional
        Whether it was a Python call that asked, where that is over; by default what holds now.

    Examples
    --------
    >>> with asked_in_python():
    ...     either("onMissing='keep'", python="on_missing='keep'")
    "on_missing='keep'"
    """
    return python if (is_asked_in_python() if in_python is None else in_python) else otherwise


def suppression_setting() -> str:
    """Return the name of the setting that limits how many records are suppressed."""
    return either("suppThreshold", python="suppression_threshold")


def counted(count: int, of_one: str, of_many: str | None = None) -> str:
    """Write a number with its noun, and a verb that goes with it.

    Parameters
    ----------
    of_many : str, optional
        By default that of one with an s.

    Examples
    --------
    >>> counted(1, "record is", "records are"), counted(2300, "line")
    ('1 record is', '2,300 lines')
    """
    return f"{count:,} {of_one if count == 1 else of_many or f'{of_one}s'}"
