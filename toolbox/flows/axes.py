"""The values of a column in their order, and the bars of a histogram that show them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlalchemy import FromClause, Integer, and_, case, cast, func, select

from toolbox.charts.rows import bin_edges, bin_names
from toolbox.config.model import Attribute
from toolbox.hierarchy.date_formats import PERIODS
from toolbox.queries.calendar import Calendar
from toolbox.queries.query import Query, Table
from toolbox.queries.scale import Scale
from toolbox.store.domain import TextDomain, read_domain
from toolbox.store.generalisations import label_of
from toolbox.store.kept import KeptSource
from toolbox.store.missing import MissingValues
from toolbox.store.nature import Clues
from toolbox.store.source import column_text
from toolbox.store.store import Store

MOST_NUMBERS = 60
"""More different numbers, or dates, are shown in bins."""


@dataclass(frozen=True)
class Axis:
    """The values of a column, numbered in their order."""

    kind: Literal["number", "category"]
    """Dates are numbers."""
    scale: Scale
    values: FromClause
    """``place, text, value``: places from 0; the value of a number or a date, null where it is none."""
    count: int

    @property
    def has_bins(self) -> bool:
        """Whether a histogram puts neighbours into one bar."""
        return self.kind == "number" and self.count > MOST_NUMBERS

    def bins(self, store: Store, most: int) -> Bins:
        """Put numbers into bins with round ends, and dates into periods.

        Parameters
        ----------
        most : int
            Bins that there should be; a few more where ends are round, and of dates of many centuries.
        """
        if isinstance(self.scale, Calendar):
            return self._periods(store, self.scale, most)
        value = self.values.c.value
        fraction = func.abs(value - func.round(value))
        low, high, rest = store.row(select(func.min(value), func.max(value), func.max(fraction)))
        edges = bin_edges(low, high, whole=rest == 0, bins=most)
        inner = edges[1:-1]
        bins = store.create_constant(
            "edges",
            {
                "bin": (int, list(range(len(edges) - 1))),
                # The outer edges were rounded; no value is beyond them.
                "low": (float, [min(edges[0], low), *inner]),
                "high": (float, [*inner, math.nextafter(max(edges[-1], high), math.inf)]),
            },
        )
        within = and_(value >= bins.c.low, value < bins.c.high)
        placed = store.create("bins", select(self.values.c.place, bins.c.bin).join_from(self.values, bins, within))
        return Bins(placed, tuple(bin_names(edges, whole=rest == 0)))

    def _periods(self, store: Store, calendar: Calendar, most: int) -> Bins:
        """Choose the shortest periods that are few enough, otherwise decades; periods without a date are no bins."""
        value = self.values.c.value
        labels = [calendar.label(value, period) for period in PERIODS[calendar.unit == "date" :]]
        counts = store.row(select(*(func.count(label.distinct()) for label in labels)))
        few = [label for label, count in zip(labels, counts, strict=True) if count <= most]
        label = few[0] if few else labels[-1]
        dated = select(self.values.c.place, value, label.label("label")).where(value.is_not(None)).subquery()
        named = select(func.min(dated.c.value).label("first"), dated.c.label).group_by(dated.c.label).subquery()
        number = cast(func.row_number().over(order_by=named.c.first) - 1, Integer)
        bins = store.create("periods", select(number.label("bin"), named.c.label))
        same = dated.c.label == bins.c.label
        placed = store.create("bins", select(dated.c.place, bins.c.bin).join_from(dated, bins, same))
        texts = store.rows(select(bins.c.label).order_by(bins.c.bin))
        return Bins(placed, tuple(text for (text,) in texts))


class Bins(NamedTuple):
    """The bins of a histogram."""

    places: Table
    """``place, bin``: the bin of each value, from 0; what is no number is in none."""
    labels: tuple[str, ...]


@dataclass(frozen=True)
class KeptAxis(Axis):
    """The axis of a column of a session."""

    texts: Table
    """``text, place``: each text of the column that stands for a value, which may be written in several ways; null
    is one of them where missing values are kept."""


def kept_axis(
    store: Store, source: KeptSource, attribute: Attribute, position: int, clues: Clues, missing: MissingValues
) -> KeptAxis:
    """Sort the values of a kept column.

    Parameters
    ----------
    attribute : Attribute
        As it is declared; its hierarchy does not matter.
    """
    plain = Attribute(
        column=attribute.column, kind=attribute.kind, format=attribute.format, categories=attribute.categories
    )
    text = column_text(source.relation(), position)
    written = store.create("written", select(text.label("text")).distinct())
    meant = missing.value(attribute, written.c.text)
    present = select(meant.label("text"))
    if missing.kept is None:
        present = present.where(~missing.test(attribute, written.c.text))
    domain = read_domain(
        store,
        plain,
        position=position,
        clues=clues,
        texts=present.distinct(),
        all_texts=select(written.c.text),
        kept_missing=missing.kept,
    )
    placed = store.create("placed", _placed(domain))
    same = placed.c.text == meant
    texts = store.create("texts", select(written.c.text, placed.c.place).join_from(written, placed, same))
    label = func.coalesce(label_of(domain.scale, placed.c.value, placed.c.text), func.min(placed.c.text))
    named = select(placed.c.place, label.label("text"), placed.c.value)
    values = store.create("values", named.group_by(placed.c.place, placed.c.value))
    store.drop(written, domain.texts, placed)
    return KeptAxis(domain.kind, domain.scale, values, store.count(values), texts)


def _placed(domain: TextDomain) -> Query:
    """Place the values: ``text, place, value``; what does not fit its column stands behind all others."""
    text, value = domain.texts.c.text, domain.texts.c.value
    fits = domain.texts.c.problem.is_(None)
    known, unknown = case((fits, value)), case((~fits, text))
    order = [known.nulls_last(), unknown]
    place = cast(func.dense_rank().over(order_by=order) - 1, Integer)
    return select(text, place.label("place"), known.label("value"))
