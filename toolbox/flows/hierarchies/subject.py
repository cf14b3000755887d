"""The hierarchy that `toolbox hierarchy` is asked about: a file in any notation, a declared one, or a builder's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toolbox.config.model import Attribute, Config, Input, Limits, QuasiIdentifier
from toolbox.config.reading.overrides import Overrides
from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.flows.arguments.checks import make_text_input
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.hierarchies.values import build_rows, count_by_configuration, count_by_name, find_kind
from toolbox.hierarchy.builders.builder import Builder, Other
from toolbox.hierarchy.builders.dates import Dates
from toolbox.hierarchy.checking import Coverage, Finding, compare_coverage, make_remark, number_of
from toolbox.hierarchy.hierarchy import Hierarchy, format_number
from toolbox.hierarchy.notations import UTD, Notation, guess_notation, read_notation
from toolbox.hierarchy.outline import (
    Outline,
    build_row_outline,
    build_tree_outline,
    explain_categories,
    make_row_hierarchy,
)
from toolbox.hierarchy.rows import Row, require_table
from toolbox.messages import choose_setting_name
from toolbox.steps import Steps

if TYPE_CHECKING:
    import pyarrow as pa


# What `toolbox hierarchy` is asked about, and the hierarchy that it finds, set against data.

IN_MEMORY = "the hierarchy"
"""What messages call rows that no file holds."""


@dataclass(frozen=True, kw_only=True)
class HierarchyRequest:
    """What is asked about.

    Parameters
    ----------
    files : tuple of Path
        The hierarchy file; of rules, a file for each level. None: that of the configuration.
    rows : tuple of Row, optional
        The hierarchy itself, instead of a file.
    """

    files: tuple[Path, ...] = ()
    rows: tuple[Row, ...] | None = None
    notation: Notation | None = None
    """Of the file; None: what its content says."""
    header: bool | None = None
    """Whether its first line names columns."""
    config: Config | None = None
    column: str | None = None
    data: Path | pa.Table | None = None
    """A table whose column is set against the hierarchy."""
    counts: Mapping[str, int] | None = None
    """The values of such a column, each with its records, instead of a table."""
    reading: Input = field(default_factory=lambda: make_text_input(None, None))
    """How a table of text is read that no configuration describes."""
    limits: Limits = Limits()
    steps: Steps = field(default_factory=Steps, compare=False)
    """Are told what is done."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A hierarchy that could be read."""

    name: str
    """What messages and reports call it."""
    column: str
    """Name of the column, or of the file."""
    kind: Literal["number", "category"]
    outline: Outline
    remarks: tuple[Finding, ...] = ()
    coverage: Coverage | None = None
    """None where no data are named."""
    lists_values: bool = True
    """Whether the hierarchy itself names its values, and not the data alone."""
    other: Other = "error"
    """What becomes of values that it does not know."""


def set_beside(subject: Subject, counts: Mapping[str, int] | None, reading: Input) -> Subject:
    """Return the subject with facts from the data; the text of missing values is not a value.

    Parameters
    ----------
    counts : mapping of str to int, optional
        The values of the data, each with its records; None without data.
    reading : Input
        How they are written.
    """
    if counts is None:
        return subject
    values = subject.outline.list_all_values()
    missing = reading.missing
    present = {text: count for text, count in counts.items() if text != missing or text in values}
    figures = (reading.decimal, reading.thousands)
    own = (".", "") if subject.lists_values else figures
    found = compare_coverage(values, subject.kind, present, figures=figures, own_figures=own)
    return replace(subject, coverage=found)


@dataclass(frozen=True)
class IntervalTree:
    """A tree of intervals, and the values that it is known to have."""

    name: str
    column: str
    hierarchy: Hierarchy
    categories: Mapping[str, int] | None
    listed: tuple[float, ...] | None = None
    remarks: tuple[Finding, ...] = ()

    def subject(self, counts: Mapping[str, int] | None, reading: Input) -> Subject:
        """Return the subject; numbers that nobody lists are those of the data."""
        kind: Literal["number", "category"] = "number" if self.categories is None else "category"
        ground: list[tuple[str, float]]
        if self.categories is not None:
            ground = sorted(((name, float(code)) for name, code in self.categories.items()), key=lambda pair: pair[1])
        elif self.listed is not None:
            ground = [(format_number(number), number) for number in self.listed]
        else:
            numbers = {text: number_of(text, reading.decimal, reading.thousands) for text in counts or {}}
            ground = sorted(
                ((text, number) for text, number in numbers.items() if number is not None), key=lambda pair: pair[1]
            )
        outline, _ = build_tree_outline(self.hierarchy, ground)
        subject = Subject(
            name=self.name,
            column=self.column,
            kind=kind,
            outline=outline,
            remarks=self.remarks,
            lists_values=self.categories is not None or self.listed is not None,
        )
        return set_beside(subject, counts, reading)


# The hierarchies that a configuration declares, or that a builder makes of a column.

_MOST_NAMES = 20


def read_named_configuration(path: Path, overrides: Overrides | None = None) -> Config | None:
    """Return the configuration of a file; None if it is something else, such as a hierarchy.

    Raises
    ------
    ConfigurationError
        If it is XML that cannot be read, or a wrong configuration.
    """
    if path.suffix.lower() != ".xml" or guess_notation(path) != UTD:
        return None
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reading.hierarchies import is_configuration

    return read_configuration(path, overrides, is_run=False) if is_configuration(path) else None


def read_declared_subject(asked: HierarchyRequest, config: Config, *, with_input: bool) -> Subject:
    """Return the hierarchy of a column of a configuration.

    Parameters
    ----------
    with_input : bool
        Whether the input of the configuration is read where no other table is named.

    Raises
    ------
    ToolboxError
        If the column has no hierarchy, or its values cannot be read where they are needed.
    """
    attribute = _find_attribute(config, asked.column)
    name = str(attribute.column)
    builder = _find_builder(attribute)
    if attribute.hierarchy is None and builder is None:
        raise UsageError(f"{config.source} declares no <vgh> for {quote(name)}. {_name_columns_with_hierarchy(config)}")
    counts: Mapping[str, int] | None
    declared = config.input
    if isinstance(asked.data, Path):
        declared = declared or asked.reading
        table = asked.reading.table or declared.table
        declared = replace(declared, path=asked.data, more=(), remote=None, table=table)
    elif asked.data is not None or (not with_input and builder is None):
        declared = None
    if asked.counts is not None:
        counts, declared = asked.counts, config.input
    else:
        counts = None if declared is None else count_by_configuration(config, attribute, declared, asked.steps)
    if asked.data is not None and not isinstance(asked.data, Path):
        counts = count_by_name(asked.data, asked.reading, name, config.limits, asked.steps)
    reading = declared or asked.reading
    if builder is not None:
        return build_subject(builder, counts or {}, reading, (f"{config.source}, {name}", name), attribute.format)
    assert attribute.hierarchy is not None, "a column without a builder has its hierarchy"
    tree = IntervalTree(f"{config.source}, {name}", name, attribute.hierarchy, attribute.categories, attribute.listed)
    return replace(tree.subject(counts, reading), other=attribute.other)


def build_subject(
    builder: Builder, counts: Mapping[str, int], reading: Input, names: tuple[str, str], date_format: str | None = None
) -> Subject:
    """Build the hierarchy of the values of a column.

    Parameters
    ----------
    names : (str, str)
        What messages call the hierarchy, and its column.

    Raises
    ------
    UsageError
        If no value is there, or one does not fit.
    """
    present = {text: count for text, count in counts.items() if text != reading.missing}
    if not present:
        raise UsageError(f"{names[0]}: there is no value of which a hierarchy could be built.")
    figures = (reading.decimal, reading.thousands)
    rows = build_rows(builder, present, date_format, figures)
    kind: Literal["number", "category"] = "number" if find_kind(present, figures) == "number" else "category"
    if builder.takes == "texts":
        kind = "category"
    subject = Subject(
        name=names[0],
        column=names[1],
        kind=kind,
        outline=build_row_outline(rows),
        lists_values=False,
        other=builder.other,
    )
    return set_beside(subject, present, reading)


def _find_builder(attribute: Attribute) -> Builder | None:
    """Return what makes the hierarchy of a column, be it only by the periods of its dates."""
    if isinstance(attribute, QuasiIdentifier) and attribute.periods:
        return Dates(periods=attribute.periods)
    return attribute.builder


def _find_attribute(config: Config, column: str | None) -> Attribute:
    attributes = [*config.quasi_identifiers, *config.sensitive]
    if column is None:
        attributes = [attribute for attribute in attributes if attribute.hierarchy or _find_builder(attribute)]
        if len(attributes) == 1:
            return attributes[0]
        raise UsageError(
            f"Nothing says which column of {config.source} is meant. {_name_columns_with_hierarchy(config)}"
        )
    for attribute in attributes:
        if str(attribute.column) == column:
            return attribute
    known = [str(attribute.column) for attribute in attributes]
    raise UsageError(
        f"{config.source} declares no column {quote(column)}.{did_you_mean(column, known)} "
        f"{_name_columns_with_hierarchy(config)}"
    )


def _name_columns_with_hierarchy(config: Config) -> str:
    attributes = (*config.quasi_identifiers, *config.sensitive)
    names = [str(attribute.column) for attribute in attributes if attribute.hierarchy or _find_builder(attribute)]
    if not names:
        return "No column of it has one."
    shown = ", ".join(map(quote, names[:_MOST_NAMES])) + (", .." if len(names) > _MOST_NAMES else "")
    return f"Write {choose_setting_name('--column NAME', python='column=')}: hierarchies are those of {shown}."


# The hierarchy that `toolbox hierarchy` is asked about: a file in any notation, or a column of a configuration.


def read_subject(asked: HierarchyRequest, *, with_input: bool = False) -> Subject:
    """Read the hierarchy, and the column of the data if any are named.

    Parameters
    ----------
    with_input : bool
        Whether the input of a configuration is read where no other table is named.

    Raises
    ------
    ToolboxError
    """
    if asked.config is None and asked.data is not None and asked.column is None:
        data = quote(str(asked.data)) if isinstance(asked.data, Path) else "the data"
        setting = choose_setting_name("--column NAME", python="column=")
        raise UsageError(f"Nothing says which column of {data} is meant. Write {setting}.")
    if asked.config is not None:
        return read_declared_subject(asked, asked.config, with_input=with_input)
    if asked.rows is not None:
        return _make_rows_subject(asked, require_table(list(asked.rows), IN_MEMORY), [])
    if not asked.files:
        raise UsageError("Nothing names the hierarchy. Write its file, or -config FILE --column NAME.")
    notation = asked.notation or guess_notation(asked.files[0])
    if notation == UTD:
        return _read_document_subject(asked, asked.files[0])
    read = read_notation(asked.files, notation, header=asked.header, name=asked.column)
    remarks = [make_remark("header", 0, read.note)] if read.note else []
    if notation != "arx":
        text = f"The file is written as {notation}, which a run does not read. toolbox hierarchy import makes a table."
        remarks.append(make_remark("notation", 0, text))
    return _make_rows_subject(asked, read.rows, remarks)


def _make_rows_subject(asked: HierarchyRequest, rows: Sequence[Row], remarks: Sequence[Finding]) -> Subject:
    name = str(asked.files[0]) if asked.files else IN_MEMORY
    kind = make_row_hierarchy(rows, name, None).kind
    reasons = [
        make_remark("order", reason.line, f"The values look like numbers, and are taken as categories. {reason.found}")
        for reason in explain_categories(rows)[:1]
    ]
    subject = Subject(
        name=name,
        column=asked.column or (asked.files[0].stem if asked.files else "column"),
        kind=kind,
        outline=build_row_outline(rows),
        remarks=(*remarks, *reasons),
    )
    return set_beside(subject, _find_named_counts(asked), asked.reading)


def _read_document_subject(asked: HierarchyRequest, path: Path) -> Subject:
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reading.hierarchies import read_hierarchy_document

    document = read_hierarchy_document(path)
    remarks = tuple(make_remark("interval", 0, text) for text in document.warnings)
    tree = IntervalTree(str(path), asked.column or path.stem, document.hierarchy, document.categories, remarks=remarks)
    return tree.subject(_find_named_counts(asked), asked.reading)


def _find_named_counts(asked: HierarchyRequest) -> Mapping[str, int] | None:
    if asked.counts is not None:
        return asked.counts
    if asked.data is None or asked.column is None:
        return None
    return count_by_name(asked.data, asked.reading, asked.column, asked.limits, asked.steps)
