"""The values of the columns of a session: how many records each has, safe and at risk, before and after a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select

from toolbox.config.model import Attribute
from toolbox.flows.axes import Bins, KeptAxis, kept_axis
from toolbox.flows.combinations import Combinations, Load
from toolbox.flows.guesses import axis_of, before_and_after
from toolbox.flows.kept_variants import KeptVariant
from toolbox.flows.spreads import counts_at, order_of, spread_of
from toolbox.flows.tallies import Counted, Tally
from toolbox.flows.variant_config import Declared
from toolbox.queries.numbers import Figures
from toolbox.queries.query import Table
from toolbox.report.at_risk import ValueAtRisk
from toolbox.report.histogram import Bar, BarOfTwo, BeforeAndAfter, Histogram, ValuesAtRisk
from toolbox.store.completed import completed
from toolbox.store.missing import MissingValues
from toolbox.store.nature import Clues


@dataclass(eq=False)
class Distributions:
    """Counts values; what it finds out of a column is kept for the next question.

    Parameters
    ----------
    positions : mapping of str to int
        Of all columns that were kept, by their names.
    """

    combinations: Combinations
    declared: Declared
    positions: Mapping[str, int]
    _axes: dict[str, KeptAxis] = field(default_factory=dict)
    _bins: dict[tuple[str, int], Bins] = field(default_factory=dict)

    def axis(self, column: str) -> KeptAxis:
        """Return the values of a column in their order."""
        if column not in self._axes:
            source, config, position = self.combinations.source, self.declared.config, self.positions[column]
            clues = Clues(source.kinds[position], source.zones[position], self._figures())
            with self.combinations.lasting():
                axis = kept_axis(
                    self.combinations.store, source, self._attribute(column), position, clues, MissingValues.of(config)
                )
            self._axes[column] = axis
        return self._axes[column]

    def values(
        self,
        load: Load,
        column: str,
        k: int,
        *,
        sort: str = "value",
        descending: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> ValuesAtRisk:
        """List some of the values of a column; `Session.values` explains the arguments."""
        counts = counts_at(self._spread(load, column), k)
        tally = Tally(self.combinations.store, self.axis(column), counts)
        rows = tally.rows(order_of(counts, sort), descending=descending, offset=offset, limit=limit)
        values = tuple(ValueAtRisk(row.label, int(row.first), int(row.second)) for row in rows)
        return ValuesAtRisk(k=k, column=column, total=tally.count(), offset=offset, values=values)

    def histogram(self, load: Load, column: str, k: int, *, sort: str, descending: bool, most: int) -> Histogram:
        """Show the values of a column in few bars; `Session.histogram` explains the arguments."""
        counts = counts_at(self._spread(load, column), k)
        tally = Tally(self.combinations.store, self.axis(column), counts)
        found = tally.bars(self._binned(column, most), most, order_of(counts, sort), descending=descending)
        bars, others = tuple(map(_bar, found.bars)), None if found.others is None else _bar(found.others)
        return Histogram(k=k, column=column, is_binned=found.is_binned, bars=bars, others=others)

    def before_and_after(self, variant: KeptVariant, column: str, *, most: int) -> BeforeAndAfter:
        """Compare a quasi-identifier with what a variant tells of it; `Session.before_and_after` explains it."""
        store, index = self.combinations.store, variant.names.index(column)
        axis = axis_of(variant, index)
        counts = store.create("before_and_after", before_and_after(store, variant, index))
        bins = axis.bins(store, most) if axis.has_bins else None
        has_others = axis.kind == "category" and axis.count > most
        order = [counts.c.first] if has_others else []
        found = Tally(store, axis, counts).bars(bins, most, order, descending=has_others)
        classes = variant.classes.c
        suppressed = store.scalar(select(func.coalesce(func.sum(classes.size).filter(classes.suppressed), 0)))
        return BeforeAndAfter(
            column=column,
            is_binned=found.is_binned,
            bars=tuple(map(_bar_of_two, found.bars)),
            others=None if found.others is None else _bar_of_two(found.others),
            suppressed=int(suppressed),
        )

    def _spread(self, load: Load, column: str) -> Table:
        if column not in load.spreads:
            store, axis = self.combinations.store, self.axis(column)
            rows = load.rows(store)
            with store.within(load.scope):
                spread = spread_of(store, self.combinations.source, rows, self.positions[column], axis)
            load.spreads[column] = spread
        return load.spreads[column]

    def _binned(self, column: str, most: int) -> Bins | None:
        axis = self.axis(column)
        if not axis.has_bins:
            return None
        if (column, most) not in self._bins:
            with self.combinations.lasting():
                bins = axis.bins(self.combinations.store, most)
            self._bins[column, most] = bins
        return self._bins[column, most]

    def _attribute(self, column: str) -> Attribute:
        """Return a column as it is declared, with the order that its type has."""
        config = self.declared.config
        positions = [self.positions[name] for name in self.declared.candidates]
        attributes = [*completed(config, self.combinations.source, positions), *config.sensitive]
        return next(attribute for attribute in attributes if str(attribute.column) == column)

    def _figures(self) -> Figures:
        declared = self.declared.config.input
        return Figures(declared.decimal, declared.thousands) if declared else Figures()


def _bar(counted: Counted) -> Bar:
    return Bar(counted.label, counted.values, int(counted.first), int(counted.second))


def _bar_of_two(counted: Counted) -> BarOfTwo:
    return BarOfTwo(counted.label, counted.values, int(counted.first), float(counted.second))
