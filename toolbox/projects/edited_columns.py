"""The part of a project that is about columns: what they are, what they hold, and their hierarchies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from toolbox.config import values
from toolbox.config.editing.edited import (
    EditedColumn,
    HierarchySource,
    declare,
    list_declared_columns,
    list_persons,
    move,
    remove_column,
    set_persons,
)
from toolbox.errors import Findings, RawSetting, SettingError, UnknownColumnError, UsageError, quote
from toolbox.flows.explore.sniff import treat_first_values
from toolbox.hierarchy.hierarchy import format_number
from toolbox.messages import mark, name_python_arguments
from toolbox.projects.settings import format_column_kind, make_relative_path
from toolbox.projects.state import ProjectState, Snapshot, TableColumns, TableReader
from toolbox.treatments.pseudonym import PseudonymDomain, make_key_file
from toolbox.treatments.texts import MaskText
from toolbox.treatments.treatment import Treatment, list_treatments, parse_treatment

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
    "released": "other",
}


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
        table, pairs = self._columns(), {pair.column.name: pair for pair in self._pair_columns()}
        for name in roles:
            if name not in pairs:
                raise UnknownColumnError(name, "The project", list(pairs))
        for name, role in roles.items():
            if pairs[name].column.role != role:
                self._set_role(pairs[name], role, says_kind=not table.is_typed)

    def _set_role(self, pair: _Paired, role: _ColumnRole, *, says_kind: bool) -> None:
        if role != "identifier" and pair.column.is_person:
            self.set_person(name for name in self.person if name != pair.column.name)
            pair = self._find_column(pair.column.name)
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

    # Persons, and what is done to columns that are released record by record

    @property
    def person(self) -> tuple[str, ...]:
        """The columns that tell persons apart; none: each record is a person."""
        return tuple(column.name for column in self.columns() if column.is_person)

    def set_person(self, columns: Iterable[str]) -> None:
        """Say which columns tell persons apart: classes then count persons, and the columns become identifiers.

        Parameters
        ----------
        columns : iterable of str
            Several form a person together; none: each record is a person.

        Raises
        ------
        UsageError
            If there is no such column.
        """
        names = list(dict.fromkeys(columns))
        told = {name: self._find_column(name) for name in (*names, *self.person)}
        keys = {name: _find_column_key(pair.column) for name, pair in told.items()}
        for name, pair in told.items():
            # Whoever told persons apart until now stays an identifier: else a release might show the column.
            if pair.declared is None:
                declare(self._document, "id", keys[name])
        self.set_roles(dict.fromkeys(names, "identifier"))
        set_persons(self._document, [keys[name] for name in names])
        self._document.set("", {"rowsArePeople": None} if names else {"attacker": None})

    def set_treatment(self, column: str, treatment: str | None) -> None:
        """Say what is done to the values of a column that is released record by record.

        Parameters
        ----------
        treatment : str, optional
            Its name and its settings, such as ``round:1000``; None takes it back.

        Raises
        ------
        UsageError
            If there is no such column or treatment, or the column is judged as it is released.
        """
        pair = self._find_column(column)
        if pair.column.role in ("quasi-identifier", "sensitive"):
            raise UsageError(f"{quote(column)} is {pair.column.role}, and judged as it is released. It is not treated.")
        if treatment is not None:
            self._require_treatment(pair.column, parse_treatment(treatment))
        att = pair.declared
        if pair.column.role == "other" and treatment is None:
            if att is not None:
                remove_column(att)
            return
        if att is None:
            section = "id" if pair.column.role == "identifier" else "released"
            att = declare(self._document, section, _find_column_key(pair.column))
        att.say({"treat": treatment})

    def _require_treatment(self, column: ProjectColumn, treatment: Treatment) -> None:
        if column.role == "identifier" and treatment.releases and not treatment.hides_identity:
            problem = f"{quote(column.name)} names a person, and {quote(treatment.name)} does not hide who it is."
            raise UsageError(f"{problem} Write redact, or mask without a number.")
        if treatment.requires_person and not self.person:
            raise UsageError(
                f"{quote(treatment.name)} does the same to all records of a person. Say first who that is."
            )

    def list_treatments(self, column: str) -> tuple[TreatmentChoice, ...]:
        """List what can be done to the values of a column, each with the reason if it cannot be chosen.

        Raises
        ------
        UsageError
            If there is no such column.
        """
        return tuple(self._describe_treatment(self._find_column(column).column, one) for one in list_treatments())

    def _describe_treatment(self, column: ProjectColumn, kind: type[Treatment]) -> TreatmentChoice:
        refusal: str = ""
        if column.role in ("quasi-identifier", "sensitive"):
            refusal = mark("the column is judged as it is released")
        elif kind.needs_key and self.key_file is None:
            refusal = mark("it needs a key file, and none is chosen")
        elif kind.requires_person and not self.person:
            refusal = mark("say first which column tells persons apart")
        elif column.role == "identifier" and kind.releases and not (kind.hides_identity or kind is MaskText):
            refusal = mark("it would not hide whom an identifier names")
        does, promise, untrue = map(mark, (kind.words, kind.promise, kind.untrue))
        settings = tuple((one.name, mark(one.wanted), one.is_needed) for one in kind.settings)
        return TreatmentChoice(kind.name, does, promise, untrue, settings, refusal, kind.needs_key)

    def set_key_file(self, path: str | Path | None, *, is_new: bool = False) -> None:
        """Say by which key file pseudonyms and shifts are made. It is saved nowhere: a run is told it, by ``key=``.

        Parameters
        ----------
        path : path, optional
            None: by none any more.
        is_new : bool
            Whether it is made, which replaces no file.

        Raises
        ------
        InputError, UsageError, OutputError
            If it is no key file, others may read it, or it cannot be made.
        """
        file = None if path is None else Path(path)
        if file is not None:
            if is_new:
                make_key_file(file)
            PseudonymDomain.open(file)
        self.key_file = file

    def _name_key_file(self) -> str | None:
        """Return how a program in the folder of the project finds the key file, if one is known and needed."""
        treated = (column.treatment for column in self.columns() if column.treatment)
        if self.key_file is None or not any(parse_treatment(each).needs_key for each in treated):
            return None
        return make_relative_path(self.key_file, self.path.parent)

    def preview_treatment(self, column: str, treatment: str) -> tuple[tuple[str, str | None], ...]:
        """Show what a treatment makes of the first different values of a column, which are read for it.

        Returns
        -------
        tuple of (str, str or None)
            At most ten values with what becomes of each; None where the treatment cannot read it. None at all where
            each value becomes another one in each run, or depends on other records.

        Raises
        ------
        UsageError
            If there is no such column or treatment.
        """
        made, position = parse_treatment(treatment), self._find_column(column).column.position
        source = self._document.input(self.path.parent)
        if position is None or source is None or source.remote is not None:
            return ()
        with name_python_arguments():
            return treat_first_values(source, position, made)

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
        self._require_quasi_identifier(column).say({"weight": None if weight is None else format_number(weight)})

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

    def _columns(self) -> TableColumns:
        with name_python_arguments():
            return self._table.columns(self._document.input(self.path.parent))

    def _pair_columns(self) -> list[_Paired]:
        return _pair_columns(self._columns(), list_declared_columns(self._document), list_persons(self._document))

    def _find_column(self, column: str) -> _Paired:
        found = self._pair_columns()
        for pair in found:
            if pair.column.name == column:
                return pair
        raise UnknownColumnError(column, "The project", [pair.column.name for pair in found])

    def _declared(self, column: str) -> EditedColumn:
        pair = self._find_column(column)
        if pair.declared is None or pair.column.role == "other":
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
    is_person: bool = False
    """Whether it tells persons apart, perhaps together with others."""
    treatment: str | None = None
    """What is done to its values, if it is released record by record, such as ``round:1000``."""


class TreatmentChoice(NamedTuple):
    """What can be done to the values of a column."""

    name: str
    words: str
    """What it does."""
    promise: str
    """What is counted again on the finished release: that .."""
    untrue: str
    """What is not true any more of the column; empty: all is true, though less is told."""
    settings: tuple[tuple[str, str, bool], ...]
    """Of each its name, what to write, and whether it is needed."""
    refusal: str
    """Why it cannot be chosen; empty: it can."""
    needs_key: bool = False
    """Whether a key file makes its values; see `Project.set_key_file`."""


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


def _pair_columns(
    table: TableColumns, declared: Sequence[EditedColumn], persons: Sequence[EditedColumn] = ()
) -> list[_Paired]:
    """List the columns of a table with their declarations, then declared columns that the table lacks."""
    told = {_parse_position(one, table) for one in persons}
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
            role: _ColumnRole = "identifier" if position in told else "other"
            column = ProjectColumn(name=name, header=header, position=position, role=role, looks=looks)
        found.append(_Paired(replace(column, is_person=position in told), att))
    return found + lost


def _find_column_key(column: ProjectColumn) -> dict[str, str]:
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
        treatment=att.said("treat"),
    )
