"""Checks of single arguments of a call: numbers and words, lists and dicts, and how a file is read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from toolbox.config import values
from toolbox.config.file_names import list_input_files
from toolbox.config.model import DEFAULT_MISSING, Column, Config, Input, Portion
from toolbox.config.settings import EARLIER_KEY, EARLIER_REPAIR, SETTINGS, SUPPRESS_BY, value_of
from toolbox.config.values import LARGEST_INTEGER, URL, parse_path
from toolbox.errors import BadValueError, SettingError, UsageError, quote, shorten_text
from toolbox.messages import choose_setting_name
from toolbox.store.input.memory import as_arrow

_Word = TypeVar("_Word", bound=str)

_MOST_DIGITS = 60
"""Python does not write numbers of thousands of digits."""


def list_read_files(config: Config | None, *others: Path) -> list[Path]:
    """List the files that a run of a configuration reads, the configuration and its hierarchy files among them.

    Parameters
    ----------
    others : Path
        Tables that are read besides: files, folders or patterns.
    """
    found = [path for other in others for path in (other, *list_input_files(Input(path=other)))]
    if config is None:
        return found
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reading.reader import list_files_of_run

    return found + list_files_of_run(config)


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


def require_whole(name: str, value: object, least: int) -> int:
    """Return a whole number that is large enough.

    Raises
    ------
    SettingError
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise SettingError(name, _shorten_value(value), f"a whole number of at least {least}")
    if int(value) > LARGEST_INTEGER:
        raise SettingError(name, _shorten_value(value), f"a whole number of at most {LARGEST_INTEGER}")
    return int(value)


def check_path(name: str, value: object) -> Path:
    """Return the path that an argument names.

    Raises
    ------
    SettingError
        If it is none.
    """
    if not isinstance(value, (str, Path)) or not str(value).strip():
        raise SettingError(name, _shorten_value(value), "the path of a file")
    if not isinstance(value, str) or not URL.match(value):
        return Path(value)
    try:
        return parse_path(value, Path(), may_be_object=True)
    except BadValueError as error:
        raise UsageError(f"{name} {error.args[0]}. {error.args[1]}") from None


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


def require_texts(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    """Return the text that a dict names for each column.

    Raises
    ------
    SettingError
        If it is no dict, or names what is no text.
    """
    said = require_column_dict(name, value)
    for column, text in said.items():
        if not isinstance(text, str):
            raise SettingError(f"{name}[{column!r}]", text, "a text, as the column has it")
    return tuple((str(column), text) for column, text in said.items())


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


# How text is read without a configuration.

_POSITION: Final = re.compile(r"(?:column )?([0-9]{1,9})")
TABLE = Path("the table")
"""What messages call the records of a call."""


@dataclass(frozen=True)
class Reading:
    """How a file is read, as the arguments of a call say it; None where nothing is said."""

    separator: str | None = None
    header: bool | int | None = None
    """Whether there is one, or the line where it stands."""
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: str | None = None
    table: str | None = None

    @property
    def said(self) -> list[str]:
        """The names of the arguments that say something."""
        return [name for name, value in vars(self).items() if value is not None]

    def require_file(self) -> None:
        """Stop where anything is said of a file, and the caller gives a table.

        Raises
        ------
        UsageError
        """
        for name in self.said[:1]:
            raise UsageError(f"{name}= says how a file is read, and the source is a table. Leave it out.")

    def input(self) -> Input:
        """Return how a file is read; its separator is guessed unless it is named.

        Raises
        ------
        UsageError
            If an argument is wrong.
        """
        for name in self.said:
            value = getattr(self, name)
            if name == "header" and not (isinstance(value, bool) or (isinstance(value, int) and value >= 1)):
                raise SettingError(name, value, "True, False or the line where it stands")
            if name != "header" and not isinstance(value, str):
                raise SettingError(name, value, "a text, or None")
        decimal, thousands = _read("decimal", values.parse_decimal, self.decimal or "."), self.thousands or ""
        if _read("thousands", values.parse_thousands, thousands) == decimal:
            raise UsageError(f"thousands={thousands!r} stands before the decimals as well. Write another character.")
        return Input(
            path=TABLE,
            separator="," if self.separator is None else _read("separator", values.parse_separator, self.separator),
            guesses_separator=self.separator is None,
            encoding=_parse_encoding(self.encoding or "utf-8"),
            decimal=decimal,
            thousands=thousands,
            guesses_figures=self.decimal is None and self.thousands is None,
            missing=DEFAULT_MISSING if self.missing is None else self.missing,
            header=self.header is not False,
            header_line=1 if self.header is None else max(1, int(self.header)),
            table=self.table,
        )


def name_column_position(name: object) -> str:
    """Return what a column is called in a file without a header, by its position from 0.

    Raises
    ------
    UsageError
        If it is no position.

    Examples
    --------
    >>> name_column_position("2"), name_column_position("column 2")
    ('column 2', 'column 2')
    """
    match = _POSITION.fullmatch(str(name))
    if match is None:
        without = choose_setting_name("--header no", python="header=False")
        raise UsageError(
            f"{without} says that no names are there, and {quote(str(name))} is no position. Write 0, say."
        )
    return f"column {int(match[1])}"


def make_text_input(
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    table: str | None = None,
) -> Input:
    """Return how a file with a header is read; its separator is guessed unless it is named.

    Raises
    ------
    UsageError
        If there is no such encoding, or no number is written so.
    """
    return Reading(separator=separator, encoding=encoding, decimal=decimal, thousands=thousands, table=table).input()


def _read(name: str, parse: Callable[[str], str], text: str) -> str:
    try:
        return parse(text)
    except BadValueError as error:
        raise UsageError(f"{name}={text!r} {error.args[0]}. {error.args[1]}") from None


def _parse_encoding(text: str) -> str:
    try:
        return values.parse_encoding(text)
    except BadValueError:
        raise SettingError("encoding", text, "the name of an encoding, such as 'latin-1'") from None


AS_SAID: Final = Reading()
"""Nothing is said."""


# What a call says of other columns.


def declare_treatments(
    treatments: Mapping[Any, str], quasi_identifiers: Sequence[object], sensitive: Sequence[object]
) -> tuple[tuple[Column, str], ...]:
    """Return the columns that are treated, each with the text of its treatment.

    Raises
    ------
    UsageError
        If a treatment is no text, or its column is judged.
    """
    judged = {
        **dict.fromkeys(map(str, sensitive), "is sensitive, and the proof counts its values as they were read"),
        **dict.fromkeys(map(str, quasi_identifiers), "is a quasi-identifier, and gets wider by hierarchies="),
    }
    for name, text in treatments.items():
        if not isinstance(text, str):
            raise SettingError(f"treatments[{name!r}]", text, "a treatment as a text, such as 'round:1000'")
        if str(name) in judged:
            raise UsageError(f"treatments[{name!r}] is not possible: {name!r} {judged[str(name)]}. Leave it out.")
    return tuple((Column(index=None, name=str(name)), text) for name, text in treatments.items())


def parse_switch(name: str, value: bool | None) -> bool:
    """Return a switch; None is off.

    Raises
    ------
    SettingError
    """
    if value is None or isinstance(value, bool):
        return bool(value)
    raise SettingError(name, value, "True or False")


def parse_threshold(given: int | str | None) -> int | Portion | None:
    """Read a number of records, or a share of all such as ``'2%'``.

    Raises
    ------
    SettingError
    """
    if not isinstance(given, str):
        require_whole_number("suppression_threshold", given, 0)
        return given
    try:
        return values.parse_threshold(given)
    except BadValueError:
        expected = "a number of records, or a share of them such as '2%'"
        raise SettingError("suppression_threshold", given, expected) from None


def name_suppression(said: Any, *, has_persons: bool) -> Mapping[str, Any]:
    """Return what a call says of rows and persons that are suppressed, by the name of its setting.

    Raises
    ------
    UsageError
    """
    if said is None:
        return {}
    if not has_persons:
        raise UsageError("suppress_by= tells persons from rows, and person= names none. Name a column.")
    if said not in SUPPRESS_BY.choices:
        raise SettingError(SUPPRESS_BY.field, said, "one of " + ", ".join(map(repr, SUPPRESS_BY.choices)))
    return {SUPPRESS_BY.field: said}


def name_paths(**paths: object) -> Mapping[str, Path]:
    """Return the paths of a call that are given, by the names of their arguments."""
    return {name: check_path(name, path) for name, path in paths.items() if path is not None}


# Earlier releases, as a call names them.

_EARLIER: Final = ("earlier", "earlier_key", "earlier_repair")
"""The arguments that say something of them, which stand among the settings of a method."""
AMONG_SETTINGS: Final = (*_EARLIER, "sample_weight", "sampling_fraction", SUPPRESS_BY.field)
"""All arguments that do, with those that say how the records were drawn, and what is suppressed of a person."""


def list_earlier_tables(given: Any) -> tuple[Any, ...]:
    """Return earlier releases as paths and tables of Arrow, be one given or a list of them.

    Raises
    ------
    InputError
        If one is no table.
    """
    tables = given if isinstance(given, (list, tuple)) else () if given is None else (given,)
    return tuple(check_path("earlier", each) if isinstance(each, (str, Path)) else as_arrow(each) for each in tables)


def name_earlier(key: Any, repairs: Any) -> Mapping[str, Any]:
    """Return what a call says of earlier releases, by the names of the settings."""
    if key is not None and (not isinstance(key, str) or not key):
        raise SettingError("earlier_key", key, "the name of one column")
    said = {} if key is None else {EARLIER_KEY.field: key}
    return {**said, **({EARLIER_REPAIR.field: True} if parse_switch("earlier_repair", repairs) else {})}


# How the records were drawn, as a question says it.


@dataclass(frozen=True, kw_only=True)
class SampleDesign:
    """How the records of a release were drawn from a population.

    Parameters
    ----------
    weight : str, optional
        The column that says how many people of the population each record stands for.
    fraction : float, above 0 and at most 1, optional
        The share of the population that is in the sample, where there are no weights.
    household : str, optional
        The column that tells households apart.

    Raises
    ------
    SettingError
        If the fraction is no share.
    UsageError
        If both are named, or a household without either.
    """

    weight: str | None = None
    fraction: float | None = None
    household: str | None = None

    def __post_init__(self) -> None:
        for name, column in (("sample_weight", self.weight), ("household", self.household)):
            if column is not None and (not isinstance(column, str) or not column):
                raise SettingError(name, column, "the name of one column")
        if self.fraction is not None and not _is_share(self.fraction):
            raise SettingError(
                "sampling_fraction", self.fraction, "the share of the population in the sample, such as 0.1"
            )
        weight = choose_setting_name("--sample-weight NAME", python="sample_weight=")
        fraction = choose_setting_name("--sampling-fraction SHARE", python="sampling_fraction=")
        if self.weight is not None and self.fraction is not None:
            raise UsageError(f"The weights of the records say the sampling fraction. Leave {fraction} or {weight} out.")
        if self.household is not None and self.weight is None and self.fraction is None:
            household = choose_setting_name("--household", python="household=")
            raise UsageError(f"{household} goes with a sample. Also write {weight} or {fraction}.")

    @classmethod
    def of(cls, config: Config) -> SampleDesign:
        """Return what a configuration says."""
        weight, fraction = (value_of(config, SETTINGS[name]) for name in ("sample_weight", "sampling_fraction"))
        return cls(weight=weight, fraction=fraction)

    @classmethod
    def of_call(cls, said: Mapping[str, Any]) -> SampleDesign:
        """Return what a call says, by the names of its arguments."""
        return cls(weight=said.get("sample_weight"), fraction=said.get("sampling_fraction"))

    def name_settings(self) -> Mapping[str, Any]:
        """Return what a call says of it, by the names of the settings."""
        said = {"sample_weight": self.weight, "sampling_fraction": self.fraction}
        return {name: value for name, value in said.items() if value is not None}

    @property
    def basis(self) -> str:
        """What people are estimated by, in words."""
        return f"by the weights {self.weight}" if self.fraction is None else "by the sampling fraction"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that must be read for it."""
        return tuple(name for name in (self.weight, self.household) if name is not None)

    @property
    def is_declared(self) -> bool:
        """Whether the records are said to be a sample."""
        return self.weight is not None or self.fraction is not None


def _is_share(fraction: object) -> bool:
    return isinstance(fraction, (int, float)) and not isinstance(fraction, bool) and 0 < fraction <= 1


def require_word(name: str, value: object, words: Sequence[str]) -> str:
    """Return one of some words.

    Raises
    ------
    SettingError
    """
    if value not in words:
        raise SettingError(name, value, " or ".join(filter(None, [", ".join(words[:-1]), words[-1]])))
    return str(value)
