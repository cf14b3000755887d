"""The flows of `toolbox hierarchy` that write one: build, import and export."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from toolbox.errors import ConfigurationError, Fault, UsageError
from toolbox.flows.built_rows import builder_named
from toolbox.flows.column_counts import counts_by_name
from toolbox.flows.hierarchy import report_of
from toolbox.flows.hierarchy_asked import Asked, Subject
from toolbox.flows.hierarchy_declared import built_subject
from toolbox.flows.hierarchy_subject import subject_of
from toolbox.flows.new_file import require_free, write_whole
from toolbox.hierarchy.notations.child_parent import pairs_text
from toolbox.hierarchy.notations.reading import Notation
from toolbox.hierarchy.notations.rules import rules_text
from toolbox.hierarchy.notations.table import table_text
from toolbox.report.hierarchy import HierarchyReport


def built(asked: Asked, builder: str, notation: Notation) -> tuple[str, HierarchyReport]:
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
    made = builder_named(builder)
    if asked.data is None or asked.column is None:
        raise UsageError("Nothing names the column. Write toolbox hierarchy build DATA BUILDER --column NAME.")
    counts = counts_by_name(asked.data, asked.reading, asked.column, asked.limits, asked.steps)
    subject = built_subject(made, counts, asked.reading, (f"{asked.data}, {asked.column}", asked.column))
    text, report = _written(subject, notation)
    if made.other == "root":
        note = "The file lists the values of today. For others to go to the root, write <vgh file='..' other='root'/>."
        report = replace(report, notes=(*report.notes, note))
    return text, report


def converted(asked: Asked, notation: Notation) -> tuple[str, HierarchyReport]:
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
    return _written(subject_of(asked), notation)


def listed_subject(asked: Asked) -> Subject:
    """Read a hierarchy that lists its values.

    Raises
    ------
    ToolboxError
        If it cannot be read, or names no value.
    """
    subject = subject_of(asked)
    _require_values(subject)
    return subject


def _written(subject: Subject, notation: Notation) -> tuple[str, HierarchyReport]:
    outline, name = subject.outline, subject.name
    _require_values(subject)
    match notation:
        case "arx":
            text = table_text(outline)
        case "rules":
            text = rules_text(outline, name)
        case "child-parent":
            text = pairs_text(outline, name)
        case _:
            from toolbox.config.hierarchy_document import document_text

            text = document_text(outline, subject.kind, subject.column, name)
    # Whoever converts a notation knows that it is one.
    remarks = tuple(found for found in subject.remarks if found.kind != "notation")
    return text, report_of(replace(subject, remarks=remarks))


def _require_values(subject: Subject) -> None:
    """Stop where intervals stand for numbers that nobody lists."""
    if not subject.outline.all_values():
        problem = "Its intervals stand for all numbers between their bounds, and name none."
        remedy = "Name the data whose values are listed: DATA --column NAME."
        raise ConfigurationError(subject.name, [Fault(0, problem, remedy)])
    if subject.coverage and subject.coverage.uncovered and subject.other == "error":
        (finding,) = [found for found in subject.coverage.findings() if found.is_fault]
        remedy = "toolbox hierarchy check .. --values shows them."
        raise ConfigurationError(subject.name, [Fault(0, finding.text, remedy)])


def write_hierarchy(text: str, path: Path, asked: Asked) -> None:
    """Write the text of a hierarchy to a file at once; an older file is replaced.

    Raises
    ------
    OutputError
        If it cannot be written there.
    """
    read = [
        *asked.files,
        *([asked.data] if isinstance(asked.data, Path) else []),
        *([asked.config.path] if asked.config and asked.config.path else []),
    ]
    require_free(path, replaces=True, keeps=read)
    write_whole(path, text, "hierarchy", replaces=True)
