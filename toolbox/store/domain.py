"""From the distinct texts of one column to its values: numbers or category codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import groupby
from operator import itemgetter
from typing import Literal

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    Select,
    String,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    null,
    or_,
    select,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.kept_missing import with_missing
from toolbox.config.model import Attribute, QuasiIdentifier
from toolbox.hierarchy.interval import Interval
from toolbox.queries.calendar import Calendar
from toolbox.queries.dialect import contains, is_finite, number_or_null
from toolbox.queries.numbers import Figures
from toolbox.queries.query import Query, Table
from toolbox.queries.scale import Scale
from toolbox.store.built import with_built_numbers, with_built_texts
from toolbox.store.nature import NO_CLUES, Clues, Nature, nature_of
from toolbox.store.store import Store

NOT_A_NUMBER = "no number"
NOT_A_DATE = "no date of the years 1 to 9999"
NOT_A_TIMESTAMP = "no timestamp of the years 1 to 9999"
WITH_TIME = "a date with a time of day"
MISSING_NUMBER = "missing; to keep it makes a category of it, but the column holds numbers"
MISSING_DATE = "missing; to keep it makes a category of it, but the column holds dates"
TOO_FINE = "with finer fractions of a second than so distant a year can have (microseconds from 1685 to 2254)"
TOO_PRECISE = "with more digits than a number can hold (about 15), so that two values would become one"
NO_CATEGORY = "no declared category"
OUTSIDE = "outside the hierarchy"
_PLAIN = r"^([+-]?)0*([0-9]*)(?:[.]([0-9]*?)0*)?$"
"""A number without an exponent: its sign, and its digits without the zeros at both ends."""


@dataclass(frozen=True)
class TextDomain:
    """The distinct texts of one column, coded."""

    attribute: Attribute
    position: int
    nature: Nature
    """What the column holds."""
    texts: Table
    """``(text, value, problem)``: ``value`` is a number or the code of a category, ``problem`` says why it has none."""
    all_texts: Query
    """Every text of the column, also of records that are skipped; for messages."""
    kept_missing: str | None = None
    """The text of a missing value where that is a category of its own."""

    @property
    def kind(self) -> Literal["number", "category"]:
        """Whether the values are numbers or codes of categories; dates are numbers."""
        return self.nature.kind

    @property
    def scale(self) -> Scale:
        """How numbers are written."""
        return self.nature.scale

    @property
    def name(self) -> str:
        """What messages and reports call the column."""
        return str(self.attribute.column)


def read_domain(
    store: Store,
    attribute: Attribute,
    *,
    position: int,
    clues: Clues = NO_CLUES,
    texts: Select[str],
    all_texts: Query,
    kept_missing: str | None = None,
    counted: Query | None = None,
) -> TextDomain:
    """Find the value of each distinct text of a column, or the problem that it has.

    Parameters
    ----------
    clues : Clues
        What is known of the column beside its declaration.
    texts : Select
        One column ``text`` without duplicates, nulls and skipped missing values.
    all_texts : Select
        One column ``text``: these and all others of the column.
    kept_missing : str, optional
        The text of a missing value where that is a category of its own.
    counted : Select, optional
        ``text, records``: how many records have each text; one each where nothing is said.

    Raises
    ------
    InputError
        If it holds dates that may be read in several ways.
    UsageError
        If its builder can make no hierarchy of it.
    """
    distinct = store.create("distinct", texts)
    nature = nature_of(store, attribute, distinct, clues)
    if nature.kind == "category":
        attribute = with_built_texts(store, attribute, distinct, counted, kept_missing)
    if isinstance(nature.scale, Calendar):
        coded = _dates(distinct, kept_missing, nature.scale)
    elif nature.kind == "number":
        coded = _numbers(store, attribute, distinct, kept_missing, nature.scale)
    elif attribute.categories is None:
        rank = cast(func.row_number().over(order_by=distinct.c.text) - 1, Double)
        coded = select(distinct.c.text, rank.label("value"), cast(null(), String).label("problem"))
    else:
        if kept_missing is not None:
            is_missing = select(func.count()).where(distinct.c.text == kept_missing)
            attribute = with_missing(attribute, kept_missing, occurs=store.scalar(is_missing) > 0)
        problem = NO_CATEGORY if attribute.builder is None else OUTSIDE
        coded = _declared(store, attribute.categories or {}, distinct, problem)
    coded_texts = store.create("texts", coded)
    if nature.kind == "number":
        attribute, coded_texts = _with_built(store, attribute, coded_texts, nature.scale, counted)
    store.drop(distinct)
    return TextDomain(attribute, position, nature, coded_texts, all_texts, kept_missing)


def _with_built(
    store: Store, attribute: Attribute, texts: Table, scale: Scale, counted: Query | None
) -> tuple[Attribute, Table]:
    """Make the hierarchy of numbers or dates; what has no place in it has a problem, unless it may go to the root."""
    values = select(texts.c.value).where(texts.c.problem.is_(None)).distinct().subquery()
    weights = None
    if counted is not None:
        each = counted.subquery()
        same = and_(each.c.text == texts.c.text, texts.c.problem.is_(None))
        weights = select(texts.c.value, each.c.records).join_from(texts, each, same).subquery()
    attribute, unplaced = with_built_numbers(store, attribute, values, scale, weights)
    if not unplaced or attribute.other == "root":
        return attribute, texts
    lost = store.create_constant("unplaced", {"value": (float, unplaced)})
    outside = case((texts.c.value.in_(select(lost.c.value)), OUTSIDE))
    problem = func.coalesce(texts.c.problem, outside).label("problem")
    return attribute, store.create("texts", select(texts.c.text, texts.c.value, problem))


def _declared(store: Store, categories: Mapping[str, int], distinct: FromClause, unknown: str) -> Query:
    """Look each text up among the declared categories."""
    columns: dict[str, tuple[type, Sequence[object]]] = {
        "text": (str, list(categories)),
        "value": (float, [float(code) for code in categories.values()]),
    }
    known = store.create_constant("categories", columns)
    problem = case((known.c.value.is_(None), unknown))
    return select(distinct.c.text, known.c.value, problem.label("problem")).join_from(
        distinct, known, distinct.c.text == known.c.text, isouter=True
    )


def _dates(distinct: FromClause, kept_missing: str | None, calendar: Calendar) -> Query:
    """Read each text as a date."""
    text = distinct.c.text
    parsed = select(text, calendar.value(text).label("value"), calendar.micros(text).label("micros")).subquery()
    value, micros = parsed.c.value, parsed.c.micros
    problems: list[tuple[ColumnElement[bool], str]] = []
    if kept_missing is not None:
        problems.append((parsed.c.text == kept_missing, MISSING_DATE))
    problems.append((micros.is_(None), NOT_A_DATE if calendar.unit == "date" else NOT_A_TIMESTAMP))
    problems.append((value.is_(None), WITH_TIME))
    if calendar.unit == "timestamp":
        problems.append((cast(value, BigInteger) != micros, TOO_FINE))
    return select(parsed.c.text, value, case(*problems).label("problem"))


def _numbers(store: Store, attribute: Attribute, distinct: FromClause, kept_missing: str | None, scale: Scale) -> Query:
    """Read each text as a number within the hierarchy, if there is one."""
    # Adding zero turns -0 into 0, so that both are one value.
    plain = scale.plain(distinct.c.text) if isinstance(scale, Figures) else distinct.c.text
    value_of = (number_or_null(plain) + 0.0).label("value")
    parsed = select(distinct.c.text, plain.label("plain"), value_of).subquery()
    value = parsed.c.value
    merged = _merged_numbers(store, parsed)
    problems: list[tuple[ColumnElement[bool], str]] = []
    if kept_missing is not None:
        problems.append((parsed.c.text == kept_missing, MISSING_NUMBER))
    # The engine takes 1_000 for a number.
    has_underscore = contains(parsed.c.text, "_")
    problems.append((or_(value.is_(None), ~is_finite(value), has_underscore), NOT_A_NUMBER))
    if merged and isinstance(attribute, QuasiIdentifier):
        several = store.create_constant("merged", {"value": (float, merged)})
        problems.append((value.in_(select(several.c.value)), TOO_PRECISE))
    if attribute.other == "root":
        pass
    elif attribute.listed is not None:
        listed = store.create_constant("listed", {"value": (float, attribute.listed)})
        problems.append((~exists().where(listed.c.value == value), OUTSIDE))
    elif attribute.hierarchy is not None:
        problems.append((~within(value, attribute.hierarchy.root.interval), OUTSIDE))
    return select(parsed.c.text, value, case(*problems).label("problem"))


def _merged_numbers(store: Store, parsed: FromClause) -> list[float]:
    """Find the doubles that stand for several different numbers: a double holds some 15 digits only.

    Most spellings of one number differ in zeros at their ends only, which the engine sees; the others are compared one
    number after the other, so that they are never all in memory.
    """
    value, text = parsed.c.value, parsed.c.plain
    shortest = func.regexp_replace(func.trim(text), _PLAIN, r"\1\2.\3")
    several = select(value).where(is_finite(value)).group_by(value).having(func.count() > 1)
    differing = select(value).where(value.in_(several)).group_by(value).having(func.count(shortest.distinct()) > 1)
    spellings = store.stream(select(value, text).where(value.in_(differing)).order_by(value))
    return [
        number
        for number, texts in groupby(spellings, key=itemgetter(0))
        if len({_exact(text.strip().lower()) for _, text in texts}) > 1
    ]


def _exact(text: str) -> Decimal | str:
    """Read the number that a text stands for; where its exponent is beyond all bounds, the text stands for itself."""
    mantissa, _, _ = text.partition("e")
    with suppress(InvalidOperation):
        return Decimal(text) if Decimal(mantissa) else Decimal(0)
    return text


def within(value: ColumnElement[float], interval: Interval) -> ColumnElement[bool]:
    """Test whether a value lies in an interval."""
    low, high = literal(interval.low, Double), literal(interval.high, Double)
    return and_(
        value >= low if interval.low_closed else value > low, value <= high if interval.high_closed else value < high
    )
