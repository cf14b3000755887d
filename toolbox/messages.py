"""What messages say, and how they reach people: numbers with their nouns, settings as whoever asked writes them.

And in which language: what is made for screens and reports is marked where it is made, and said where it is shown.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

_PASSWORD = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*:/{1,2}[^\s:/@]*):[^\s'\"]*@")
_PARAMETER = re.compile(r"([?&;][^=?&;\s'\"]*(?:password|token|secret)[^=?&;\s'\"]*=)[^&;\s'\"]+", re.IGNORECASE)
_PLAIN = re.compile(r"[^\W\d]\w*")
"""What is read as a name within a sentence."""
SELDOM_NEEDED = frozenset({"pandas", "pyarrow"})
"""Large packages that most runs of the command line do without, so that small images may lack them."""
_IN_PYTHON: ContextVar[bool] = ContextVar("asked_in_python", default=False)
_BY_OPTIONS: ContextVar[bool] = ContextVar("asked_by_options", default=False)
_CHILD_TABLE: ContextVar[str] = ContextVar("child_table", default="")


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


@contextmanager
def name_child_table(name: str) -> Iterator[None]:
    """Make messages call columns after the child table that has them, while the block runs."""
    token = _CHILD_TABLE.set(name)
    try:
        yield
    finally:
        _CHILD_TABLE.reset(token)


def name_column(column: str) -> str:
    """Return what messages call a column: in a child table ``visits.ward``."""
    table = _CHILD_TABLE.get()
    return f"{table}.{column}" if table else column


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


# The languages of screens and reports. Messages of the command line, documents in JSON and errors stay English.

Language = Literal["en", "de", "fr", "es", "it"]
"""Those that are offered: of each all is translated."""
LANGUAGES: Final[Mapping[Language, str]] = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "it": "Italiano",
}
"""Their names for themselves."""
_LANGUAGE: ContextVar[str] = ContextVar("language", default="en")
_FIGURE: Final = re.compile(r"(?<=\d)([,.])(?=\d)|(?<=\d) ?(?=%)")
_MARKS: Final[Mapping[str | None, str]] = {",": "\u202f", ".": ",", None: "\u00a0"}
"""How all of them but English write figures: what parts thousands, what decimals follow, and what stands before %."""


@contextmanager
def speak(language: str) -> Iterator[None]:
    """Say and show everything in one of the languages, while the block runs."""
    token = _LANGUAGE.set(language)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def find_language() -> str:
    """Return the language that is spoken now."""
    return _LANGUAGE.get()


def choose_language(wanted: str) -> str:
    """Choose the first language that is offered from what a browser sends as `Accept-Language`.

    Examples
    --------
    >>> choose_language("ja, de-AT;q=0.8, en;q=0.9"), choose_language("de-CH, en;q=0.5"), choose_language("")
    ('en', 'de', 'en')
    """
    return next((name for name in _order_wanted(wanted) if name in LANGUAGES), "en")


def _order_wanted(wanted: str) -> Iterable[str]:
    parts = [part.partition(";") for part in wanted[:1000].lower().split(",")]
    weights = {name.strip().partition("-")[0]: _parse_weight(weight) for name, _, weight in reversed(parts)}
    return sorted((name for name in reversed(weights) if weights[name] > 0), key=lambda name: -weights[name])


def _parse_weight(text: str) -> float:
    found = re.fullmatch(r"\s*q\s*=\s*([01](?:\.\d*)?)\s*", text)
    return float(found[1]) if found else 0.0 if text.strip() else 1.0


class Phrase(str):
    """A text that knows how it is said in all languages.

    By itself it is what it was made as: English where nobody has asked for another language. Pages show it in theirs.
    """

    __slots__ = ("_count", "_many", "_one", "_values")

    _one: str
    _many: str | None
    _count: int
    _values: Mapping[str, Any]

    def __new__(cls, one: str, many: str | None, count: int, values: Mapping[str, Any]) -> Phrase:
        """Make it in the language that is spoken now; what marks a text is that text."""
        if isinstance(one, Phrase):  # which may have come from where another language is spoken
            one = one._one
        made = super().__new__(cls, _fill(one, many, count, values))
        made._one, made._many, made._count, made._values = one, many, count, values
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Phrase, (self._one, self._many, self._count, self._values)

    def __html__(self) -> str:
        """Return it as a template shows it."""
        return escape(self.show())

    def show(self) -> str:
        """Return it in the language that is spoken now."""
        return _fill(self._one, self._many, self._count, self._values)

    def swap(self, words: Mapping[str, str]) -> Phrase:
        """Return it with other words where a value is one of those."""
        values = {
            name: words.get(value, value) if isinstance(value, str) else value for name, value in self._values.items()
        }
        return Phrase(self._one, self._many, self._count, values)


def say(message: str, /, **values: Any) -> Phrase:
    """Say a text in the language of whoever asks; ``%(name)s`` stands for a value.

    Whole numbers are written as that language writes them, and so are phrases within it.

    Examples
    --------
    >>> say("%(records)s records of %(name)s", records=1200, name="Graz")
    '1,200 records of Graz'
    """
    return Phrase(message, None, 0, values)


def say_count(one: str, many: str, count: int, /, **values: Any) -> Phrase:
    """Say a text that depends on a number, ``%(count)s`` in it.

    Examples
    --------
    >>> say_count("%(count)s record", "%(count)s records", 1200)
    '1,200 records'
    """
    return Phrase(one, many, count, {"count": count, **values})


def mark(message: str) -> Phrase:
    """Mark a text that is made once for all languages, such as one in a table: by itself it is English."""
    with speak("en"):
        return Phrase(message, None, 0, {})


def join_said(between: str, parts: Iterable[str]) -> Phrase:
    """Join texts, each of which is said in the language of whoever looks.

    Examples
    --------
    >>> join_said("; ", [say("3 values"), "none"])
    '3 values; none'
    """
    values = {f"part_{number}": part for number, part in enumerate(parts)}
    return say(between.replace("%", "%%").join(f"%({name})s" for name in values), **values)


def show(text: Any) -> Any:
    """Return a phrase in the language that is spoken now, and anything else as it is."""
    return text.show() if isinstance(text, Phrase) else text


def write_figure(english: str) -> str:
    r"""Write a figure, given as English writes it, as the language does that is spoken now.

    Examples
    --------
    >>> with speak("de"):
    ...     write_figure("1,234.5 %")
    '1\u202f234,5\xa0%'
    """
    return english if _LANGUAGE.get() == "en" else _FIGURE.sub(lambda found: _MARKS[found[1]], english)


def translate(one: str, many: str | None = None, count: int = 0) -> str:
    """Return a text of the catalogue in the language that is spoken now; what is not in it stays English."""
    if (language := _LANGUAGE.get()) == "en":
        return one if many is None or count == 1 else many
    said = _load_catalogue(language).get(one if many is None else (one, many), ())
    place = 0 if many is None else _choose_plural(language, count)
    return (said[place] if place < len(said) else "") or (one if many is None or count == 1 else many)


def _fill(one: str, many: str | None, count: int, values: Mapping[str, Any]) -> str:
    text = translate(one, many, count)
    return text % {name: write_value(value) for name, value in values.items()} if values else text


def write_value(value: Any) -> Any:
    """Return what stands for a value within a text: numbers are written as the language does that is spoken now."""
    if isinstance(value, int) and not isinstance(value, bool):
        return write_figure(f"{value:,}")
    return show(value)


@dataclass(frozen=True)
class _Form:
    """What a sentence of the catalogue looks like in a document, and where its translation is."""

    message: Message
    is_one: bool
    words: tuple[str, ...]
    """What stands between its values."""
    names: tuple[str, ...]


def retell(english: str) -> str:
    """Say in the language that is spoken now what a document says in English, as documents do.

    Of the sentences of the catalogue that fit, the one is taken that says most in its own words. Its values are retold
    in turn, where they are counted or sentences themselves. What the catalogue does not have stays as it is.

    Examples
    --------
    >>> with speak("it"):
    ...     retell("3 lines could not be read and are not in the release: lines 2, 5, 7.")
    'Non è stato possibile leggere 3 righe, che non sono nel rilascio: lines 2, 5, 7.'
    """
    if _LANGUAGE.get() == "en":
        return english
    parts, told = _SENTENCE_END.split(english), list[str]()
    while parts:
        tried = [(*_retell_sentence(" ".join(parts[:size])), size) for size in range(1, len(parts) + 1)]
        _, sentence, size = max(tried, key=lambda one: one[0])
        told.append(sentence)
        parts = parts[size:]
    return " ".join(told)


_SENTENCE_END: Final = re.compile(r"(?<=[.?!]) (?=[A-Z-]|[a-z_]+[=(])")
_PARTS: Final = re.compile("([;,] )")
_VALUE: Final = re.compile(r"%\((\w+)\)s")
_FEWEST_LETTERS: Final = 10
"""That a sentence has of its own, so that it is not found in any text."""


def _retell_sentence(english: str) -> tuple[int, str]:
    """Return how many letters the sentence says in its own words, and the sentence; none, and the text, if none fits.

    A single word may be a name, and stays.
    """
    language = _LANGUAGE.get()
    if " " in english and (said := _load_catalogue(language).get(english)) and said[0]:
        return len(english), said[0]
    for form in _list_forms(language):
        if all(words in english for words in form.words) and (values := _match(form, english)) is not None:
            count = int(values.get("count", "1" if form.is_one else "2").replace(",", ""))
            said = _load_catalogue(language)[form.message]
            text = said[0 if isinstance(form.message, str) else _choose_plural(language, count)]
            told = text % {name: _retell_value(value) for name, value in values.items()}
            return len("".join(form.words)), told
    if english.endswith("."):  # a part of a sentence, and all of this one
        weight, told = _retell_sentence(english[:-1])
        return weight, f"{told}."
    return 0, english


def _retell_value(english: str) -> str:
    """Retell what stands for a value, or each part of a list."""
    if not english.strip("0123456789,.% "):
        return write_figure(english)
    weight, told = _retell_sentence(english)
    return told if weight else "".join(_retell_sentence(part)[1] for part in _PARTS.split(english))


def _match(form: _Form, english: str) -> dict[str, str] | None:
    known = set[str]()
    pattern = re.escape(form.words[0])
    for name, words in zip(form.names, form.words[1:], strict=True):
        value = r"[\d,]+" if name == "count" else ".+?"
        pattern += (f"(?P={name})" if name in known else f"(?P<{name}>{value})") + re.escape(words)
        known.add(name)
    found = re.fullmatch(pattern, english, re.DOTALL)
    if found is None or any(_SENTENCE_END.search(value) for value in found.groups()):
        return None
    return found.groupdict()


@cache
def _list_forms(language: str) -> tuple[_Form, ...]:
    """List the sentences with values that are translated, those first that say most in their own words."""
    forms = [
        _Form(message, place == 0, tuple(_VALUE.split(text)[::2]), tuple(_VALUE.split(text)[1::2]))
        for message, said in _load_catalogue(language).items()
        if all(said)
        for place, text in enumerate((message,) if isinstance(message, str) else message)
        if _VALUE.search(text) and "<" not in text
    ]
    telling = (form for form in forms if "count" in form.names or len("".join(form.words)) >= _FEWEST_LETTERS)
    return tuple(sorted(telling, key=lambda form: -len("".join(form.words))))


Message: TypeAlias = "str | tuple[str, str]"
"""A sentence in English; or one for a single thing, and one for several."""


def _choose_plural(language: str, count: int) -> int:
    """Return the place of the form for a number; French says that of one for nothing, too."""
    return int(count > 1 if language == "fr" else count != 1)


@cache
def _load_catalogue(language: str) -> Mapping[Message, tuple[str, ...]]:
    return read_catalogue(files("toolbox").joinpath("languages", f"{language}.po").read_text(encoding="utf-8"))


def read_catalogue(text: str) -> dict[Message, tuple[str, ...]]:
    r"""Return the translations that a catalogue has, one line for each text; what is not translated has empty ones.

    Examples
    --------
    >>> read_catalogue('msgid ""\nmsgstr "Language: de"\n\nmsgid "Data"\nmsgstr "Daten"\n')
    {'Data': ('Daten',)}
    """
    found: dict[Message, tuple[str, ...]] = {}
    for block in text.split("\n\n")[1:]:
        parts = dict(line.split(" ", 1) for line in block.splitlines() if line and not line.startswith("#"))
        texts = {name: json.loads(quoted) for name, quoted in parts.items()}
        one, many = texts.pop("msgid"), texts.pop("msgid_plural", None)
        found[one if many is None else (one, many)] = tuple(texts.values())
    return found
