"""A table that is anonymised as the judges see it: its people, and the release at a lattice node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sqlalchemy import BigInteger, ColumnElement, FromClause, String, cast, func, literal, select, union

from toolbox.config.model import QuasiIdentifier
from toolbox.methods.arrays.full_domain import at_node
from toolbox.privacy.model import PrivacyModel
from toolbox.published.comparing import compare_release, pair_records_by_key
from toolbox.published.domains import build_people
from toolbox.published.tables import Comparison, People, Release, build_release_classes
from toolbox.queries.dialect import Query, Table
from toolbox.queries.labels import build_class_labels
from toolbox.queries.scales import PLAIN, Calendar, Figures
from toolbox.store.tables import QuasiIdentifierTables, Tables


@dataclass
class LossInput:
    """Shows the loss metrics a table and what may become of it.

    Parameters
    ----------
    tables : Tables
    label : str, optional
        The sensitive attribute that the release shows besides.
    """

    tables: Tables
    label: str | None = None

    @cached_property
    def people(self) -> People:
        """The records as the judges see them."""
        store, tables = self.tables.store, self.tables
        rows = _label_rows(
            tables, tables.combinations, [column.ground for column in tables.quasi_identifiers], "level_0"
        )
        counted = store.create("people", rows)
        columns = tables.quasi_identifiers
        attributes = [_declare_column(column) for column in columns]
        written = (column.scale for column in columns if isinstance(column.scale, Figures))
        zones = [column.scale.zone if isinstance(column.scale, Calendar) else None for column in columns]
        figures = next((scale for scale in written if not scale.is_plain), PLAIN)
        people = build_people(store, counted, attributes, [None for _ in columns], "the input", {}, figures, zones)
        store.drop(counted)
        return people

    def compare_labels(self) -> Comparison:
        """Return a comparison with a release that has each label which a record may get; its classes mean nothing."""
        store, columns = self.tables.store, self.tables.quasi_identifiers
        cells = []
        for column, name in zip(columns, self.tables.interval_names, strict=True):
            distinct = _select_labels_above(column, self.tables.combinations.c[name]).subquery()
            number = cast(func.row_number().over(order_by=distinct.c.text) - 1, BigInteger).label("cell_id")
            rows = select(number, distinct.c.text, cast(literal(0), BigInteger).label("records"))
            cells.append(store.create("cells", rows))
        nothing = [cast(literal(0), BigInteger).label(f"cell_{index}") for index, _ in enumerate(columns, start=1)]
        everybody = cast(literal(self.tables.record_count), BigInteger).label("size")
        row = select(literal(0).label("equivalence_id"), everybody, literal(False).label("suppressed"), *nothing)
        classes = store.create("classes", row)
        release = Release(
            store=store,
            name="the release",
            quasi_identifiers=tuple(column.name for column in columns),
            cells=tuple(cells),
            classes=classes,
            held=classes,
            records=self.tables.record_count,
        )
        return replace(compare_release(release, self.people), release=release)

    def at(self, levels: Sequence[int], models: Sequence[PrivacyModel]) -> Comparison:
        """Return a comparison with the release at a node, its violating classes suppressed."""
        finished = at_node(self.tables, levels, models)
        store, names = self.tables.store, [column.name for column in self.tables.quasi_identifiers]
        labels = build_class_labels(finished.equivalence, [column.intervals for column in finished.quasi_identifiers])
        shown = store.create("shown", labels)
        texts = [shown.c[f"label_{index}"].label(f"text_{index}") for index, _ in enumerate(names, start=1)]
        released = store.create("released", select(*texts, shown.c.size, shown.c.equivalence_id.label("key")))
        counted = released if self.label is None else store.create("counted", self._count_by_label(finished, released))
        sensitive = [] if self.label is None else [self.label]
        release = build_release_classes(
            store, counted, name="the release", quasi_identifiers=names, sensitive=sensitive
        )
        return pair_records_by_key(
            compare_release(release, self.people), self._key_people(), released, _select_pairs(finished)
        )

    def _count_by_label(self, finished: Tables, released: Table) -> Query:
        """Count the records of each class by the label: ``text_1 .., size``."""
        assert self.label is not None
        held, placed = finished.sensitive[self.label].histogram, finished.placed().subquery()
        texts = [column for column in released.c if column.name.startswith("text_")]
        value = cast(held.c.value, String).label(f"text_{len(texts) + 1}")
        joined = held.join(placed, placed.c.combination_id == held.c.combination_id)
        joined = joined.join(released, released.c.key == placed.c.equivalence_id)
        size = cast(func.sum(held.c.records), BigInteger).label("size")
        return select(*texts, value, size).select_from(joined).group_by(*texts, value)

    def _key_people(self) -> Table:
        tables = self.tables
        grounds = [column.ground for column in tables.quasi_identifiers]
        key = tables.combinations.c.combination_id.label("key")
        return tables.store.create("keyed", _label_rows(tables, tables.combinations, grounds, "level_0", key))


def _select_labels_above(column: QuasiIdentifierTables, held: ColumnElement[int]) -> Query:
    """Select the labels that the values of records may get, each once: ``text``.

    A builder names the values that only a population has, too, and the people of the table do not know these names.
    """
    ground, intervals = column.ground, column.intervals
    occurs = ground.c.level_0.in_(select(held))
    levels = range(column.height + 1)
    above = union(*(select(column.level(level).label("interval_id")).where(occurs) for level in levels)).subquery()
    named = intervals.join(above, above.c.interval_id == intervals.c.interval_id)
    return select(intervals.c.label.label("text")).select_from(named).distinct()


def _select_pairs(finished: Tables) -> Query:
    """Select which combination became which class: ``before, after, records``."""
    placed = finished.placed().subquery()
    names = {"combination_id": "before", "equivalence_id": "after", "size": "records"}
    return select(*(placed.c[name].label(label) for name, label in names.items()))


def _label_rows(tables: Tables, classes: Table, named: Sequence[FromClause], code: str, *more: object) -> Query:
    """Write each row as a reader sees it: ``text_1 .., size``."""
    joined: FromClause = classes
    texts = []
    for index, (name, table) in enumerate(zip(tables.interval_names, named, strict=True), start=1):
        values = table.alias()
        joined = joined.join(values, values.c[code] == classes.c[name])
        texts.append(values.c.label.label(f"text_{index}"))
    return select(*texts, classes.c.size, *more).select_from(joined)  # type: ignore[call-overload, no-any-return]


def _declare_column(column: QuasiIdentifierTables) -> QuasiIdentifier:
    """Return the declaration of a column, of the kind that it turned out to have, with the hierarchy that it has."""
    attribute = column.attribute
    assert attribute is not None, "the store has made the column from its declaration"
    if attribute.hierarchy is not None:
        # Its builder would look at counts of persons, and make another one than of records.
        attribute = replace(attribute, builder=None)
    if isinstance(column.scale, Calendar):
        return replace(attribute, kind=column.scale.unit, format=None)
    return replace(attribute, kind=column.kind)
