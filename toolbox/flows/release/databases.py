"""Where records come from: an engine, tables of databases that are read and written here, and a draw by lot."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from toolbox.config.model import Config, Remote
from toolbox.config.urls import ENGINES
from toolbox.engines.tables.tables import fetch_table, require_place, store_table
from toolbox.errors import UsageError
from toolbox.extensions import raise_named_errors
from toolbox.flows.arguments.checks import Reading
from toolbox.flows.arguments.tables import read_file
from toolbox.recodings.applying import draw_records, find_private_drawing, require_private
from toolbox.release.returned import prepare_for_engine
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.source import Source, TableSource, open_arrow_source

if TYPE_CHECKING:
    import pyarrow as pa

    from toolbox.engines.engine import Engine


def open_engine(config: Config) -> Engine:
    """Return the engine in which the records of a configuration stay; no driver of another one is imported.

    Raises
    ------
    UsageError
        If its driver is not installed, or its settings are wrong.
    """
    chosen, source, release = config.engine, config.input, config.output.remote
    assert chosen is not None and source is not None and release is not None
    kind = ENGINES[chosen.name]
    with raise_named_errors(kind, lambda failure: UsageError(f"The engine {kind.name} cannot be opened: {failure}.")):
        engine: Engine = kind.open(chosen, source, release, replaces=config.output.replaces)
        return engine


def open_source(
    config: Config,
    table: pa.Table | None,
    files: InputFiles | None,
    store: Store,
    also: Collection[str] = (),
    *,
    drawn: pa.Table | None = None,
) -> Source:
    """Open the records of a configuration: a table of the caller, its files, or its table of a database.

    Parameters
    ----------
    also : collection of str
        Columns of a table of which nothing is declared, and that the engine shall be able to read.
    drawn : pyarrow.Table, optional
        Records of a file that were drawn by lot, instead of all.

    Raises
    ------
    InputError
        If they cannot be read.
    """
    if files is not None:
        return files.source(store)
    if table is not None:
        return open_arrow_source(store, prepare_for_engine(table, config.column_names | set(also)), added=1)
    assert config.input is not None
    if drawn is not None:
        source = open_arrow_source(store, drawn)
        source.name = str(config.input.path)
        return source
    assert config.input.remote is not None
    return fetch_remote_source(config.input.remote, store)


def fetch_remote_source(remote: Remote, store: Store) -> TableSource:
    """Fetch a table of a database, as a source of records.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    table: pa.Table = fetch_table(remote.url, table=remote.table, query=remote.query)
    source = open_arrow_source(store, table)
    source.name = str(remote)
    return source


def require_remote_place(config: Config) -> None:
    """Check that the release can become a table of a database, before anything is computed.

    Raises
    ------
    OutputError
        If it cannot.
    """
    release, source = config.output.remote, config.input
    if release is not None:
        records = None if source is None else source.remote
        same = records.table if records is not None and records.url == release.url else None
        require_place(release.url, release.table or "", replace=config.output.replaces, source=same)


def store_remotely(config: Config, records: pa.Table) -> None:
    """Make the release a table of its database.

    Raises
    ------
    OutputError
        If it cannot be written; then nothing has changed.
    """
    release = config.output.remote
    assert release is not None
    store_table(records, release.url, release.table or "", replace=config.output.replaces)


# (epsilon, delta)-differential privacy: records are drawn by lot.


def draw_private_records(config: Config, table: pa.Table | None = None) -> tuple[Config, pa.Table]:
    """Draw the records of a differentially private release, and return what makes a release of them.

    Parameters
    ----------
    config : Config
        With an epsilon and a delta.
    table : pyarrow.Table, optional
        The records, if the configuration names no input.

    Raises
    ------
    UsageError
        If differential privacy would not hold.
    InputError
        If the records cannot be read.
    """
    drawing = find_private_drawing(config)
    require_private(config, is_file=table is None)
    config, whole = _read_records(config) if table is None else (config, table)
    return draw_records(whole, config, drawing)


def _read_records(config: Config) -> tuple[Config, pa.Table]:
    """Read all records of a configuration; return what is said of them as a table, too."""
    source = config.input
    assert source is not None, "no table was given"
    reading = Reading(
        separator=None if source.guesses_separator else source.separator,
        header=source.header_line if source.header_line > 1 else source.header,
        encoding=source.encoding,
        decimal=source.decimal,
        thousands=source.thousands,
        missing=source.missing,
        table=source.table,
    )
    file = read_file(source.path, config.column_names, config.limits, reading)
    return file.name_input(config), file.table
