"""What is found out of a table before anybody says anything: how it is read, a role for each column, a draft."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from rich.console import Console

from toolbox.config.file_names import find_extension, is_parquet
from toolbox.config.model import DEFAULT_MISSING, Input
from toolbox.config.xml.writing import Draft, DraftColumn, Section, can_be_a_name
from toolbox.errors import UsageError
from toolbox.messages import format_count
from toolbox.report.columns import format_columns
from toolbox.report.console import ConsoleReport, make_table, print_notes
from toolbox.suggestions.plan import MOST_LEFT_OUT, ColumnGeneralisation, RolePlan, Suggested, percent
from toolbox.suggestions.roles import ROLES, Role, find_repeated_people

# The table of `init`: each column with its role, why, how sure that is, and how it is generalised.

MOST_SHOWN = 200
"""Columns of a wide table that are shown."""
ROOMY: Final = 100
"""Characters of a line from which there is room for hierarchies beside the reasons."""


def print_suggestion(console: Console, plan: RolePlan, notes: Sequence[str]) -> None:
    """Print what is suggested for each column."""
    console.print(f"[bold]records[/]  {plan.records:,}\n")
    # On a narrow terminal the reasons are worth more than the builders, which stand in the configuration.
    headings = ("column", "role", "how sure", "why", "hierarchy or treatment" if plan.preset else "hierarchy")[
        : 5 if console.width >= ROOMY else 4
    ]
    table = make_table("what each column may be", *headings)
    table.unbroken.update((1, 2))
    for column in plan.columns[:MOST_SHOWN]:
        is_known = column.role == "quasi-identifier"
        hierarchy = plan.describe_generalisation(column).words if is_known else column.treatment
        cells = (format_columns([column.name]), column.role, column.sureness, column.why, hierarchy)
        table.add_row(*cells[: len(headings)])
    console.print(table)
    if (more := len(plan.columns) - MOST_SHOWN) > 0:
        console.print(f"and {more:,} more columns")
    print_notes(console, notes)


# The configuration that a suggestion becomes: every column with its evidence, and what the settings mean.

_SECTIONS: Final = MappingProxyType[Role, Section](
    {"identifier": "id", "quasi-identifier": "qid", "sensitive": "sens", "as it is": "sens"}
)
_METHOD: Final = (
    "Mondrian runs on every table and loses little: it cuts the records in two, again and again, as long as each part "
    "keeps k of them. Each person then hides among at least k. Columns that are not named below are left "
    "out (undeclared='drop'), so that a new column of next month is not released by accident."
)
_COMMENTS: Final = MappingProxyType[Section, str](
    {
        "person": "Who the records are about: classes count different persons, not records.",
        "id": "Dropped: columns that name or reach a person, or in which nearly all values differ.",
        "qid": "Quasi-identifiers: others may know them. They are generalised until at least k people share all of "
        "them. Mondrian takes the trees (vgh) for the order of values; methods that climb hierarchies, such as "
        "Datafly, need them.",
        "sens": "Released as they are: nobody else should know them, or they distinguish nobody. Move every column "
        "that others may know to qid.",
        "released": "Released with a treatment: what is promised of its values is counted again.",
    }
)
_SAFE_HARBOR: Final = (
    "HIPAA Safe Harbor (45 CFR 164.514(b)(2)) asks for no k: Datafly leaves each level at the lowest that is allowed. "
    "Raise k to make people hide among others as well. What no program can see, and the rule asks for all the same: "
    "that nobody knows how the rest could identify a person (b)(2)(ii); names and numbers within codes or texts that "
    "do not look like them; codes that were derived from an identifier; ages or dates in columns that look like none; "
    "years that tell an age above 89. Read each column below."
)


def make_draft(
    plan: RolePlan,
    source: Path,
    declared: Input | None,
    path: Path,
    output: Path | None = None,
    table: str | None = None,
) -> Draft:
    """Make the configuration of a plan.

    Parameters
    ----------
    plan : Plan
    source : Path
        The file with the table.
    declared : Input, optional
        How it is read, if it is delimited text.
    path : Path
        Where the configuration will be.
    output : Path, optional
        The release; by default ``<name>_release.csv`` beside the configuration.
    table : str, optional
        The sheet or the table of the file.

    Raises
    ------
    UsageError
        If no column is left to release, or none is a quasi-identifier.
    """
    if not plan.named("quasi-identifier", "sensitive", "as it is"):
        problem = f"Every column of {source} looks as if it named a person, so that nothing is left to release."
        raise UsageError(f"{problem} Say what each is: on a terminal toolbox init asks.")
    if not plan.named("quasi-identifier"):
        problem = f"No column of {source} is a quasi-identifier, so that there is nothing to generalise."
        raise UsageError(f"{problem} Choose qid for columns that others may know.")
    folder, waiting = path.parent, plan.undecided
    release = release_beside(source, folder) if output is None else output
    return Draft(
        comment=_format_title(plan, source),
        attributes={"method": "Datafly" if plan.preset else "Mondrian", "k": str(plan.k), "undeclared": "drop"},
        method_comment=_SAFE_HARBOR if plan.preset else _METHOD,
        input={
            "filename": _make_relative_path(source, folder),
            **({} if table is None else {"table": table}),
            **_build_reading_attributes(plan, declared),
        },
        input_comment=_format_reading_comment(plan),
        output={"filename": _make_relative_path(release, folder)},
        columns=[
            *_list_person(plan),
            *(_make_column(plan, column) for column in plan.columns if column not in waiting),
        ],
        undecided=[_make_column(plan, column) for column in waiting],
        section_comments=_COMMENTS,
    )


def release_beside(source: Path, folder: Path) -> Path:
    """Return where the release of a file goes: ``people.csv.gz`` becomes ``people_release.csv``."""
    return folder / f"{find_table_stem(source)}_release{'.parquet' if is_parquet(source) else '.csv'}"


def find_table_stem(source: Path) -> str:
    """Return what a table is called without its extension; that of a folder or a pattern is a name as well.

    Examples
    --------
    >>> find_table_stem(Path("people.csv.gz")), find_table_stem(Path("part-*.csv")), find_table_stem(Path(".csv"))
    ('people', 'part-_', '.csv')
    """
    name = source.name or source.resolve().name or "table"
    stem = name.removesuffix(find_extension(source)) or name
    return "".join("_" if letter in "*?[]" else letter for letter in stem)


def _make_relative_path(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    except ValueError:  # on another drive
        return str(path.absolute())


def _format_title(plan: RolePlan, source: Path) -> str:
    looked = "a sample of them was looked at" if plan.is_sample else "all were looked at"
    return (
        f"Suggested by toolbox init for {source.name}: {format_count(plan.records, 'record')}, {looked}. Each guess "
        "has its evidence beside it: read them, and correct what is wrong. This file holds no value of the table."
    )


def _build_reading_attributes(plan: RolePlan, declared: Input | None) -> dict[str, str]:
    """Return how the input is read, as far as it is not as always."""
    notation = plan.notation
    attributes = {}
    if declared is not None:
        attributes = {
            "header": "true" if declared.header else "false",
            "separator": declared.separator.replace("\t", "\\t"),
        }
        if declared.header_line > 1:
            attributes["headerLine"] = str(declared.header_line)
        if declared.encoding != "utf-8":
            attributes["encoding"] = declared.encoding
    # The texts of a workbook may hold such numbers as well.
    if notation.decimal != ".":
        attributes["decimal"] = notation.decimal
    if notation.thousands:
        attributes["thousands"] = notation.thousands
    if notation.mark not in (None, DEFAULT_MISSING):
        attributes["missing"] = str(notation.mark)
    if plan.on_missing is not None:
        attributes["onMissing"] = plan.on_missing
    return attributes


def _format_reading_comment(plan: RolePlan) -> str:
    if plan.keeps_missing:
        return (
            "Records that lack a value are kept: a missing value is a category of its own (onMissing='keep'). "
            "'skip' leaves such records out."
        )
    if plan.leaves_out:
        return (
            f"Records that lack a value of a column below are left out ({percent(plan.left_out)} of them), as "
            f"missing values cannot be kept among numbers and dates. From {percent(MOST_LEFT_OUT)} on such columns "
            "would be taken for words."
        )
    return ""


def _list_person(plan: RolePlan) -> list[DraftColumn]:
    """Declare the person, where a column seems to tell persons apart, with what speaks for it."""
    if (column := plan.person) is None:
        return []
    same, evidence = column.same_within, "its values repeat"
    if same:
        evidence += f", and {', '.join(same)} {'is' if len(same) == 1 else 'are'} the same in all records of each"
    own = "If another column tells persons apart, name that one; if each record is another person, remove this element."
    return [replace(_make_column(plan, column), section="person", comment=f"{column.name}: {evidence}. {own}")]


def _make_column(plan: RolePlan, column: Suggested) -> DraftColumn:
    position = column.profile.position
    section = "released" if column.treatment and column.role == "as it is" else _SECTIONS[column.role]
    headers = plan.headers
    is_named = headers is not None and can_be_a_name(column.name) and headers.count(column.name) == 1
    generalisation = plan.describe_generalisation(column) if section == "qid" else ColumnGeneralisation({}, {})
    remark = generalisation.remark
    shown = f"{column.name}: {column.why} ({column.sureness}). {plan.evidence(column)}."
    if column.role == "identifier" and (several := find_repeated_people(column.profile, is_sample=plan.is_sample)):
        shown += f" {several[:1].upper()}{several[1:]}."
    if column.proposal is not None and not plan.preset:
        shown += f" Proposal: {column.proposal.words}."
    return DraftColumn(
        section=section,
        index=position,
        name=column.name if is_named else None,
        comment=f"{shown} {remark[:1].upper()}{remark[1:]}." if remark else shown,
        attributes={**generalisation.attributes, **({"treat": column.treatment} if column.treatment else {})},
        hierarchy=generalisation.hierarchy,
    )


# What `init` says: a role for each column with the evidence for it, as a table, a document and a configuration.


@dataclass(frozen=True, kw_only=True, repr=False)
class Suggestion(ConsoleReport):
    """What may become of each column of a table."""

    source: Path | None
    """The file; None for a table in memory."""
    input: Input | None
    """How it is read, if it is delimited text."""
    table: str | None = None
    """The sheet or the table of the file, if somebody has named it."""
    plan: RolePlan
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str

    @property
    def columns(self) -> tuple[Suggested, ...]:
        """The columns, in the order of the table."""
        return self.plan.columns

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `toolbox.anonymize`."""
        return self.plan.arguments

    def with_roles(self, roles: Mapping[int, Role]) -> Suggestion:
        """Return the suggestion with the roles that a person has chosen, by the positions of columns."""
        return replace(self, plan=self.plan.with_roles(roles))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what was guessed."""
        notes = []
        if self.plan.is_sample:
            notes.append("A sample of the records was looked at; which values nearly all differ was counted in all.")
        if unsure := [column.name for column in self.columns if self.plan.is_left_out(column)]:
            is_one = len(unsure) == 1
            notes.append(
                f"Unsure of {format_columns(unsure)}: {'it is' if is_one else 'they are'} left out until you decide."
            )
        for column in self.columns:
            several = find_repeated_people(column.profile, is_sample=self.plan.is_sample)
            if several and column.role == "identifier":
                notes.append(f"{format_columns([column.name])}: {several}.")
        if self.plan.keeps_missing:
            notes.append("Missing values are kept as a category of their own (onMissing='keep').")
        elif self.plan.leaves_out:
            notes.append(f"Records that lack a value will be left out: {percent(self.plan.left_out)} of them.")
        if (
            proposed := []
            if self.plan.preset
            else [f"{one.proposal.treatment} for {one.name}" for one in self.columns if one.proposal is not None]
        ):
            notes.append(f"Proposed, and not applied: {', '.join(proposed)}. `toolbox methods` says what each does.")
        if self.plan.preset:
            notes.append("Safe Harbor is a list: whether the rest could identify anybody is yours to know (k=1).")
        if not self.plan.named("quasi-identifier"):
            notes.append(
                "Nothing looks as if others knew it: name a quasi-identifier before you run the configuration."
            )
        return tuple(notes)

    def to_xml(self, path: Path | str = Path("config.xml"), output: Path | None = None) -> str:
        """Return a configuration that runs as it stands.

        Parameters
        ----------
        path : path
            Where it will be: names of files in it are relative to that.
        output : path, optional
            The release; by default beside the configuration.

        Raises
        ------
        UsageError
            If the table is in memory, or no column is left.
        """
        if self.source is None:
            raise UsageError("The table is in memory, and a configuration names a file. Use .arguments instead.")
        return make_draft(self.plan, self.source, self.input, Path(path), output, self.table).text()

    def headline(self) -> str:
        """Return the most important facts in one line."""
        sizes = ", ".join(f"{len(self.plan.named(role))} {role}" for role in ROLES if self.plan.named(role))
        return f"{format_count(self.plan.records, 'record')}; {sizes}"

    def show_on(self, console: Any) -> None:
        """Print the table on a console of rich."""
        print_suggestion(console, self.plan, self.notes)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``init``; its names are stable."""
        return {
            "toolbox_version": self.toolbox_version,
            "input": None if self.source is None else str(self.source),
            "records": self.plan.records,
            "is_sample": self.plan.is_sample,
            "k": self.plan.k,
            "columns": [self._build_entry(column) for column in self.columns],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }

    def _build_entry(self, column: Suggested) -> dict[str, Any]:
        its = column.profile
        is_known = column.role == "quasi-identifier"
        return {
            "column": column.name,
            "index": its.position,
            "role": column.role,
            "why": column.why,
            "sureness": column.sureness,
            "type": its.kind,
            "hierarchy": (self.plan.describe_generalisation(column).words or None) if is_known else None,
            "treatment": column.treatment or (None if column.proposal is None else column.proposal.treatment),
            "values": its.different,
            "alone": its.alone,
            "missing": its.missing,
            "by_name": None if its.by_name is None else its.by_name.words,
            "by_values": None if its.content is None else its.content.meaning.words,
        }


# What is found out of a table before anybody says anything: how it is read, its first records, what does not fit.


@dataclass(frozen=True)
class Unreadable:
    """A line that is no record of the table."""

    number: int
    """Where it begins, from 1."""
    file: Path | None
    """None where there is only one."""
    reason: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Sniffed(ConsoleReport):
    """How a table is read, as far as it could be guessed, and what that gives."""

    source: Path
    kind: str
    """What it is, such as ``text``, ``Parquet`` or ``a workbook``."""
    separator: str | None
    """None, as the encoding and the header, for a file that has types."""
    encoding: str | None
    header: bool | None
    header_line: int
    """The line where its header stands, or its first record; a title may be above it."""
    missing: str | None
    """What stands for a missing value in its first records, besides nothing."""
    decimal: str
    """What stands before the decimals of its numbers."""
    thousands: str
    """What stands between their thousands; empty: nothing."""
    columns: tuple[str, ...]
    """Their names, or ``column 0`` and so on."""
    kinds: tuple[str | None, ...]
    """What each holds, or in a text what its first records look like."""
    records: int
    rows: tuple[tuple[str | None, ...], ...]
    """The first records, as texts."""
    rejected: int
    """Lines that are no records."""
    unreadable: tuple[Unreadable, ...]
    """The first of these."""

    @property
    def footer(self) -> tuple[int, ...]:
        """The lines that cannot be read, if they are the last ones of a text: a note below the table, it seems."""
        records = self.records if self.header is False else self.records + 1
        last = self.header_line - 1 + records + self.rejected
        numbers = tuple(line.number for line in self.unreadable)
        # A blank line may stand above the note.
        first_places = (last - self.rejected + 1, last - self.rejected + 2)
        is_below = any(numbers == tuple(range(first, first + self.rejected)) for first in first_places)
        return numbers if self.kind == "text" and is_below else ()

    def headline(self) -> str:
        """Return the most important facts in one line."""
        lost = f", {format_count(self.rejected, 'line')} that cannot be read" if self.rejected else ""
        return f"{self.kind}, {format_count(self.records, 'record')}, {format_count(len(self.columns), 'column')}{lost}"

    def show_on(self, console: Any) -> None:
        """Print the headline, and what cannot be read, on a console of rich."""
        console.print(self.headline())
        for line in self.unreadable:
            console.print(f"line {line.number}: {line.reason}")

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read; the records are not in it."""
        return {
            "input": str(self.source),
            "kind": self.kind,
            "separator": self.separator,
            "encoding": self.encoding,
            "header": self.header,
            "header_line": self.header_line,
            "missing": self.missing,
            "decimal": self.decimal,
            "thousands": self.thousands,
            "columns": [{"column": name, "type": kind} for name, kind in zip(self.columns, self.kinds, strict=True)],
            "records": self.records,
            "rejected": self.rejected,
            "unreadable": [
                {"line": line.number, "file": None if line.file is None else str(line.file), "reason": line.reason}
                for line in self.unreadable
            ],
        }
