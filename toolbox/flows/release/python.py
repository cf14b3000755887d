"""The flow of a Python call of `anonymize`: from a table, a file or a configuration to a `Result`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from toolbox.config.model import Attribute, Column, Config, MethodFacts, QuasiIdentifier, ReportKind
from toolbox.config.reading.overrides import ORPHANS, make_child_config, parse_limits
from toolbox.errors import UnknownColumnError, UsageError, did_you_mean
from toolbox.flows.arguments.anonymize import (
    AnonymizeArguments,
    declare_columns,
    describe,
    require_hierarchies,
    require_known,
)
from toolbox.flows.arguments.checks import AS_SAID, Reading, check_path, check_word, declare_treatments
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.arguments.tables import ReleasedFiles, TableFile, is_configuration, read_file
from toolbox.flows.release.anonymize import run
from toolbox.flows.release.pipeline import AskedRelease, Outcome, warn_of_lost_records
from toolbox.messages import Language, name_python_arguments, warn
from toolbox.release.returned import build_returned_table, to_pandas
from toolbox.report.console import ConsoleReport
from toolbox.report.runs.summary import Summary
from toolbox.store.disk.directory_lock import hear_interrupts
from toolbox.store.input.memory import CallersTable, build_callers_table
from toolbox.store.input.source import list_date_columns
from toolbox.store.input.text_file import find_separator

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


# What `toolbox.anonymize` returns: the release, as any kind of table, and its summary.

_TWO = "An anatomy release has two tables. Take result.{} instead of result.{}."


@dataclass(frozen=True, repr=False)
class Result(ConsoleReport):
    """A release and its summary.

    Parameters
    ----------
    summary : Summary

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> ages = pd.DataFrame({"age": [25, 27, 61, 64]})
    >>> toolbox.anonymize(ages, quasi_identifiers=["age"], k=2)
    <Result: Mondrian, 4 records in 2 classes, smallest 2; k-anonymity 2 (required 2); columns: age>
    """

    summary: Summary
    _held: tuple[Any, ...] = field(repr=False)
    """The tables, or the files that hold them."""
    _asked: AskedRelease | None = field(default=None, repr=False, compare=False)
    """What was asked for, so that judges can look at the release."""
    _children: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The child tables, or the files that hold them."""

    @cached_property
    def child_tables(self) -> Mapping[str, Any]:
        """The tables that were released with this one, by their names, each as its source was."""
        return {
            name: table.read() if isinstance(table, ReleasedFiles) else table for name, table in self._children.items()
        }

    @cached_property
    def tables(self) -> tuple[Any, ...]:
        """The tables of the release as the source was: DataFrames of pandas or Polars, or Arrow tables.

        One, or for anatomy the QIT and the ST. A release that was written to files is read as Arrow.
        """
        return tuple(table.read() if isinstance(table, ReleasedFiles) else table for table in self._held)

    @cached_property
    def parts(self) -> tuple[pd.DataFrame, ...]:
        """The tables of the release as DataFrames of pandas: one, or for anatomy the QIT and the ST."""
        with name_python_arguments():
            return tuple(
                table if hasattr(table, "iloc") else to_pandas(_convert_to_arrow(table)) for table in self.tables
            )

    @property
    def release(self) -> pd.DataFrame:
        """The release as a DataFrame of pandas; what passed through has the types that it had.

        Raises
        ------
        UsageError
            If it has two parts, as anatomy has.
        """
        frame: pd.DataFrame = self._require_only(self.parts, "release")
        return frame

    def to_arrow(self) -> pa.Table:
        """Return the release as an Arrow table; an index that was kept is a column.

        Raises
        ------
        UsageError
            If it has two parts, as anatomy has.
        """
        return _convert_to_arrow(self._require_only(self.tables, "to_arrow()"))

    def to_polars(self) -> pl.DataFrame:
        """Return the release as a DataFrame of Polars, which must be installed.

        Raises
        ------
        UsageError
            If it has two parts, as anatomy has, or Polars is not installed.
        """
        table = self._require_only(self.tables, "to_polars()")
        try:
            import polars
        except ImportError:
            raise UsageError("Polars is not installed. Install polars, or take result.to_arrow().") from None
        hear_interrupts()
        if isinstance(table, polars.DataFrame):
            return table
        frame = polars.from_arrow(_convert_to_arrow(table))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_html(
        self,
        kind: ReportKind = "internal",
        path: str | Path | None = None,
        *,
        matching: bool = False,
        language: Language = "en",
    ) -> str:
        """Return the report as one page for people: what the release protects, what it cost, who is still at risk.

        The judges measure the release when this is called; for an internal page they read the source once more, which
        must be as it was. A result that was pickled has no page any more.

        Parameters
        ----------
        kind : {'internal', 'public'}
            For those who may know what the original records hold, or for everybody: then the page tells nothing that
            the release does not tell.
        path : str or Path, optional
            A file to write as well; one of this name is replaced.
        matching : bool
            Whether an internal page also tells what an attacker learns who matches everybody at once.
        language : {'en', 'de', 'fr', 'es', 'it'}
            Of the page.

        Returns
        -------
        str
            HTML with its style in it and no script.

        Raises
        ------
        UsageError
            If the kind or the language is unknown, the result was pickled, the release became a table of a database, or
            a public page is to tell what an attacker learns who knows people.
        OutputError
            If the file cannot be written.

        Examples
        --------
        >>> import pandas as pd
        >>> import toolbox
        >>> ages = pd.DataFrame({"age": [25, 27, 61, 64]})
        >>> toolbox.anonymize(ages, quasi_identifiers=["age"], k=2).to_html(kind="public")[:15]
        '<!doctype html>'
        """
        from toolbox.flows.release.pages import render_result_page

        with name_python_arguments():
            kind = check_word("kind", kind, ReportKind)
            language = check_word("language", language, Language)
            return render_result_page(
                self.summary, self._asked, self.tables, kind, path, matching=matching, language=language
            )

    def _require_only(self, tables: Sequence[Any], call: str) -> Any:
        if len(tables) > 1:
            raise UsageError(_TWO.format("parts" if call == "release" else "tables", call))
        return tables[0]

    def headline(self) -> str:
        """Return the most important facts in one line."""
        is_unread = any(isinstance(table, ReleasedFiles) for table in self._held)
        return self.summary.headline() + ("" if is_unread else f"; columns: {_format_column_names(self.tables)}")

    def show_on(self, console: Any) -> None:
        """Print the summary on a console of rich."""
        self.summary.show_on(console)


def _format_column_names(tables: Sequence[Any]) -> str:
    names = list(map(str, getattr(tables[-1], "column_names", tables[-1].columns)))
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _convert_to_arrow(table: Any) -> pa.Table:
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    if hasattr(table, "iloc"):
        import pandas as pd

        plain = isinstance(table.index, pd.RangeIndex) and table.index.name is None
        return pa.Table.from_pandas(table, preserve_index=not plain).replace_schema_metadata(None)
    return table.to_arrow()


# The flow of a Python call of `anonymize`: from a table, a file or a configuration to a `Result`.


def make_callers_release(source: Any, arguments: AnonymizeArguments, reading: Reading = AS_SAID) -> Result:
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
    arguments = arguments.with_models_listed().with_tables_apart()
    settings = [*arguments.said, *reading.said]
    if isinstance(source, (str, Path)) and is_configuration(Path(source), is_described=bool(settings)):
        source = read_configuration(Path(source))
    if isinstance(source, Config):
        if settings:
            raise UsageError(
                f"A configuration says everything itself, so {settings[0]} cannot be combined with it. "
                "Change it there, or use anonymize(load_config(path, k=5, ...))."
            )
        return _release_by_configuration(source)
    with name_python_arguments():
        require_known(arguments)
        if isinstance(source, (str, Path)):
            return _release_file(check_path("source", source), arguments.in_file(reading), reading)
        reading.require_file()
        return _release_table(source, arguments)


def _release_by_configuration(config: Config) -> Result:
    config = find_separator(config)
    if config.output.path is None and config.output.remote is None:
        raise UsageError(f"{config.source} names no release. Write <output filename='release.csv'/> into it.")
    outcome = run(config)
    files = _list_released_files(outcome, config)
    children = {
        name: _list_released_files(child, config.child_tables[name])[0] for name, child in outcome.child_tables.items()
    }
    warn_of_lost_records(outcome.summary)
    return Result(outcome.summary, files, AskedRelease(config, (), lambda: config.input), children)


def _list_released_files(outcome: Outcome, config: Config) -> tuple[ReleasedFiles, ...]:
    return tuple(ReleasedFiles(paths, config.release_separator, outcome.has_header) for paths in outcome.files)


def _release_table(source: object, arguments: AnonymizeArguments) -> Result:
    table = build_callers_table(source, list_read_names(arguments), list_dropped_names(arguments))

    def again() -> pa.Table:
        return build_callers_table(source, list_read_names(arguments), list_dropped_names(arguments)).arrow

    return run_on_table(table, describe(arguments, dates=list_date_columns(table.arrow.schema)), arguments, again)


def _release_file(path: Path, arguments: AnonymizeArguments, reading: Reading) -> Result:
    def read() -> TableFile:
        return read_file(path, list_read_names(arguments), parse_limits(arguments.limits), reading)

    file = read()
    columns = arguments.columns
    kinds = {**file.kinds(columns.quasi_identifiers, columns.hierarchies), **columns.kinds}
    described = replace(arguments, columns=replace(columns, kinds=kinds))
    config = describe(described, dates=list_date_columns(file.table.schema))
    table = build_callers_table(file.table, list_read_names(arguments), list_dropped_names(arguments))

    return run_on_table(table, file.name_input(config), arguments, lambda: read().table)


def list_read_names(arguments: AnonymizeArguments) -> set[str]:
    """Return the names of the columns that are read."""
    return {str(name) for name in (*arguments.columns.quasi_identifiers, *arguments.columns.sensitive)}


def list_dropped_names(arguments: AnonymizeArguments) -> set[str]:
    """Return the names of the columns that are dropped."""
    return set(arguments.columns.dropped)


def run_on_table(
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
    facts = arguments.chosen_method.facts(None)
    children = {name: _read_child(name, said, config, facts) for name, said in (arguments.tables or {}).items()}
    config = replace(config, child_tables={name: child for name, (child, _) in children.items()})
    _require_recoding_apart(config, arguments)
    given = {name: read.arrow for name, (_, read) in children.items()}
    method, population = arguments.chosen_method, arguments.population
    outcome = run(
        config, table=table.arrow, method=method, models=arguments.models, population=population, child_tables=given
    )
    tables = tuple(build_returned_table(part, table, keeps_index=index == "keep") for part in outcome.released)
    if index is None and table.has_index:
        warn(
            "The index of the table is not in the release, because it may name people as an identifier does. "
            "index='keep' keeps it with its records, index='drop' leaves it out without this warning."
        )
    warn_of_lost_records(outcome.summary)
    returned = {
        name: build_returned_table(made.released[0], children[name][1], keeps_index=False)
        for name, made in outcome.child_tables.items()
    }
    asked = AskedRelease(config, tuple(arguments.models), again, population)
    return Result(outcome.summary, tables, asked, returned)


def _require_recoding_apart(config: Config, arguments: AnonymizeArguments) -> None:
    """Stop where the recoding, the only file that a call writes, would replace one that it reads."""
    if (target := config.output.recoding) is None:
        return
    tables = (arguments.tables or {}).values()
    named = [
        *(said["source"] for said in tables),
        *(value for value in config.others.values() if isinstance(value, Path)),
        *(arguments.population, *config.earlier, config.input and config.input.path),
    ]
    if any(isinstance(each, (str, Path)) and os.path.realpath(each) == os.path.realpath(target) for each in named):
        raise UsageError(f"save_recoding= names {str(target)!r}, which the call reads. Name another file.")


# The child tables of a call.

_OF_CHILDREN = (
    "source",
    "key",
    "identifiers",
    "quasi_identifiers",
    "sensitive",
    "hierarchies",
    "kinds",
    "treatments",
    "orphans",
)


def _read_child(name: str, said: Mapping[str, Any], config: Config, facts: MethodFacts) -> tuple[Config, CallersTable]:
    """Read what a call says of a child table.

    Raises
    ------
    UsageError
    """
    called = f"tables[{name!r}]"
    if not isinstance(said, Mapping) or "source" not in said:
        raise UsageError(f"{called} names no table. Write tables={{{name!r}: {{'source': visits, 'key': 'patient'}}}}.")
    for word in said:
        if word not in _OF_CHILDREN:
            hint = did_you_mean(str(word), _OF_CHILDREN)
            raise UsageError(f"{called} says {word!r}, which means nothing.{hint} It takes {', '.join(_OF_CHILDREN)}.")
    if len(config.person) != 1:
        raise UsageError(f"{called} has rows of the same persons, whom person= must name by one column.")
    if config.output.format.has_groups or config.output.format.has_statistics:
        raise UsageError(f"{called} cannot be released with the format {config.output.format.name}. Leave one out.")
    orphans = check_word("orphans", said.get("orphans", ORPHANS[0]), Literal["refuse", "drop"])
    known, sensitive, treatments = (
        list(map(str, said.get("quasi_identifiers", ()))),
        list(map(str, said.get("sensitive", ()))),
        said.get("treatments", {}),
    )
    hierarchies, kinds = said.get("hierarchies", {}), said.get("kinds", {})
    dropped = {*map(str, said.get("identifiers", ())), str(said.get("key", config.person[0]))}
    source, read = said["source"], {*known, *sensitive}
    if isinstance(source, (str, Path)):
        file = read_file(check_path(f"{called}['source']", source), {*read, *dropped}, None, AS_SAID)
        source, kinds = file.table, {**file.kinds(known, hierarchies), **kinds}
    table = build_callers_table(source, {*read, *map(str, treatments)}, dropped)
    for column in (*known, *sensitive, *map(str, treatments), *dropped):
        if column not in table.arrow.column_names:
            raise UnknownColumnError(column, called, table.arrow.column_names)
    declared: tuple[QuasiIdentifier, ...] = ()
    protected = tuple(Attribute(column=Column(index=None, name=each), kind=None) for each in sensitive)
    if known:
        declared, protected = declare_columns(known, sensitive, hierarchies, kinds)
        dates = [f"{name}.{each}" for each in list_date_columns(table.arrow.schema)]
        called_so = [replace(each, column=Column(index=None, name=f"{name}.{each.column}")) for each in declared]
        require_hierarchies(facts, called_so, dates)
    child = make_child_config(
        config,
        name,
        key=Column(index=None, name=str(said.get("key", config.person[0]))),
        source=config.input,
        identifiers=tuple(Column(index=None, name=str(each)) for each in said.get("identifiers", ())),
        quasi_identifiers=declared,
        sensitive=protected,
        treated=declare_treatments(treatments, known, sensitive),
        orphans=orphans,
    )
    return child, table
