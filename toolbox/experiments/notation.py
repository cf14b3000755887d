"""How a plan is written, so that messages speak as it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from toolbox.config.given import Place
from toolbox.errors import quote


@dataclass(frozen=True)
class Notation:
    """TOML, or XML, whose words have lines."""

    lines: Mapping[Place, int] | None = None
    """Of XML, the line of each word; None: it is TOML."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What XML calls the words that it calls otherwise."""

    def either(self, toml: str, xml: str) -> str:
        """Return what a message says, as the plan is written."""
        return toml if self.lines is None else xml

    def called(self, word: str) -> str:
        """Return what the plan calls a word, or ``table.word``.

        Examples
        --------
        >>> Notation().called("kinds.age"), Notation({}, {"kinds": "type="}).called("kinds.age")
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
        >>> Notation({(): 1, ("data", 0): 7}).line(("data", 0, "label"))
        7
        """
        if not self.lines:
            return 0
        return next(line for end in range(len(place), -1, -1) if (line := self.lines.get(place[:end])) is not None)


TOML: Final = Notation()
