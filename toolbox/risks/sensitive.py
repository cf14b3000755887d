"""What is learned of sensitive values by who knows the class of each person: beliefs, skewness, similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Double, FromClause, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import Query, Table
from toolbox.store.engine.store import Store

# What the classes of a release tell of one sensitive attribute.

LEVELS = (0.5, 0.9)
"""Beliefs above which people are counted."""
FACTORS = (2.0, 10.0)
"""How many times as frequent as in the table a value is, where people are counted."""
GROWTHS = (0.2, 0.5)
"""How much larger than in the table its share is."""
NARROW = (0.05, 0.1)
"""Shares of all records that a narrow interval of numbers holds at most."""


@dataclass(frozen=True, kw_only=True)
class Skewness:
    """How much the shares of values in classes differ from those in the whole table."""

    largest_ratio: float
    """Of the share of any value in any class to its share in the table; 1 if nothing is learned."""
    grown_by_factor: tuple[tuple[float, int], ...]
    """A factor, and the people for whom the belief in some value grows by more."""
    grown_by: tuple[tuple[float, int], ...]
    """A probability, and the people for whom the belief in some value grows by more than that."""


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """How near the values of classes are to each other, where they differ."""

    levels: tuple[tuple[int, int], ...]
    """A level of the hierarchy below its root, and the people whose class has values below one node of it, or of a
    lower level; 0 counts those with one value. Empty without a hierarchy."""
    narrow: tuple[tuple[float, int], ...]
    """A share of all records, and the people whose class has several numbers, in an interval that holds no more than
    these. Empty for categories."""


@dataclass(frozen=True, kw_only=True)
class SensitiveRisk:
    """What an attacker who knows the class of each person learns about one sensitive attribute."""

    attribute: str
    people: int
    """Records in classes; suppressed ones are in none."""
    believed_above: tuple[tuple[float, int], ...]
    """A belief, and the people of whom some value is believed more strongly: the share of the value in their class."""
    certain: int
    """People whose class has one value."""
    shared: int = 0
    """People whose class has several values, one of which all of its persons have: these may have several each."""
    largest: float
    """Strongest belief of all."""
    expected_hits: float
    """People whose value is guessed rightly, if the most frequent one of the class is guessed of each."""
    share_without_release: float
    """Share of right guesses of who only knows how frequent values are: that of the most frequent one."""
    skewness: Skewness
    similarity: Similarity | None
    """None for categories without a hierarchy."""

    @property
    def right_guesses(self) -> float:
        """Share of the people whose value is guessed rightly, as expected."""
        return self.expected_hits / self.people


# What is learned of sensitive values by who knows the class of each person: beliefs, skewness, similarity.
#
# Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007). l-Diversity. doi:10.1145/1217299.1217302
#
# Li, Li and Venkatasubramanian (2007). t-Closeness; skewness and similarity. doi:10.1109/ICDE.2007.367856

_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class AttributeInClasses:
    """The values of one sensitive attribute, in the classes of a release and in all of it."""

    name: str
    sizes: FromClause
    """``equivalence_id, size``, without suppressed records; where one stands for several, also ``classes``."""
    histogram: FromClause
    """``equivalence_id, value, records``; values are numbers, in the order of what they stand for."""
    overall: FromClause
    """``value, records`` of the whole table."""
    persons: int | None = None
    """Persons of the whole table, who may have several values each; None where each record has one."""
    is_number: bool
    tree: FromClause | None
    """``value, node, level``: each value and the nodes of its hierarchy above it, without the root."""


def measure_sensitive_risk(
    store: Store, attribute: AttributeInClasses, *, above: Sequence[float] = ()
) -> SensitiveRisk | None:
    """Measure what classes tell of an attribute.

    Parameters
    ----------
    above : sequence of float
        Beliefs above which people are counted, too.

    Returns
    -------
    SensitiveRisk or None
        None if all records are suppressed.
    """
    classes = store.create("learned", _measure_classes(attribute))
    levels = sorted({*LEVELS, *above})
    size = classes.c.people
    has_one_value = classes.c["values"] == 1
    head = (
        func.coalesce(func.sum(size), 0),
        func.max(classes.c.strongest),
        func.sum(size * classes.c.strongest),
        func.max(classes.c.ratio),
        _select_largest_share(attribute).scalar_subquery(),
    )
    people, largest, hits, ratio, known = store.row(select(*head))
    if not people:
        store.drop(classes)
        return None
    counts = iter(
        _count_people(
            store,
            classes,
            [
                has_one_value,
                ~has_one_value & (classes.c.strongest > 1 - _TOLERANCE),
                *(classes.c.strongest > level + _TOLERANCE for level in levels),
                *(classes.c.ratio > factor * (1 + _TOLERANCE) for factor in FACTORS),
                *(classes.c.growth > growth + _TOLERANCE for growth in GROWTHS),
                *(~has_one_value & (classes.c.held_between <= share + _TOLERANCE) for share in NARROW),
            ],
        )
    )
    found = SensitiveRisk(
        attribute=attribute.name,
        people=int(people),
        certain=next(counts),
        shared=next(counts),
        believed_above=tuple((level, next(counts)) for level in levels),
        largest=largest,
        expected_hits=hits,
        share_without_release=known,
        skewness=Skewness(
            largest_ratio=ratio,
            grown_by_factor=tuple((factor, next(counts)) for factor in FACTORS),
            grown_by=tuple((growth, next(counts)) for growth in GROWTHS),
        ),
        similarity=_measure_similarity(store, attribute, classes, [(share, next(counts)) for share in NARROW]),
    )
    store.drop(classes)
    return found


def _measure_classes(attribute: AttributeInClasses) -> Query:
    """Measure each class.

    Returns
    -------
    Select
        ``equivalence_id, people, values, strongest, ratio, growth, held_between``: how many values there are, the
        largest share of a value, the largest ratio of shares in class and table, the largest difference, and the share
        of all records whose values are between the smallest and the largest of the class.
    """
    held, sizes, overall = attribute.histogram, attribute.sizes, _select_cumulated_shares(attribute).subquery()
    share = held.c.records / cast(sizes.c.size, Double)
    joined = held.join(sizes, sizes.c.equivalence_id == held.c.equivalence_id)
    joined = joined.join(overall, overall.c.value == held.c.value)
    measures: dict[str, ColumnElement[Any]] = {
        "values": func.count(),
        "strongest": func.max(share),
        "ratio": func.max(share / overall.c.share),
        "growth": func.max(share - overall.c.share),
        "held_between": func.max(overall.c.up_to) - func.min(overall.c.below),
    }
    named = [measure.label(name) for name, measure in measures.items()]
    key, people = held.c.equivalence_id, func.max(_count_members(sizes)).label("people")
    return select(key, people, *named).select_from(joined).group_by(key)


def _count_members(sizes: FromClause) -> ColumnElement[int]:
    """Return the people of a class, or of all classes for which it stands."""
    size: ColumnElement[int] = sizes.c.size
    return size * sizes.c.classes if "classes" in sizes.c else size


def _select_largest_share(attribute: AttributeInClasses) -> Query:
    """Return the share of the most frequent value in the whole table."""
    records = attribute.overall.c.records
    people = func.sum(records) if attribute.persons is None else literal(attribute.persons)
    return select(func.max(records) / cast(people, Double))


def _select_cumulated_shares(attribute: AttributeInClasses) -> Query:
    """Return the share of the people with each value, and of all values below and up to it.

    Returns
    -------
    Select
        ``value, share, below, up_to``: the last two of all records, or of all pairs of person and value, which add up.
    """
    overall = attribute.overall
    total = cast(func.sum(overall.c.records).over(), Double)
    people = total if attribute.persons is None else cast(literal(attribute.persons), Double)
    up_to = func.sum(overall.c.records).over(order_by=overall.c.value)
    shares = {"share": overall.c.records / people, "below": (up_to - overall.c.records) / total, "up_to": up_to / total}
    return select(overall.c.value, *(share.label(name) for name, share in shares.items()))


def _measure_similarity(
    store: Store, attribute: AttributeInClasses, classes: Table, narrow: Sequence[tuple[float, int]]
) -> Similarity | None:
    if attribute.tree is None and not attribute.is_number:
        return None
    levels = _count_by_level(store, attribute, classes)
    return Similarity(levels=levels, narrow=tuple(narrow) if attribute.is_number else ())


def _count_by_level(store: Store, attribute: AttributeInClasses, measured: Table) -> tuple[tuple[int, int], ...]:
    """Count the people of classes whose values are all below one node, by its level."""
    tree, held = attribute.tree, attribute.histogram
    if tree is None:
        return ()
    joined = held.join(tree, tree.c.value == held.c.value)
    joined = joined.join(measured, measured.c.equivalence_id == held.c.equivalence_id)
    keys = (held.c.equivalence_id, tree.c.node, tree.c.level)
    is_all = func.count() == func.max(measured.c["values"])
    people = func.max(measured.c.people).label("people")
    above_all = select(*keys, people).select_from(joined).group_by(*keys).having(is_all).subquery()
    lowest = select(above_all.c.people, func.min(above_all.c.level).label("level"))
    classes = store.create("similar", lowest.group_by(above_all.c.equivalence_id, above_all.c.people))
    levels = range(1 + int(store.scalar(select(func.max(tree.c.level)))))
    counts = _count_people(store, classes, [classes.c.level <= level for level in levels])
    store.drop(classes)
    return tuple(zip(levels, counts, strict=True))


def _count_people(store: Store, classes: Table, conditions: Sequence[ColumnElement[Any]]) -> list[int]:
    """Count the people of the classes that satisfy each condition."""
    size = classes.c.people
    counted = [cast(func.coalesce(func.sum(size).filter(condition), 0), BigInteger) for condition in conditions]
    return [int(count) for count in store.row(select(*counted))] if counted else []
