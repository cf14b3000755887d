"""Where records come from: an engine, tables of databases that are read and written here, and a draw by lot."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from toolbox.config.model import Config, Portion, Remote, Requirement
from toolbox.config.settings import DELTA, EPSILON, SMALL_CLASSES, value_of
from toolbox.config.urls import ENGINES
from toolbox.errors import UsageError
from toolbox.extensions import raise_named_errors
from toolbox.flows.arguments.checks import TABLE, Reading
from toolbox.flows.arguments.tables import read_file
from toolbox.messages import choose_setting_name
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.recodings.applying import DRAWING, PrivateDrawing, make_private_drawing
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
    from toolbox.engines.tables.tables import fetch_table

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
        from toolbox.engines.tables.tables import require_place

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
    from toolbox.engines.tables.tables import store_table

    release = config.output.remote
    assert release is not None
    store_table(records, release.url, release.table or "", replace=config.output.replaces)


# (epsilon, delta)-differential privacy: records are drawn by lot, and generalised by a recoding that was fixed before.


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
    drawing = make_private_drawing(value_of(config, EPSILON), value_of(config, DELTA))
    _require_private(config)
    config, whole = _read_records(config) if table is None else (config, table)
    drawn = _draw_records(whole, config, drawing)
    k = max(drawing.k, *(int(one.parameters["k"]) for one in config.requirements))
    drawing = drawing._replace(k=k, records=whole.num_rows, drawn=drawn.num_rows)
    others = {name: value for name, value in config.others.items() if name not in (EPSILON.field, DELTA.field)}
    return replace(
        config,
        k=k,
        requirements=(Requirement(model=KAnonymity.name, parameters={"k": k}),),
        suppression_threshold=Portion(Decimal(100), is_percentage=True),
        undeclared="drop",
        output=replace(config.output, suppressed="drop"),
        others=MappingProxyType({**others, SMALL_CLASSES.field: "suppress", DRAWING: drawing}),
    ), drawn


def _require_private(config: Config) -> None:
    """Stop where a release of drawn records would not be differentially private.

    Raises
    ------
    UsageError
    """
    recoding, source = config.recoding, config.input
    made_of_data = [] if recoding is None else recoding.document["valuesOfData"]
    merge = choose_setting_name("--small-classes merge", python="small_classes='merge'")
    order = choose_setting_name("-order input", python="order='input'")
    other_models = any(one.model != KAnonymity.name for one in config.requirements)
    wrong_recoding = {
        "No saved recoding is applied": recoding is None,
        "The recoding is local": recoding is not None and recoding.shape != "levels",
        f"The recoding holds values of the table that it was made from: {', '.join(made_of_data)}": made_of_data,
        "The recoding declares sensitive attributes, which are released as they are": config.sensitive,
        "The recoding declares treatments": config.treated,
        "The recoding declares persons, who may have several records": config.person,
        "The recoding requires other models than k-anonymity": other_models,
    }
    wrong_run = {
        f"{merge} looks at the records": value_of(config, SMALL_CLASSES) == "merge",
        f"{order} tells which records were drawn": config.output.order == "input",
        "An earlier release looks at the records": config.earlier,
        "A child table has rows of records that are not drawn": config.child_tables,
        "An engine keeps the records, and none are drawn there": config.engine is not None,
        "A table of a database is not drawn from": source is not None and source.remote is not None,
        "Several files are not drawn from": source is not None and source.more,
        "A file without a header is not drawn from": source is not None and not source.header and source.path != TABLE,
    }
    saved = choose_setting_name(
        "toolbox anonymize .. -method Flash --save-recoding FILE", python="Recoding.fit(.., method='Flash')"
    )
    by_levels = f"Save a recoding with a level for each column, of columns that are all quasi-identifiers: {saved}."
    for reasons, remedy in ((wrong_recoding, by_levels), (wrong_run, "Leave it out, or make another release.")):
        if reason := next((told for told, is_so in reasons.items() if is_so), None):
            raise UsageError(f"{reason}; then a release is not differentially private. {remedy}")


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


def _draw_records(table: pa.Table, config: Config, drawing: PrivateDrawing) -> pa.Table:
    """Draw each record with the same probability, by chance that nobody can repeat.

    Raises
    ------
    UsageError
        If the recoding seems to be made from this table.
    """
    import numpy as np
    import pyarrow as pa

    assert config.recoding is not None, "one is applied"
    if config.recoding.document["made"]["records"] == table.num_rows:
        raise UsageError(
            f"The recoding was made from a table of {table.num_rows:,} records, as this one has: it must be fixed "
            "without a look at the table. Take one of other people, or one that is made of no data."
        )
    chance = np.random.default_rng(secrets.randbits(128)).random(table.num_rows)
    return table.filter(pa.array(chance < drawing.beta))
