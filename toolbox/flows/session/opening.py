"""Opening a table for a session: reading it once, from a configuration, a file or a table of the caller."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolbox.config.model import Attribute, Config, Limits
from toolbox.config.reading.overrides import parse_limits
from toolbox.errors import UnknownColumnError, UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments, describe, find_hierarchy_kinds
from toolbox.flows.arguments.checks import AS_SAID, Reading, check_path
from toolbox.flows.arguments.configuration import limit_threads, read_configuration, read_objects
from toolbox.flows.arguments.population import find_population
from toolbox.flows.arguments.tables import is_configuration, read_file
from toolbox.flows.release.databases import open_source
from toolbox.flows.session.loads import USUAL_SAMPLE, Declared, OpenedTable
from toolbox.steps import Steps
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import MissingValues, find_columns
from toolbox.store.input.memory import CallersTable, build_callers_table
from toolbox.store.input.text_file import find_separator
from toolbox.store.load.session import keep


@dataclass(frozen=True)
class _Opened:
    """A source that is not yet read."""

    declared: Declared
    table: CallersTable | None = None
    """None: the configuration names the input."""


def open_table(
    stack: ExitStack,
    source: Any,
    arguments: AnonymizeArguments,
    steps: Steps,
    reading: Reading = AS_SAID,
    *,
    with_records: bool = False,
    also: Collection[str] = (),
) -> OpenedTable:
    """Read a table once; `toolbox.open` explains the arguments.

    Parameters
    ----------
    stack : ExitStack
        Closes what is opened.
    source : Any
        A configuration, or its path, beside which nothing is said; or a table.
    reading : Reading
        How a file is read, and which of its sheets or tables.
    with_records : bool
        Whether it is kept, too, which record has which combination.
    also : collection of str
        Columns of which nothing is declared, and that the engine shall be able to read.

    Raises
    ------
    ToolboxError
        Whatever is wrong.
    """
    if isinstance(source, (str, Path)) and is_configuration(Path(source), is_described=bool(arguments.said)):
        source = read_configuration(Path(source), is_run=False)
    if isinstance(source, Config):
        told = [*arguments.said, *reading.said]
        if said := [name for name in told if name != "limits"]:
            raise UsageError(f"A configuration says everything itself, so {said[0]} cannot be combined with it.")
        limits = parse_limits(arguments.limits)
        opened = _open_configuration(source if limits is None else replace(source, limits=limits))
        return _read(stack, opened, steps, with_records=with_records)
    opened = _open_described_table(source, arguments, reading)
    return _read(stack, opened, steps, arguments.population, with_records=with_records, also=also)


def _open_configuration(config: Config) -> _Opened:
    config = find_separator(config)
    if config.engine is not None:
        problem = f"its records stay in {config.engine.name}, and here they are read"
        raise UsageError(f"{config.source}: {problem}. Export them, or run the configuration itself.")
    if config.input is None:
        raise UsageError(f"{config.source} names no input. Write <input filename='..'/>.")
    if not config.quasi_identifiers:
        raise UsageError(f"{config.source} declares no quasi-identifier. Write <qid> with an <att> for each.")
    known = {
        name: [str(each.column) for each in child.quasi_identifiers] for name, child in config.child_tables.items()
    }
    config = _tell_unread_tables(config, known, "The run of the configuration counts it.")
    kinds = {str(attribute.column): kind for attribute in config.quasi_identifiers if (kind := _find_kind(attribute))}
    return _Opened(Declared(config=config, asks=True, kinds=kinds, said=frozenset(kinds), dates=()))


def _tell_unread_tables(config: Config, known: Mapping[str, Sequence[str]], remedy: str) -> Config:
    """Return a configuration that says of which child tables nothing is counted, by what somebody may know of them."""
    unread = tuple(
        f"What the rows of the table {name} tell of a person ({', '.join(columns)}): a session reads the table of "
        f"persons alone. {remedy}"
        for name, columns in known.items()
        if columns
    )
    return replace(config, parameters_left_out=(*config.parameters_left_out, *unread))


def _list_known_columns(arguments: AnonymizeArguments) -> dict[str, list[str]]:
    """List what somebody may know of each child table of a call, whose rows only `toolbox.anonymize` reads.

    Raises
    ------
    UsageError
    """
    tables = arguments.tables or {}
    if tables and len(arguments.columns.person) != 1:
        raise UsageError("tables= has rows of the same persons, whom person= must name by one column.")
    for name, said in tables.items():
        if not isinstance(said, Mapping) or "source" not in said:
            raise UsageError(f"tables[{name!r}] names no table. Write tables={{{name!r}: {{'source': visits, ..}}}}.")
    return {str(name): list(map(str, said.get("quasi_identifiers", ()))) for name, said in tables.items()}


def _find_kind(attribute: Attribute) -> str | None:
    """Return the kind that a configuration says, with the format of dates; of a hierarchy the kind is its own."""
    if attribute.kind is None or attribute.hierarchy is not None:
        return None
    return attribute.kind if attribute.format is None else f"{attribute.kind} {attribute.format}"


def _open_described_table(source: Any, arguments: AnonymizeArguments, reading: Reading) -> _Opened:
    if isinstance(source, (str, Path)):
        arguments = arguments.in_file(reading)
    columns = arguments.columns
    names = {str(name) for name in (*columns.quasi_identifiers, *columns.sensitive)}
    dropped = set(columns.dropped)
    said = {str(name): kind for name, kind in columns.kinds.items()}
    if isinstance(source, (str, Path)):
        file = read_file(check_path("source", source), names, parse_limits(arguments.limits), reading)
        seen = file.kinds(columns.quasi_identifiers, {})
        described = find_hierarchy_kinds(columns.hierarchies)
        used = {name: kind for name, kind in seen.items() if name not in described}
        config = file.name_input(describe(replace(arguments, columns=replace(columns, kinds={**used, **said}))))
        table = build_callers_table(file.table, names, dropped)
    else:
        reading.require_file()
        seen = {}
        config, table = describe(arguments), build_callers_table(source, names, dropped)
    config = _tell_unread_tables(config, _list_known_columns(arguments), "toolbox.anonymize counts it.")
    declared = Declared(config=config, asks=False, kinds={**seen, **said}, said=frozenset(said), dates=())
    for needed in (*names, *dropped):
        if needed not in table.arrow.column_names:
            name = str(source) if isinstance(source, (str, Path)) else "the table"
            raise UnknownColumnError(needed, name, table.arrow.column_names)
    return _Opened(declared, table)


def _read(
    stack: ExitStack,
    opened: _Opened,
    steps: Steps,
    population: Any = None,
    *,
    with_records: bool,
    also: Collection[str] = (),
) -> OpenedTable:
    config, table = opened.declared.config, opened.table
    assert config.input is not None, "it was looked for"
    with read_objects(config.limits):
        files = InputFiles(config.input) if table is None and config.input.remote is None else None
        store = stack.enter_context(Store(config.limits.temp_dir, _find_limits(config.limits, table, files)))
        stack.enter_context(translate_file_errors(store.folder))
        people = find_population(config, population)
        people.expect(store)
        with steps.step("read"), files.watch_reading() if files is not None else nullcontext():
            source = open_source(config, None if table is None else table.arrow, files, store, also)
            layout = find_columns(config, source)
            kept = keep(
                store, source, layout, MissingValues.of(config), steps, config=config, with_records=with_records
            )
    kinds = dict(zip((str(each.column) for each in config.quasi_identifiers), layout.quasi_identifiers, strict=True))
    dates = [name for name, position in kinds.items() if source.kinds[position] in ("date", "timestamp")]
    protected = zip((str(each.column) for each in config.sensitive), layout.sensitive, strict=True)
    declared, positions = replace(opened.declared, dates=dates), {**kinds, **dict(protected)}
    read = OpenedTable(store, kept, declared, positions, people.source(store))
    if with_records:
        # Who looks at records tries previews, and waits for the table now anyway.
        read.find_sample(config, USUAL_SAMPLE)
    return read


def _find_limits(limits: Limits, table: CallersTable | None, files: InputFiles | None) -> Limits:
    """Return the limits of a session: nothing of it is kept, and small tables need one thread."""
    read = files if files is not None else table.arrow if table is not None else None
    return limit_threads(replace(limits, store=None), read)
