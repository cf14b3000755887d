"""Reading the tables of a plan word by word: what is wrong is noted, and the reading goes on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolbox.config.given import BadValueError, Findings
from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import did_you_mean, quote

_UNSET = re.compile(r"\$(\w+|\{[^}]*\})")


class Section:
    """One table of a plan.

    Parameters
    ----------
    where : str
        What messages call it, such as ``[[data]] 2``; empty for the plan itself.
    words : mapping
        As TOML has it.
    findings : Findings
        Gets the faults.
    folder : Path
        To which paths are relative.
    """

    def __init__(self, where: str, words: Mapping[str, Any], findings: Findings, folder: Path) -> None:
        self._where = where
        self._words = words
        self._findings = findings
        self._folder = folder
        self._asked: list[str] = []
        self.expanded: dict[str, str] = {}
        """Paths that the environment has completed, as the plan has them."""

    def fault(self, found: str, remedy: str) -> None:
        """Note a fault of this table."""
        self._findings.fault(0, f"{self._where}: {found}" if self._where else found, remedy)

    def has(self, name: str) -> bool:
        """Return whether the table says a word."""
        return name in self._words

    def text(self, name: str) -> str | None:
        """Read a text."""
        value = self._value(name)
        if value is None or (isinstance(value, str) and value.strip()):
            return value
        self._wrong(name, value, "a text in quotes")
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of texts."""
        value = self._value(name)
        if value is None:
            return ()
        if isinstance(value, (list, tuple)) and all(isinstance(each, str) and each.strip() for each in value):
            return tuple(dict.fromkeys(value))
        self._wrong(name, value, 'a list of texts, such as ["age", "zip"]')
        return ()

    def lists(self, name: str, check: Callable[[str], object]) -> list[tuple[str, ...]]:
        """Read a list of lists of texts, each of which somebody checks; a text stands for a list of one."""
        value = self._value(name)
        listed = [] if value is None else value
        if isinstance(listed, (list, tuple)):
            rows = [(each,) if isinstance(each, str) else each for each in listed]
            if all(isinstance(row, (list, tuple)) and all(isinstance(each, str) for each in row) for row in rows):
                for each in {each: None for row in rows for each in row}:
                    try:
                        check(each)
                    except BadValueError as error:
                        self.wrong(name, each, error.args[1])
                return [tuple(row) for row in rows if row]
        self._wrong(name, value, 'lists of models, such as [["k-anonymity:k=5"]]')
        return []

    def number(
        self, name: str, default: Any, *, least: float, whole: bool = True, most: float = LARGEST_INTEGER
    ) -> Any:
        """Read a number within bounds."""
        value = self._value(name)
        if value is None:
            return default
        if self._is_number(value, whole=whole) and least <= value <= most:
            return value
        bound = f"at least {least:g}" if most == LARGEST_INTEGER else f"from {least:g} to {most:g}"
        self._wrong(name, value, f"a {'whole ' if whole else ''}number, {bound}")
        return default

    def numbers(self, name: str, *, least: float, whole: bool) -> tuple[Any, ...]:
        """Read a list of numbers, or one."""
        value = self._value(name)
        if value is None:
            return ()
        listed = value if isinstance(value, (list, tuple)) else [value]
        if listed and all(self._is_number(each, whole=whole) and least <= each <= LARGEST_INTEGER for each in listed):
            return tuple(dict.fromkeys(listed))
        self._wrong(name, value, f"a list of {'whole ' if whole else ''}numbers from {least:g} on, such as [2, 5]")
        return ()

    def word(self, name: str, default: str, known: Sequence[str]) -> str:
        """Read one of some words."""
        value = self._value(name)
        if value is None:
            return default
        if value in known:
            return str(value)
        self._wrong(name, value, "one of " + ", ".join(map(repr, known)))
        return default

    def mapping(self, name: str) -> dict[str, Any]:
        """Read a table within the table, as it is."""
        value = self._value(name)
        if value is None:
            return {}
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return dict(value)
        self._wrong(name, value, f"a table, such as {name} = {{ age = .. }}")
        return {}

    def tables(self, name: str) -> list[Section]:
        """Read a list of tables."""
        value = self._value(name)
        if value is None:
            return []
        if isinstance(value, (list, tuple)) and all(isinstance(each, Mapping) for each in value):
            return [
                Section(f"[[{name}]] {number}", each, self._findings, self._folder)
                for number, each in enumerate(value, start=1)
            ]
        self._wrong(name, value, f"tables, each below a line [[{name}]]")
        return []

    def table(self, name: str) -> Section | None:
        """Read a table within this one."""
        # Asked for also where it is not there: what it is called stands in the list of settings.
        words = self.mapping(name)
        return Section(f"[{name}]", words, self._findings, self._folder) if self.has(name) else None

    def resolved(self, name: str, text: str) -> Path:
        """Return the path that a text names, relative to the plan; ``$NAME`` is what the environment says."""
        if "\0" in text:
            self.wrong(name, text, "Write a path, which has no zero byte.")
            return self._folder
        expanded = os.path.expandvars(text)
        if unset := _UNSET.search(expanded):
            remedy = f"Write: export {unset[1].strip('{}')}=FOLDER"
            # The paths of a plan name the same folder many times.
            if all(fault.remedy != remedy for fault in self._findings.faults):
                self.fault(f"{name} names {unset[0]}, which is not set.", remedy)
        elif expanded != text:
            # Up to the last part that names a variable: what follows may be a pattern, of which messages name a file.
            named, _, rest = text.rpartition("$")
            written = f"{named}${rest.partition('/')[0]}"
            self.expanded[str(self._below_folder(os.path.expandvars(written)))] = written
        return self._below_folder(expanded)

    def _below_folder(self, text: str) -> Path:
        # Not Path.expanduser, which raises where there is no such user.
        return self._folder / os.path.expanduser(text)  # noqa: PTH111

    def wrong(self, name: str, found: object, remedy: str) -> None:
        """Note that the value of a word is wrong."""
        self.fault(f"{name} is {quote(str(found))}.", remedy)

    def require_no_more(self) -> None:
        """Note the words that nobody asked for."""
        for name in map(str, self._words):
            if name not in self._asked:
                hint = did_you_mean(name, self._asked)
                self.fault(f"there is no setting {quote(name)}.{hint}", f"There are: {', '.join(self._asked)}.")

    def _value(self, name: str) -> Any:
        self._asked.append(name)
        return self._words.get(name)

    def _wrong(self, name: str, value: object, wanted: str) -> None:
        self.wrong(name, value, f"Write {wanted}.")

    @staticmethod
    def _is_number(value: object, *, whole: bool) -> bool:
        is_number = isinstance(value, int if whole else (int, float))
        return is_number and not isinstance(value, bool)
