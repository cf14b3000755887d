"""What can go wrong, as one tree; each leaf knows the exit status of the command line.

ToolboxError
├── UsageError           2  the command line or the configuration is wrong
│   ├── ConfigurationError  every fault of one configuration, together
│   ├── SettingError        a setting of a method or a privacy model is out of range
│   └── UnknownColumnError  a call or a configuration names a column which the table lacks
├── UnsatisfiableError   3  no release can meet the requirement with this data
├── ProofError           3  the finished tables failed their proof; nothing was released
├── MethodError          3  a method by other people failed
├── ModelError           3  a privacy model by other people failed
├── InputError           4  the input data is wrong or unreadable
├── EngineError          4  the database engine failed, and nobody foresaw how
├── CancelledError     130  whoever asked has cancelled the run
└── OutputError          2  the release cannot be written where it should go

Errors hold their raw parts in ``args`` (they pickle, and tests read them) and never quote a cell of a
sensitive or pass-through column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

from toolbox.messages import choose_setting_name, hide_passwords, say

T = TypeVar("T")

MOST_OF_A_KIND = 50
"""How many faults of one kind a message names; the rest are counted."""
_LONGEST_SHOWN = 60
_LONGEST_COMPARED = 100
_MOST_COMPARED = 1_000
# What tells two faults of one kind apart: names in quotes, and numbers.
_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9]+")


def format_debug_hint() -> str:
    """Return where to find the words of an error that a message leaves out."""
    return choose_setting_name(
        "The option --debug prints its own words, which may show values of your data.",
        python="Its own words, which may show values of your data, are those of its __cause__.",
    )


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Suggest the nearest known name, as a sentence with a leading blank; empty if none is near."""
    # To compare long texts, or many, takes long.
    if len(word) > _LONGEST_COMPARED:
        return ""
    lowered = {name.lower(): name for name in known[:_MOST_COMPARED] if len(name) <= _LONGEST_COMPARED}
    close = get_close_matches(word.lower(), list(lowered), n=1)
    if not close:
        return ""
    meant = say("Did you mean %(word)s?", word=repr(lowered[close[0]]))
    return f" {meant}"


def shorten_text(text: object) -> str:
    """Cut a text that is too long for a message."""
    # Half a URL could not be told from any other text.
    whole = hide_passwords(str(text))
    return whole if len(whole) <= _LONGEST_SHOWN else f"{whole[:_LONGEST_SHOWN]}..."


def quote(text: str) -> str:
    """Quote a text for a message: on one line, and cut where it is very long."""
    return repr(shorten_text(text))


def name_option(name: str) -> str:
    """Call a setting that no configuration has as the option, or as the argument of a Python call.

    Examples
    --------
    >>> name_option("split-size")
    '--split-size'
    >>> from toolbox.messages import name_python_arguments
    >>> with name_python_arguments():
    ...     name_option("split-size")
    'split_size='
    """
    return choose_setting_name(f"--{name}", python=f"{name.replace('-', '_')}=")


def name_replacing() -> str:
    """Return what makes a release replace an earlier one."""
    return choose_setting_name("--replace", python="replace=True", options="--replace")


def suggest_notation(which: str) -> str:
    """Say in which notations a hierarchy can be written that the one asked for cannot say."""
    setting = f"{choose_setting_name('--to ', python='notation=')}{which}"
    return say("Choose another notation: %(setting)s.", setting=setting)


def choose_first_by_kind(items: Sequence[T], kind: Callable[[T], str]) -> list[tuple[T, str]]:
    """Return the first items of each kind, in their order.

    Parameters
    ----------
    kind : callable
        Describes an item; names in quotes and numbers do not count.

    Returns
    -------
    list of (item, str)
        Behind the last one that is kept of a kind stands what is left out, ``and 3 more of this kind``; else nothing.

    Examples
    --------
    >>> kept = choose_first_by_kind([f"line {number} is empty" for number in range(1, 54)], str)
    >>> len(kept), kept[48:]
    (50, [('line 49 is empty', ''), ('line 50 is empty', 'and 3 more of this kind')])
    """
    kinds = [_PARTICULAR.sub("", kind(item)) for item in items]
    counts, seen = Counter(kinds), Counter[str]()
    kept = []
    for item, its_kind in zip(items, kinds, strict=True):
        seen[its_kind] += 1
        more = counts[its_kind] - MOST_OF_A_KIND
        if seen[its_kind] <= MOST_OF_A_KIND:
            is_last = more > 0 and seen[its_kind] == MOST_OF_A_KIND
            kept.append((item, f"and {more:,} more of this kind" if is_last else ""))
    return kept


class ToolboxError(Exception):
    """The root of all errors that a user can cause.

    Parameters
    ----------
    setting : str
        The setting of a run that answers it, such as ``key``, where there is one: a form shows the error beside it.
    """

    exit_status: ClassVar[int] = 2

    def __init__(self, *parts: object, setting: str = "") -> None:
        super().__init__(*(hide_passwords(part) if isinstance(part, str) else part for part in parts))
        self.setting = setting


class UsageError(ToolboxError):
    """The command line or the configuration is wrong; the message says what to write instead."""


class MissingColumn(NamedTuple):
    """A column that a table lacks, for whoever tells several in one sentence."""

    table: str
    column: str
    known: str
    """A sentence on what the table has."""


@dataclass(frozen=True, order=True)
class Fault:
    """One fault of a configuration: where it is, what was found, what to write instead."""

    line: int
    """Line of the XML file, from 1; 0 if it lies elsewhere (command line, API call, several places)."""
    found: str
    remedy: str
    file: str = ""
    """The file of the line where it is not the configuration itself, such as a hierarchy file."""
    missing: MissingColumn | None = field(default=None, compare=False, repr=False)
    """Where it is that a table lacks a column, which one."""

    def document(self) -> dict[str, Any]:
        """Return what stands in the JSON document of an error; the names are stable."""
        told = {"line": self.line, "found": self.found, "remedy": self.remedy, "file": self.file}
        return told if self.missing is None else {**told, "missing": self.missing._asdict()}

    def without_passwords(self) -> Fault:
        """Return the same without the passwords of addresses."""
        missing = self.missing and MissingColumn(*map(hide_passwords, self.missing))
        return replace(self, found=hide_passwords(self.found), file=hide_passwords(self.file), missing=missing)

    def __str__(self) -> str:
        position = ", ".join(part for part in (self.file, f"line {self.line}" if self.line else "") if part)
        return f"{position + ': ' if position else ''}{self.found} {self.remedy}".rstrip()


class ConfigurationError(UsageError):
    """Every fault of one configuration, so that one run shows them all."""

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        # A column that is declared twice, such as one that is treated, is missing once.
        super().__init__(source, tuple(dict.fromkeys(fault.without_passwords() for fault in faults)))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults in the order of their lines."""
        return tuple(sorted(self.args[1]))

    def shown(self) -> list[tuple[Fault, str]]:
        """Return the first faults of each kind, and how many more follow."""
        return choose_first_by_kind(self.faults, lambda fault: f"{fault.file}: {fault.remedy}")

    def __str__(self) -> str:
        source, faults = self.args
        if len(faults) == 1:
            return f"{source}: {faults[0]}"
        count = f"{len(faults):,} faults"
        lines = [part for fault, more in self.shown() for part in (str(fault), more) if part]
        return "\n".join([f"{source}: {count}", *(f"  {line}" for line in lines)])


class SettingError(UsageError):
    """A setting of a method or a privacy model is out of range."""

    def __init__(self, setting: str, found: object, wanted: str) -> None:
        super().__init__(setting, found, wanted, setting=setting)

    def __str__(self) -> str:
        setting, found, wanted = self.args
        return f"{setting} is {found!r}; write {wanted}."


class UnknownColumnError(UsageError):
    """A call or a configuration names a column which the table lacks."""

    def __init__(self, column: str, table: str, available: Sequence[str]) -> None:
        super().__init__(column, table, tuple(available))

    def __str__(self) -> str:
        column, table, available = self.args
        if not available:
            return f"{table} has no column {quote(str(column))}, and no other. Write a table with columns."
        return f"{table} has no column {quote(str(column))}.{did_you_mean(str(column), available)} {self.known}"

    @property
    def known(self) -> str:
        """What the table has, as a sentence; nothing if it has nothing."""
        available = self.args[2]
        shown = ", ".join(map(shorten_text, available[:20])) + (", ..." if len(available) > 20 else "")
        return f"It has: {shown}." if available else ""


class CancelledError(ToolboxError):
    """The caller has cancelled the run."""

    exit_status = 130


class OutputError(UsageError):
    """The release cannot be written where it should go."""


class UnsatisfiableError(ToolboxError):
    """No release can meet the requirement with this data."""

    exit_status = 3


class ProofError(ToolboxError):
    """The finished tables failed their proof, so nothing was released."""

    exit_status = 3


class MethodError(ToolboxError):
    """A method by other people failed; the message names the line, and not the error's text, which may quote cells."""

    exit_status = 3

    def __init__(self, method: str, error: str, file: str, line: int) -> None:
        super().__init__(method, error, file, line)

    def __str__(self) -> str:
        method, error, file, line = self.args
        return f"The method {method} failed: {error} in {file}, line {line}. Nothing was released."


class ModelError(ToolboxError):
    """A privacy model by other people failed, or gave what is no answer; no cell stands in the message."""

    exit_status = 3

    def __init__(self, model: str, problem: str, remedy: str) -> None:
        super().__init__(model, problem, remedy)

    def __str__(self) -> str:
        model, problem, remedy = self.args
        return f"The privacy model {model} failed: {problem}. {remedy} Nothing was released."


class InputError(ToolboxError):
    """The input data is wrong or unreadable; the message names column, pattern and first lines."""

    exit_status = 4

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of a file of which nobody has said which is meant; empty where something else is wrong."""
        return tuple(self.args[1]) if len(self.args) > 1 else ()

    def __str__(self) -> str:
        return str(self.args[0])


class EngineError(ToolboxError):
    """The database engine failed, and nobody foresaw how; the message leaves out its own, which may quote cells."""

    exit_status = 4

    def __init__(self, error: str, step: str | None = None) -> None:
        super().__init__(error, step)
        self._hint = format_debug_hint()

    def in_step(self, step: str) -> EngineError:
        """Return the error with the step in which it occurred."""
        return EngineError(self.args[0], self.args[1] or step)

    def __str__(self) -> str:
        error, step = self.args
        place = "" if step is None else f" in the step {step!r}"
        cause = "It does so where a file is damaged, or changes while it is read."
        return f"The database engine failed{place} ({error}). {cause} Nothing was released. {self._hint}"


# Texts as a user gave them, and the list of what is wrong with them.

Place: TypeAlias = tuple[str | int, ...]
"""The way to a word in the plan of a study, such as ``("data", 0, "hierarchies", "age")``."""
D = TypeVar("D")


class BadValueError(ValueError):
    """A text is no value of the required kind: why, and what to write instead."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)


class SecretValueError(BadValueError):
    """A text that may hold a password, so that no message repeats it."""


@dataclass(frozen=True)
class RawSetting:
    """A text, and the line or option where the user wrote it."""

    name: str
    """An attribute such as ``k``, or an option with its dashes, such as ``-k``."""
    text: str
    line: int = 0
    """Line of the XML file; 0 on the command line."""

    def __str__(self) -> str:
        return f"{self.name}{' ' if self.name.startswith('-') else '='}{quote(self.text)}"


class Findings:
    """The faults and warnings of one reading; it goes on after a fault, so that one run shows them all."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._warnings: list[tuple[int, str]] = []

    def fault(self, line: int, found: str, remedy: str) -> None:
        self.faults.append(Fault(line, found, remedy))

    def warn(self, line: int, text: str) -> None:
        self._warnings.append((line, text))

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings in the order of their lines; of many of a kind the first."""
        lines = [f"line {line}: {text}" if line else text for line, text in sorted(self._warnings)]
        return tuple(part for line, more in choose_first_by_kind(lines, str) for part in (line, more) if part)

    def read(self, setting: RawSetting | None, parse: Callable[[str], T], default: D) -> T | D:
        """Return the value of a text; the default if it is absent, or wrong, which is noted as a fault."""
        if setting is None:
            return default
        try:
            return parse(setting.text)
        except BadValueError as error:
            reason, remedy = error.args
            shown = setting.name if isinstance(error, SecretValueError) else setting
            self.fault(setting.line, f"{shown} {reason}.", remedy)
            return default

    def choose(
        self, option: RawSetting | None, attribute: RawSetting | None, parse: Callable[[str], T], default: D
    ) -> T | D:
        """Return the option's value if there is one, otherwise the attribute's; check both."""
        return self.read(option, parse, self.read(attribute, parse, default))
