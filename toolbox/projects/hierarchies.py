"""The hierarchy files of a project: they are read where they are, and edited as texts until the project is saved."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolbox.errors import UsageError, quote
from toolbox.hierarchy.header import is_header
from toolbox.hierarchy.held import holding
from toolbox.hierarchy.notations.table import joined
from toolbox.hierarchy.rows import read_rows

FOLDER: Final = "hierarchies"
_NOT_IN_NAMES: Final = re.compile(r"[^\w-]+")
_LONGEST_NAME: Final = 60


@dataclass
class HierarchyFiles:
    """The files that a project names, and the texts of those that it has edited.

    A file that somebody else has written never changes: what is edited gets a name of its own.
    """

    folder: Path
    """Of the project; names are relative to it."""
    texts: dict[str, str] = field(default_factory=dict)
    """Of the files that were edited here, by their names."""
    saved: set[str] = field(default_factory=set)
    """Those of them that were written."""

    def held(self) -> Mapping[Path, str]:
        """Return the texts by the files that they stand for."""
        return {self.folder / name: text for name, text in self.texts.items()}

    def rows(self, name: str, header: bool | None, column: str) -> list[tuple[str, ...]]:
        """Read the rows of a file without its header.

        Parameters
        ----------
        header : bool, optional
            Whether it has one; None: what it looks like.

        Raises
        ------
        ConfigurationError
            If it is no table.
        """
        with holding(self.held()):
            rows = read_rows(self.folder / name)
        first = int(is_header(rows, name, column) if header is None else header)
        return [row.fields for row in rows[first:]]

    def put(self, rows: Iterable[Sequence[str]], column: str, old: str | None) -> str:
        """Keep the rows of a hierarchy as a text, and return the name of its file.

        Parameters
        ----------
        old : str, optional
            The file of the hierarchy so far, if no other column has the same: its name stays if it is not written yet.

        Raises
        ------
        UsageError
            If no file can hold a text.
        """
        text = joined(rows)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = f"U+{ord(error.object[error.start]):04X}"
            raise UsageError(f"The hierarchy of {quote(column)} holds {found}, which no file can hold.") from None
        name = old if old in self.texts and old not in self.saved else self._free_name(column)
        self.texts[name] = text
        return name

    def used(self, names: Collection[str]) -> dict[str, str]:
        """Return the texts of those files that a configuration names."""
        return {name: text for name, text in self.texts.items() if name in names}

    def are_saved(self, names: Collection[str]) -> bool:
        """Return whether the files that a configuration names hold the texts that were edited."""
        return all(_holds(self.folder / name, text) for name, text in self.used(names).items())

    def _free_name(self, column: str) -> str:
        stem = _NOT_IN_NAMES.sub("_", column)[:_LONGEST_NAME] or "column"
        number = 1
        while True:
            name = f"{FOLDER}/{stem}{'' if number == 1 else f'-{number}'}.csv"
            if name not in self.texts and not (self.folder / name).exists():
                return name
            number += 1


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False
