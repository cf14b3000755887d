"""Notes on the columns of a release: shown as they are, how far generalised, how much they still tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path
from typing import Any

from sqlalchemy import Double, FromClause, cast, func, select

from toolbox.errors import quote
from toolbox.messages import choose_setting_name, format_count, join_said, mark, say, say_count, write_figure
from toolbox.queries.dialect import binary_logarithm, find_first_by, find_last_by
from toolbox.report.advice import Note, SettingRemedy
from toolbox.risks.unmodified_columns import NEARLY_ALL_DIFFER, Evidence, PassedColumn
from toolbox.store.engine.store import Store
from toolbox.store.tables import QuasiIdentifierTables, Tables

# Notes on the columns that a release shows as they are.

_SHOWN = 10
"""Columns that a note names, and columns that have a note."""


def format_columns(names: Sequence[str], most: int = _SHOWN) -> str:
    """List some columns in words, or the first of many.

    Examples
    --------
    >>> format_columns(["a", "b", "c"]), format_columns(["a", "b", "c"], most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    more = len(names) - most
    shown = ", ".join(
        name if name.isprintable() and name.strip() == name != "" else quote(name) for name in names[:most]
    )
    return f"{shown} and {more:,} more" if more > 0 else shown


def list_column_notes(passed: Sequence[PassedColumn], left_out: Sequence[str]) -> list[str]:
    """Return notes on the columns that are not declared, and on the evidence against releasing a column as it is."""
    notes: list[str] = [
        _format_identifying_note(column, own)
        for column in passed
        if column.is_declared
        for own in _find_own_values(column)
    ]
    if left_out:
        asked = choose_setting_name("undeclared='drop'", options="--undeclared drop")
        found: str = say("Nobody declared %(columns)s: left out of the release.", columns=format_columns(left_out))
        notes.append(Note(f"{found[:-1]}, as {asked} asks.", found, SettingRemedy("role", columns=tuple(left_out))))
    undeclared = [column.name for column in passed if not column.is_declared]
    if undeclared:
        remedy = choose_setting_name("undeclared='drop'", options="--undeclared drop")
        found = say_count(
            "Nobody declared %(columns)s: it is released unchanged, and the proof says nothing about that.",
            "Nobody declared %(columns)s: they are released unchanged, and the proof says nothing about that.",
            len(undeclared),
            columns=format_columns(undeclared),
        )
        declare = "Declare each column, as an identifier, a quasi-identifier or sensitive, or write "
        dropped, declared = SettingRemedy("undeclared", "drop"), SettingRemedy("role", columns=tuple(undeclared))
        notes.append(Note(f"{found} {declare}{remedy} to leave them out.", found, dropped, declared))
    suspicious = [column for column in passed if _list_other_reasons(column)]
    several = [column for column in suspicious if not column.is_declared]
    notes += [_format_evidence_note(column) for column in suspicious if column.is_declared or len(several) == 1]
    if len(several) > 1:
        each = [
            say("%(column)s (%(reasons)s)", column=format_columns([column.name]), reasons=_format_reasons(column))
            for column in several[:_SHOWN]
        ]
        if len(several) > _SHOWN:
            each.append(say("and %(count)s more, which the report lists", count=len(several) - _SHOWN))
        found = say(
            "%(count)s of these columns look as if they should not be released unchanged: %(columns)s.",
            count=len(several),
            columns=join_said("; ", each),
        )
        notes.append(Note(found, found, _drop_columns(several)))
    return notes


def _find_own_values(column: PassedColumn) -> list[Evidence]:
    """Return the evidence that nearly each record has a value of its own, if there is any."""
    return [evidence for evidence in column.evidence if evidence.kind == NEARLY_ALL_DIFFER]


def _list_other_reasons(column: PassedColumn) -> list[Evidence]:
    """Return the evidence that has no note of its own."""
    own = _find_own_values(column) if column.is_declared else []
    return [evidence for evidence in column.evidence if evidence not in own]


def _format_identifying_note(column: PassedColumn, own: Evidence) -> Note:
    if own.count == own.looked_at and not own.is_estimate:
        each: str = say("each record (%(count)s of %(all)s values)", count=own.count, all=own.looked_at)
    else:
        each = _say_counted(own, _NEARLY_EACH)
    text = format_own_values(column.name, each)
    return Note(text, text, _drop_columns([column]))


def _drop_columns(columns: Sequence[PassedColumn]) -> SettingRemedy:
    return SettingRemedy("role", "identifier", tuple(column.name for column in columns))


def format_own_values(name: str, each: str) -> str:
    """Return what it means that a sensitive attribute has a different value for each record, or nearly each."""
    return say(
        "%(column)s is declared sensitive, and has a different value for %(each)s: somebody who knows the value of a "
        "person finds the record by it, although the privacy models hold. If it names people, as their numbers do, "
        "declare it as an identifier, which is dropped.",
        column=format_columns([name]),
        each=each,
    )


def _format_evidence_note(column: PassedColumn) -> Note:
    remedy = " Declare it as an identifier instead, which is dropped." if column.is_declared else ""
    found = say(
        "%(column)s looks as if it should not be released unchanged: %(reasons)s.",
        column=format_columns([column.name]),
        reasons=join_said("; ", [_say_counted(one, _IN_BRACKETS) for one in _list_other_reasons(column)]),
    )
    return Note(f"{found}{remedy}", found, _drop_columns([column]))


def _format_reasons(column: PassedColumn) -> str:
    return join_said(", ", [_say_counted(one, _AFTER_COLON) for one in _list_other_reasons(column)])


_NEARLY_EACH = (
    mark("nearly each record (%(count)s of %(all)s values)"),
    mark("nearly each record (%(count)s of %(all)s values in a sample)"),
    mark("nearly each record (about %(count)s of %(all)s values)"),
    mark("nearly each record (about %(count)s of %(all)s values in a sample)"),
)
_IN_BRACKETS = (
    mark("%(kind)s (%(count)s of %(all)s values)"),
    mark("%(kind)s (%(count)s of %(all)s values in a sample)"),
    mark("%(kind)s (about %(count)s of %(all)s values)"),
    mark("%(kind)s (about %(count)s of %(all)s values in a sample)"),
)
_AFTER_COLON = (
    mark("%(kind)s: %(count)s of %(all)s values"),
    mark("%(kind)s: %(count)s of %(all)s values in a sample"),
    mark("%(kind)s: about %(count)s of %(all)s values"),
    mark("%(kind)s: about %(count)s of %(all)s values in a sample"),
)
"""For a count of all records, one of a sample, and the same where they are estimates."""


def _say_counted(evidence: Evidence, words: Sequence[str]) -> str:
    """Say evidence in the one of four ways that tells how it was counted."""
    way = words[2 * evidence.is_estimate + evidence.is_sample]
    return say(way, kind=evidence.kind, count=evidence.count, all=evidence.looked_at)


# The cells of a release that a spreadsheet would run as formulas, and what a publisher should know of them.

_SHOWN_COLUMNS = 5


@dataclass(frozen=True)
class FormulaResult:
    """The cells of one released column that a spreadsheet would run as formulas."""

    column: str
    cells: int
    header: bool
    """Whether it would run the name of the column too."""


def list_formula_notes(
    formulas: Sequence[FormulaResult], *, are_escaped: bool, in_python: bool | None = None
) -> list[str]:
    """Return the note on formulas, if there are any.

    Parameters
    ----------
    are_escaped : bool
        Whether an apostrophe was written before them.
    in_python : bool, optional
        Whether it was a Python call that asked; by default what holds now.
    """
    if not formulas:
        return []
    counts = [_format_formula_count(result) for result in formulas[:_SHOWN_COLUMNS]]
    if more := len(formulas) - len(counts):
        counts.append(say_count("%(count)s more column", "%(count)s more columns", more))
    shown = join_said(", ", counts)
    if are_escaped:
        words = mark("A spreadsheet would run these as formulas, so that an apostrophe stands before them: %(cells)s.")
        return [say(words, cells=shown)]
    option = choose_setting_name(
        "--escape-formulas", python="load_config(.., escape_formulas=True)", in_python=in_python
    )
    words = mark("A spreadsheet may run texts that begin with =, +, -, @, tab or CR as formulas: %(cells)s.")
    found = say(words, cells=shown)
    escaping = SettingRemedy("escape_formulas", "true")
    return [Note(f"{found} {option} writes an apostrophe before them.", found, escaping)]


def _format_formula_count(result: FormulaResult) -> str:
    if not result.cells:
        return say("the header of %(column)s", column=result.column)
    if result.header:
        return say_count(
            "%(count)s cell and the header of %(column)s",
            "%(count)s cells and the header of %(column)s",
            result.cells,
            column=result.column,
        )
    return say_count(
        "%(count)s cell of %(column)s", "%(count)s cells of %(column)s", result.cells, column=result.column
    )


# How much information about its records a release keeps, and which columns tell nothing any more.

_LITTLE = 1 / 3
"""Share of the information below which a release is called nearly empty."""


@dataclass(frozen=True)
class Information:
    """The information of a record's quasi-identifiers, in bits per record.

    It is the entropy of the combinations before, and of the classes after: the fewer and the larger classes are, the
    less is known.
    """

    before: float
    after: float

    @property
    def share(self) -> float:
        """The share that is kept; 1 where there was nothing to lose."""
        return min(1.0, self.after / self.before) if self.before else 1.0

    def document(self) -> dict[str, float | str]:
        """Return the entry of the JSON document."""
        return {"before": self.before, "after": self.after, "share": self.share, "unit": "bits per record"}


def measure_information(tables: Tables) -> Information:
    """Measure the tables that a method has finished; groups of anatomy tell all."""
    before = _compute_entropy(tables.store, tables.combinations)
    return Information(before, before if tables.by_number else _compute_entropy(tables.store, tables.equivalence))


def _compute_entropy(store: Store, classes: FromClause) -> float:
    size = cast(classes.c.size, Double)
    total, weighted = store.row(select(func.sum(size), func.sum(size * binary_logarithm(size))))
    return max(0.0, log2(total) - float(weighted / total))


def list_emptiness_notes(
    information: Information, at_root: Sequence[str], count: int, *, whole_columns: bool
) -> tuple[str, ...]:
    """Return a note on columns with one value left, or on a release that tells little, and on what keeps more.

    Parameters
    ----------
    at_root : sequence of str
        Quasi-identifiers that show the same everywhere.
    count : int
        Number of quasi-identifiers.
    whole_columns : bool
        Whether the method generalises whole columns.
    """
    is_nearly_empty = information.share < _LITTLE or 2 * len(at_root) > count
    if not at_root and not is_nearly_empty:
        return ()
    figures = {
        "share": write_figure(f"{information.share:.0%}"),
        "after": write_figure(f"{information.after:.1f}"),
        "before": write_figure(f"{information.before:.1f}"),
    }
    if is_nearly_empty:
        words = mark(
            "The release is nearly empty: it keeps %(share)s of the information that tells records apart (%(after)s of "
            "%(before)s bits)"
        )
    else:
        words = mark(
            "The release keeps %(share)s of the information that tells records apart (%(after)s of %(before)s bits)"
        )
    kept: str = say(words, **figures)
    if at_root:
        kept = say(
            "%(kept)s, and %(count)s of %(all)s quasi-identifiers show one value only: %(names)s",
            kept=kept,
            count=len(at_root),
            all=count,
            names=format_columns(at_root),
        )
    if whole_columns:
        remedy = say(
            "LocalRecoding and Mondrian keep more, as they do not generalise whole columns; so does a smaller k."
        )
    else:
        remedy = say("A smaller k, fewer quasi-identifiers or weaker models keep more.")
    text = say("%(finding)s. %(remedy)s", finding=kept, remedy=remedy)
    return (Note(text, text, SettingRemedy("method")),)


# How far a release generalises each quasi-identifier.


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifierResult:
    """How far one quasi-identifier was generalised."""

    name: str
    level: int | None
    """Level of the whole column, 0 for ungeneralised; None if classes differ."""
    height: int | None
    """Highest level of its hierarchy; None if it has none that counts levels."""
    generalised_values: int
    """Number of distinct values in the classes of the release, suppressed records aside."""
    original_values: int
    range: str | None
    """Of numbers, the released value that begins lowest and the one that ends highest; None for categories."""
    not_true: str = ""
    """What does not hold of a released value; empty: each covers the values of its records."""

    def document(self) -> dict[str, Any]:
        """Return what a report says of the column."""
        return {name: value for name, value in vars(self).items() if name != "not_true" or value}

    @property
    def is_at_root(self) -> bool:
        """Whether the column shows one value where there were several, and so tells nothing."""
        return self.generalised_values <= 1 < self.original_values


_MEANS = mark("No value is the one of its record: each is the mean of a group.")


def measure_quasi_identifiers(tables: Tables) -> tuple[QuasiIdentifierResult, ...]:
    """Measure how far the tables that a method has finished generalise each quasi-identifier."""
    columns = enumerate(tables.quasi_identifiers)
    if tables.by_number:
        return tuple(_make_unchanged_result(column) for _, column in columns)
    return tuple(_measure_generalised(tables, position, column) for position, column in columns)


def _make_unchanged_result(column: QuasiIdentifierTables) -> QuasiIdentifierResult:
    return QuasiIdentifierResult(
        name=column.name,
        level=None,
        height=None,
        generalised_values=column.values,
        original_values=column.values,
        range=None,
    )


def _measure_generalised(tables: Tables, position: int, column: QuasiIdentifierTables) -> QuasiIdentifierResult:
    used = tables.equivalence.c[tables.interval_names[position]]
    interval = column.intervals.c
    shown = select(interval.label, interval.low, interval.high).where(
        interval.interval_id.in_(select(used).where(~tables.equivalence.c.suppressed))
    )
    named = shown.subquery().c
    values, first, last = tables.store.row(
        select(func.count(), find_first_by(named.label, named.low), find_last_by(named.label, named.high))
    )
    return QuasiIdentifierResult(
        name=column.name,
        level=None if tables.levels is None else tables.levels[position],
        height=column.height if column.has_hierarchy and column.height else None,
        generalised_values=values,
        original_values=column.values,
        range=None if column.kind == "category" or not values else first if values == 1 else f"{first} .. {last}",
        not_true=_MEANS if tables.shows_means else "",
    )


def format_treated(treatment: Mapping[str, Any]) -> str:
    """Write what was done to a column, and that it is not true any more."""
    measured = treatment.get("measured", {})
    lost, outside = measured.get("sse_sst"), measured.get("dates_outside_the_plausible")
    exact = "" if lost is None else f", 100 SSE/SST {100 * lost:.4f}"
    if outside:
        exact += f", {format_count(int(outside), 'date')} before 1900 or after today"
    untrue = "" if treatment["is_true"] else f" (not true{exact})"
    return f"{treatment['column']} by {treatment['treatment']}{untrue}"


_JOINED = mark(
    "All rows of one person can be joined by %(columns)s; classes are proved row by row, and what a person's rows say "
    "together may be unique. Datafly, Flash, OLA and MinGen prove it where a person is declared."
)


def list_untrue_columns(
    treatments: Sequence[Mapping[str, Any]], results: Sequence[QuasiIdentifierResult] = (), proved: str | None = None
) -> list[str]:
    """List what somebody may take for proved of columns: that rows stay apart, and that values are true.

    Parameters
    ----------
    results : sequence of QuasiIdentifierResult
        The columns that are not treated.
    proved : str, optional
        The column of the persons who were proved to be alike in all of their rows, so that it may join these.
    """
    told = list[str]()
    if means := [each.name for each in results if each.not_true]:
        words = mark("%(columns)s: values are means of groups, and not true of the record.")
        told.append(say(words, columns=format_columns(means)))
    if joined := [str(each["column"]) for each in treatments if each["joins_rows"] and each["column"] != proved]:
        told.append(say(_JOINED, columns=" and ".join(joined)))
    if untrue := [str(each["column"]) for each in treatments if not each["is_true"]]:
        words = mark("%(columns)s: what is shown is not true of the record.")
        told.append(say(words, columns=format_columns(untrue)))
    return told


# The child tables of a release.


@dataclass(frozen=True, kw_only=True)
class ChildTableResult:
    """What became of one child table, which is released together with the persons of the main table."""

    name: str
    key: str
    """Its column with the person."""
    counts: Mapping[str, int]
    release: tuple[Path | str, ...]
    checksums: Mapping[str, str]
    formulas: Sequence[tuple[Any, ...]]
    passed: tuple[PassedColumn, ...]
    treatments: tuple[Mapping[str, Any], ...]
    quasi_identifiers: tuple[QuasiIdentifierResult, ...] = ()
    """Those of its own; then its records are judged together with those of the main table."""
    information: Information | None = None
    """What its quasi-identifiers tell, where it has some."""
    notes: tuple[str, ...] = ()
    """What was found out when it was read."""

    def document(self) -> dict[str, Any]:
        """Return the entry of the JSON document."""
        judged = {
            "quasi_identifiers": [dict(vars(column)) for column in self.quasi_identifiers],
            "information": None if self.information is None else self.information.document(),
        }
        return {
            "name": self.name,
            "key": self.key,
            **self.counts,
            "release": [str(path) for path in self.release],
            **(judged if self.quasi_identifiers else {}),
        }

    def line(self) -> str:
        """Write how many of its records are released, and what became of the others."""
        counts = self.counts
        parts = {
            "of persons left out": counts["records_of_persons_left_out"],
            "without a person": counts["orphans"],
            "lacking a value": counts.get("records_lacking_values", 0),
            "unreadable": counts["lines_rejected"],
        }
        others = "".join(f", {count:,} {words}" for words, count in parts.items() if count)
        alone = counts["persons_without_records"]
        with_none = f", {format_count(alone, 'person has', 'persons have')} none" if alone else ""
        read, released = counts["records_read"], counts["records_released"]
        kept = "" if self.information is None else f", {self.information.share:.0%} of the information"
        persons = format_count(counts["persons"], "person")
        return f"{read:,} read{others}, {released:,} released{kept}, of {persons}{with_none}"

    def list_notes(self) -> list[str]:
        """Return what a publisher should know of the table."""
        notes = list(self.notes)
        if not self.quasi_identifiers:
            words = mark(
                "The table %(table)s is protected by the classes of its persons alone: nobody judges how many records "
                "a person has there, and what they say, which somebody may know."
            )
            notes.append(say(words, table=self.name))
        if count := self.counts["orphans"]:
            orphans = say_count(
                "%(count)s record of the table %(table)s had no person in the main table, and is left out as asked.",
                "%(count)s records of the table %(table)s had no person in the main table, and are left out as asked.",
                count,
                table=self.name,
            )
            notes.append(orphans)
        if count := self.counts["lines_rejected"]:
            rejected = say_count(
                "%(count)s line of the table %(table)s could not be read, and is not in the release.",
                "%(count)s lines of the table %(table)s could not be read, and are not in the release.",
                count,
                table=self.name,
            )
            notes.append(rejected)
        return notes

    def name_columns(self) -> tuple[Sequence[FormulaResult], Sequence[PassedColumn], Sequence[Mapping[str, Any]]]:
        """Return what is said of its columns, called after the table, as ``visits.ward``."""
        formulas = tuple(FormulaResult(f"{self.name}.{column}", *more) for column, *more in self.formulas)
        passed = tuple(replace(column, name=f"{self.name}.{column.name}") for column in self.passed)
        # That the key joins rows is what it is for: a note tells what nobody judges of these.
        own = {"joins_rows": False}
        treated = tuple({**each, **own, "column": f"{self.name}.{each['column']}"} for each in self.treatments)
        return formulas, passed, treated
