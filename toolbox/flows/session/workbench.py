"""A table that was read once, and what is asked of it: runs, and who is at risk; each argument is checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute
from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments
from toolbox.flows.session.histograms import Distributions
from toolbox.flows.session.loads import CombinationLoader, Load
from toolbox.flows.session.records import Filter, Paging, RecordView, find_view_key
from toolbox.flows.session.run import Cancelling, RequestedFigures, preview_release
from toolbox.flows.session.variants import Declared, KeptVariants, RunRequest, choose_columns, make_run_request
from toolbox.report.explore.records import AtRisk, BeforeAndAfter, Histogram, RecordClass, RecordsPage, ValuesAtRisk
from toolbox.report.runs.variant import Variant
from toolbox.steps import Steps
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import MissingValues
from toolbox.store.input.source import Source, column_text
from toolbox.store.load.session import KeptSource

# The arguments by which people look at a session: numbers, names of columns, words of a short list.


def require_whole(name: str, value: object, least: int) -> int:
    """Return a whole number that is large enough.

    Raises
    ------
    SettingError
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise SettingError(name, value, f"a whole number of at least {least}")
    return int(value)


def require_column(name: object, known: Collection[str]) -> str:
    """Return the name of a column that the session has.

    Raises
    ------
    UnknownColumnError
    """
    if str(name) not in known:
        raise UnknownColumnError(str(name), "The session", list(known))
    return str(name)


def require_word(name: str, value: object, words: Sequence[str]) -> str:
    """Return one of some words.

    Raises
    ------
    SettingError
    """
    if value not in words:
        raise SettingError(name, value, " or ".join(filter(None, [", ".join(words[:-1]), words[-1]])))
    return str(value)


# A table that was read once, and what is asked of it: runs, and who is at risk. People see it as a `Session`.

VALUE_ORDERS = ("value", "count", "risk")
FATES = ("changed", "suppressed")
"""What may have become of a record."""


@dataclass(frozen=True)
class SessionColumn:
    """One column that can be asked about."""

    name: str
    role: str
    """``candidate``: it can be a quasi-identifier; or ``sensitive``."""
    kind: str | None
    """What it holds, where that is known before its values are looked at."""
    values: int
    """Distinct ones, as they are written."""
    missing: int
    """Records without a value."""
    has_hierarchy: bool


@dataclass(eq=False)
class Workbench:
    """Runs methods on a table that was loaded once.

    Parameters
    ----------
    store : Store
    source : KeptSource
        The combinations of all candidate and sensitive columns.
    declared : Declared
    """

    store: Store
    source: KeptSource
    declared: Declared
    positions: Mapping[str, int]
    """Of all columns that were kept, by their names."""
    population: Source | None = None
    """All people who could be in it."""
    combinations: CombinationLoader = field(init=False)
    distributions: Distributions = field(init=False)
    variants: KeptVariants = field(init=False)
    paging: Paging = field(init=False)

    def __post_init__(self) -> None:
        self.combinations = CombinationLoader(self.store, self.source, self.population)
        self.distributions = Distributions(self.combinations, self.declared, self.positions)
        self.variants = KeptVariants(self.combinations)
        self.paging = Paging(self.combinations, self.positions, self.distributions)

    def asked(self, arguments: AnonymizeArguments) -> RunRequest:
        """Return what a run does; see `make_run_request`."""
        return make_run_request(self.declared, arguments)

    def run(
        self,
        asked: RunRequest,
        wanted: RequestedFigures,
        *,
        arguments: Mapping[str, Any],
        steps: Steps,
        cancelling: Cancelling,
    ) -> Variant:
        """Run a method; see `preview`."""
        return preview_release(self.combinations, asked, wanted, steps, cancelling, arguments=arguments)

    def columns(self) -> tuple[SessionColumn, ...]:
        """Describe all columns, in one reading of the combinations."""
        relation, size = self.source.relation(), self._size()
        attributes: list[tuple[str, Attribute]] = [
            ("candidate", attribute) for attribute in self.declared.config.quasi_identifiers
        ]
        attributes += [("sensitive", attribute) for attribute in self.declared.config.sensitive]
        missing = MissingValues.of(self.declared.config)
        figures: list[ColumnElement[Any]] = []
        for _, attribute in attributes:
            text = column_text(relation, self.positions[str(attribute.column)])
            is_missing = missing.test(attribute, text)
            figures.append(func.count(text.distinct()).filter(~is_missing))
            figures.append(func.coalesce(func.sum(size).filter(is_missing), 0))
        row = list(map(int, self.store.row(select(*figures).select_from(relation))))
        return tuple(
            SessionColumn(
                name=str(attribute.column),
                role=role,
                kind=attribute.kind or self.source.kinds[self.positions[str(attribute.column)]],
                values=values,
                missing=lacking,
                has_hierarchy=attribute.hierarchy is not None,
            )
            for (role, attribute), values, lacking in zip(attributes, row[::2], row[1::2], strict=True)
        )

    def at_risk(self, k: int, column: str | None, quasi_identifiers: Sequence[object]) -> AtRisk:
        """Count the records in classes of fewer than k; `Session.at_risk` explains the arguments.

        Raises
        ------
        UsageError
            If k is no number of records, or the session does not know a column.
        """
        require_whole("k", k, 1)
        if column is not None:
            require_column(column, self.positions)
        with self.combinations.temporary_scope():
            load = self.original(quasi_identifiers)
            classes = load.loaded.tables.combinations.c
            figures = (
                func.sum(classes.size),
                func.coalesce(func.sum(classes.size).filter(classes.size < int(k)), 0),
                func.count(),
            )
            records, at_risk, count = map(int, self.store.row(select(*figures)))
            values = () if column is None else self.distributions.values(load, str(column), int(k)).values
        return AtRisk(
            k=int(k),
            quasi_identifiers=tuple(str(attribute.column) for attribute in load.config.quasi_identifiers),
            records=records,
            at_risk=at_risk,
            classes=count,
            column=None if column is None else str(column),
            values=values,
        )

    def values(
        self,
        column: str,
        k: int,
        quasi_identifiers: Sequence[object],
        *,
        sort: str,
        descending: bool,
        offset: int,
        limit: int | None,
    ) -> ValuesAtRisk:
        """List some of the values of a column; `Session.values` explains the arguments."""
        require_whole("k", k, 1)
        require_whole("offset", offset, 0)
        limit = None if limit is None else require_whole("limit", limit, 1)
        require_word("sort", sort, VALUE_ORDERS)
        name = require_column(column, self.positions)
        with self.combinations.temporary_scope():
            return self.distributions.values(
                self.original(quasi_identifiers),
                name,
                int(k),
                sort=sort,
                descending=descending,
                offset=offset,
                limit=limit,
            )

    def histogram(
        self, column: str, k: int, quasi_identifiers: Sequence[object], *, sort: str, descending: bool, bars: int
    ) -> Histogram:
        """Show the values of a column in few bars; `Session.histogram` explains the arguments."""
        require_whole("k", k, 1)
        require_whole("bars", bars, 2)
        require_word("sort", sort, VALUE_ORDERS)
        name = require_column(column, self.positions)
        with self.combinations.temporary_scope():
            load = self.original(quasi_identifiers)
            return self.distributions.histogram(load, name, int(k), sort=sort, descending=descending, most=int(bars))

    def before_and_after(self, variant: Variant | int, column: str, *, bars: int) -> BeforeAndAfter:
        """Compare a column with a variant of it; `Session.before_and_after` explains the arguments."""
        require_whole("bars", bars, 2)
        kept = self.variants.find(variant)
        if column not in kept.names:
            raise UnknownColumnError(str(column), "The variant, among its quasi-identifiers,", list(kept.names))
        with self.combinations.temporary_scope():
            return self.distributions.before_and_after(kept, column, most=int(bars))

    def page(
        self,
        variant: Variant | int | None,
        asked: Filter,
        quasi_identifiers: Sequence[object],
        *,
        offset: int,
        limit: int,
        descending: bool,
    ) -> RecordsPage:
        """Return some records; `Session.page` explains the arguments."""
        self.paging.require_records()
        require_whole("offset", offset, 0)
        require_whole("limit", limit, 1)
        if asked.where is not None:
            require_word("where", asked.where, FATES)
            if variant is None:
                raise UsageError(f"where={asked.where!r} asks for a variant. Name one in variant=.")
        if asked.smaller_than is not None:
            require_whole("smaller_than", asked.smaller_than, 1)
        for name in filter(None, [asked.sort, *(name for name, _ in asked.having)]):
            require_column(name, self.positions)
        with self.combinations.temporary_scope():
            look = self._look(variant, quasi_identifiers)
            return self.paging.page(look, asked, int(offset), int(limit), descending=descending)

    def class_of(self, record: int, variant: Variant | int | None, quasi_identifiers: Sequence[object]) -> RecordClass:
        """Return the class of a record; `Session.class_of` explains the arguments."""
        self.paging.require_records()
        number = require_whole("record", record, 1)
        with self.combinations.temporary_scope():
            return self.paging.class_of(self._look(variant, quasi_identifiers), number)

    def drop(self, variant: Variant | int) -> None:
        """Forget a variant, and all that was made to look at it."""
        with self.combinations.temporary_scope():
            self.paging.listings.forget(find_view_key(self.variants.number_of(variant)))
            self.variants.drop(variant)

    def _look(self, variant: Variant | int | None, quasi_identifiers: Sequence[object]) -> RecordView:
        if variant is None:
            return RecordView.at_input(self.original(quasi_identifiers), self.store)
        if quasi_identifiers:
            raise UsageError("A variant has its own quasi-identifiers. Leave quasi_identifiers= out.")
        return RecordView.at_variant(self.variants.number_of(variant), self.variants.find(variant))

    def original(self, quasi_identifiers: Sequence[object] = ()) -> Load:
        """Load the classes that some quasi-identifiers make, all candidates where none is named."""
        chosen = choose_columns(self.declared, quasi_identifiers, {})
        return self.combinations.load(replace(self.declared.config, quasi_identifiers=chosen), {}, Steps())

    def _size(self) -> ColumnElement[int]:
        size: ColumnElement[int] = self.source.relation().c[f"c{self.source.width}"]
        return size
