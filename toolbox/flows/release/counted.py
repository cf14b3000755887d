"""The flow of `generalise`: from counted combinations to what becomes of each, without a record, and its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BigInteger, FromClause, cast, column, select
from sqlalchemy import table as table_of

from toolbox.config.model import Config, Kind, Limits
from toolbox.errors import UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments, describe, require_known
from toolbox.flows.arguments.configuration import limit_threads
from toolbox.flows.arguments.models import find_judged_attributes, make_method, models_of, require_counted_alone
from toolbox.flows.arguments.tables import make_counts_table
from toolbox.flows.release.pipeline import prepare_release, warn_of_lost_records
from toolbox.messages import name_python_arguments
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.proof.proof import Proof
from toolbox.privacy.proof.recount import JudgedValues, Recount
from toolbox.release.formats.gen_vals_dist import MappingTables
from toolbox.release.returned import ReleasedPart, build_returned_table, prepare_for_engine
from toolbox.report.console import ConsoleReport
from toolbox.report.runs.summary import Summary
from toolbox.steps import Steps
from toolbox.store.engine.store import Store
from toolbox.store.input.memory import CallersTable
from toolbox.store.input.source import column_text, list_date_columns, open_arrow_source
from toolbox.store.load.counted import WeightedLoader, require_weights
from toolbox.store.tables import SensitiveTables

if TYPE_CHECKING:
    import pyarrow as pa


# What a release must show when its records are counted again, kept beyond the run that made it.


class _Values(NamedTuple):
    """`JudgedValues` in memory."""

    kind: Kind
    codes: pa.Table
    overall: pa.Table
    tree: pa.Table | None


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The classes of a release, and the values of the sensitive attributes that are judged; all in memory."""

    headers: tuple[str, ...]
    """What the release calls the columns by which readers tell classes apart."""
    classes: pa.Table
    """These columns as ``shown_0 ..``, then ``size, suppressed``."""
    values: Mapping[str, _Values]
    models: tuple[PrivacyModel, ...]
    count: str
    """What the column is called that counts records, unless the caller says otherwise."""
    limits: Limits

    def prove(self, recount: Any, count: str | None) -> Proof:
        """Compare a release that was counted again with what it must show, and judge it.

        Parameters
        ----------
        recount : table
            The headers, the judged attributes and the count, in as many rows as one likes.

        Raises
        ------
        UsageError
            If a column is not there, or two are called the same.
        ProofError
        """
        weight = self.count if count is None else str(count)
        shown_or_judged = [*self.headers, *self.values]
        if weight in shown_or_judged:
            raise UsageError(f"count={weight!r} is a column of the release, too. Name the column that counts records.")
        names = [*shown_or_judged, weight]
        given = make_counts_table(recount, names, "the recount").arrow
        with Store(self.limits.temp_dir, limit_threads(self.limits, given)) as store:
            source = open_arrow_source(store, prepare_for_engine(given, names), added=1)
            positions = {name: given.column_names.index(name) for name in names}
            require_weights(store, source, positions[weight])
            relation = source.relation()
            shown = [
                column_text(relation, positions[header]).label(f"shown_{index}")
                for index, header in enumerate(self.headers)
            ]
            size = cast(relation.c[f"c{positions[weight]}"], BigInteger).label("size")
            held = {
                name: select(*shown, column_text(relation, positions[name]).label("text"), size).subquery()
                for name in self.values
            }
            return Recount(
                store=store,
                shown=tuple(column.name for column in shown),
                stated=_register_table(store, self.classes),
                found=select(*shown, size).subquery(),
                held=held,
                values={name: _make_judged_values(store, values) for name, values in self.values.items()},
            ).prove(self.models)


def fetch_judged_values(store: Store, sensitive: Mapping[str, SensitiveTables]) -> dict[str, _Values]:
    """Fetch what must be known of the judged attributes when a release is counted again."""
    return {
        name: _Values(
            tables.kind,
            store.arrow(select(tables.codes)),
            store.arrow(select(tables.overall)),
            None if tables.tree is None else store.arrow(select(tables.tree)),
        )
        for name, tables in sensitive.items()
    }


def _make_judged_values(store: Store, values: _Values) -> JudgedValues:
    tree = None if values.tree is None else _register_table(store, values.tree)
    return JudgedValues(values.kind, _register_table(store, values.codes), _register_table(store, values.overall), tree)


def _register_table(store: Store, table: pa.Table) -> FromClause:
    return table_of(store.register("kept", table), *map(column, table.column_names))


# What `toolbox.generalise` returns: what becomes of each combination, and the proof of what was written with it.


@dataclass(frozen=True, repr=False)
class Generalisation(ConsoleReport):
    """What becomes of each combination of a table that was counted.

    Parameters
    ----------
    summary : Summary

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> counts = pd.DataFrame({"age": [25, 27, 61], "n": [1, 1, 2]})
    >>> made = toolbox.generalise(counts, quasi_identifiers=["age"], k=2)
    >>> made
    <Generalisation: Mondrian, 4 records in 2 classes, smallest 2; k-anonymity 2 (required 2)>
    >>> made.mapping
       age  class_id
    0   25         1
    1   27         1
    2   61         0
    >>> made.classes
       class_id  size  suppressed      age
    0         0     2       False       61
    1         1     2       False  [25:27]
    >>> made.verify(pd.DataFrame({"age": ["[25:27]", "61"], "n": [2, 2]})).smallest_class
    2
    """

    summary: Summary
    mapping: Any
    """The quasi-identifiers as they were given and ``class_id``: one row per combination that is released. A table of
    the caller's kind."""
    classes: Any
    """``class_id, size, suppressed`` and a text for each quasi-identifier, and for its statistics: one row per class
    that readers can tell apart. A table of the caller's kind."""
    _expected: Expected = field(repr=False)

    def verify(self, recount: Any, *, count: str | None = None) -> Proof:
        """Prove what was written: its records, counted again, are in the classes that were made, and all models hold.

        Parameters
        ----------
        recount : DataFrame of pandas or Polars, Arrow table or what gives itself as Arrow
            The release that was written, grouped by its generalised columns and by the sensitive attributes that a
            privacy model judges, with the count of each group. Two rows may hold the same values.
        count : str, optional
            The column with the counts; by default called as in the table that was given.

        Returns
        -------
        Proof
            What was found.

        Raises
        ------
        ProofError
            If a class is missing, invented or of another size, or if a model does not hold.
        UsageError
            If a column is missing.
        """
        with name_python_arguments():
            return self._expected.prove(recount, count)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return self.summary.headline()

    def show_on(self, console: Any) -> None:
        """Print the summary on a console of rich."""
        self.summary.show_on(console)


# The flow of `generalise`: from counted combinations to what becomes of each, without a record.

_NAMES = ("class_id", "size", "suppressed")
"""What the columns are called that stand beside the quasi-identifiers."""


def generalise_counts(source: Any, count: str, arguments: AnonymizeArguments) -> Generalisation:
    """Generalise the combinations that a Python call gives; `toolbox.generalise` explains the arguments.

    Raises
    ------
    ToolboxError
        Whatever is wrong.
    """
    arguments = arguments.with_models_listed()
    with name_python_arguments():
        require_known(arguments)
        count = str(count)
        declared = list(map(str, (*arguments.columns.quasi_identifiers, *arguments.columns.sensitive)))
        table = make_counts_table(source, [*declared, count], "the table of counts")
        config = describe(arguments, dates=list_date_columns(table.arrow.schema))
        _require_own_names(config, count)
        _require_whole_classes(config)
        judges = models_of(config, arguments.models)
        method = make_method(config, judges, arguments.chosen_method)
        require_counted_alone(judges, "only combinations are counted")
        with Store(config.limits.temp_dir, limit_threads(config.limits, table.arrow)) as store:
            made = _generalise_counts(store, config, method, table, count)
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
    chosen = config.output.format
    if chosen.needs_records:
        remedy = "Use toolbox.anonymize on the records, or another method and format."
        raise UsageError(f"generalise() cannot make {chosen.name}, which {chosen.needs_records}. {remedy}")


def _generalise_counts(
    store: Store, config: Config, method: Anonymizer, table: CallersTable, count: str
) -> Generalisation:
    steps = Steps(None)
    source = open_arrow_source(store, prepare_for_engine(table.arrow, {*config.column_names, count}), added=1)
    weight = table.arrow.column_names.index(count)
    require_weights(store, source, weight)
    loader = WeightedLoader(config, source, store, weight, find_judged_attributes(method.models), steps)
    made = prepare_release(loader, method, config, steps)
    mapping = _build_mapping(store, loader, made.mapping, table)
    classes = store.arrow(select(made.mapping.classes).order_by(made.mapping.classes.c.class_id))
    expected = Expected(
        headers=made.headers,
        classes=classes.rename_columns([*_NAMES, *(f"shown_{index}" for index, _ in enumerate(made.headers))]),
        values=fetch_judged_values(store, made.loaded.tables.sensitive),
        models=method.models,
        count=count,
        limits=config.limits,
    )
    shown = ReleasedPart((*_NAMES, *made.headers), (None,) * classes.num_columns, classes, None)
    summary = made.summary(config, method, steps)
    return Generalisation(summary, mapping, build_returned_table(shown, table, keeps_index=False), expected)


def _build_mapping(store: Store, loader: WeightedLoader, made: MappingTables, table: CallersTable) -> Any:
    """Return the quasi-identifiers as they were given, each combination once, with the numbers of their classes."""
    first, layout = loader.find_first_rows(), loader.layout
    placed = select(first.c.row, made.keys.c.class_id).join_from(first, made.keys, first.c.key == made.keys.c.key)
    rows: pa.Table = store.arrow(placed.order_by(first.c.row))
    part = ReleasedPart(
        headers=(*(layout.names[position] for position in layout.quasi_identifiers), _NAMES[0]),
        passed=(*layout.quasi_identifiers, None),
        made=rows.select([_NAMES[0]]),
        rows=rows.column("row").to_numpy(),
    )
    return build_returned_table(part, table, keeps_index=False)
