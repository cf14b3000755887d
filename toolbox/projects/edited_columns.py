"""The part of a project that is about columns: what they are, what they hold, and their hierarchies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from pathlib import Path
from typing import Final, Literal, get_args

from toolbox.config import values
from toolbox.config.editing.edited import (
    EditedColumn,
    HierarchySource,
    declare,
    list_declared_columns,
    move,
    remove_column,
)
from toolbox.config.file_names import has_types, list_input_files
from toolbox.config.given import Findings, RawSetting
from toolbox.config.model import Input, Limits
from toolbox.config.xml.draft import can_be_a_name
from toolbox.errors import InputError, SettingError, UnknownColumnError, UsageError, quote
from toolbox.messages import name_python_arguments
from toolbox.projects.settings import format_column_kind
from toolbox.projects.state import ProjectState, Snapshot
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.text_file import check_readable, read_first_record, split_first_records

_Key = tuple[Input, int, int]
_ColumnRole = Literal["identifier", "quasi-identifier", "sensitive", "other"]
"""``other``: no role is declared, and the setting ``undeclared`` says what becomes of the column."""
_SECTION_OF_ROLE: Final[dict[str, str]] = {"identifier": "id", "quasi-identifier": "qid", "sensitive": "sens"}
_ORDERED: Final = ("number", "date", "timestamp")
_HIERARCHY_OF_WORDS: Final = "auto:3"
"""Of numbers and dates that are taken for words, since some are missing."""
_ROLE_OF_SECTION: Final[dict[str, _ColumnRole]] = {
    "id": "identifier",
    "qid": "quasi-identifier",
    "sens": "sensitive",
}


class EditedColumns(ProjectState):
    """The columns of a project; see `toolbox.Project`."""

    def __init__(self, path: str | Path, snapshot: Snapshot) -> None:
        super().__init__(path, snapshot)
        self._table = _TableReader()

    def columns(self) -> tuple[ProjectColumn, ...]:
        """List the columns of the table, then declared columns that it lacks.

        Raises
        ------
        InputError
            If the table cannot be read.
        """
        return tuple(pair.column for pair in self._pair_columns())

    def set_role(self, column: str, role: _ColumnRole) -> None:
        """Say what a column is; see `set_roles`."""
        self.set_roles({column: role})

    def set_roles(self, roles: Mapping[str, _ColumnRole]) -> None:
        """Say what columns are. What means nothing for the new role of a column is forgotten.

        A column of text whose kind nobody has said gets that of its first records.

        Raises
        ------
        UsageError
            If there is no such column or role; then nothing has changed.
        """
        for role in roles.values():
            _require_role(role)
        table = self._columns()
        pairs = {pair.column.name: pair for pair in _pair_columns(table, list_declared_columns(self._document))}
        for name in roles:
            if name not in pairs:
                raise UnknownColumnError(name, "The project", list(pairs))
        for name, role in roles.items():
            if pairs[name].column.role != role:
                self._set_role(pairs[name], role, says_kind=not table.is_typed)

    def _set_role(self, pair: _Paired, role: _ColumnRole, *, says_kind: bool) -> None:
        if role == "other":
            if pair.declared is not None:
                remove_column(pair.declared)
            return
        section = _SECTION_OF_ROLE[role]
        if (att := pair.declared) is None:
            att = declare(self._document, section, _find_column_key(pair.column))
        else:
            move(self._document, att, section)
        is_open = pair.column.kind is None and pair.column.hierarchy == "none"
        if role != "identifier" and is_open and says_kind:
            self._say_kind(att, pair.column.looks)

    def set_kind(self, column: str, kind: str | None) -> None:
        """Say what a column holds: ``number``, ``category``, ``date``, ``timestamp`` or ``date %d.%m.%Y``.

        Raises
        ------
        UsageError
            If there is no such column or kind, or the column has no role yet.
        """
        known = None if kind is None else format_column_kind(kind)
        self._say_kind(self._declared(column), known)

    def set_priority(self, column: str, priority: int | None) -> None:
        """Say how important a quasi-identifier is, 1 the most important; None takes it back.

        Raises
        ------
        UsageError
            If there is no such quasi-identifier, or the number is below 1.
        """
        if priority is not None and priority < 1:
            raise SettingError("priority", priority, "a whole number of at least 1")
        self._require_quasi_identifier(column).say({"priority": None if priority is None else str(priority)})

    def set_weight(self, column: str, weight: float | None) -> None:
        """Say which share a quasi-identifier has in weighted information loss; None takes it back.

        Raises
        ------
        UsageError
            If there is no such quasi-identifier, or the number is not above 0.
        """
        if weight is not None and not 0 < weight < inf:
            raise SettingError("weight", weight, "a number above 0")
        self._require_quasi_identifier(column).say({"weight": None if weight is None else f"{weight:g}"})

    def set_levels(self, column: str, lowest: int = 0, highest: int | None = None) -> None:
        """Say between which levels of its hierarchy a quasi-identifier is released; without them at any.

        Raises
        ------
        UsageError
            If there is no such quasi-identifier, or no such levels.
        """
        if lowest < 0 or (highest is not None and highest < lowest):
            raise SettingError("levels", (lowest, highest), "the lowest and the highest level, such as 1 and 3")
        said = {"minLevel": str(lowest) if lowest else None, "maxLevel": None if highest is None else str(highest)}
        self._require_quasi_identifier(column).say(said)

    def keep_missing(self, columns: Iterable[str]) -> None:
        """Keep the records that lack a value of some columns: missing becomes a category of its own.

        Missing has no place among numbers and dates. Columns that hold these are taken for words, and a
        quasi-identifier gets a hierarchy that is made of its values.

        """
        wanted = set(columns)
        for column in self.columns():
            if column.name not in wanted or not _is_ordered(column):
                continue
            self.set_kind(column.name, "category")
            if column.role == "quasi-identifier" and column.hierarchy in ("none", "builder", "dates"):
                self.set_builder(column.name, _HIERARCHY_OF_WORDS)
        self._document.set("input", {"onMissing": "keep"})

    def list_words_for_missing(self, columns: Collection[str]) -> list[str]:
        """Return those of some columns that `keep_missing` takes for words."""
        return [column.name for column in self.columns() if column.name in columns and _is_ordered(column)]

    def skip_missing(self, generalisations: Mapping[str, tuple[str, str]]) -> None:
        """Leave out the records that lack a value; what `keep_missing` took for words is numbers and dates again.

        Parameters
        ----------
        generalisations : mapping of str to (str, str)
            What each quasi-identifier holds, and the words of a builder for that.
        """
        for column in self.columns():
            kind, words = generalisations.get(column.name, ("", ""))
            is_of_words = column.kind == "category" and self.hierarchy(column.name) == _HIERARCHY_OF_WORDS
            if is_of_words and kind and column.role == "quasi-identifier":
                self.set_kind(column.name, kind)
                self.set_builder(column.name, words)
        self._document.set("input", {"onMissing": "skip"})

    @staticmethod
    def _say_kind(att: EditedColumn, kind: str | None) -> None:
        name, _, form = (kind or "").partition(" ")
        att.say({"type": name or None, "format": form or None})

    def _columns(self) -> _TableColumns:
        with name_python_arguments():
            return self._table.columns(self._document.input(self.path.parent))

    def _pair_columns(self) -> list[_Paired]:
        return _pair_columns(self._columns(), list_declared_columns(self._document))

    def _find_column(self, column: str) -> _Paired:
        found = self._pair_columns()
        for pair in found:
            if pair.column.name == column:
                return pair
        raise UnknownColumnError(column, "The project", [pair.column.name for pair in found])

    def _declared(self, column: str) -> EditedColumn:
        pair = self._find_column(column)
        if pair.declared is None:
            raise UsageError(f"{quote(column)} has no role yet. Give it one first.")
        if pair.column.role == "identifier":
            raise UsageError(f"{quote(column)} is an identifier, which is dropped. Give it another role first.")
        return pair.declared

    def _require_quasi_identifier(self, column: str) -> EditedColumn:
        att = self._declared(column)
        if att.section != _SECTION_OF_ROLE["quasi-identifier"]:
            raise UsageError(f"{quote(column)} is no quasi-identifier, and only these have a rank. Leave it out.")
        return att

    # Their hierarchies

    def hierarchy(self, column: str) -> list[tuple[str, ...]] | str | None:
        """Return the hierarchy of a column.

        Returns
        -------
        list of tuple of str, str or None
            The rows of a file: each value with its label on each level. The words of a builder. None for a column
            without one, and for a tree that is written out in the configuration.

        Raises
        ------
        UsageError
            If there is no such column, or its file is no table.
        """
        att = self._find_column(column).declared
        file = None if att is None else att.hierarchy_file
        if att is None or file is None:
            return None if att is None else att.hierarchy_words
        with name_python_arguments():
            return self._files.rows(file[0], file[1], column)

    def set_builder(self, column: str, words: str) -> None:
        """Let a builder make the hierarchy of a column.

        Parameters
        ----------
        words : str
            As the command line writes it, such as ``intervals:5,10:top=90``, or ``dates:month,year`` for dates.

        Raises
        ------
        UsageError
            If there is no such column or builder.
        """
        self._declared(column).set_builder(words)

    def set_rows(self, column: str, rows: Iterable[Sequence[str]]) -> None:
        """Write out the hierarchy of a column: each value with its label on each level, the root last.

        A file that is there stays as it is: the rows get a file of their own when the project is saved.

        Raises
        ------
        UsageError
            If there is no such column.
        """
        att = self._declared(column)
        old = None if att.hierarchy_file is None else att.hierarchy_file[0]
        others = [
            other.hierarchy_file for other in list_declared_columns(self._document) if other.element is not att.element
        ]
        is_shared = any(file is not None and file[0] == old for file in others)
        att.set_file(self._files.put(rows, column, None if is_shared else old))

    def remove_hierarchy(self, column: str) -> None:
        """Take the hierarchy of a column away; its file stays.

        Raises
        ------
        UsageError
            If there is no such column.
        """
        self._declared(column).remove_hierarchy()


@dataclass(frozen=True)
class _TableColumns:
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


NO_COLUMNS = _TableColumns((), (), is_typed=True)
"""Those of a table that only a database or a cluster could tell."""


class _TableReader:
    """Reads the columns of an input, and remembers them as long as its first file stays as it is."""

    def __init__(self) -> None:
        self._known: tuple[_Key, _TableColumns] | None = None

    def columns(self, source: Input | None) -> _TableColumns:
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


def _read(source: Input, first: Path) -> _TableColumns:
    if has_types(first):
        with Store(None, Limits()) as store:
            opened = InputFiles(source).source(store)
            return _TableColumns(opened.headers, tuple(opened.said_kinds[: opened.width - opened.added]), is_typed=True)
    from toolbox.suggestions.texts import guess_kinds

    one = replace(source, path=first, more=())
    header = read_first_record(one).values
    records = split_first_records(one) if len(one.separator) == 1 else []
    kinds = guess_kinds(records[source.header :], len(header))
    return _TableColumns(tuple(header) if source.header else None, kinds, is_typed=False)


@dataclass(frozen=True, kw_only=True)
class ProjectColumn:
    """A column of the table, or one that is declared and not there."""

    name: str
    """What all calls and messages call it: its name, or ``column 3`` where it has none of its own."""
    header: str | None
    """What the table calls it."""
    position: int | None
    """From 0; None for a column that the table lacks."""
    role: _ColumnRole
    kind: str | None = None
    """What it is declared to hold, such as ``number`` or ``date %d.%m.%Y``."""
    looks: str | None = None
    """What the table says that it holds, or what its first records look like."""
    priority: int | None = None
    weight: float | None = None
    levels: tuple[int, int | None] = (0, None)
    """The lowest and the highest level of its hierarchy that a release may have; None: up to the root."""
    hierarchy: HierarchySource = "none"
    """Where its hierarchy comes from."""


@dataclass(frozen=True)
class _Paired:
    """A column with its place in the document, if it has one."""

    column: ProjectColumn
    declared: EditedColumn | None


def _is_ordered(column: ProjectColumn) -> bool:
    """Return whether missing has no place among the values: a sensitive attribute is text unless it is declared."""
    kind = column.kind or (column.looks if column.role == "quasi-identifier" else None)
    return (kind or "").partition(" ")[0] in _ORDERED


def _require_role(role: str) -> None:
    """Stop where there is no such role.

    Raises
    ------
    SettingError
    """
    if role not in get_args(_ColumnRole):
        raise SettingError("role", role, f"one of {', '.join(get_args(_ColumnRole))}")


def _pair_columns(table: _TableColumns, declared: Sequence[EditedColumn]) -> list[_Paired]:
    """List the columns of a table with their declarations, then declared columns that the table lacks."""
    names = {position: name for name, position in table.positions.items()}
    by_position: dict[int, EditedColumn] = {}
    lost = []
    for one in declared:
        position = _parse_position(one, table)
        if position is None or position >= table.width:
            lost.append(_Paired(_make_declared_column(one), one))
        else:
            by_position.setdefault(position, one)
    found = []
    for position, looks in enumerate(table.kinds):
        header = None if table.headers is None else table.headers[position]
        att = by_position.get(position)
        if att is not None:
            column = replace(_make_declared_column(att), header=header, position=position, looks=looks)
        else:
            name = names.get(position, f"column {position}")
            column = ProjectColumn(name=name, header=header, position=position, role="other", looks=looks)
        found.append(_Paired(column, att))
    return found + lost


def _find_column_key(column: ProjectColumn) -> dict[str, str]:
    """Return how a configuration finds a column of the table: by its name if that is its own, or by its position."""
    return {"name": column.name} if column.name == column.header else {"index": str(column.position)}


def _parse_position(att: EditedColumn, table: _TableColumns) -> int | None:
    index, name = att.said("index"), att.said("name")
    if index is not None:
        return Findings().read(RawSetting("index", index), partial(values.parse_integer, minimum=0), None)
    return None if name is None else table.positions.get(name)


def _make_declared_column(att: EditedColumn) -> ProjectColumn:
    """Return what is declared of a column; a number that is none is told when the configuration is read."""
    read, name, form = Findings().read, att.said("name"), att.said("format")
    kind = "category" if att.has_map else att.said("type")
    priority, weight, lowest, highest = (
        None if (text := att.said(setting)) is None else RawSetting(setting, text)
        for setting in ("priority", "weight", "minLevel", "maxLevel")
    )
    level = partial(values.parse_integer, minimum=0)
    return ProjectColumn(
        name=name if name is not None and name.strip() else f"column {(att.said('index') or '').strip()}",
        header=None,
        position=None,
        role=_ROLE_OF_SECTION[att.section],
        kind=kind if kind is None or form is None else f"{kind} {form}",
        priority=read(priority, partial(values.parse_integer, minimum=1), None),
        weight=read(weight, values.parse_positive_real, None),
        levels=(read(lowest, level, 0), read(highest, level, None)),
        hierarchy=att.hierarchy_source,
    )
