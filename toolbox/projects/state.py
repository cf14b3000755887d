"""What a project holds: the document of its configuration and the texts of its hierarchies, as they are now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from toolbox.config.editing.edited import EditedDocument, list_declared_columns, read_text
from toolbox.config.file_names import has_types, list_input_files
from toolbox.config.model import Config, Input, Limits
from toolbox.config.reading.reader import read_config
from toolbox.config.xml.writing import can_be_a_name
from toolbox.errors import ConfigurationError, InputError, UsageError, quote
from toolbox.hierarchy.notations import join_rows
from toolbox.hierarchy.rows import is_header, read_rows, replace_file_texts
from toolbox.methods.anonymizer import collect_method_facts
from toolbox.privacy.registry import collect_model_facts
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.text_file import check_readable, read_first_record, split_first_records

# A state of a project, in texts: what undo goes back to, and what another process makes the same project of.


@dataclass(frozen=True)
class Snapshot:
    """The texts of a project at one moment.

    Examples
    --------
    >>> Snapshot("<config/>") == Snapshot("<config/>", {"hierarchies/town.csv": "Graz;Styria"})
    False
    """

    xml: str
    """The configuration."""
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    """The text of each hierarchy file that was edited, by its name in the configuration."""


# The hierarchy files of a project: they are read where they are, and edited as texts until the project is saved.

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
    own: set[str] = field(default_factory=set)
    """The written files that no other configuration can name; only these are ever removed."""

    def copy(self) -> HierarchyFiles:
        """Return an independent copy."""
        return HierarchyFiles(self.folder, dict(self.texts), set(self.saved), set(self.own))

    def restore(self, texts: Mapping[str, str]) -> None:
        """Take up the texts of an earlier state, which may differ from what was written under their names."""
        for name, text in texts.items():
            if self.texts.get(name) != text:
                self.texts[name] = text
                self.saved.discard(name)
                if _holds(self.folder / name, text):
                    self.saved.add(name)

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
        with replace_file_texts(self.held()):
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
        text = join_rows(rows)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = f"U+{ord(error.object[error.start]):04X}"
            raise UsageError(f"The hierarchy of {quote(column)} holds {found}, which no file can hold.") from None
        name = old if old in self.texts and old not in self.saved else self._free_name(column)
        self.texts[name] = text
        return name

    def find_used_texts(self, names: Collection[str]) -> dict[str, str]:
        """Return the texts of those files that a configuration names."""
        return {name: text for name, text in self.texts.items() if name in names}

    def are_saved(self, names: Collection[str]) -> bool:
        """Return whether the files that a configuration names hold the texts that were edited."""
        return all(_holds(self.folder / name, text) for name, text in self.find_used_texts(names).items())

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


# What a project holds: the document of its configuration and the texts of its hierarchies; and how it goes back.


class ProjectState:
    """The state of a project; see `toolbox.Project`."""

    def __init__(self, path: str | Path, snapshot: Snapshot) -> None:
        self.path = Path(path)
        self._document = EditedDocument(snapshot.xml, str(self.path))
        self._files = HierarchyFiles(self.path.parent, dict(snapshot.hierarchies))
        self.key_file: Path | None = None
        """Of pseudonyms and shifts. No configuration and no snapshot names it: a run is told it."""

    def snapshot(self) -> Snapshot:
        """Return all that the project says now."""
        return Snapshot(self.xml(), self._files.find_used_texts(self._list_hierarchy_files()))

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to an earlier state."""
        self._document = EditedDocument(snapshot.xml, str(self.path))
        self._files.restore(snapshot.hierarchies)

    def _list_hierarchy_files(self) -> set[str]:
        return {file[0] for att in list_declared_columns(self._document) if (file := att.hierarchy_file) is not None}

    def find_named_files(self) -> dict[str, list[str]]:
        """Return every file that the configuration names, each with the files of a folder or a pattern; a URL as it is.

        The release is one of them; whether there are such files is not asked.
        """
        return self._document.find_named_files(self.path.parent)

    def xml(self) -> str:
        """Return the configuration."""
        return self._document.text()

    def config(self) -> Config:
        """Return the configuration as a run reads it, with the hierarchies that are not saved yet.

        Raises
        ------
        ConfigurationError
            With all faults.
        """
        with replace_file_texts(self._files.held()):
            return read_config(
                self.path, text=self.xml().encode(), methods=collect_method_facts(), models=collect_model_facts()
            )

    def faults(self) -> list[str]:
        """List what is wrong, each with what to write instead; empty: it can be run."""
        try:
            self.config()
        except ConfigurationError as error:
            return [" ".join(f"{fault.found} {fault.remedy}".split()) for fault in error.faults]
        return []

    @property
    def is_saved(self) -> bool:
        """Whether the files say what the project says."""
        try:
            return read_text(self.path) == self.xml() and self._files.are_saved(self._list_hierarchy_files())
        except ConfigurationError:
            return False


# What a table says of its columns, which a project reads as often as somebody asks.

_Key = tuple[Input, int, int]


@dataclass(frozen=True)
class TableColumns:
    """What a table says of its columns."""

    headers: tuple[str, ...] | None
    """None where the input does not name them."""
    kinds: tuple[str | None, ...]
    """What each holds: in a text what its first records look like; None where they have no value."""
    is_typed: bool
    """Whether the table itself says it."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.kinds)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The positions of the columns that a configuration can name: each by a name of its own."""
        counts = Counter(self.headers)
        named = enumerate(self.headers or ())
        return {name: position for position, name in named if counts[name] == 1 and can_be_a_name(name)}


NO_COLUMNS = TableColumns((), (), is_typed=True)
"""Those of a table that only a database or a cluster could tell."""


class TableReader:
    """Reads the columns of an input, and remembers them as long as its first file stays as it is."""

    def __init__(self) -> None:
        self._known: tuple[_Key, TableColumns] | None = None

    def columns(self, source: Input | None) -> TableColumns:
        """Return the columns of an input.

        Raises
        ------
        InputError
            If it cannot be read.
        """
        if source is None or source.remote is not None:
            return NO_COLUMNS
        first = list_input_files(source)[0]
        check_readable(first)
        try:
            status = first.stat()
        except OSError as error:  # it was there a moment ago
            raise InputError(f"{first} cannot be read: {error.strerror}.") from error
        key = (source, status.st_mtime_ns, status.st_size)
        known = self._known
        if known is None or known[0] != key:
            # At once: other threads ask as well, perhaps about another state of the project.
            known = self._known = key, _read(source, first)
        return known[1]


def _read(source: Input, first: Path) -> TableColumns:
    if has_types(first):
        with Store(None, Limits()) as store:
            opened = InputFiles(source).source(store)
            return TableColumns(opened.headers, tuple(opened.said_kinds[: opened.width - opened.added]), is_typed=True)
    from toolbox.suggestions.texts import guess_kinds

    one = replace(source, path=first, more=())
    header = read_first_record(one).values
    records = split_first_records(one) if len(one.separator) == 1 else []
    kinds = guess_kinds(records[source.header :], len(header))
    return TableColumns(tuple(header) if source.header else None, kinds, is_typed=False)
