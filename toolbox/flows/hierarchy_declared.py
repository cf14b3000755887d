"""The hierarchies that a configuration declares, or that a builder makes of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from toolbox.config.model import Attribute, Config, Input, QuasiIdentifier
from toolbox.config.overrides import Overrides
from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.flows.built_rows import built_rows, kind_of
from toolbox.flows.column_counts import counts_by_configuration, counts_by_name
from toolbox.flows.configuration import read_configuration
from toolbox.flows.hierarchy_asked import Asked, IntervalTree, Subject, set_beside
from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.builders.dates import Dates
from toolbox.hierarchy.notations.reading import UTD, notation_of
from toolbox.hierarchy.outline import outline_of_rows

_MOST_NAMES = 20


def named_configuration(path: Path, overrides: Overrides | None = None) -> Config | None:
    """Return the configuration of a file; None if it is something else, such as a hierarchy.

    Raises
    ------
    ConfigurationError
        If it is XML that cannot be read, or a wrong configuration.
    """
    if path.suffix.lower() != ".xml" or notation_of(path) != UTD:
        return None
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.hierarchy_document import is_configuration

    return read_configuration(path, overrides, is_run=False) if is_configuration(path) else None


def declared_subject(asked: Asked, config: Config, *, with_input: bool) -> Subject:
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
    attribute = _attribute(config, asked.column)
    name = str(attribute.column)
    builder = _builder(attribute)
    if attribute.hierarchy is None and builder is None:
        raise UsageError(f"{config.source} declares no <vgh> for {quote(name)}. {_columns_with(config)}")
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
        counts = None if declared is None else counts_by_configuration(config, attribute, declared, asked.steps)
    if asked.data is not None and not isinstance(asked.data, Path):
        counts = counts_by_name(asked.data, asked.reading, name, config.limits, asked.steps)
    reading = declared or asked.reading
    if builder is not None:
        return built_subject(builder, counts or {}, reading, (f"{config.source}, {name}", name), attribute.format)
    assert attribute.hierarchy is not None, "a column without a builder has its hierarchy"
    tree = IntervalTree(f"{config.source}, {name}", name, attribute.hierarchy, attribute.categories, attribute.listed)
    return replace(tree.subject(counts, reading), other=attribute.other)


def built_subject(
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
    rows = built_rows(builder, present, date_format, figures)
    kind: Literal["number", "category"] = "number" if kind_of(present, figures) == "number" else "category"
    if builder.takes == "texts":
        kind = "category"
    subject = Subject(
        name=names[0],
        column=names[1],
        kind=kind,
        outline=outline_of_rows(rows),
        lists_values=False,
        other=builder.other,
    )
    return set_beside(subject, present, reading)


def _builder(attribute: Attribute) -> Builder | None:
    """Return what makes the hierarchy of a column, be it only by the periods of its dates."""
    if isinstance(attribute, QuasiIdentifier) and attribute.periods:
        return Dates(periods=attribute.periods)
    return attribute.builder


def _attribute(config: Config, column: str | None) -> Attribute:
    attributes = [*config.quasi_identifiers, *config.sensitive]
    if column is None:
        attributes = [attribute for attribute in attributes if attribute.hierarchy or _builder(attribute)]
        if len(attributes) == 1:
            return attributes[0]
        raise UsageError(f"Nothing says which column of {config.source} is meant. {_columns_with(config)}")
    for attribute in attributes:
        if str(attribute.column) == column:
            return attribute
    known = [str(attribute.column) for attribute in attributes]
    raise UsageError(
        f"{config.source} declares no column {quote(column)}.{did_you_mean(column, known)} {_columns_with(config)}"
    )


def _columns_with(config: Config) -> str:
    attributes = (*config.quasi_identifiers, *config.sensitive)
    names = [str(attribute.column) for attribute in attributes if attribute.hierarchy or _builder(attribute)]
    if not names:
        return "No column of it has one."
    shown = ", ".join(map(quote, names[:_MOST_NAMES])) + (", .." if len(names) > _MOST_NAMES else "")
    return f"Write --column NAME: hierarchies are those of {shown}."
