"""What lies on the desk of the screen *Hierarchies*: columns with their rows and values, and imported files."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from toolbox import hierarchies
from toolbox.app.children.project_session import BusyError, build_session_config, list_file_stamps
from toolbox.app.children.protocol import list_fault_sentences
from toolbox.errors import ToolboxError, UsageError
from toolbox.messages import say

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
MOST_BYTES = 16_000_000
"""Of all files together."""
MOST = 200
"""Branches that are shown of one that is opened, before the next ones are asked for."""
_AT_FIRST = 40
"""Branches that a page shows before anybody opens one."""


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
    def tree(self) -> _BranchTree:
        """The rows as a tree; only where there are some."""
        return _BranchTree(self.rows, self.counts)

    @property
    def unknown(self) -> str:
        """Why nothing can be made of the values of the column."""
        return self.missing or say("The values of the column are not known.")

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
            found += [
                say("%(fault)s Move them together, or say in step 2 that it holds categories.", fault=text)
                for text in scattered
            ]
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
                raise UsageError(
                    say(
                        "%(count)s values are more than are shown here. Build the hierarchy by a rule.",
                        count=one.values,
                    )
                )
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


@dataclass(frozen=True)
class TreeBranch:
    """A value, or a label with what is below it."""

    level: int
    """0 for a value."""
    label: str
    values: int
    """Below it; 1 for a value."""
    records: int
    """That have one of these values."""
    below: int
    """Branches of the level below."""

    @property
    def key(self) -> str:
        """What a form calls it."""
        return f"{self.level}:{self.label}"


@dataclass(frozen=True)
class ShownBranch:
    """A branch as a page shows it, with what is open below it."""

    branch: TreeBranch
    children: tuple[ShownBranch, ...] = ()
    is_open: bool = False
    next_offset: int | None = None
    """Where the children that are not shown begin."""


@dataclass(frozen=True)
class _BranchTree:
    """The branches of a hierarchy, each found by its level and its label.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    counts : mapping of str to int
        The values of the column, each with its records.
    """

    rows: Sequence[Sequence[str]]
    counts: Mapping[str, int]
    _below: list[dict[str, dict[str, None]]] = field(default_factory=list, init=False, compare=False, repr=False)
    _values: list[Counter[str]] = field(default_factory=list, init=False, compare=False, repr=False)
    _records: list[Counter[str]] = field(default_factory=list, init=False, compare=False, repr=False)
    _parents: list[dict[str, str]] = field(default_factory=list, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        columns = list(zip(*self.rows, strict=True))
        records = [self.counts.get(value, 0) for value in columns[0]]
        for column in columns:
            self._values.append(Counter(column))
            sums: Counter[str] = Counter()
            for label, count in zip(column, records, strict=True):
                sums[label] += count
            self._records.append(sums)
        self._below.append({})
        for low, high in pairwise(columns):
            below: dict[str, dict[str, None]] = {}
            for child, parent in zip(low, high, strict=True):
                below.setdefault(parent, {})[child] = None
            self._below.append(below)
            self._parents.append(dict(zip(low, high, strict=True)))

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self._values) - 1

    @property
    def root(self) -> TreeBranch:
        """The widest branch."""
        return self.branch(self.height, self.rows[0][-1])

    def branch(self, level: int, label: str) -> TreeBranch:
        """Return a branch.

        Raises
        ------
        KeyError
            If there is none.
        """
        if not 0 <= level <= self.height or label not in self._values[level]:
            raise KeyError(level, label)
        below = len(self._below[level][label]) if level else 0
        return TreeBranch(level, label, self._values[level][label], self._records[level][label], below)

    def labels(self, level: int) -> list[str]:
        """Return what stands on a level, in the order of the rows."""
        return list(self._values[level])

    def above(self, branch: TreeBranch) -> Iterator[TreeBranch]:
        """Yield what is above a branch, the root last."""
        label = branch.label
        for level in range(branch.level, self.height):
            label = self._parents[level][label]
            yield self.branch(level + 1, label)

    def find_open_keys(self) -> frozenset[str]:
        """Return the keys of the branches that are open at first: as many levels as fit on a screen."""
        found: set[str] = set()
        shown = 1
        for level in range(self.height, 0, -1):
            shown += len(self._values[level - 1])
            if shown > _AT_FIRST:
                break
            found |= {f"{level}:{label}" for label in self._values[level]}
        return frozenset(found)

    def shown(self, branch: TreeBranch, opened: Collection[str], offset: int = 0) -> ShownBranch:
        """Return a branch with what is below it, as far as that is open.

        Parameters
        ----------
        opened : collection of str
            Keys of those branches below it that are open; it is open itself.
        offset : int
            How many of its children to leave out.
        """
        if not branch.level:
            return ShownBranch(branch)
        labels = islice(self._below[branch.level][branch.label], offset, offset + MOST)
        children = (self.branch(branch.level - 1, label) for label in labels)
        shown = tuple(self.shown(child, opened) if child.key in opened else ShownBranch(child) for child in children)
        end = offset + MOST
        return ShownBranch(branch, shown, is_open=True, next_offset=end if end < branch.below else None)


def parse_branch_key(key: str) -> tuple[int, str]:
    """Read what a form calls a branch.

    Examples
    --------
    >>> parse_branch_key("1:a:b")
    (1, 'a:b')
    """
    level, _, label = key.partition(":")
    return (int(level) if level.isascii() and level.isdigit() and len(level) < 3 else -1), label
