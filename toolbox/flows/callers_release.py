"""The flow of a Python call of `anonymize`: from a table, a file or a configuration to a `Result`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from toolbox.config.limits import limits_of
from toolbox.config.model import Config
from toolbox.errors import SettingError, UnknownColumnError, UsageError, did_you_mean
from toolbox.flows.anonymize import run
from toolbox.flows.arguments import one_path, several
from toolbox.flows.configuration import read_configuration
from toolbox.flows.description import AnonymizeArguments, Index, describe
from toolbox.flows.outcome import AskedRelease
from toolbox.flows.result import ReleasedFiles, Result
from toolbox.flows.table_files import is_configuration, read_file
from toolbox.flows.text_input import AS_SAID, Reading
from toolbox.messages import asked_in_python, warn
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.release.returned import returned
from toolbox.report.summary import Summary
from toolbox.store.caller import CallersTable, callers_table
from toolbox.store.separators import with_separator
from toolbox.store.source import date_columns

if TYPE_CHECKING:
    import pyarrow as pa


def callers_release(source: Any, arguments: AnonymizeArguments, reading: Reading = AS_SAID) -> Result:
    """Make the release that a Python call asks for; `toolbox.anonymize` explains the arguments.

    Parameters
    ----------
    reading : Reading
        How the source is read, where it is a file.

    Raises
    ------
    ToolboxError
        Whatever is wrong.
    """
    arguments = with_listed_models(arguments)
    settings = [*arguments.said, *reading.said]
    if isinstance(source, (str, Path)) and is_configuration(Path(source), is_described=bool(settings)):
        source = read_configuration(Path(source))
    if isinstance(source, Config):
        if settings:
            raise UsageError(
                f"A configuration says everything itself, so {settings[0]} cannot be combined with it. "
                "Change it there, or use anonymize(load_config(path, k=5, ...))."
            )
        return _of_configuration(source)
    with asked_in_python():
        require_known(arguments)
        if isinstance(source, (str, Path)):
            return _of_file(one_path("source", source), arguments.in_file(reading), reading)
        reading.require_file()
        return _of_table(source, arguments)


def with_listed_models(arguments: AnonymizeArguments) -> AnonymizeArguments:
    """Return the arguments with a tuple of models; a k beside them is added as one more model."""
    models = several(arguments.models)
    if not models or arguments.k is None:
        return replace(arguments, models=models)
    return replace(arguments, models=tuple(dict.fromkeys((*models, KAnonymity(k=arguments.k)))), k=None)


def require_known(arguments: AnonymizeArguments, method: type[Anonymizer] | None = None) -> None:
    """Stop where neither the call nor the method knows an argument, or where the word for the index is wrong.

    Parameters
    ----------
    method : type of Anonymizer, optional
        The method, where not the arguments alone name it.

    Raises
    ------
    UsageError
    """
    method = method or arguments.chosen_method
    own = sorted(method.facts().settings)
    known = [field.name for field in (*fields(arguments.columns), *fields(arguments))]
    names = [name for name in known if name not in ("columns", "settings", "call")]
    for name in arguments.settings:
        if name.lower() not in own:
            takes = f"{method.name} has the settings {', '.join(own)}" if own else f"{method.name} has no settings"
            raise UsageError(
                f"{arguments.call}() has no argument {name!r}.{did_you_mean(name, [*names, *own])} {takes}."
            )
    if arguments.index not in (None, *get_args(Index)):
        raise SettingError("index", arguments.index, "one of " + ", ".join(map(repr, get_args(Index))))


def _of_configuration(config: Config) -> Result:
    config = with_separator(config)
    if config.output.path is None and config.output.remote is None:
        raise UsageError(f"{config.source} names no release. Write <output filename='release.csv'/> into it.")
    outcome = run(config)
    files = tuple(ReleasedFiles(paths, config.release_separator, outcome.has_header) for paths in outcome.files)
    warn_of_lost_records(outcome.summary)
    return Result(outcome.summary, files, AskedRelease(config, (), lambda: config.input))


def _of_table(source: object, arguments: AnonymizeArguments) -> Result:
    table = callers_table(source, _read_names(arguments), _dropped_names(arguments))

    def again() -> pa.Table:
        return callers_table(source, _read_names(arguments), _dropped_names(arguments)).arrow

    return _released(table, describe(arguments, dates=date_columns(table.arrow.schema)), arguments, again)


def _of_file(path: Path, arguments: AnonymizeArguments, reading: Reading) -> Result:
    file = read_file(path, _read_names(arguments), limits_of(arguments.limits), reading)
    columns = arguments.columns
    kinds = {**file.kinds(columns.quasi_identifiers, columns.hierarchies), **columns.kinds}
    described = replace(arguments, columns=replace(columns, kinds=kinds))
    config = describe(described, dates=date_columns(file.table.schema))
    table = callers_table(file.table, _read_names(arguments), _dropped_names(arguments))

    def again() -> pa.Table:
        return read_file(path, _read_names(arguments), limits_of(arguments.limits), reading).table

    return _released(table, file.named_in(config), arguments, again)


def _read_names(arguments: AnonymizeArguments) -> set[str]:
    """Return the names of the columns that are read."""
    return {str(name) for name in (*arguments.columns.quasi_identifiers, *arguments.columns.sensitive)}


def _dropped_names(arguments: AnonymizeArguments) -> set[str]:
    return set(map(str, arguments.columns.identifiers))


def _released(
    table: CallersTable, config: Config, arguments: AnonymizeArguments, again: Callable[[], pa.Table]
) -> Result:
    """Run; `again` returns the table anew, so that no result keeps all records of its source."""
    index = arguments.index
    declared = (attribute.column for attribute in (*config.quasi_identifiers, *config.sensitive))
    for column in (*config.identifiers, *declared):
        if column.name is not None and column.name not in table.arrow.column_names:
            raise UnknownColumnError(column.name, "the table", table.arrow.column_names)
    if index == "keep" and config.output.format.has_groups:
        raise UsageError("index='keep' would connect the two tables of anatomy line by line. Leave it out.")
    method, population = arguments.chosen_method, arguments.population
    outcome = run(config, table=table.arrow, method=method, models=arguments.models, population=population)
    tables = tuple(returned(part, table, keeps_index=index == "keep") for part in outcome.released)
    if index is None and table.has_index:
        warn(
            "The index of the table is not in the release, because it may name people as an identifier does. "
            "index='keep' keeps it with its records, index='drop' leaves it out without this warning."
        )
    warn_of_lost_records(outcome.summary)
    return Result(outcome.summary, tables, AskedRelease(config, tuple(arguments.models), again, population))


def warn_of_lost_records(summary: Summary) -> None:
    """Warn about records that are not in the release, except those that the caller wanted to leave out."""
    if count := summary.lines_rejected:
        lines = "1 line is" if count == 1 else f"{count:,} lines are"
        warn(f"{lines} not in the release: they do not fit the others.")
    if count := summary.records_skipped:
        records = "1 record is" if count == 1 else f"{count:,} records are"
        remedy = "on_missing='keep' keeps them, with missing as a category."
        warn(f"{records} not in the release: a declared column has no value. {remedy}")
