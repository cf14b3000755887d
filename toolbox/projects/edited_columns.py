"""The part of a project that is about columns: what they are, what they hold, and their hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path

from toolbox.config.editing.edited import EditedColumn, declare, list_declared_columns, move, remove_column
from toolbox.errors import SettingError, UnknownColumnError, UsageError, quote
from toolbox.messages import name_python_arguments
from toolbox.projects.columns import (
    SECTION_OF_ROLE,
    ColumnRole,
    Paired,
    ProjectColumn,
    TableColumns,
    TableReader,
    find_column_key,
    pair_columns,
    require_role,
)
from toolbox.projects.settings import format_column_kind
from toolbox.projects.state import ProjectState, Snapshot


class EditedColumns(ProjectState):
    """The columns of a project; see `toolbox.Project`."""

    def __init__(self, path: str | Path, snapshot: Snapshot) -> None:
        super().__init__(path, snapshot)
        self._table = TableReader()

    def columns(self) -> tuple[ProjectColumn, ...]:
        """List the columns of the table, then declared columns that it lacks.

        Raises
        ------
        InputError
            If the table cannot be read.
        """
        return tuple(pair.column for pair in self._pair_columns())

    def set_role(self, column: str, role: ColumnRole) -> None:
        """Say what a column is; see `set_roles`."""
        self.set_roles({column: role})

    def set_roles(self, roles: Mapping[str, ColumnRole]) -> None:
        """Say what columns are. What means nothing for the new role of a column is forgotten.

        A column of text whose kind nobody has said gets that of its first records.

        Raises
        ------
        UsageError
            If there is no such column or role; then nothing has changed.
        """
        for role in roles.values():
            require_role(role)
        table = self._columns()
        pairs = {pair.column.name: pair for pair in pair_columns(table, list_declared_columns(self._document))}
        for name in roles:
            if name not in pairs:
                raise UnknownColumnError(name, "The project", list(pairs))
        for name, role in roles.items():
            if pairs[name].column.role != role:
                self._set_role(pairs[name], role, says_kind=not table.is_typed)

    def _set_role(self, pair: Paired, role: ColumnRole, *, says_kind: bool) -> None:
        if role == "other":
            if pair.declared is not None:
                remove_column(pair.declared)
            return
        section = SECTION_OF_ROLE[role]
        if (att := pair.declared) is None:
            att = declare(self._document, section, find_column_key(pair.column))
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

    @staticmethod
    def _say_kind(att: EditedColumn, kind: str | None) -> None:
        name, _, form = (kind or "").partition(" ")
        att.say({"type": name or None, "format": form or None})

    def _columns(self) -> TableColumns:
        with name_python_arguments():
            return self._table.columns(self._document.input(self.path.parent))

    def _pair_columns(self) -> list[Paired]:
        return pair_columns(self._columns(), list_declared_columns(self._document))

    def _find_column(self, column: str) -> Paired:
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
        if att.section != SECTION_OF_ROLE["quasi-identifier"]:
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
