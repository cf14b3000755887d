"""What messages say, and how they reach people: numbers with their nouns, settings as whoever asked writes them."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

_PASSWORD = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*:/{1,2}[^\s:/@]*):[^\s'\"]*@")
_PARAMETER = re.compile(r"([?&;][^=?&;\s'\"]*(?:password|token|secret)[^=?&;\s'\"]*=)[^&;\s'\"]+", re.IGNORECASE)
_PLAIN = re.compile(r"[^\W\d]\w*")
"""What is read as a name within a sentence."""
SELDOM_NEEDED = frozenset({"pandas", "pyarrow"})
"""Large packages that most runs of the command line do without, so that small images may lack them."""
_IN_PYTHON: ContextVar[bool] = ContextVar("asked_in_python", default=False)
_BY_OPTIONS: ContextVar[bool] = ContextVar("asked_by_options", default=False)


@contextmanager
def name_python_arguments(is_so: bool = True) -> Iterator[None]:
    """Make messages name the arguments of a Python call instead of options and attributes, while the block runs."""
    token = _IN_PYTHON.set(is_so)
    try:
        yield
    except ModuleNotFoundError as error:
        if is_so and error.name in SELDOM_NEEDED:
            error.add_note(f"This needs {error.name}: pip install 'anonymisation-toolbox[pandas]'")
        raise
    finally:
        _IN_PYTHON.reset(token)


def is_asked_in_python() -> bool:
    """Return whether messages name the arguments of a Python call."""
    return _IN_PYTHON.get()


@contextmanager
def name_command_options(is_so: bool = True) -> Iterator[None]:
    """Make messages name the options of a command line, where no configuration was written, while the block runs."""
    token = _BY_OPTIONS.set(is_so)
    try:
        yield
    finally:
        _BY_OPTIONS.reset(token)


def choose_setting_name(
    otherwise: str, *, python: str | None = None, options: str | None = None, in_python: bool | None = None
) -> str:
    """Choose what to call a setting.

    Parameters
    ----------
    otherwise : str
        What a configuration says.
    python : str, optional
        What a Python call says; by default the same as a configuration.
    options : str, optional
        What a command line says that declares its columns itself; by default the same as a configuration.
    in_python : bool, optional
        Whether it was a Python call that asked, where that is over; by default what holds now.

    Examples
    --------
    >>> with name_python_arguments():
    ...     choose_setting_name("onMissing='keep'", python="on_missing='keep'")
    "on_missing='keep'"
    >>> with name_command_options():
    ...     choose_setting_name("onMissing='keep'", python="on_missing='keep'", options="--on-missing keep")
    '--on-missing keep'
    """
    if is_asked_in_python() if in_python is None else in_python:
        return otherwise if python is None else python
    return options if options is not None and _BY_OPTIONS.get() else otherwise


def find_suppression_setting() -> str:
    """Return the name of the setting that limits how many records are suppressed."""
    return choose_setting_name("suppThreshold", python="suppression_threshold", options="-suppThreshold")


def format_count(count: int, of_one: str, of_many: str | None = None) -> str:
    """Write a number with its noun, and a verb that goes with it.

    Parameters
    ----------
    of_many : str, optional
        By default that of one with an s.

    Examples
    --------
    >>> format_count(1, "record is", "records are"), format_count(2300, "line")
    ('1 record is', '2,300 lines')
    """
    return f"{count:,} {of_one if count == 1 else of_many or f'{of_one}s'}"


def format_people(column: str, people: int) -> str:
    """Say how many people an identifier tells apart; its name is quoted where it is no plain word.

    Examples
    --------
    >>> format_people("patient", 1), format_people("1", 6)
    ('1 person by patient', "6 people by '1'")
    """
    return f"{format_count(people, 'person', 'people')} by {column if _PLAIN.fullmatch(column) else repr(column)}"


def hide_passwords(text: str) -> str:
    """Hide the password of every URL in a text; a path has lost one of the two slashes.

    Examples
    --------
    >>> hide_passwords("postgresql://ada:s3cret@host/people")
    'postgresql://ada:***@host/people'
    >>> hide_passwords("sc://host/;use_ssl=true;token=s3cret")
    'sc://host/;use_ssl=true;token=***'
    """
    return _PARAMETER.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))


def print_note(text: str) -> None:
    """Print a text on standard error, its control characters written out; if that cannot be, go on."""
    # A name from a file could otherwise move the cursor, or answer for the user.
    text = hide_passwords(text)
    shown = "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text)
    if sys.stderr is not None:  # a program without a console has none
        with suppress(OSError, ValueError):
            print(f"toolbox: {shown}", file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Warn a program that calls us, at the line that does."""
    frame, depth = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "toolbox":
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, UserWarning, stacklevel=depth)
