"""The flow of `generalise`: from counted combinations to what becomes of each, without a record."""

from __future__ import annotations

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
from toolbox.flows.population import require_no_population
from toolbox.flows.recounting import Expected, kept_values
from toolbox.flows.threads import few_threads
from toolbox.flows.without_records import made_of
from toolbox.messages import asked_in_python
from toolbox.methods.anonymizer import Anonymizer
from toolbox.release.in_memory import ReleasedPart, for_engine
from toolbox.release.mapping import Mapping
from toolbox.release.returned import returned
from toolbox.steps import Steps
from toolbox.store.caller import CallersTable
from toolbox.store.source import arrow_source, date_columns
from toolbox.store.store import Store
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
        require_no_population(judges, "only combinations are counted")
        with Store(config.limits.temp_dir, few_threads(config.limits, table.arrow)) as store:
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
    made = made_of(loader, method, config, steps)
    mapping = _mapping(store, loader, made.mapping, table)
    classes = store.arrow(select(made.mapping.classes).order_by(made.mapping.classes.c.class_id))
    expected = Expected(
        headers=made.headers,
        classes=classes.rename_columns([*_NAMES, *(f"shown_{index}" for index, _ in enumerate(made.headers))]),
        values=kept_values(store, made.loaded.tables.sensitive),
        models=method.models,
        count=count,
        limits=config.limits,
    )
    shown = ReleasedPart((*_NAMES, *made.headers), (None,) * classes.num_columns, classes, None)
    summary = made.summary(config, method, steps)
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
