"""What lies on the desk of the screen *Hierarchies*: columns with their rows and values, and imported files."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from toolbox import hierarchies
from toolbox.app.children.project_session import build_session_config, list_file_stamps
from toolbox.app.children.protocol import list_fault_sentences
from toolbox.app.children.work import BusyError
from toolbox.app.hierarchy.tree import BranchTree
from toolbox.errors import ConfigurationError, ToolboxError, UsageError

if TYPE_CHECKING:
    from toolbox import ProjectColumn
    from toolbox.app.project.open_project import OpenProject


# What lies on the desk of the screen *Hierarchies*: columns with their rows and values, and what was imported.

Rows = Sequence[tuple[str, ...]]
DATES = ("date", "timestamp")
"""Kinds of columns that hold dates."""
MOST_VALUES = 200_000
"""Of a column whose values are looked at."""
_SHOWN_ROLES = ("quasi-identifier", "sensitive")


@dataclass(frozen=True)
class ColumnHierarchy:
    """A column, and its hierarchy as it is now."""

    number: int
    """Of the column in the project, with which addresses name it."""
    column: ProjectColumn
    words: str
    """Of its builder, if it has one."""
    rows: Rows
    """A value and its label on each level; empty without a hierarchy."""
    counts: Mapping[str, int]
    """The values of the column, each with its records; empty if they are not known."""
    missing: str
    """Why they are not known, or why the hierarchy cannot be shown."""
    faults: hierarchies.HierarchyFaults

    @cached_property
    def tree(self) -> BranchTree:
        """The rows as a tree; only where there are some."""
        return BranchTree(self.rows, self.counts)

    @property
    def unknown(self) -> str:
        """Why nothing can be made of the values of the column."""
        return self.missing or "The values of the column are not known."

    @property
    def kind(self) -> str:
        """What the column holds: number, category, or date."""
        return self.column.kind or self.column.looks or "category"

    @property
    def is_dates(self) -> bool:
        """Whether the column is declared to hold dates, which have periods and no table."""
        return (self.column.kind or "").partition(" ")[0] in DATES

    @property
    def stops(self) -> list[str]:
        """What stops a run, in sentences."""
        found = [finding.text for finding in self.faults.findings if finding.is_fault]
        if self.column.kind == "number":
            scattered = [finding.text for finding in self.faults.findings if finding.kind == "order"]
            found += [f"{text} Move them together, or say in step 2 that it holds categories." for text in scattered]
        return found

    @property
    def remarks(self) -> list[str]:
        """What is worth knowing besides, in sentences."""
        is_told = self.column.kind == "number"
        findings = (finding for finding in self.faults.findings if not finding.is_fault)
        return [finding.text for finding in findings if not (is_told and finding.kind == "order")]


@dataclass
class Pending:
    """What was imported, and waits until it is accepted or discarded."""

    name: str
    """Of the file."""
    rows: Rows
    diff: hierarchies.HierarchyDiff


@dataclass
class View:
    """What a browser shows of a tree."""

    opened: frozenset[str] | None = None
    """Keys of the branches that are open; None: whatever is worth seeing at first."""
    focus: str = ""
    """Key of the branch that has the focus."""
    is_edited: bool = False
    """Whether an edit leads to the next page, which then takes the focus."""


@dataclass
class Desk:
    """Keeps results that are costly to compute, and those that a page needs again after a redirection."""

    current: OpenProject
    pending: dict[str, Pending] = field(default_factory=dict)
    """By the name of the column."""
    views: dict[str, View] = field(default_factory=dict)
    _counts: dict[tuple[object, ...], dict[str, int]] = field(default_factory=dict)
    _last: tuple[object, ColumnHierarchy] | None = None

    @classmethod
    def of(cls, current: OpenProject) -> Desk:
        """Return the desk of a project."""
        desk = current.of_screens.setdefault(Desk, cls(current))
        assert isinstance(desk, Desk)
        return desk

    def columns(self) -> list[tuple[int, ProjectColumn]]:
        """Return the columns that can have a hierarchy, quasi-identifiers first, each with its number."""
        numbered = enumerate(self.current.project.columns())
        found = [(number, column) for number, column in numbered if column.role in _SHOWN_ROLES]
        return sorted(found, key=lambda pair: _SHOWN_ROLES.index(pair[1].role))

    def column(self, number: int) -> ProjectColumn:
        """Return a column by its number.

        Raises
        ------
        LookupError
            If none with this number can have a hierarchy.
        """
        return dict(self.columns())[number]

    async def look(self, number: int) -> ColumnHierarchy:
        """Read the hierarchy of a column, and set it against its values.

        Raises
        ------
        LookupError
            If there is no such column.
        BusyError
            If its values are being read, and that takes long.
        """
        column = self.column(number)
        counts, missing = await self.counts(column)
        key = (column, self.current.fingerprint, missing)
        if self._last is None or self._last[0] != key:
            self._last = key, await asyncio.to_thread(self._read_column_hierarchy, number, column, counts, missing)
        return self._last[1]

    def _read_column_hierarchy(
        self, number: int, column: ProjectColumn, counts: Mapping[str, int], missing: str
    ) -> ColumnHierarchy:
        project, words = self.current.project, ""
        rows: Rows = ()
        try:
            found = project.hierarchy(column.name)
            if isinstance(found, str):
                words = found
                rows = tuple(self.build(words, column, counts)) if counts else ()
            elif found is not None:
                rows = tuple(found)
            elif column.hierarchy == "tree":
                rows = tuple(hierarchies.read(build_session_config(project), column=column.name, values=counts or None))
        except ToolboxError as error:
            missing = " ".join(list_fault_sentences(error))
        if not rows:
            return ColumnHierarchy(number, column, words, (), counts, missing, hierarchies.HierarchyFaults(findings=()))
        faults = hierarchies.faults(rows, counts or None)
        looked = ColumnHierarchy(number, column, words, _add_root(rows), counts, missing, faults)
        _ = looked.tree  # grown here, beside the loop that answers pages
        return looked

    def build(self, words: str, column: ProjectColumn, counts: Mapping[str, int]) -> list[tuple[str, ...]]:
        """List what a builder makes of the values of a column.

        Raises
        ------
        ToolboxError
            If it does not fit.
        """
        reading = self.current.project.input
        kind, _, form = (column.kind or column.looks or "").partition(" ")
        return hierarchies.build(
            words,
            counts,
            date_format=form if form and kind in DATES else None,
            decimal=reading.get("decimal", "."),
            thousands=reading.get("thousands", ""),
        )

    async def counts(self, column: ProjectColumn) -> tuple[Mapping[str, int], str]:
        """Return the values of a column, each with its records; and why, if they are not known.

        They depend on the table alone, so that a hierarchy which no run would take can be corrected.
        """
        project = self.current.project
        key = (column.name, project.source, list_file_stamps(project.source), tuple(sorted(project.input.items())))
        if key not in self._counts:
            try:
                self._counts[key] = await self._read(column.name)
            except BusyError:
                raise
            except ToolboxError as error:
                return {}, " ".join(list_fault_sentences(error))
        return self._counts[key], ""

    async def _read(self, column: str) -> dict[str, int]:
        for one in await self.current.ask("columns"):
            if one.name == column and one.values > MOST_VALUES:
                raise UsageError(f"{one.values:,} values are more than are shown here. Build the hierarchy by a rule.")
        found = await self.current.ask("at_risk", k=2, column=column)
        return {value: safe + risk for value, safe, risk in found.values if value is not None}

    def view(self, column: ProjectColumn) -> View:
        """Return what a browser shows of the tree of a column."""
        return self.views.setdefault(column.name, View())


def _add_root(rows: Rows) -> Rows:
    """Return rows that end in one root, which goes without saying in a file."""
    has_root = len(rows[0]) > 1 and len({row[-1] for row in rows}) == 1
    return rows if has_root else [(*row, "*") for row in rows]


# Files that somebody imports: their rows, or all that is wrong with them.

MOST_BYTES = 16_000_000
"""Of all files together."""


@dataclass(frozen=True)
class Upload:
    """A file as it came."""

    name: str
    """What its owner calls it; never a path of ours."""
    content: bytes


class ImportRefusedError(UsageError):
    """The files are no hierarchy: all that is wrong with them."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is wrong, one by one."""
        found: tuple[str, ...] = self.args
        return found

    def __str__(self) -> str:
        return " ".join(self.sentences)


def read_uploaded_hierarchy(uploads: Sequence[Upload], column: str) -> list[tuple[str, ...]]:
    """Read a hierarchy in any notation; several files are rules, with a level each.

    Raises
    ------
    ImportRefusedError
        With all that is wrong with them.
    """
    if not uploads:
        raise ImportRefusedError("No file is chosen.")
    if sum(len(upload.content) for upload in uploads) > MOST_BYTES:
        raise ImportRefusedError(f"The file is too large: more than {MOST_BYTES // 1_000_000} MB.")
    try:
        if len(uploads) > 1:
            return hierarchies.rules_to_rows([_decode_upload(upload) for upload in uploads])
        return _read(uploads[0], column)
    except ConfigurationError as error:
        raise ImportRefusedError(*(" ".join(str(fault).split()) for fault in error.faults)) from None
    except ImportRefusedError:
        raise
    except ToolboxError as error:
        raise ImportRefusedError(str(error)) from None


def _read(upload: Upload, column: str) -> list[tuple[str, ...]]:
    # Only files are read in every notation; nobody else may see it, and its name is ours.
    with TemporaryDirectory(prefix="toolbox-app-") as folder:
        path = Path(folder, "imported")
        path.write_bytes(upload.content)
        return hierarchies.read(path, column=None if upload.content.lstrip()[:1] == b"<" else column)


def _decode_upload(upload: Upload) -> str:
    try:
        return upload.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportRefusedError(f"{upload.name} is not UTF-8. Save it in that encoding.") from None
