"""Reading what a plan says of its data sets and methods: words, and the files of hierarchies."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

from toolbox.config import values
from toolbox.config.built_columns import find_unfit_kind
from toolbox.config.model import Kind, OnMissing
from toolbox.errors import (
    BadValueError,
    ConfigurationError,
    InputError,
    SettingError,
    ToolboxError,
    UsageError,
    did_you_mean,
    quote,
)
from toolbox.experiments.plan.plan import DataSet
from toolbox.experiments.plan.plan_file import Section, is_number
from toolbox.flows.explore.compare import find_compared_methods
from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.words import BUILDERS, format_builder_words, make_builder, parse_builder_words
from toolbox.hierarchy.date_formats import PERIODS
from toolbox.hierarchy.outline import convert_to_rows, read_hierarchy_file, read_hierarchy_rows
from toolbox.methods.anonymizer import find_method
from toolbox.store.input.formats.first_bytes import require_regular

# The methods that a plan names, with their settings.


def require_method(named: str) -> None:
    """Stop where a text is no method with its settings, ``Mondrian:cut=classic``."""
    (chosen,) = find_compared_methods([named])
    method = find_method(chosen.method)
    facts, usual = method.facts(), {field.name: field.default for field in fields(method)}
    for name, text in chosen.settings.items():
        words, check = facts.settings[name], facts.checks.get(name)
        if words and text not in (*words, usual[name]):
            raise SettingError(name, text, "one of " + ", ".join(words))
        try:
            if check is not None and text:
                check(text)
        except BadValueError as error:
            reason, remedy = error.args
            raise UsageError(f"{name} is {text!r}, which {reason}. {remedy}") from None


# Reading what a plan says of one data set: its words, and the files of its hierarchies.

_LISTS = ("quasi_identifiers", "sensitive", "identifiers", "person")
_TABLES = ("kinds", "weights", "priorities")


def read_data_set(section: Section) -> DataSet:
    """Read the words of a data set, and the files of its hierarchies; what is wrong is noted."""
    columns: dict[str, Any] = {name: section.columns(name) for name in _LISTS}
    columns.update({name: section.mapping(name) for name in _TABLES})
    _check_columns(section, columns)
    columns["hierarchies"] = {
        name: _read_hierarchy(section, name, value, _parse_kind(columns["kinds"].get(name)))
        for name, value in section.mapping("hierarchies").items()
    }
    _require_declared(section, columns)
    named = {word: section.text(word) for word in ("configuration", "table")}
    configuration, table = (None if text is None else section.resolve_path(word, text) for word, text in named.items())
    data = DataSet(
        # Not as the environment has it, which names of data sets do not show.
        name=section.text("name") or Path(named["configuration"] or named["table"] or "data").stem,
        configuration=configuration,
        table=table,
        columns={name: value for name, value in columns.items() if value},
        on_missing=section.text("on_missing"),
        separator=section.text("separator", may_be_blank=True),
        encoding=section.text("encoding"),
        label=section.text("label"),
        features=section.columns("features"),
        methods=section.checked("methods", require_method),
        expanded=tuple(section.expanded.items()),
    )
    section.require_no_more()
    _check_reading(section, data)
    _require_description(section, data)
    return data


def _check_reading(section: Section, data: DataSet) -> None:
    """Note what is said of how the table is read, and is no encoding or nothing that becomes of missing values."""
    for word, text, read in (
        ("encoding", data.encoding, values.parse_encoding),
        ("on_missing", data.on_missing, lambda text: values.parse_word(text, get_args(OnMissing))),
    ):
        try:
            if text is not None:
                read(text)
        except BadValueError as error:
            section.wrong(word, text, error.args[1])


def _require_description(section: Section, data: DataSet) -> None:
    """Note where a data set lacks what says how to read it, or has it twice."""
    either, called = section.notation.choose_wording, section.notation.called
    if data.configuration is not None:
        once = ("separator", "encoding", "on_missing")
        for said in (*data.columns, *(word for word in once if getattr(data, word))):
            found = f"{called(said)} cannot be combined with a configuration, which says it."
            section.fault(found, "Leave one of the two out.", said)
    elif data.table is None:
        remedy = either('table = "FILE", or configuration = "FILE.xml"', "table='FILE', or configuration='FILE.xml'")
        section.fault("it names no records.", f"Write {remedy}.")
    elif not data.columns.get("quasi_identifiers"):
        found = either("quasi_identifiers names no column.", "it has no <qid>.")
        section.fault(found, "Name the columns that an attacker may know.")


def _check_columns(section: Section, columns: Mapping[str, Any]) -> None:
    """Note what is said of columns and is no kind, no weight or no rank."""
    for name, kind in columns["kinds"].items():
        try:
            values.parse_kind(str(kind))
        except BadValueError as error:
            section.wrong(f"kinds.{name}", kind, error.args[1])
    for name, value in columns["priorities"].items():
        section.is_within(f"priorities.{name}", value, 1)
    for name, value in columns["weights"].items():
        if not (is_number(value) and 0 < value < math.inf):
            section.wrong(f"weights.{name}", value, "Write a number above 0.")


def _require_declared(section: Section, columns: Mapping[str, Any]) -> None:
    """Note what is described and is no declared column, and columns that are declared as two things."""
    roles: dict[str, str] = {}
    for word in _LISTS:
        for name in columns[word]:
            if name in roles:
                called = section.notation.called
                found = f"{quote(name)} is declared twice, by {called(roles[name])} and by {called(word)}."
                section.fault(found, "Leave one of the two out.", word, section.list_first_places(word)[name])
            roles.setdefault(name, word)
    if not columns["quasi_identifiers"]:
        return
    protected = [*columns["quasi_identifiers"], *columns["sensitive"]]
    for word, known, what in (
        ("hierarchies", protected, "neither a quasi-identifier nor sensitive"),
        ("kinds", protected, "neither a quasi-identifier nor sensitive"),
        ("priorities", columns["quasi_identifiers"], "no quasi-identifier"),
        ("weights", columns["quasi_identifiers"], "no quasi-identifier"),
    ):
        for name in columns[word]:
            if name not in known:
                found = f"{section.notation.called(f'{word}.{name}')}: this column is {what}."
                section.fault(found, f"Leave it out, or declare the column.{did_you_mean(name, known)}", word, name)


def _parse_kind(value: object) -> str | None:
    """Return the kind of a column, without the format of its dates."""
    kind = str(value).split(" ")[0].lower()
    return kind if kind in get_args(Kind) else None


def _read_hierarchy(section: Section, column: str, value: object, kind: str | None) -> Any:
    """Return a hierarchy as `toolbox.open` takes it: rows, a builder as it is written, or a file with its folder."""
    word = f"hierarchies.{column}"
    is_rows = isinstance(value, (list, tuple)) and all(isinstance(row, (list, tuple, str)) for row in value)
    if not isinstance(value, (str, Mapping)) and not is_rows:
        section.wrong(word, value, 'Write a file, a builder such as "intervals:5,10", or rows.')
        return ()
    try:
        if not isinstance(value, str):
            return _read_hierarchy_rows(column, value, kind)
        attributes = parse_builder_words(value)
        if attributes is not None:
            return _read_builder(section, column, attributes, kind)
        # Periods of dates are several words.
        return _parse_periods(value) or _check_hierarchy_file(section, column, value, kind)
    except BadValueError as error:
        section.wrong(word, value, f"It {error.args[0]}. {error.args[1]}")
    except (InputError, UsageError) as error:
        for said in list_faults(error):
            section.fault(f"{section.notation.called(word)}: {section.as_written(said)}", "", "hierarchies", column)
    return value


def _read_builder(section: Section, column: str, attributes: dict[str, str], kind: str | None) -> str:
    """Return a builder as it is written, with the folder of the file that it reads."""
    if "file" in attributes:
        attributes["file"] = str(_resolve_hierarchy_path(section, column, attributes["file"]))
    builder = make_builder(attributes)
    fitting = None if kind is None else find_unfit_kind(builder, kind)  # type: ignore[arg-type]
    if fitting is not None:
        called, toml = section.notation.called(f"hierarchies.{column}"), fitting.replace("type=", f"kinds.{column} = ")
        found = f"{called}: {builder.name} takes {builder.takes}, and the column is declared as a {kind}."
        remedy = f"Write {section.notation.choose_wording(toml, fitting)}, or another hierarchy."
        section.fault(found, remedy, "hierarchies", column)
    return format_builder_words(attributes)


def _read_hierarchy_rows(column: str, value: Any, kind: str | None) -> Any:
    """Return rows, or a mapping that stands for some, or a list of periods; all of them are read."""
    if isinstance(value, Mapping) or not _parse_periods(",".join(map(str, value))):
        rows = convert_to_rows(value, column) if isinstance(value, Mapping) else value
        read_hierarchy_rows(rows, "the rows", kind if kind in ("number", "category") else None)  # type: ignore[arg-type]
    return value


def _parse_periods(text: str) -> str:
    """Return periods of dates, ``month,year``, as they are written; nothing where a text is none."""
    words = text.split(",")
    if not all(word in PERIODS for word in words):
        return ""
    values.parse_ordered_periods(words)
    return text


def _check_hierarchy_file(section: Section, column: str, text: str, kind: str | None) -> str:
    """Return the path of a hierarchy file, which is read, so that its faults are known before anything runs."""
    word, path = f"hierarchies.{column}", _resolve_hierarchy_path(section, column, text)
    if "$" in str(path) or "\0" in text:
        # What is not set is a fault already.
        return str(path)
    hint = did_you_mean(text.partition(":")[0], BUILDERS.names)
    if hint and "." not in text and not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where a name is too long
        section.wrong(word, text, f"It is no builder and no file.{hint} The builders are {', '.join(BUILDERS.names)}.")
    elif kind in ("date", "timestamp"):
        remedy = "Write periods such as month,year,decade, or another kind."
        section.fault(f"{section.notation.called(word)}: the column is a {kind}.", remedy, "hierarchies", column)
    else:
        read_hierarchy_file(path, kind, name=column)  # type: ignore[arg-type]
    return str(path)


def _resolve_hierarchy_path(section: Section, column: str, text: str) -> Path:
    """Return the path of a file of a hierarchy, which is no pipe and no device: reading it might never end."""
    path = section.resolve_path(f"hierarchies.{column}", text)
    # Of a name that is too long, whoever reads it tells.
    with suppress(OSError):
        if path.exists() and not path.is_dir():
            require_regular(path)
    return path


def list_faults(error: ToolboxError) -> Iterator[str]:
    """Yield what is wrong, each fault in one line: settings of a builder, and the files that are read."""
    if isinstance(error, BuilderError):
        yield from (f"{found} {remedy}".strip() for found, remedy in error.wrong)
    file = error.file if isinstance(error, BuilderError) else error
    if isinstance(file, ConfigurationError):
        yield from (str(replace(fault, file=fault.file or str(file.args[0]))) for fault in file.faults)
    elif file is not None:
        yield str(file)
