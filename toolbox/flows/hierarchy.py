"""The flows of `toolbox hierarchy` that look at one: show and check."""

from __future__ import annotations

from contextlib import suppress

from toolbox.errors import ConfigurationError
from toolbox.flows.hierarchy_asked import IN_MEMORY, Asked, Subject
from toolbox.flows.hierarchy_subject import subject_of
from toolbox.hierarchy.branch import repeated_values, second_parents
from toolbox.hierarchy.checking import outline_findings
from toolbox.hierarchy.finding import Finding, faults_as
from toolbox.hierarchy.notations.reading import UTD, notation_of, read_notation
from toolbox.hierarchy.number_checking import number_findings
from toolbox.hierarchy.rows import Row, checked
from toolbox.methods.registry import installed_methods
from toolbox.published.notations import interval_of
from toolbox.report.hierarchy import HierarchyCheck, HierarchyReport


def show_hierarchy(asked: Asked, *, shows_values: bool = False) -> HierarchyReport:
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
    return report_of(subject_of(asked), shows_values=shows_values)


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


def check_hierarchy(asked: Asked, *, shows_values: bool = False) -> HierarchyCheck:
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
        subject = subject_of(asked, with_input=True)
    except ConfigurationError as error:
        if asked.config is not None or not all(path.is_file() for path in asked.files):
            raise
        name = name or IN_MEMORY
        return HierarchyCheck(name=name, outline=None, findings=tuple(_kinds(asked, error)))
    quotes_values, is_number = shows_values or subject.lists_values, subject.kind == "number"
    findings = [
        *subject.remarks,
        *outline_findings(subject.outline, _full_domain(), quotes_values=quotes_values),
        *(number_findings(subject.outline, interval_of, quotes_values=quotes_values) if is_number else ()),
        *(_covered(subject, shows_values=shows_values)),
    ]
    return HierarchyCheck(name=subject.name, outline=subject.outline, findings=tuple(findings))


def _covered(subject: Subject, *, shows_values: bool) -> list[Finding]:
    if subject.coverage is None:
        return []
    return subject.coverage.findings(shows_values=shows_values, go_to_root=subject.other == "root")


def _kinds(asked: Asked, error: ConfigurationError) -> list[Finding]:
    """Return the faults of a file that could not be read, each with its kind."""
    with suppress(ConfigurationError):
        rows = _raw_rows(asked)
        if rows is None:
            return faults_as("interval", error.faults)
        if not error.faults[0].line:
            return faults_as("table", error.faults)
        twice, parents = repeated_values(rows), second_parents(rows)
        return sorted(
            [*faults_as("value twice", twice), *faults_as("two parents", parents)], key=lambda found: found.line
        )
    return faults_as("table", error.faults)


def _raw_rows(asked: Asked) -> list[Row] | None:
    """Return the rows that were asked about; None if they are intervals in XML."""
    if asked.rows is not None:
        return checked(list(asked.rows), IN_MEMORY)
    notation = asked.notation or notation_of(asked.files[0])
    if notation == UTD:
        return None
    return read_notation(asked.files, notation, header=asked.header, name=asked.column).rows


def _full_domain() -> list[str]:
    methods = {
        method.facts(name).name for name, method in installed_methods().items() if method.facts(name).full_domain
    }
    return sorted(methods)
