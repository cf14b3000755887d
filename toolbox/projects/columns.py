"""The columns of a project: those of the table, with what the configuration says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, get_args

from toolbox.config import values
from toolbox.config.edited_columns import EditedColumn, HierarchySource
from toolbox.config.given import Findings, Given
from toolbox.errors import SettingError
from toolbox.projects.table import TableColumns

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


def paired(table: TableColumns, declared: Sequence[EditedColumn]) -> list[Paired]:
    """List the columns of a table with their declarations, then declared columns that the table lacks."""
    names = {position: name for name, position in table.positions.items()}
    by_position: dict[int, EditedColumn] = {}
    lost = []
    for one in declared:
        position = _position(one, table)
        if position is None or position >= table.width:
            lost.append(Paired(_declared_column(one), one))
        else:
            by_position.setdefault(position, one)
    found = []
    for position, looks in enumerate(table.kinds):
        header = None if table.headers is None else table.headers[position]
        att = by_position.get(position)
        if att is not None:
            column = replace(_declared_column(att), header=header, position=position, looks=looks)
        else:
            name = names.get(position, f"column {position}")
            column = ProjectColumn(name=name, header=header, position=position, role="other", looks=looks)
        found.append(Paired(column, att))
    return found + lost


def found_by(column: ProjectColumn) -> dict[str, str]:
    """Return how a configuration finds a column of the table: by its name if that is its own, or by its position."""
    return {"name": column.name} if column.name == column.header else {"index": str(column.position)}


def _position(att: EditedColumn, table: TableColumns) -> int | None:
    index, name = att.said("index"), att.said("name")
    if index is not None:
        return Findings().read(Given("index", index), partial(values.integer, minimum=0), None)
    return None if name is None else table.positions.get(name)


def _declared_column(att: EditedColumn) -> ProjectColumn:
    """Return what is declared of a column; a number that is none is told when the configuration is read."""
    read, name, form = Findings().read, att.said("name"), att.said("format")
    kind = "category" if att.has_map else att.said("type")
    priority, weight, lowest, highest = (
        None if (text := att.said(setting)) is None else Given(setting, text)
        for setting in ("priority", "weight", "minLevel", "maxLevel")
    )
    level = partial(values.integer, minimum=0)
    return ProjectColumn(
        name=name if name is not None and name.strip() else f"column {(att.said('index') or '').strip()}",
        header=None,
        position=None,
        role=_ROLE_OF_SECTION[att.section],
        kind=kind if kind is None or form is None else f"{kind} {form}",
        priority=read(priority, partial(values.integer, minimum=1), None),
        weight=read(weight, values.positive_real, None),
        levels=(read(lowest, level, 0), read(highest, level, None)),
        hierarchy=att.hierarchy_source,
    )
