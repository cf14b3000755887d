"""The columns of a project: those of the table, read from its first records, with what the configuration says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final, Literal, get_args

from toolbox.config import values
from toolbox.config.editing.edited import EditedColumn, HierarchySource
from toolbox.config.file_names import has_types, list_input_files
from toolbox.config.given import Findings, RawSetting
from toolbox.config.model import Input, Limits
from toolbox.config.xml.draft import can_be_a_name
from toolbox.errors import InputError, SettingError
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.guessing import split_first_records
from toolbox.store.input.text_file import check_readable, read_first_record

# The columns of the table that a project is about: read from its first records, and only when these change.


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
_Key = tuple[Input, int, int]


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


# The columns of a project: those of the table, with what the configuration says of them.

ColumnRole = Literal["identifier", "quasi-identifier", "sensitive", "other"]
"""``other``: no role is declared, and the setting ``undeclared`` says what becomes of the column."""
SECTION_OF_ROLE: Final[dict[str, str]] = {"identifier": "id", "quasi-identifier": "qid", "sensitive": "sens"}
_ROLE_OF_SECTION: Final[dict[str, ColumnRole]] = {
    "id": "identifier",
    "qid": "quasi-identifier",
    "sens": "sensitive",
}


@dataclass(frozen=True, kw_only=True)
class ProjectColumn:
    """A column of the table, or one that is declared and not there."""

    name: str
    """What all calls and messages call it: its name, or ``column 3`` where it has none of its own."""
    header: str | None
    """What the table calls it."""
    position: int | None
    """From 0; None for a column that the table lacks."""
    role: ColumnRole
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
class Paired:
    """A column with its place in the document, if it has one."""

    column: ProjectColumn
    declared: EditedColumn | None


def require_role(role: str) -> None:
    """Stop where there is no such role.

    Raises
    ------
    SettingError
    """
    if role not in get_args(ColumnRole):
        raise SettingError("role", role, f"one of {', '.join(get_args(ColumnRole))}")


def pair_columns(table: TableColumns, declared: Sequence[EditedColumn]) -> list[Paired]:
    """List the columns of a table with their declarations, then declared columns that the table lacks."""
    names = {position: name for name, position in table.positions.items()}
    by_position: dict[int, EditedColumn] = {}
    lost = []
    for one in declared:
        position = _parse_position(one, table)
        if position is None or position >= table.width:
            lost.append(Paired(_make_declared_column(one), one))
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
        found.append(Paired(column, att))
    return found + lost


def find_column_key(column: ProjectColumn) -> dict[str, str]:
    """Return how a configuration finds a column of the table: by its name if that is its own, or by its position."""
    return {"name": column.name} if column.name == column.header else {"index": str(column.position)}


def _parse_position(att: EditedColumn, table: TableColumns) -> int | None:
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
