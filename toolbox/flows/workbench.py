"""A table that was read once, and what is asked of it: runs, and who is at risk. People see it as a `Session`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

from sqlalchemy import BigInteger, FromClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute
from toolbox.errors import SettingError, UnknownColumnError
from toolbox.flows.cancelling import Cancelling
from toolbox.flows.combinations import Combinations, Load
from toolbox.flows.description import AnonymizeArguments
from toolbox.flows.previewing import Wanted, preview
from toolbox.flows.variant_config import Asked, Declared, asked_run, chosen_columns
from toolbox.report.at_risk import AtRisk, ValueAtRisk
from toolbox.report.variant import Variant
from toolbox.steps import Steps
from toolbox.store.kept import KeptSource
from toolbox.store.missing import MissingValues
from toolbox.store.source import Source, column_text
from toolbox.store.store import Store


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
    combinations: Combinations = field(init=False)

    def __post_init__(self) -> None:
        self.combinations = Combinations(self.store, self.source, self.population)

    def asked(self, arguments: AnonymizeArguments) -> Asked:
        """Return what a run does; see `asked_run`."""
        return asked_run(self.declared, arguments)

    def run(
        self, asked: Asked, wanted: Wanted, *, arguments: Mapping[str, Any], steps: Steps, cancelling: Cancelling
    ) -> Variant:
        """Run a method; see `preview`."""
        return preview(self.combinations, asked, wanted, steps, cancelling, arguments=arguments)

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
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise SettingError("k", k, "a whole number of at least 1")
        if column is not None and str(column) not in self.positions:
            raise UnknownColumnError(str(column), "The session", list(self.positions))
        chosen = chosen_columns(self.declared, quasi_identifiers, {})
        config = replace(self.declared.config, quasi_identifiers=chosen)
        with self.combinations.swept():
            load = self.combinations.load(config, {}, Steps())
            classes = load.loaded.tables.combinations.c
            small = classes.size < int(k)
            figures = func.sum(classes.size), func.coalesce(func.sum(classes.size).filter(small), 0), func.count()
            records, at_risk, count = map(int, self.store.row(select(*figures)))
            values = () if column is None else self._values(load, str(column), int(k))
        return AtRisk(
            k=int(k),
            quasi_identifiers=tuple(str(attribute.column) for attribute in chosen),
            records=records,
            at_risk=at_risk,
            classes=count,
            column=None if column is None else str(column),
            values=values,
        )

    def _values(self, load: Load, column: str, k: int) -> tuple[ValueAtRisk, ...]:
        """Count the records of each value of a column, in one statement."""
        tables = load.loaded.tables
        combination = tables.combinations
        is_small = combination.c.size < k
        names = [str(attribute.column) for attribute in load.config.quasi_identifiers]
        if column in names:
            index = names.index(column)
            ground = tables.quasi_identifiers[index].ground
            same = ground.c.level_0 == combination.c[tables.interval_names[index]]
            joined: FromClause = combination.join(ground, same)
            size: ColumnElement[int] = combination.c.size
            value: ColumnElement[str] = ground.c.label
            order: ColumnElement[Any] = ground.c.level_0
        else:
            assert tables.keys is not None, "there are no records"
            rows = load.loader.texts_of(self.positions[column])
            joined = rows.join(tables.keys, tables.keys.c.key == rows.c.key)
            joined = joined.join(combination, combination.c.combination_id == tables.keys.c.combination_id)
            size, value, order = rows.c.size, rows.c.text, rows.c.text
        counts = [cast(func.coalesce(func.sum(size).filter(test), 0), BigInteger) for test in (~is_small, is_small)]
        grouped = select(value, *counts).select_from(joined).group_by(order, value).order_by(order)
        return tuple(ValueAtRisk(text, int(safe), int(at_risk)) for text, safe, at_risk in self.store.rows(grouped))

    def _size(self) -> ColumnElement[int]:
        size: ColumnElement[int] = self.source.relation().c[f"c{self.source.width}"]
        return size
