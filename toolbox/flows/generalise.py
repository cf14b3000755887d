"""The flow of `generalise`: from counted combinations to what becomes of each, without a record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.config.formats import ANATOMY
from toolbox.config.model import Config
from toolbox.errors import UsageError
from toolbox.flows.callers_release import require_known, warn_of_lost_records, with_listed_models
from toolbox.flows.counts import table_of_counts
from toolbox.flows.description import AnonymizeArguments, describe
from toolbox.flows.generalisation import Generalisation
from toolbox.flows.models import configured_method, judged_attributes, judges_of
from toolbox.flows.recounting import Expected, kept_values
from toolbox.messages import asked_in_python
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.release.formats.one_table import statistics_header
from toolbox.release.in_memory import ReleasedPart, for_engine
from toolbox.release.mapping import Mapping, mapping_of
from toolbox.release.returned import returned
from toolbox.report.solved import SolvedResult
from toolbox.report.summarising import WrittenRelease, summarise
from toolbox.report.summary import Summary
from toolbox.steps import Steps
from toolbox.store.caller import CallersTable
from toolbox.store.loading import Loaded
from toolbox.store.source import arrow_source, date_columns
from toolbox.store.store import Store
from toolbox.store.tables import Tables
from toolbox.store.weighted import WeightedLoader, require_weights

if TYPE_CHECKING:
    import pyarrow as pa

_NAMES = ("class_id", "size", "suppressed")
"""What the columns are called that stand beside the quasi-identifiers."""


def generalise_counts(source: Any, count: str, arguments: AnonymizeArguments) -> Generalisation:
    """Generalise the combinations that a Python call gives; `toolbox.generalise` explains the arguments.

    Raises
    ------
    ToolboxError
        Whatever is wrong.
    """
    arguments = with_listed_models(arguments)
    with asked_in_python():
        require_known(arguments)
        count = str(count)
        declared = list(map(str, (*arguments.columns.quasi_identifiers, *arguments.columns.sensitive)))
        table = table_of_counts(source, [*declared, count], "the table of counts")
        config = describe(arguments, dates=date_columns(table.arrow.schema))
        _require_own_names(config, count)
        _require_whole_classes(config)
        judges = judges_of(config, arguments.models)
        method = configured_method(config, judges, arguments.chosen_method)
        with Store(config.limits.temp_dir, config.limits) as store:
            made = _generalised(store, config, method, table, count)
        warn_of_lost_records(made.summary)
        return made


def _require_own_names(config: Config, count: str) -> None:
    """Stop where a column has two parts to play, or would stand beside one of its own name."""
    if count in config.column_names:
        raise UsageError(f"count={count!r} is a declared column, too. Name the column that counts records.")
    for attribute in config.quasi_identifiers:
        if (name := str(attribute.column)) in _NAMES:
            taken = f"{', '.join(_NAMES)} are columns of what comes back"
            raise UsageError(f"No quasi-identifier can be called {name!r}: {taken}. Rename it in the table of counts.")


def _require_whole_classes(config: Config) -> None:
    if config.output.format is ANATOMY:
        remedy = "Use toolbox.anonymize on the records, or another method and format."
        raise UsageError(f"generalise() cannot make anatomy, which deals single records into groups. {remedy}")


def _generalised(store: Store, config: Config, method: Anonymizer, table: CallersTable, count: str) -> Generalisation:
    steps = Steps(None)
    source = arrow_source(store, for_engine(table.arrow, {*config.column_names, count}), added=1)
    weight = table.arrow.column_names.index(count)
    require_weights(store, source, weight)
    loader = WeightedLoader(config, source, store, weight, judged_attributes(method.models), steps)
    with steps.step("read"):
        loaded = loader.load()
    with steps.step(method.name):
        finished = method.rewrite(loaded.tables)
    with steps.step("prove"):
        shows = config.output.format.tells_classes_apart
        anonymization = method.prove(loaded.tables, finished, tells_classes_apart=shows)
    with steps.step("write"):
        made = mapping_of(anonymization.tables, config)
        mapping = _mapping(store, loader, made, table)
        classes = store.arrow(select(made.classes).order_by(made.classes.c.class_id))
    headers = _headers(anonymization.tables, has_statistics=config.output.format.has_statistics)
    expected = Expected(
        headers=headers,
        classes=classes.rename_columns([*_NAMES, *(f"shown_{index}" for index, _ in enumerate(headers))]),
        values=kept_values(store, loaded.tables.sensitive),
        models=method.models,
        count=count,
        limits=config.limits,
    )
    shown = ReleasedPart((*_NAMES, *headers), (None,) * classes.num_columns, classes, None)
    summary = _summary(config, method, loaded, anonymization, made, steps)
    return Generalisation(summary, mapping, returned(shown, table, keeps_index=False), expected)


def _mapping(store: Store, loader: WeightedLoader, made: Mapping, table: CallersTable) -> Any:
    """Return the quasi-identifiers as they were given, each combination once, with the numbers of their classes."""
    first, layout = loader.first_rows(), loader.layout
    placed = select(first.c.row, made.keys.c.class_id).join_from(first, made.keys, first.c.key == made.keys.c.key)
    rows: pa.Table = store.arrow(placed.order_by(first.c.row))
    part = ReleasedPart(
        headers=(*(layout.names[position] for position in layout.quasi_identifiers), _NAMES[0]),
        passed=(*layout.quasi_identifiers, None),
        made=rows.select([_NAMES[0]]),
        rows=rows.column("row").to_numpy(),
    )
    return returned(part, table, keeps_index=False)


def _headers(tables: Tables, *, has_statistics: bool) -> tuple[str, ...]:
    """Name the columns by which readers tell classes apart, as `toolbox.release.mapping` returns them."""
    statistics = [statistics_header(attribute.name, attribute) for attribute in tables.quasi_identifiers]
    return (*(attribute.name for attribute in tables.quasi_identifiers), *(statistics if has_statistics else ()))


def _summary(
    config: Config, method: Anonymizer, loaded: Loaded, anonymization: Anonymization, made: Mapping, steps: Steps
) -> Summary:
    nothing_written = WrittenRelease(
        files=(),
        leftovers=(),
        digests={"input": None, "configuration": None, "release": {}},
        formulas=(),
        solved=tuple(SolvedResult(*column) for column in made.solved),
    )
    # No records are put into an order here, which a seed could betray.
    unordered = replace(config, seed=None)
    timings = steps.timings()
    return summarise(unordered, method, loaded, anonymization, nothing_written, passed=(), timings=timings)
