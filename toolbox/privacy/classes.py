"""What a privacy model sees of equivalence classes: their sizes and sensitive values, of a run or of any table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import BigInteger, Double, FromClause, String, and_, case, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Kind
from toolbox.errors import UsageError
from toolbox.queries.dialect import Query, Table, choose_any_value, nth_bit, whole_quotient
from toolbox.queries.scales import PLAIN, Figures
from toolbox.store.engine.store import Store
from toolbox.store.load.sensitive import create_tree
from toolbox.store.tables import SensitiveTables, Tables
from toolbox.store.values.built import build_number_hierarchy, build_text_hierarchy
from toolbox.store.values.column_type import ColumnType, TypeHints, find_nature, find_own_scale

# What a privacy model sees of equivalence classes: their sizes and their sensitive values.


@dataclass(frozen=True)
class Classes:
    """Equivalence classes, of any origin.

    The classes of many anonymisations may stand side by side, as long as their ids differ.
    """

    sizes: FromClause
    """``equivalence_id, size``: the records of each class; where persons are declared, its different persons. Where a
    class stands for all that hold the same sensitive values, also ``classes``: how many."""
    histogram: FromClause | None = None
    """``equivalence_id, value, records``: how many records, or persons, of a class have a sensitive value; no row
    stands for none. None for a model without a sensitive attribute."""
    overall: FromClause | None = None
    """``value, records``: the same of the whole table."""
    kind: Kind | None = None
    """Whether the sensitive values are numbers, or categories, which stand as their codes."""
    tree: FromClause | None = None
    """``value, node, cost, level``: for each sensitive value every node of its hierarchy that it is below, itself
    included but without the root, what it costs to go up from there, and its level. None for an attribute without a
    hierarchy."""
    population: FromClause | None = None
    """``equivalence_id, size, outside``: the people of a population whose values each class covers, and those whom no
    class of its release covers; no row stands for none of both. None if no population is known."""
    estimates_population: bool = False
    """Whether these people are those for whom the records of a sample stand."""
    held: FromClause | None = None
    """``equivalence_id, held``: the values of each class as the bits of one number, for a model that only counts them.
    The histogram then is a query, not a table."""
    counts_persons: bool = False
    """Whether persons are counted, who may have several sensitive values each: then the records of a histogram add up
    to the different pairs of person and value, of which there may be more than persons."""
    is_ordered: bool = False
    """Whether categories are known to have an order, which is that of their values."""
    columns: FromClause | None = None
    """``equivalence_id, column_1 ..``: what each class shows in each quasi-identifier. None where no model asks."""
    names: tuple[str, ...] = ()
    """The names of these quasi-identifiers."""
    persons: FromClause | None = None
    """``equivalence_id, person``, each once, where a person may be in several classes and `columns` are known."""

    def add_people(self, people: FromClause | None, tables: Tables) -> Classes:
        """Return these classes with the people whom they cover of the population of tables."""
        is_estimated = tables.population is not None and tables.population.is_estimated
        return replace(self, population=people, estimates_population=is_estimated)

    @property
    def judged(self) -> tuple[FromClause, FromClause]:
        """The histogram of each class and that of the whole table, for a model with a sensitive attribute."""
        assert self.histogram is not None and self.overall is not None, "the model has a sensitive attribute"
        return self.histogram, self.overall

    @property
    def weights(self) -> FromClause:
        """``equivalence_id, size``: what the histogram of each class adds up to, for a model of shares."""
        if not self.counts_persons:
            return self.sizes
        histogram, _ = self.judged
        return _sum_by_class(histogram.c.equivalence_id, histogram.c.records).subquery()

    @property
    def shown_columns(self) -> FromClause:
        """What classes show in their quasi-identifiers, for a model that compares them there."""
        assert self.columns is not None, "who asks a model that needs columns shows them"
        return self.columns

    def add_size(self, measured: Query) -> FromClause:
        """Add ``persons`` to what a model has measured of each class, for one that asks how many there are, too.

        Parameters
        ----------
        measured : Select
            ``equivalence_id`` and other columns, one row per class.
        """
        rows, sizes = measured.subquery(), self.sizes
        joined = rows.join(sizes, sizes.c.equivalence_id == rows.c.equivalence_id)
        return select(*rows.c, sizes.c.size.label("persons")).select_from(joined).subquery()

    @property
    def people(self) -> FromClause:
        """The population, for a model that compares the classes with one.

        Raises
        ------
        UsageError
            If none is known.
        """
        if self.population is None:
            raise UsageError("The model compares classes with a population, and none is given.")
        return self.population


def describe_classes(
    sensitive: SensitiveTables | None, frequencies: FromClause, sizes: FromClause | None = None
) -> Classes:
    """Return classes described by a frequency set: their sizes, or their sensitive values.

    Parameters
    ----------
    sensitive : SensitiveTables, optional
        The sensitive attribute; None for models that look at sizes alone.
    frequencies : FromClause
        ``equivalence_id, size``, or with a sensitive attribute ``equivalence_id, value, records``.
    sizes : FromClause, optional
        ``equivalence_id, size`` in persons, where these are declared.
    """
    if sensitive is None:
        return Classes(frequencies)
    counted = _sum_by_class(frequencies.c.equivalence_id, frequencies.c.records).subquery() if sizes is None else sizes
    shown = Classes(counted, frequencies, sensitive.overall, sensitive.kind, sensitive.tree)
    return shown if sizes is None else replace(shown, counts_persons=True)


def members_of(tables: Tables, members: FromClause, attribute: str | None) -> Classes:
    """Return classes that consist of whole combinations.

    Where persons are declared, and may have several combinations, the different ones of each class are counted.

    Parameters
    ----------
    members : FromClause
        ``combination_id, equivalence_id, size``: each combination, or part of one, with its class; and what the class
        shows in each quasi-identifier, where models compare classes in some of them.
    attribute : str, optional
        The sensitive attribute of the model that is to judge.
    """
    key, pairs = members.c.equivalence_id, tables.person_pairs
    sizes = (_sum_by_class(key, members.c.size) if pairs is None else _count_persons(members, pairs)).subquery()
    if attribute is None:
        return _show_columns(tables, members, Classes(sizes))
    sensitive = tables.sensitive[attribute]
    if pairs is not None and tables.persons is not None:
        histogram = _count_persons(members, tables.persons.values[attribute], "value").subquery()
    else:
        held = sensitive.histogram
        records = cast(func.sum(held.c.records), BigInteger).label("records")
        joined = members.join(held, held.c.combination_id == members.c.combination_id)
        histogram = select(key, held.c.value, records).select_from(joined).group_by(key, held.c.value).subquery()
    shown = Classes(sizes, histogram, sensitive.overall, sensitive.kind, sensitive.tree)
    return shown if tables.persons is None else replace(shown, counts_persons=True)


def _show_columns(tables: Tables, members: FromClause, classes: Classes) -> Classes:
    """Add what classes show in each quasi-identifier, and who is in them, if the members tell."""
    if not all(name in members.c for name in tables.interval_names):
        return classes
    key, pairs = members.c.equivalence_id, tables.person_pairs
    shown = [members.c[name].label(f"column_{place}") for place, name in enumerate(tables.interval_names, start=1)]
    columns = select(key, *shown).distinct().subquery()
    names = tuple(column.name for column in tables.quasi_identifiers)
    persons = None
    if pairs is not None:
        joined = members.join(pairs, pairs.c.combination_id == members.c.combination_id)
        persons = select(key, pairs.c.person).select_from(joined).distinct().subquery()
    return replace(classes, columns=columns, names=names, persons=persons)


def _sum_by_class(key: ColumnElement[int], size: ColumnElement[int]) -> Query:
    return select(key, cast(func.sum(size), BigInteger).label("size")).group_by(key)


def _count_persons(members: FromClause, persons: FromClause, *keys: str) -> Query:
    """Count the different persons of each class, or of each of its values: ``size``, or with keys ``records``."""
    by = [members.c.equivalence_id, *(persons.c[key] for key in keys)]
    joined = members.join(persons, persons.c.combination_id == members.c.combination_id)
    # Distinct rows first: the engine counts these several times as fast as the distinct values of each group.
    rows = select(*by, persons.c.person).select_from(joined).distinct().subquery()
    grouped = [rows.c.equivalence_id, *(rows.c[key] for key in keys)]
    amount = cast(func.count(), BigInteger).label("records" if keys else "size")
    return select(*grouped, amount).group_by(*grouped)


def make_single_class(tables: Tables, attribute: str | None) -> Classes:
    """Return the whole table as one class, which covers the whole population."""
    combination = tables.combinations
    only = literal(0).label("equivalence_id")
    roots = (
        literal(column.root).label(name)
        for column, name in zip(tables.quasi_identifiers, tables.interval_names, strict=True)
    )
    rows = select(combination.c.combination_id, only, combination.c.size, *roots).subquery()
    everybody = None
    if tables.population is not None:
        people = cast(literal(tables.population.figures.people), BigInteger).label("size")
        everybody = select(only, people, cast(literal(0), BigInteger).label("outside")).subquery()
    return replace(members_of(tables, rows, attribute), population=everybody)


# The classes of a table as it is: a release, or any table with quasi-identifiers.

_COUNT = "records"
_HIDDEN = "hidden"
_PERSON = "person"
_NO_ORDERS: Mapping[str, Sequence[str]] = MappingProxyType({})


def form_classes(
    store: Store,
    relation: FromClause,
    quasi_identifiers: Sequence[str],
    sensitive: Mapping[str, Attribute],
    *,
    harmonised: bool = False,
    records: str | None = None,
    hidden: str | None = None,
    person: str | None = None,
    figures: Figures = PLAIN,
    orders: Mapping[str, Sequence[str]] = _NO_ORDERS,
    formed: FromClause | None = None,
) -> Mapping[str, Classes]:
    """Form the classes of a table, and show each sensitive attribute in them.

    Records that agree in all quasi-identifiers are one class. A null is a value like any other.

    Parameters
    ----------
    relation : FromClause
        One row per record.
    quasi_identifiers : sequence of str, length >= 1
        Names of its columns; their values are compared as texts.
    sensitive : mapping of str to Attribute
        Names of columns, and what they hold. With a kind of None, an attribute is a number if all its texts are.
        Numbers are told apart and ordered as numbers, with texts that are none behind them; categories by the order
        that is given, as numbers or dates if a hierarchy lists such, by the codes that they have, or else
        alphabetically. In a hierarchy, a value that it lacks is as far as can be from all
        others.
    harmonised : bool
        Whether somebody who looks for one sensitive attribute knows the others: then these are quasi-identifiers too.
    records : str, optional
        The column that says for how many records a row stands; otherwise for one.
    hidden : str, optional
        The column that says whether records are suppressed: these are in no class, only in the table.
    person : str, optional
        The column that tells persons apart: then different persons are counted, not records.
    figures : Figures
        How numbers are written.
    orders : mapping of str to sequence of str, optional
        The categories of a column in their order, where the table says it.
    formed : FromClause, optional
        ``equivalence_id, size, suppressed``: the classes, where they are formed already. Then the only
        quasi-identifier is ``equivalence_id``, and the relation has each row of ``equivalence_id``, sensitive texts
        and ``records`` or ``person`` once.

    Returns
    -------
    mapping of str to Classes
        By the names of the sensitive attributes. Behind ``equivalence_id, size`` their sizes have the texts of the
        quasi-identifiers, ``text_1 ..``. Of very many classes that were formed already, one stands for all that hold
        the same: then the sizes have ``classes``, for how many.
    """
    if formed is not None:
        return _show_values(store, formed, relation, sensitive, figures=figures, orders=orders)
    columns = _make_distinct_names([*quasi_identifiers, *sensitive])
    counted = _count_rows(store, relation, columns, records, hidden, person)
    same = {name: columns[name] for name in quasi_identifiers}
    shared = None if harmonised else _number_classes(store, counted, same)
    classes = {}
    for name, attribute in sensitive.items():
        rest = {other: columns[other] for other in sensitive if harmonised and other != name}
        known = {**same, **rest}
        numbered = _number_classes(store, counted, known) if shared is None else shared
        classes[str(attribute.column)] = _show_attribute(
            store, counted, numbered, known, columns[name], attribute, figures, orders.get(name)
        )
    store.drop(counted)
    return MappingProxyType(classes)


def _show_values(
    store: Store,
    classes: FromClause,
    held: FromClause,
    sensitive: Mapping[str, Attribute],
    *,
    figures: Figures,
    orders: Mapping[str, Sequence[str]],
) -> Mapping[str, Classes]:
    """Show each sensitive attribute in classes that are formed already."""
    key = held.c.equivalence_id
    count = held.c.records.label(_COUNT) if _PERSON not in held.c else literal(1).label(_COUNT)
    persons = [held.c[_PERSON]] if _PERSON in held.c else []
    texts = [held.c[name] for name in sensitive]
    counted = select(key, *texts, *persons, count, literal(False).label(_HIDDEN)).subquery()
    # Suppressed classes have no size, so that what they hold is in the whole table alone.
    sizes = store.create("sizes", select(classes.c.equivalence_id, classes.c.size).where(~classes.c.suppressed))
    shown = {}
    for name, attribute in sensitive.items():
        known = {key.name: key.name}
        one = _show_attribute(store, counted, sizes, known, name, attribute, figures, orders.get(name))
        shown[str(attribute.column)] = _join_alike_classes(store, one)
    return MappingProxyType(shown)


def _make_distinct_names(names: Sequence[str]) -> dict[str, str]:
    """Return our own names for columns: theirs may collide with the names of counts."""
    return {name: f"text_{index}" for index, name in enumerate(dict.fromkeys(names), start=1)}


def _count_rows(
    store: Store,
    relation: FromClause,
    columns: Mapping[str, str],
    records: str | None = None,
    hidden: str | None = None,
    person: str | None = None,
) -> Table:
    """Count the distinct rows of some columns: all later statements read these instead of the records."""
    count = func.count() if records is None else cast(func.sum(relation.c[records]), BigInteger)
    is_hidden: ColumnElement[bool] = literal(False) if hidden is None else relation.c[hidden]
    texts = [cast(relation.c[name], String) for name in columns]
    named = [text.label(label) for text, label in zip(texts, columns.values(), strict=True)]
    persons = [] if person is None else [relation.c[person]]
    shown = [column.label(_PERSON) for column in persons]
    rows = select(*named, *shown, count.label(_COUNT), is_hidden.label(_HIDDEN))
    return store.create("counted", rows.group_by(*texts, *persons, is_hidden))


def _count_all(counted: FromClause) -> ColumnElement[int]:
    """Aggregate rows that were counted: how many records they stand for, or of how many different persons they are."""
    if _PERSON in counted.c:
        return cast(func.count(counted.c[_PERSON].distinct()), BigInteger)
    return cast(func.sum(counted.c[_COUNT]), BigInteger)


def _number_classes(store: Store, counted: Table, columns: Mapping[str, str]) -> Table:
    """Assign numbers from 1 to the classes: ``equivalence_id, size``, and their texts."""
    texts = [counted.c[label] for label in columns.values()]
    size = _count_all(counted).label("size")
    equivalence_id = cast(func.row_number().over(), BigInteger).label("equivalence_id")
    grouped = select(size, *texts).where(~counted.c[_HIDDEN]).group_by(*texts).subquery()
    return store.create("classes", select(equivalence_id, grouped))


def _show_attribute(
    store: Store,
    counted: FromClause,
    numbered: Table,
    columns: Mapping[str, str],
    held: str,
    attribute: Attribute,
    figures: Figures,
    order: Sequence[str] | None,
) -> Classes:
    """Show one sensitive attribute in the classes of some columns."""
    text = counted.c[held].label("text")
    found = store.create("texts", select(text, func.sum(counted.c[_COUNT]).label("records")).group_by(text))
    texts, weights = select(found.c.text), select(found.c.text, found.c.records)
    nature = find_nature(store, attribute, texts.subquery(), TypeHints(figures=figures))
    if nature.kind == "category":
        attribute = build_text_hierarchy(store, attribute, texts.subquery(), weights)
    values = _number_texts(store, found, nature, attribute, figures, order)
    same = and_(*(counted.c[label].is_not_distinct_from(numbered.c[label]) for label in columns.values()))
    same_text = values.c.text.is_not_distinct_from(counted.c[held])
    joined = counted.join(numbered, and_(same, ~counted.c[_HIDDEN])).join(values, same_text)
    key, value = numbered.c.equivalence_id, values.c.value
    overall = store.create("overall", _count_overall(counted, held, found, values))
    rows = select(key, value, _count_all(counted).label(_COUNT)).select_from(joined).group_by(key, value)
    more = {column.name for column in counted.c} - {*columns.values(), held, _COUNT, _HIDDEN}
    if not more and store.count(overall) == store.count(found):
        # Each value of a class is one text, and has one row already.
        rows = select(key, value, counted.c[_COUNT]).select_from(joined)
    histogram = store.create("histogram", rows)
    if nature.kind == "number":
        numbers = select(values.c.place.label("value")).distinct().subquery()
        attribute, _ = build_number_hierarchy(store, attribute, numbers, nature.scale)
    tree = None
    if attribute.hierarchy is not None:
        places = select(values.c.value, choose_any_value(values.c.place)).group_by(values.c.value)
        tree = create_tree(store, attribute.hierarchy, [(value, position) for value, position in store.rows(places)])
    store.drop(values, found)
    is_ordered = nature.kind == "category" and (order is not None or attribute.ordered)
    is_by_person = _PERSON in counted.c
    return Classes(numbered, histogram, overall, nature.kind, tree, counts_persons=is_by_person, is_ordered=is_ordered)


def _count_overall(counted: FromClause, held: str, texts: Table, values: Table) -> Query:
    """Count the records of each value in the whole table, or its different persons: ``value, records``."""
    if _PERSON in counted.c:
        rows, records = counted.join(values, values.c.text.is_not_distinct_from(counted.c[held])), _count_all(counted)
    else:
        rows = texts.join(values, values.c.text.is_not_distinct_from(texts.c.text))
        records = cast(func.sum(texts.c.records), BigInteger)
    return select(values.c.value, records.label(_COUNT)).select_from(rows).group_by(values.c.value)


def _number_texts(
    store: Store,
    texts: Table,
    nature: ColumnType,
    attribute: Attribute,
    figures: Figures,
    order: Sequence[str] | None,
) -> Table:
    """Assign a value to each text, ``text, value, place``: its rank, and its position in the hierarchy."""
    if nature.kind == "number":
        position = nature.scale.value(texts.c.text)
        placed = select(texts.c.text, position.label("place"))
    else:
        categories = attribute.categories or {}
        codes = store.create_constant(
            "categories",
            {"text": (str, list(categories)), "code": (float, [float(code) for code in categories.values()])},
        )
        placed = select(texts.c.text, codes.c.code.label("place")).join_from(
            texts, codes, codes.c.text == texts.c.text, isouter=True
        )
    placed_texts = placed.subquery()
    # Texts without a place are different values, one behind the other.
    ranks: list[ColumnElement[Any]] = [
        placed_texts.c.place.nulls_last(),
        case((placed_texts.c.place.is_(None), placed_texts.c.text)).nulls_last(),
    ]
    if nature.kind == "category" and not attribute.ordered:
        ranks = [*_choose_own_order(store, placed_texts, attribute, figures, order), *ranks]
    rank = cast(func.dense_rank().over(order_by=ranks), Double)
    return store.create("values", select(placed_texts.c.text, rank.label("value"), placed_texts.c.place))


_MANY_CLASSES = 10_000
"""From here it takes less to find out which classes hold the same than to measure each of them."""
_BITS = 62
"""Of a number, without its sign, that are used."""
_MOST_NUMBERS = 4
"""Numbers of so many bits by which classes are compared."""


def _join_alike_classes(store: Store, classes: Classes) -> Classes:
    """Let one of many classes stand for all that hold each value as often, which a model cannot tell apart.

    How often a class has each value is written as the digits of a few numbers; where these are not enough, or persons
    are counted, who may have several values, all classes stay.
    """
    histogram, overall = classes.judged
    if classes.counts_persons or store.count(classes.sizes) < _MANY_CLASSES:
        return classes
    digit = int(store.scalar(select(func.max(histogram.c.records)))).bit_length()
    in_one = max(1, _BITS // digit)
    numbers = range(-(-store.count(overall) // in_one))
    if len(numbers) > _MOST_NUMBERS:
        return classes
    place = func.row_number().over(order_by=overall.c.value) - 1
    number, first = whole_quotient(place, literal(in_one)), nth_bit(place % in_one * digit)
    placed = select(overall.c.value, number.label("number"), first.label("first")).subquery()
    joined = histogram.join(placed, placed.c.value == histogram.c.value)
    written = histogram.c.records * placed.c.first
    key = histogram.c.equivalence_id
    sums = [
        cast(func.coalesce(func.sum(written).filter(placed.c.number == each), 0), BigInteger).label(f"number_{each}")
        for each in numbers
    ]
    told = select(key, *sums).select_from(joined).group_by(key).subquery()
    one, count = func.min(told.c.equivalence_id).label("equivalence_id"), func.count().label("classes")
    alike = select(one, count).group_by(*(told.c[each.name] for each in sums)).subquery()
    sizes = classes.sizes
    joined = sizes.join(alike, alike.c.equivalence_id == sizes.c.equivalence_id)
    kept = store.create("sizes", select(*sizes.c, alike.c.classes).select_from(joined))
    rows = select(histogram).where(histogram.c.equivalence_id.in_(select(kept.c.equivalence_id)))
    return replace(classes, sizes=kept, histogram=store.create("histogram", rows))


def _choose_own_order(
    store: Store, texts: FromClause, attribute: Attribute, figures: Figures, order: Sequence[str] | None
) -> list[ColumnElement[Any]]:
    """Return what categories are ordered by that are listed in an order, or are numbers or dates in a hierarchy."""
    if order is not None:
        listed = store.create_constant("listed", {"text": (str, order), "rank": (int, range(len(order)))})
        return [select(listed.c.rank).where(listed.c.text == texts.c.text).scalar_subquery().nulls_last()]
    scale = find_own_scale(store, attribute, texts, TypeHints(figures=figures))
    return [] if scale is None else [scale.value(texts.c.text).nulls_last()]


# How the share of a sensitive value in a class compares with its share in the whole table.


def select_share_ratios(classes: Classes) -> Query:
    """Divide the share of each value in its class, q, by that in the table, p.

    Returns
    -------
    Select, one row per class and value that occurs in it
        ``equivalence_id, ratio, share``: q / p, and p.
    """
    histogram, overall = classes.judged
    sizes = classes.weights
    total = select(cast(func.sum(overall.c.records), Double)).scalar_subquery()
    share = overall.c.records / total
    # Products of counts first: for a class that is like the table both are equal, and the ratio is exactly 1.
    in_class = cast(histogram.c.records, Double) * total
    ratio = in_class / (cast(sizes.c.size, Double) * cast(overall.c.records, Double))
    joined = histogram.join(sizes, sizes.c.equivalence_id == histogram.c.equivalence_id).join(
        overall, overall.c.value == histogram.c.value
    )
    return select(histogram.c.equivalence_id, ratio.label("ratio"), share.label("share")).select_from(joined)
