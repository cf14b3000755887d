"""The values of the options of a command, read one by one, and how options write names of columns."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from toolbox.config import values
from toolbox.config.model import Limits
from toolbox.config.reading.overrides import Overrides
from toolbox.config.settings import SETTINGS
from toolbox.errors import BadValueError, ConfigurationError, Fault, Findings, RawSetting, UsageError, quote
from toolbox.flows.arguments.checks import Reading
from toolbox.hierarchy.builders.builder import split_list

# How options write names of columns: between commas, before an equals sign, and in quotes where they hold either.

_BEFORE_VALUE = re.compile(r'\s*"((?:[^"]|"")*)"\s*=(.*)|([^=]*)=(.*)', re.DOTALL)


def parse_names(text: str) -> list[str] | None:
    """Return the names between commas; None if a quote does not close, or a line ends outside of quotes.

    Examples
    --------
    >>> parse_names('age, "town, or place",sex')
    ['age', 'town, or place', 'sex']
    """
    parts = split_list(text)
    return None if parts is None else [part for part in parts if part]


def name_and_value(text: str) -> tuple[str, str] | None:
    """Return the name and the value of ``NAME=VALUE``; None if it is no such text.

    Examples
    --------
    >>> name_and_value('"a=b"=prefix:3'), name_and_value("zip=zip.csv"), name_and_value("zip")
    (('a=b', 'prefix:3'), ('zip', 'zip.csv'), None)
    """
    match = _BEFORE_VALUE.fullmatch(text)
    if match is None:
        return None
    quoted, behind, plain, value = match.groups()
    name = plain.strip() if quoted is None else quoted.replace('""', '"')
    return (name, value if quoted is None else behind) if name else None


# The values of the options of a command, read one by one.

READING: Final = ("separator", "header", "encoding", "decimal", "thousands", "missing", "input_table")
"""The fields of the options that say how a table is read."""
_LIMITS: Final = ("memory_limit", "threads", "temp_dir")
"""Those of the options that say what a judge may take of the machine."""
_BESIDE: Final = (*_LIMITS, "allow_network", *READING)
"""Those of the options that may stand beside a configuration."""
_PAIRS: Final = MappingProxyType(
    {
        "hierarchy": "NAME=FILE or NAME=BUILDER, such as age=intervals:5,10",
        "kind": "NAME=KIND, such as born=date",
        "ordered": "NAME=VALUES, such as size=low,mid,high",
        "priority": "NAME=N, such as age=1",
        "weight": "NAME=NUMBER, such as age=2",
        "treat": "NAME=TREATMENT, such as pay=round:1000",
        "table": "NAME=FILE, such as visits=visits.csv:key=patient",
        "rule": "NAME=RULES, such as age=ranges",
        "engine_set": "NAME=VALUE, such as spark.executor.memory=4g",
    }
)
"""What the options say that describe one column or one setting."""
_UNCLOSED = (
    'A name with a comma or a line break stands in double quotes, and a double quote in it is doubled: "a, ""b""".'
)


class OptionReader:
    """Reads options one by one; all faults of a command line are listed together.

    Parameters
    ----------
    options : argparse.Namespace
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._findings = Findings()

    def read(self, name: str, parse: Callable[[str], Any]) -> Any:
        """Read an option; return None if it is absent or wrong."""
        text = getattr(self._options, name, None)
        option = None if text is None else RawSetting(self._find_flag(name), text)
        return self._findings.read(option, parse, None)

    def table(self, name: str) -> Path | None:
        """Read the name of a table, which may be an object of a store."""
        path: Path | None = self.read(name, partial(values.parse_path, folder=Path(), may_be_object=True))
        return path

    def each(self, name: str, parse: Callable[[str], Any]) -> list[Any]:
        """Read an option that may be repeated; what is wrong is left out."""
        found = [self._findings.read(RawSetting(self._find_flag(name), text), parse, None) for text in self.texts(name)]
        return [value for value in found if value is not None]

    def names(self, name: str) -> list[str]:
        """Read names, several in one option between commas; a name with a comma stands in quotes."""
        texts: Sequence[str] = getattr(self._options, name, None) or ()
        found: list[str] = []
        for text in texts:
            if (names := parse_names(text)) is None:
                self._findings.fault(0, f"{self._find_flag(name)} {quote(text)} is no list of names.", _UNCLOSED)
            found += names or ()
        return found

    def pairs(self, name: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        """Read options such as ``zip=zip.csv``; a name with an equals sign stands in quotes."""
        values_by_name: dict[str, Any] = {}
        seen, flag = set[str](), self._find_flag(name)
        for text in getattr(self._options, name, None) or ():
            pair = name_and_value(text)
            if pair is None:
                self._findings.fault(
                    0, f"{flag} {quote(text)} has no equals sign after a name.", f"Write {_PAIRS[name]}."
                )
                continue
            key, value = pair
            if key in seen:
                self._findings.fault(0, f"{flag} names {quote(key)} twice.", "Write it once.")
                continue
            seen.add(key)
            known = self._findings.read(RawSetting(f"{flag} {key}", value), parse, None)
            if known is not None:
                values_by_name[key] = known
        return values_by_name

    def _find_flag(self, name: str) -> str:
        """Return an option as it was typed, or as it is usually written."""
        typed: Mapping[str, str] = getattr(self._options, "typed", {})
        return typed.get(name, f"--{name.replace('_', '-')}")

    def texts(self, name: str) -> list[str]:
        """Return an option that may be repeated as it was written."""
        return list(getattr(self._options, name, None) or ())

    def limits(self) -> Limits:
        """Read the limits of memory and threads, and the folder for temporary files."""
        return Limits(
            **{SETTINGS[name].place: self.read(name, SETTINGS[name].read) for name in _LIMITS},
            network=bool(getattr(self._options, "allow_network", None)),
        )

    def reading(self) -> Reading:
        """Read how a table is read."""
        return Reading(
            separator=self.read("separator", values.parse_separator),
            header=self.read("header", values.parse_boolean),
            encoding=self.read("encoding", values.parse_encoding),
            decimal=self.read("decimal", values.parse_decimal),
            thousands=self.read("thousands", values.parse_thousands),
            missing=self.read("missing", str),
            table=self.read("input_table", values.parse_filled_text),
        )

    def check(self, call: Callable[[], object]) -> None:
        """Note what a call says is wrong."""
        try:
            call()
        except UsageError as error:
            self._findings.fault(0, str(error), "")

    @property
    def faults(self) -> list[Fault]:
        """What is wrong so far."""
        return self._findings.faults

    def require_none_wrong(self) -> None:
        """Stop if any of them was wrong.

        Raises
        ------
        ConfigurationError
        """
        if self._findings.faults:
            raise ConfigurationError("the command line", self._findings.faults)


def parse_table(name: str) -> Path:
    """Return the path of the files or objects of a table; the URL of an object that may hold a key is not repeated.

    Raises
    ------
    UsageError
    """
    if not values.is_object(Path(name)):
        return Path(name)
    try:
        return values.parse_path(name, Path(), may_be_object=True)
    except BadValueError as error:
        reason, remedy = error.args
        raise UsageError(f"The URL of a table {reason}. {remedy}") from None


def collect_overrides(options: argparse.Namespace, *, but: Collection[str] = ()) -> Overrides:
    """Collect the options of a judge that stand beside a configuration, and replace its words."""
    return Overrides(**{name: format_switch(getattr(options, name, None)) for name in _BESIDE if name not in but})


def format_switch(value: Any) -> Any:
    """Return what a switch says in the words of the configuration; other options as they are."""
    if isinstance(value, bool):
        return "true" if value else None
    return value
