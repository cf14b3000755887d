"""Texts as a user gave them, and the list of what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from toolbox.errors import Fault, choose_first_by_kind, quote

Place: TypeAlias = tuple[str | int, ...]
"""The way to a word in the plan of a study, such as ``("data", 0, "hierarchies", "age")``."""
T = TypeVar("T")
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
