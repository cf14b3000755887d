"""Reading the tables of a plan word by word: what is wrong is noted in the words of its notation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolbox.config.given import BadValueError, Findings, Place
from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.experiments.plan.plan import restore_written_paths

# How a plan is written, so that messages speak as it does.


@dataclass(frozen=True)
class PlanNotation:
    """TOML, or XML, whose words have lines."""

    lines: Mapping[Place, int] | None = None
    """Of XML, the line of each word; None: it is TOML."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What XML calls the words that it calls otherwise."""

    def choose_wording(self, toml: str, xml: str) -> str:
        """Return what a message says, as the plan is written."""
        return toml if self.lines is None else xml

    def called(self, word: str) -> str:
        """Return what the plan calls a word, or ``table.word``.

        Examples
        --------
        >>> PlanNotation().called("kinds.age"), PlanNotation({}, {"kinds": "type="}).called("kinds.age")
        ('kinds.age', "type= of 'age'")
        """
        table, dot, column = word.partition(".")
        if table not in self.names:
            return word
        return f"{self.names[table]} of {quote(column)}" if dot else self.names[table]

    def line(self, place: Place) -> int:
        """Return the line of a word, or of the table where it would stand; 0 if there are no lines.

        Examples
        --------
        >>> PlanNotation({(): 1, ("data", 0): 7}).line(("data", 0, "label"))
        7
        """
        if not self.lines:
            return 0
        return next(line for end in range(len(place), -1, -1) if (line := self.lines.get(place[:end])) is not None)


TOML: Final = PlanNotation()


# Reading the tables of a plan word by word: what is wrong is noted, and the reading goes on.

_UNSET = re.compile(r"\$(\w+|\{[^}]*\})")


def is_number(value: object, *, whole: bool = False) -> bool:
    """Return whether a value is a number of Python."""
    return isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)


def _find_first_places(texts: Iterable[tuple[int, str]]) -> dict[str, int]:
    first: dict[str, int] = {}
    for place, text in texts:
        first.setdefault(text, place)
    return first


class Section:
    """One table of a plan.

    Parameters
    ----------
    words : mapping
        As TOML has it.
    findings : Findings
        Gets the faults.
    folder : Path
        To which paths are relative.
    notation : Notation, optional
    place : tuple, optional
        The way to the table; empty for the plan itself.
    """

    def __init__(
        self,
        words: Mapping[str, Any],
        findings: Findings,
        folder: Path,
        notation: PlanNotation = TOML,
        place: Place = (),
    ) -> None:
        self._words = words
        self._findings = findings
        self._folder = folder
        self._place = place
        self._asked: list[str] = []
        self.notation = notation
        self.expanded: dict[str, str] = {}
        """Paths that the environment has completed, as the plan has them."""

    def fault(self, found: str, remedy: str, *at: str | int) -> None:
        """Note a fault of this table.

        Parameters
        ----------
        *at : str or int
            The way from here to the word that is wrong.
        """
        where = self._where()
        line = self.notation.line((*self._place, *at))
        self._findings.fault(line, f"{where}: {found}" if where else found, remedy)

    def _where(self) -> str:
        """Return what messages call this table: ``[[data]] 2`` or ``<data>``; nothing for the plan itself."""
        match self._place:
            case (str(name), int(number)):
                return self.notation.choose_wording(f"[[{name}]] {number + 1}", f"<{name}>")
            case (str(name),):
                return self.notation.choose_wording(f"[{name}]", f"<{name}>")
        return ""

    def has(self, name: str) -> bool:
        """Return whether the table says a word."""
        return name in self._words

    def is_text(self, name: str) -> bool:
        """Return whether the table says a word, and a text."""
        return isinstance(self._words.get(name), str)

    def text(self, name: str, *, may_be_blank: bool = False) -> str | None:
        """Read a text."""
        value = self._value(name)
        if value is None or (isinstance(value, str) and (value.strip() or (value and may_be_blank))):
            return value
        self._wrong(name, value, self.notation.choose_wording("a text in quotes", "a text"))
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of texts."""
        return tuple(self.places(name))

    def columns(self, name: str) -> tuple[str, ...]:
        """Read a list of columns, each of which stands there once."""
        places = self.places(name)
        for place, column in enumerate(self._words.get(name, ()) if places else ()):
            if places[column] != place:
                found = f"{self.notation.called(name)} has the column {quote(column)} twice."
                self.fault(found, "Leave one of the two out.", name, place)
        return tuple(places)

    def list_first_places(self, name: str) -> dict[str, int]:
        """Return the texts of a list that was read, each with the place where it stands first."""
        return _find_first_places(enumerate(self._words.get(name, ())))

    def places(self, name: str) -> dict[str, int]:
        """Read a list of texts, each with the place where it stands first."""
        value = self._value(name)
        if value is None:
            return {}
        if isinstance(value, (list, tuple)) and all(isinstance(each, str) and each.strip() for each in value):
            return _find_first_places(enumerate(value))
        if self.notation.lines is None:
            self._wrong(name, value, 'a list of texts, such as ["age", "zip"]')
        else:
            blank = next(place for place, each in enumerate(value) if not each.strip())
            self.wrong(name, value[blank], "Write a name.", blank)
        return {}

    def checked(self, name: str, check: Callable[[str], object]) -> tuple[str, ...]:
        """Read a list of names, each of which somebody checks."""
        places = self.places(name)
        for each, place in places.items():
            try:
                check(each)
            except UsageError as error:
                self.fault(f"{self.notation.called(name)}: {error}", "", name, place)
        return tuple(places)

    def lists(self, name: str, check: Callable[[str], object]) -> list[tuple[str, ...]]:
        """Read a list of lists of texts, each of which somebody checks; a text stands for a list of one."""
        value = self._value(name)
        listed = [] if value is None else value
        if isinstance(listed, (list, tuple)):
            rows = [(each,) if isinstance(each, str) else each for each in listed]
            if all(isinstance(row, (list, tuple)) and all(isinstance(each, str) for each in row) for row in rows):
                places = _find_first_places((place, each) for place, row in enumerate(rows) for each in row)
                for each, place in places.items():
                    try:
                        check(each)
                    except BadValueError as error:
                        reason, remedy = error.args
                        self.fault(f"{self.notation.called(name)}: {quote(each)} {reason}.", remedy, name, place)
                return [tuple(row) for row in rows if row]
        self._wrong(name, value, 'lists of models, such as [["k-anonymity:k=5"]]')
        return []

    def number(
        self, name: str, default: Any, *, least: float, whole: bool = True, most: float = LARGEST_INTEGER
    ) -> Any:
        """Read a number within bounds."""
        value = self._value(name)
        return value if value is not None and self.is_within(name, value, least, most, whole=whole) else default

    def is_within(
        self, name: str, value: Any, least: float, most: float = LARGEST_INTEGER, *, whole: bool = True
    ) -> bool:
        """Return whether a value is a number within bounds; note it where it is none."""
        if is_number(value, whole=whole) and least <= value <= most:
            return True
        bound = f"at least {least:g}" if most == LARGEST_INTEGER else f"from {least:g} to {most:g}"
        self._wrong(name, value, f"a {'whole ' if whole else ''}number, {bound}")
        return False

    def numbers(self, name: str, *, least: float, whole: bool) -> tuple[Any, ...]:
        """Read a list of numbers, or one."""
        value = self._value(name)
        if value is None:
            return ()
        listed = value if isinstance(value, (list, tuple)) else [value]
        if listed and all(is_number(each, whole=whole) and least <= each <= LARGEST_INTEGER for each in listed):
            return tuple(dict.fromkeys(listed))
        example = self.notation.choose_wording("[2, 5]", f"{name}='2,5'")
        given = value if self.notation.lines is None else ",".join(map(str, listed))
        self._wrong(name, given, f"a list of {'whole ' if whole else ''}numbers from {least:g} on, such as {example}")
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
                Section(each, self._findings, self._folder, self.notation, (name, number))
                for number, each in enumerate(value)
            ]
        self._wrong(name, value, f"tables, each below a line [[{name}]]")
        return []

    def table(self, name: str) -> Section | None:
        """Read a table within this one."""
        # Asked for also where it is not there: what it is called stands in the list of settings.
        words = self.mapping(name)
        return Section(words, self._findings, self._folder, self.notation, (name,)) if self.has(name) else None

    def resolve_path(self, name: str, text: str) -> Path:
        """Return the path that a text names, relative to the plan; ``$NAME`` is what the environment says."""
        if "\0" in text:
            self.wrong(name, text, "Write a path, which has no zero byte.")
            return self._folder
        expanded = os.path.expandvars(text)
        if unset := _UNSET.search(expanded):
            remedy = f"Write: export {unset[1].strip('{}')}=FOLDER"
            # The paths of a plan name the same folder many times.
            if all(fault.remedy != remedy for fault in self._findings.faults):
                self.fault(
                    f"{self.notation.called(name)} names {unset[0]}, which is not set.", remedy, *name.split(".", 1)
                )
        elif expanded != text:
            # Up to the last part that names a variable: what follows may be a pattern, of which messages name a file.
            named, _, rest = text.rpartition("$")
            written = f"{named}${rest.partition('/')[0]}"
            self.expanded[str(self._join_folder(os.path.expandvars(written)))] = written
        return self._join_folder(expanded)

    def _join_folder(self, text: str) -> Path:
        # Not Path.expanduser, which raises where there is no such user.
        return self._folder / os.path.expanduser(text)  # noqa: PTH111

    def as_written(self, message: str) -> str:
        """Return a message with paths as the plan has them."""
        return restore_written_paths(message, self.expanded.items())

    def wrong(self, name: str, found: object, remedy: str, *at: str | int) -> None:
        """Note that the value of a word is wrong, or of ``table.word``."""
        self.fault(f"{self.notation.called(name)} is {quote(str(found))}.", remedy, *name.split(".", 1), *at)

    def require_no_more(self) -> None:
        """Note the words that nobody asked for."""
        for name in map(str, self._words):
            if name not in self._asked:
                hint = did_you_mean(name, self._asked)
                self.fault(f"there is no setting {quote(name)}.{hint}", f"There are: {', '.join(self._asked)}.")

    def _value(self, name: str) -> Any:
        if name not in self._asked:
            self._asked.append(name)
        return self._words.get(name)

    def _wrong(self, name: str, value: object, wanted: str) -> None:
        self.wrong(name, value, f"Write {wanted}.")
