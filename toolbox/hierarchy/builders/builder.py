"""The contract of builders: a rule, its settings as texts, and the hierarchy that it makes of the values."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, get_args

from toolbox.errors import ConfigurationError, UsageError, did_you_mean
from toolbox.hierarchy.hierarchy import ROOT
from toolbox.messages import mark, say, say_count, show

# How the settings of builders are written: each kind of value as a text, and back.

Other = Literal["error", "root"]
"""What becomes of a value that a hierarchy does not know."""
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COUNT: Final = re.compile(r"0*([1-9][0-9]{0,8})")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_LONGEST: Final = 1_000
"""Characters that a number may have."""


class BadSettingError(ValueError):
    """A text is no value of its setting: why, and what to write instead."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)


@dataclass(frozen=True)
class Setting:
    """One kind of value."""

    read: Callable[[str], Any]
    """Raises `BadSettingError`."""
    write: Callable[[Any], str] = str
    has_levels: bool = False
    """Whether it lists something for each level."""
    takes_any_text: bool = False
    """Whether it may hold anything, an equals sign too."""


def number(text: str) -> Decimal:
    """Read a number that a double can hold.

    Examples
    --------
    >>> number("2.5"), number("1e3")
    (Decimal('2.5'), Decimal('1E+3'))
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST or not _NUMBER.fullmatch(stripped):
        found = say("holds %(text)s, which is not a number", text=quote_setting(stripped))
        raise BadSettingError(found, say("Write a number such as 2 or 0.5."))
    value = float(stripped)
    if not math.isfinite(value):
        raise BadSettingError(say("is too large"), say("Write a number below 1.8e308."))
    # An exponent far below all doubles would make exact arithmetic endless.
    return Decimal(stripped) if value else Decimal(0)


def format_setting_number(value: Decimal) -> str:
    """Write a number without an exponent if that is short.

    Examples
    --------
    >>> format_setting_number(Decimal("1E+3")), format_setting_number(Decimal("0.50"))
    ('1000', '0.5')
    """
    plain = value.normalize()
    exponent = plain.as_tuple().exponent
    return f"{plain:f}" if isinstance(exponent, int) and -10 <= exponent <= 15 else str(plain)


def quote_setting(text: str) -> str:
    """Quote a part of a setting."""
    return repr(text) if len(text) <= 40 else repr(text[:40]) + ".."


def parse_numbers(text: str) -> tuple[Decimal, ...]:
    """Read numbers with commas between them."""
    return tuple(number(part) for part in text.split(","))


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        found = say("holds %(text)s, which is no whole number of at least 1", text=quote_setting(text.strip()))
        raise BadSettingError(found, say("Write 3, say."))
    return int(match[1])


def parse_counts(text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between them."""
    return tuple(count(part) for part in text.split(","))


def parse_day(text: str) -> date:
    """Read a date as ISO 8601 writes it."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        raise BadSettingError(say("is not a date"), say("Write year, month and day, such as 2026-01-31."))
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        remedy = say("Write another day, such as 2026-01-31.")
        raise BadSettingError(say("is a date that does not exist"), remedy) from None


_LISTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*(?:,|\Z)|([^,]*)(?:,|\Z)')


def split_list(text: str) -> list[str] | None:
    """Return the texts between commas; None if a quote does not close, or a line ends outside of quotes.

    Blanks around a text are none of it, unless they stand in quotes.

    Examples
    --------
    >>> split_list('low, mid,"high, or more"," "')
    ['low', 'mid', 'high, or more', ' ']
    """
    parts: list[str] = []
    position = 0
    while position <= len(text):
        match = _LISTED.match(text, position)
        assert match is not None, "the second way matches any text"
        quoted, plain = match.groups()
        if quoted is None and (plain.lstrip().startswith('"') or {"\r", "\n"} & set(plain)):
            return None
        parts.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        position = match.end() if match.end() > position and text[match.end() - 1] == "," else len(text) + 1
    return parts


def quote_listed(text: str) -> str:
    """Write a text for a list of texts, in quotes where it needs them.

    Examples
    --------
    >>> quote_listed("age"), quote_listed("town, or place")
    ('age', '"town, or place"')
    """
    is_plain = text == text.strip() and not set(',="\r\n') & set(text)
    return text if is_plain else '"' + text.replace('"', '""') + '"'


def parse_texts(text: str) -> tuple[str, ...]:
    """Read texts with commas between them; one that holds a comma stands in quotes."""
    if (parts := split_list(text)) is None:
        found = say("has a quote that does not end, or a line break outside of quotes")
        raise BadSettingError(found, say("Close it, or double a quote within quotes."))
    return tuple(parts)


def format_texts(parts: Sequence[str]) -> str:
    """Write texts with commas between them."""
    return ",".join(map(quote_listed, parts))


def make_word_parser(known: Sequence[str]) -> Callable[[str], str]:
    """Return what reads one of a few words."""

    def read(text: str) -> str:
        found = text.strip().lower()
        if found in known:
            return found
        words = say("Write %(words)s.", words=" or ".join(known))
        raise BadSettingError(say("is unknown"), f"{did_you_mean(found, known)} {words}".strip())

    return read


def parse_filled_text(text: str) -> str:
    """Read a text that is not blank."""
    if not text.strip() or "\0" in text:
        raise BadSettingError(say("is empty"), say("Write a text, or leave it out."))
    return text


def parse_boolean(text: str) -> bool:
    """Read yes or no."""
    match text.strip().lower():
        case "true" | "yes" | "1":
            return True
        case "false" | "no" | "0":
            return False
    raise BadSettingError(say("is neither true nor false"), say("Write true or false."))


def _make_joiner(write: Callable[[Any], str], between: str = ",") -> Callable[[Any], str]:
    return lambda parts: between.join(map(write, parts))


NUMBER: Final = Setting(number, format_setting_number)
NUMBERS: Final = Setting(parse_numbers, _make_joiner(format_setting_number), has_levels=True)
COUNT: Final = Setting(count)
COUNTS: Final = Setting(parse_counts, _make_joiner(str), has_levels=True)
DAY: Final = Setting(parse_day)
TEXT: Final = Setting(parse_filled_text, takes_any_text=True)
BOOLEAN: Final = Setting(parse_boolean, lambda value: "true" if value else "false")
TEXTS: Final = Setting(parse_texts, format_texts, takes_any_text=True)
NUMBERS_BY_LEVEL: Final = Setting(
    lambda text: tuple(parse_numbers(part) for part in text.split("/")),
    _make_joiner(_make_joiner(format_setting_number), "/"),
    has_levels=True,
)
OTHER: Final = Setting(make_word_parser(get_args(Other)))


# The contract of builders: a rule, its settings, and the hierarchy that it makes of the values of a column.

Takes = Literal["numbers", "texts", "dates", "anything"]
Kind = Literal["number", "category", "date"]
_COMMON: Final[Mapping[str, Setting]] = MappingProxyType({"other": OTHER, "root": TEXT})
DEEPEST: Final = 63
"""Most levels below a root, as in a hierarchy file."""
_OR_ROOT: Final = mark("Or write other='root'.")


class FormField(NamedTuple):
    """How a form asks for one setting."""

    label: str
    hint: str = ""
    first: str = ""
    """What stands in the field at first."""
    wants: Literal["text", "number", "date"] = "text"


class Wrong(NamedTuple):
    """One thing that is wrong with the settings of a builder, or with what it is applied to."""

    found: str
    """A sentence."""
    remedy: str
    """What to write instead."""


class BuilderError(UsageError):
    """A builder cannot be made, or cannot make a hierarchy: everything that is wrong, at once."""

    def __init__(self, builder: str, wrong: Sequence[Wrong], file: ConfigurationError | None = None) -> None:
        super().__init__(builder, tuple(wrong), file)

    @property
    def wrong(self) -> tuple[Wrong, ...]:
        """All that is wrong."""
        parts: tuple[Wrong, ...] = self.args[1]
        return parts

    @property
    def file(self) -> ConfigurationError | None:
        """What is wrong with the file that the builder reads."""
        error: ConfigurationError | None = self.args[2]
        return error

    def __str__(self) -> str:
        said = f"{self.args[0]}: " + " ".join(f"{found} {remedy}".strip() for found, remedy in self.wrong)
        return said if self.file is None else f"{said}\n{self.file}"


@dataclass(frozen=True, kw_only=True)
class Builder(ABC):
    """A rule that makes a hierarchy of the values of a column.

    A subclass is a frozen dataclass of its settings, of which `settings` says how each is written. It supplies
    `_find_setting_faults`, if settings can contradict each other, and what its kind asks for: see `NumberBuilder`,
    `TextBuilder` and `DateBuilder`. All leaves of what it makes lie at one depth, and a label never stands for two sets
    of values.
    """

    name: ClassVar[str]
    takes: ClassVar[Takes]
    main: ClassVar[str | None] = None
    """The setting that the command line writes without its name."""
    sample: ClassVar[str] = ""
    """A value of the main setting, for messages."""
    is_needed: ClassVar[bool] = True
    """Whether the main setting must be there."""
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({})
    counts_records: ClassVar[bool] = False
    """Whether the hierarchy depends on how many records have each value."""

    # What a form for people says of it.
    title: ClassVar[str] = ""
    """What it makes, in a few words; without them its name."""
    sentence: ClassVar[str] = ""
    """An example or another sentence; without it the first line of the docstring."""
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType({})
    """The settings that are asked for, in their order; without any, all that are not common to all builders."""
    rank: ClassVar[int] = 1_000
    """The place among all builders, the lowest first."""
    has_form: ClassVar[bool] = True
    """Whether it is offered at all: not where it needs a file."""

    other: Other = "error"
    """What becomes of a value that the hierarchy does not know: it is an error, or goes to the root at once."""
    root: str = ROOT
    """What the root is called."""

    def __post_init__(self) -> None:
        for name, setting in self.settings.items():
            if setting.has_levels and len(getattr(self, name)) > DEEPEST:
                found = say("%(name)s= lists %(levels)s levels.", name=name, levels=len(getattr(self, name)))
                raise BuilderError(self.name, [Wrong(found, say("Write at most %(most)s.", most=DEEPEST))])
        if wrong := list(self._find_setting_faults()):
            raise BuilderError(self.name, wrong)

    def _find_setting_faults(self) -> Iterator[Wrong]:
        """Yield what is wrong with the settings together."""
        return iter(())

    @classmethod
    def list_all_settings(cls) -> dict[str, Setting]:
        """Return every setting with how it is written."""
        return {**cls.settings, **_COMMON}

    def attributes(self) -> dict[str, str]:
        """Return the attributes of ``<vgh>`` that declare this builder.

        Settings with their usual value are left out.
        """
        usual = {field.name: field.default for field in fields(self)}
        known = {name: (setting, getattr(self, name)) for name, setting in self.list_all_settings().items()}
        written = {name: setting.write(value) for name, (setting, value) in known.items() if value != usual[name]}
        return {"build": self.name, **written}

    @classmethod
    def asked(cls) -> Mapping[str, FormField]:
        """Return the settings for which a form asks."""
        return cls.form or {name: FormField(f"{name}=") for name in cls.settings}

    @classmethod
    def is_said(cls, given: Mapping[str, str]) -> bool:
        """Return whether other settings say what the main one would."""
        return False

    @classmethod
    def example(cls) -> str:
        """Return an example of the main setting."""
        return f"{cls.main}='{cls.sample}'"

    def of(self, kind: Kind) -> Builder:
        """Return the builder for what a column was found to hold."""
        return self

    def opened(self, folder: Path) -> Self:
        """Return the builder with what its files hold.

        Raises
        ------
        ConfigurationError
            With all faults of a file, by line.
        """
        return self

    @abstractmethod
    def rows(self, values: Iterable[object]) -> list[tuple[str, ...]]:
        """Return each value with its label on each level, the root last, as a hierarchy file has them.

        Parameters
        ----------
        values : iterable
            A value that occurs more often counts more, where that matters.

        Raises
        ------
        BuilderError
            If a value does not fit.
        """

    def _refuse(self, found: str, remedy: str) -> BuilderError:
        return BuilderError(self.name, [Wrong(found, remedy)])

    def _unknown(self, count: int) -> BuilderError:
        """Return the error about values that the hierarchy does not know."""
        found = say_count(
            "%(count)s value is outside the hierarchy.", "%(count)s values are outside the hierarchy.", count
        )
        return self._refuse(found, f"{show(self.hint)} {say(_OR_ROOT)}")

    @property
    def hint(self) -> str:
        """What to do about values that the hierarchy does not know."""
        return say("Correct them.")
