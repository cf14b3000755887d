"""The flows of `toolbox hierarchy`: show, check, build, import and export; a file is written whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from toolbox.errors import ConfigurationError, Fault, UsageError
from toolbox.flows.arguments.checks import list_read_files
from toolbox.flows.hierarchies.subject import IN_MEMORY, HierarchyRequest, Subject, build_subject, read_subject
from toolbox.flows.hierarchies.values import count_by_name, make_named_builder
from toolbox.hierarchy.builders.words import parse_builder_words
from toolbox.hierarchy.checking import Finding, convert_faults, list_outline_findings, number_findings
from toolbox.hierarchy.notations import (
    UTD,
    Notation,
    format_outline_pairs,
    format_outline_table,
    format_rules,
    guess_notation,
    read_notation,
)
from toolbox.hierarchy.outline import find_repeated_values, find_second_parents
from toolbox.hierarchy.rows import Row, require_table
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.published.cells.notations import parse_interval
from toolbox.release.placing import require_free, write_whole
from toolbox.report.explore.hierarchy import HierarchyCheck, HierarchyReport

# The flows of `toolbox hierarchy` that look at one: show and check.


def show_hierarchy(asked: HierarchyRequest, *, shows_values: bool = False) -> HierarchyReport:
    """Read a hierarchy to look at it.

    Parameters
    ----------
    shows_values : bool
        Whether to show values that only the data name.

    Raises
    ------
    ToolboxError
        If it cannot be read.
    """
    return report_of(read_subject(asked), shows_values=shows_values)


def report_of(subject: Subject, *, shows_values: bool = False) -> HierarchyReport:
    """Return the report on a hierarchy."""
    return HierarchyReport(
        name=subject.name,
        kind=subject.kind,
        outline=subject.outline,
        coverage=subject.coverage,
        shows_values=shows_values or subject.lists_values,
        notes=tuple(str(finding) for finding in subject.remarks),
    )


def check_hierarchy(asked: HierarchyRequest, *, shows_values: bool = False) -> HierarchyCheck:
    """Look for faults of a hierarchy, and for values of the data that it lacks.

    Parameters
    ----------
    shows_values : bool
        Whether to quote the values that it lacks.

    Raises
    ------
    ToolboxError
        If the data cannot be read, or nothing names the hierarchy.
    """
    name = str(asked.files[0]) if asked.files else asked.config.source if asked.config else ""
    try:
        subject = read_subject(asked, with_input=True)
    except ConfigurationError as error:
        if asked.config is not None or not all(path.is_file() for path in asked.files):
            raise
        name = name or IN_MEMORY
        return HierarchyCheck(name=name, outline=None, findings=tuple(_list_fault_kinds(asked, error)))
    quotes_values, is_number = shows_values or subject.lists_values, subject.kind == "number"
    findings = [
        *subject.remarks,
        *list_outline_findings(subject.outline, _list_full_domain_methods(), quotes_values=quotes_values),
        *(number_findings(subject.outline, parse_interval, quotes_values=quotes_values) if is_number else ()),
        *(_find_coverage_faults(subject, shows_values=shows_values)),
    ]
    return HierarchyCheck(name=subject.name, outline=subject.outline, findings=tuple(findings))


def _find_coverage_faults(subject: Subject, *, shows_values: bool) -> list[Finding]:
    if subject.coverage is None:
        return []
    return subject.coverage.findings(shows_values=shows_values, go_to_root=subject.other == "root")


def _list_fault_kinds(asked: HierarchyRequest, error: ConfigurationError) -> list[Finding]:
    """Return the faults of a file that could not be read, each with its kind."""
    with suppress(ConfigurationError):
        rows = _find_raw_rows(asked)
        if rows is None:
            return convert_faults("interval", error.faults)
        if not error.faults[0].line:
            return convert_faults("table", error.faults)
        twice, parents = find_repeated_values(rows), find_second_parents(rows)
        return sorted(
            [*convert_faults("value twice", twice), *convert_faults("two parents", parents)],
            key=lambda found: found.line,
        )
    return convert_faults("table", error.faults)


def _find_raw_rows(asked: HierarchyRequest) -> list[Row] | None:
    """Return the rows that were asked about; None if they are intervals in XML."""
    if asked.rows is not None:
        return require_table(list(asked.rows), IN_MEMORY)
    notation = asked.notation or guess_notation(asked.files[0])
    if notation == UTD:
        return None
    return read_notation(asked.files, notation, header=asked.header, name=asked.column).rows


def _list_full_domain_methods() -> list[str]:
    methods = {
        method.facts(name).name for name, method in list_installed_methods().items() if method.facts(name).full_domain
    }
    return sorted(methods)


# The flows of `toolbox hierarchy` that write one: build, import and export.


def build_hierarchy(asked: HierarchyRequest, builder: str, notation: Notation) -> tuple[str, HierarchyReport]:
    """Build the hierarchy of a column, and write it in a notation.

    Parameters
    ----------
    builder : str
        As the command line writes it: ``prefix:3,1``.

    Returns
    -------
    str
        The text of the file.
    HierarchyReport
        What it shows.

    Raises
    ------
    ToolboxError
        If it cannot be built of these values.
    """
    made = make_named_builder(builder)
    if asked.data is None or asked.column is None:
        raise UsageError("Nothing names the column. Write toolbox hierarchy build DATA BUILDER --column NAME.")
    counts = count_by_name(asked.data, asked.reading, asked.column, asked.limits, asked.steps)
    subject = build_subject(made, counts, asked.reading, (f"{asked.data}, {asked.column}", asked.column))
    text, report = _write_notation(subject, notation)
    if made.other == "root":
        note = "The file lists the values of today. For others to go to the root, write <vgh file='..' other='root'/>."
        report = replace(report, notes=(*report.notes, note))
    return text, report


def convert_hierarchy(asked: HierarchyRequest, notation: Notation) -> tuple[str, HierarchyReport]:
    """Write a hierarchy in a notation.

    Returns
    -------
    str
        The text of the file.
    HierarchyReport
        What it shows.

    Raises
    ------
    ToolboxError
        If it cannot be read, or the notation cannot say it.
    """
    return _write_notation(read_subject(asked), notation)


def read_listed_subject(asked: HierarchyRequest) -> Subject:
    """Read a hierarchy that lists its values.

    Raises
    ------
    ToolboxError
        If it cannot be read, or names no value.
    """
    subject = read_subject(asked)
    _require_values(subject)
    return subject


def _write_notation(subject: Subject, notation: Notation) -> tuple[str, HierarchyReport]:
    outline, name = subject.outline, subject.name
    _require_values(subject)
    match notation:
        case "arx":
            text = format_outline_table(outline)
        case "rules":
            text = format_rules(outline, name)
        case "child-parent":
            text = format_outline_pairs(outline, name)
        case _:
            from toolbox.config.reading.hierarchies import format_hierarchy_document

            text = format_hierarchy_document(outline, subject.kind, subject.column, name)
    # Whoever converts a notation knows that it is one.
    remarks = tuple(found for found in subject.remarks if found.kind != "notation")
    return text, report_of(replace(subject, remarks=remarks))


def _require_values(subject: Subject) -> None:
    """Stop where intervals stand for numbers that nobody lists."""
    if not subject.outline.list_all_values():
        problem = "Its intervals stand for all numbers between their bounds, and name none."
        remedy = "Name the data whose values are listed: DATA --column NAME."
        raise ConfigurationError(subject.name, [Fault(0, problem, remedy)])
    if subject.coverage and subject.coverage.uncovered and subject.other == "error":
        (finding,) = [found for found in subject.coverage.findings() if found.is_fault]
        remedy = "toolbox hierarchy check .. --values shows them."
        raise ConfigurationError(subject.name, [Fault(0, finding.text, remedy)])


def write_hierarchy(text: str, path: Path, asked: HierarchyRequest, builder: str = "") -> None:
    """Write the text of a hierarchy to a file at once; an older file is replaced, unless it is one that is read.

    Parameters
    ----------
    builder : str
        What has built it, as the command line writes it: it may name a file.

    Raises
    ------
    UsageError
        If it is one that is read, or no file.
    OutputError
        If it cannot be written there.
    """
    read = [
        *asked.files,
        *([asked.data] if isinstance(asked.data, Path) else []),
        *list_read_files(asked.config),
        *(Path(text) for name, text in (parse_builder_words(builder) or {}).items() if name == "file"),
    ]
    require_free(path, replaces=True, keeps=read)
    write_whole(path, text, "hierarchy", replaces=True)
