"""The sensitive attributes: their values, checked and counted where a model judges them, and their hierarchies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Double, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Kind
from toolbox.hierarchy.hierarchy import Hierarchy
from toolbox.hierarchy.outline import list_hierarchy_steps
from toolbox.queries.dialect import Query, Table, choose_any_value
from toolbox.queries.scales import PLAIN, Figures
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import MissingValues
from toolbox.store.input.source import Source
from toolbox.store.load.problems import check_domains
from toolbox.store.tables import SensitiveTables
from toolbox.store.values.column_type import TextDomain, TypeHints, find_own_scale, read_domain

# The hierarchy of a sensitive attribute as a table, by which distances over it are measured.


def create_tree(store: Store, hierarchy: Hierarchy, values: Sequence[tuple[float, float | None]]) -> Table:
    """Create a table of the steps from each value up a hierarchy: ``value, node, cost, level``.

    Parameters
    ----------
    values : sequence of (value, place)
        Each value as classes show it, and the number or the code as which it stands in the hierarchy; None if it does
        not.
    """
    ways = list(list_hierarchy_steps(hierarchy, (position for _, position in values)))
    return store.create_constant(
        "tree",
        {
            "value": (float, [float(values[way.number][0]) for way in ways]),
            "node": (int, [way.node for way in ways]),
            "cost": (float, [way.cost for way in ways]),
            "level": (int, [way.level for way in ways]),
        },
    )


# The sensitive attributes: their values checked, and counted by combination where a privacy model judges them.


class SensitiveTexts(NamedTuple):
    """The texts of one sensitive attribute, in rows that each stand for a record or for several."""

    key: ColumnElement[int]
    """The key of a row's combination."""
    text: ColumnElement[str]
    records: ColumnElement[int]
    """Aggregates how many records a group of rows stands for."""
    known: Query
    """One column ``text``: these and all others of the column, also of records that are skipped; for messages."""


@dataclass(frozen=True, kw_only=True)
class SensitiveReader:
    """Reads the sensitive attributes out of the records that are kept."""

    store: Store
    source: Source
    missing: MissingValues
    judged: Mapping[str, bool]
    """Names of the attributes that a privacy model judges; whether it must know if they hold numbers or categories."""
    figures: Figures = PLAIN
    """How the input writes numbers where it is text."""
    notes: list[str] = field(default_factory=list, init=False)
    """What was found out about the attributes."""

    def read(
        self, declared: list[tuple[Attribute, int, Kind | None]], held_in: Callable[[int], SensitiveTexts], keys: Table
    ) -> dict[str, SensitiveTables]:
        """Check all attributes; count those that are judged.

        Parameters
        ----------
        declared : list of (Attribute, position, kind)
            The kind is None where neither the configuration nor the input says it.
        held_in : callable
            Returns what the column of a position holds.
        keys : Table
            ``key, combination_id``.

        Raises
        ------
        InputError
            If a value is no declared category, or no number where there should be one.
        """
        domains, counted = [], {}
        for attribute, position, kind in declared:
            name = str(attribute.column)
            if name in self.judged:
                held = held_in(position)
                counted[name] = self._counted(held)
                domains.append(self._judge_domain(attribute, position, counted[name], held.known))
            elif is_checked(attribute, kind):
                domains.append(self._check_domain(attribute, position, held_in(position)))
        check_domains(self.store, self.source, domains, confidential=True)
        tables = {
            domain.name: self._tables(domain, counted[domain.name], keys)
            for domain in domains
            if domain.name in counted
        }
        self.store.drop(*(domain.texts for domain in domains), *counted.values())
        return tables

    def _counted(self, held: SensitiveTexts) -> Table:
        """Count each text of the column with each combination, in one pass over the rows."""
        columns = (held.key.label("key"), held.text.label("text"))
        rows = select(*columns, held.records.label("records")).group_by(*columns)
        return self.store.create("counted", rows)

    def _judge_domain(self, attribute: Attribute, position: int, counted: Table, known: Query) -> TextDomain:
        text = self.missing.value(attribute, counted.c.text).label("text")
        presumed: Kind | None = "number" if self.judged[str(attribute.column)] else None
        clues = self._find_clues(position, presumed)
        counts = select(text, counted.c.records)
        return self._domain(attribute, position, clues, select(text).distinct(), known, self.missing.kept, counts)

    def _check_domain(self, attribute: Attribute, position: int, held: SensitiveTexts) -> TextDomain:
        present = select(held.text.label("text")).where(~self.missing.test(attribute, held.text)).distinct()
        return self._domain(attribute, position, self._find_clues(position, None), present, held.known)

    def _find_clues(self, position: int, presumed: Kind | None) -> TypeHints:
        return TypeHints(self.source.kinds[position], self.source.zones[position], self.figures, presumed)

    def _domain(
        self,
        attribute: Attribute,
        position: int,
        clues: TypeHints,
        texts: Query,
        known: Query,
        kept_missing: str | None = None,
        counted: Query | None = None,
    ) -> TextDomain:
        domain = read_domain(
            self.store,
            attribute,
            position=position,
            clues=clues,
            texts=texts,
            all_texts=known,
            kept_missing=kept_missing,
            counted=counted,
        )
        self.notes.extend(domain.nature.notes)
        return domain

    def _tables(self, domain: TextDomain, counted: Table, keys: Table) -> SensitiveTables:
        """Count the values by combination and in all."""
        store, texts = self.store, self._order_categories(domain)
        raw = select(counted.c.text).distinct().subquery()
        same = texts.c.text == self.missing.value(domain.attribute, raw.c.text)
        codes = store.create("codes", select(raw.c.text, texts.c.value).join_from(raw, texts, same), lasting=True)
        records = cast(func.sum(counted.c.records), BigInteger).label("records")
        joined = counted.join(keys, keys.c.key == counted.c.key).join(
            codes, codes.c.text.is_not_distinct_from(counted.c.text)
        )
        by_combination = (
            select(keys.c.combination_id, codes.c.value, records)
            .select_from(joined)
            .group_by(keys.c.combination_id, codes.c.value)
            .order_by(keys.c.combination_id, codes.c.value)
        )
        histogram = store.create("histogram", by_combination, lasting=True)
        in_all = cast(func.sum(histogram.c.records), BigInteger).label("records")
        overall = select(histogram.c.value, in_all).group_by(histogram.c.value).order_by(histogram.c.value)
        counts = store.create("overall", overall, lasting=True)
        hierarchy = domain.attribute.hierarchy
        places = select(texts.c.value, choose_any_value(texts.c.place)).where(texts.c.value.in_(select(counts.c.value)))
        values = [] if hierarchy is None else [tuple(row) for row in store.rows(places.group_by(texts.c.value))]
        tree = None if hierarchy is None else create_tree(store, hierarchy, values)
        store.drop(texts)
        return SensitiveTables(
            name=domain.name,
            position=domain.position,
            kind=domain.kind,
            codes=codes,
            histogram=histogram,
            overall=counts,
            tree=tree,
        )

    def _order_categories(self, domain: TextDomain) -> Table:
        """Give categories that have an order numbers in that order: ``text, value, place``.

        The order is that of the input, or that of numbers and dates; the hierarchy says only what lies together.
        """
        texts, given = domain.texts, self.source.orders[domain.position]
        is_known = texts.c.text.is_distinct_from(domain.kept_missing)
        named = select(case((is_known, texts.c.text)).label("text")).subquery()
        order: ColumnElement[Any] | None = None
        if domain.kind == "category" and given is not None and not domain.attribute.ordered:
            ranks = {"text": (str, given), "rank": (int, range(len(given)))}
            listed = self.store.create_constant("listed", ranks)
            order = select(listed.c.rank).where(listed.c.text == texts.c.text).scalar_subquery()
        elif domain.kind == "category":
            scale = find_own_scale(self.store, domain.attribute, named, self._find_clues(domain.position, None))
            order = None if scale is None else case((is_known, scale.value(texts.c.text)))
        value: ColumnElement[float] = texts.c.value
        if order is not None:
            value = cast(func.row_number().over(order_by=[order.asc().nulls_last(), texts.c.value]) - 1, Double)
        return self.store.create("ordered", select(texts.c.text, value.label("value"), texts.c.value.label("place")))


def is_checked(attribute: Attribute, kind: Kind | None) -> bool:
    """Return whether the values of an attribute that no model judges must fit its declaration."""
    return attribute.categories is not None or kind == "number" or attribute.kind in ("date", "timestamp")
