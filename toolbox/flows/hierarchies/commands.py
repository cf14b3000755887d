"""The flows of `toolbox hierarchy`: show, check, build, import and export; a file is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from toolbox.config.file_names import Content, mode_of, obstacle
from toolbox.errors import ConfigurationError, Fault, OutputError, UsageError, quote
from toolbox.flows.hierarchies.subject import IN_MEMORY, Asked, Subject, built_subject, subject_of
from toolbox.flows.hierarchies.values import builder_named, counts_by_name
from toolbox.hierarchy.checking import Finding, faults_as, number_findings, outline_findings
from toolbox.hierarchy.notations.pairs import pairs_text, table_text
from toolbox.hierarchy.notations.reading import UTD, Notation, notation_of, read_notation
from toolbox.hierarchy.notations.rules import rules_text
from toolbox.hierarchy.outline import repeated_values, second_parents
from toolbox.hierarchy.rows import Row, checked
from toolbox.messages import either
from toolbox.methods.anonymizer import installed_methods
from toolbox.published.cells.notations import interval_of
from toolbox.report.explore.hierarchy import HierarchyCheck, HierarchyReport
from toolbox.store.disk.workspace import Workspace

# The flows of `toolbox hierarchy` that look at one: show and check.


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


# A file that is written whole or not at all, and that replaces another one only where somebody says so.


def require_free(path: Path, *, replaces: bool, keeps: Sequence[Path] = ()) -> None:
    """Stop where a file cannot be written, before any work is done for it.

    Parameters
    ----------
    replaces : bool
        Whether a file of this name may be replaced.
    keeps : sequence of Path
        Files that are read, or folders of them, which never are.

    Raises
    ------
    UsageError
        If there is one, or what is there is no file.
    OutputError
        If there is no such folder.
    """
    another = either("another file, -o FILE", python="another file")
    remedy = f"Name {another}."
    if (blocking := obstacle(path)) is not None:
        raise UsageError(f"{quote(str(path))} is {blocking}. {remedy}")
    for read in keeps:
        if os.path.realpath(path) == os.path.realpath(read):
            raise UsageError(f"{quote(str(path))} is read itself, and stays as it is. {remedy}")
        if read.is_dir() and read.resolve() in path.resolve().parents:
            problem = f"{quote(str(path))} would lie in the folder whose files are the table"
            raise UsageError(f"{problem}. Name a file somewhere else.")
    if os.path.lexists(path) and not replaces:
        replacing = either("Write --force to replace it, or name", python="Name")
        raise UsageError(f"{quote(str(path))} is there already. {replacing} {another}.")
    if not path.parent.is_dir():
        raise OutputError(f"There is no folder {quote(str(path.parent))}. Make it first, or name {another}.")


def content_of_page(kind: str) -> Content:
    """Return what is in a page: of a public one everybody may know it."""
    return "public page" if kind == "public" else "internal page"


def write_whole(path: Path, text: str, content: Content, *, replaces: bool) -> None:
    """Write a file under another name, and give it its own when it is complete.

    Parameters
    ----------
    content : str
        What is in it, which says who may read it.

    Raises
    ------
    UsageError
        If a file of this name has come meanwhile, and may not be replaced.
    OutputError
        If it cannot be written.
    """
    try:
        # In a folder of its own: what cannot be removed from it now the next run removes.
        with Workspace(path.parent) as workspace:
            unfinished = workspace.folder / "unfinished"
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode_of(content))
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            if replaces:
                unfinished.replace(path)
            else:
                _give_name(unfinished, path)
    except FileExistsError:
        remedy = either("Write --force to replace it.", python="Name another file.")
        raise UsageError(f"{quote(str(path))} is there already. {remedy}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{quote(str(path))} cannot be written: {reason}.") from error


def _give_name(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, unless something has it."""
    try:
        # A link fails where something is, which a test before could not promise.
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems know no links, such as those of memory sticks.
        if os.path.lexists(path):
            raise FileExistsError from None
        unfinished.rename(path)


# The flows of `toolbox hierarchy` that write one: build, import and export.


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
            from toolbox.config.reading.hierarchies import document_text

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
