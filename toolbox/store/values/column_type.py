"""The type of a column and its values: numbers, dates or categories, as declared or as its texts are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal

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

from toolbox.config.built_columns import add_missing_category
from toolbox.config.model import Attribute, Kind, QuasiIdentifier
from toolbox.errors import InputError, UsageError, quote
from toolbox.hierarchy.hierarchy import Interval
from toolbox.messages import choose_setting_name, mark, say, say_count
from toolbox.queries.dialect import Query, Table, contains, count_where, has_match, is_finite, number_or_null
from toolbox.queries.scales import PLAIN, Calendar, Figures, Scale, is_code, is_no_number
from toolbox.store.engine.store import Store
from toolbox.store.values.built import build_number_hierarchy, build_text_hierarchy
from toolbox.store.values.dates import find_calendar, find_date_kind

# The nature of a column: as the configuration declares it, as the input says, or as its texts look.


@dataclass(frozen=True)
class ColumnType:
    """What a column holds, and how its values are written."""

    kind: Literal["number", "category"]
    """Dates are numbers."""
    scale: Scale = PLAIN
    notes: tuple[str, ...] = ()
    """What was found out, and what to write where it is not meant."""


@dataclass(frozen=True)
class TypeHints:
    """What is known about a column besides its declaration."""

    said: Kind | None = None
    """What the input says of it; None for plain text."""
    zone: str | None = None
    """The zone of timestamps, where the input says it."""
    figures: Figures = PLAIN
    """How the input writes numbers where it is text."""
    presumed: Kind | None = None
    """What it is taken for where nobody says it and its values are no codes; None: numbers if all its texts are."""


NO_CLUES: Final = TypeHints()
_OTHER_FIGURES: Final = (
    PLAIN,
    Figures(","),
    *(Figures(",", mark) for mark in (".", " ", "'", "\u00a0", "\u202f", "’")),
    *(Figures(".", mark) for mark in (",", " ", "'", "\u00a0", "\u202f", "’")),
)
"""How tables write numbers, in many countries."""
_FIRST_TEXTS: Final = 1_000
"""Texts that tell of most columns that they hold no numbers in any way."""


def find_nature(store: Store, attribute: Attribute, texts: FromClause, clues: TypeHints) -> ColumnType:
    """Find out what a column holds.

    Parameters
    ----------
    texts : FromClause
        ``text``: its distinct texts.

    Raises
    ------
    InputError
        If it holds dates that may be read in several ways.
    UsageError
        If it holds no dates, and its hierarchy is one of dates.
    """
    nature = _find_nature(store, attribute, texts, clues)
    dates = "" if isinstance(nature.scale, Calendar) else _name_date_hierarchy(attribute)
    if dates and store.scalar(select(func.count(texts.c.text))):
        held = "numbers" if nature.kind == "number" else "categories"
        setting = _format_kind_setting(attribute, "date")
        raise UsageError(
            f"{attribute.column} holds {held}, and its hierarchy {quote(dates)} takes dates. "
            f"Write {setting} if they are dates, or choose another hierarchy."
        )
    return nature


def _name_date_hierarchy(attribute: Attribute) -> str:
    """Return what makes a hierarchy of dates alone; empty if nothing does."""
    if attribute.builder is not None and attribute.builder.takes == "dates":
        return attribute.builder.name
    return ",".join(attribute.periods) if isinstance(attribute, QuasiIdentifier) else ""


def _find_nature(store: Store, attribute: Attribute, texts: FromClause, clues: TypeHints) -> ColumnType:
    kind = clues.said
    scale = PLAIN if kind == "number" else clues.figures
    known = attribute.kind or _find_built_kind(store, attribute, texts, kind)
    decides = attribute.builder is not None and attribute.builder.takes == "anything"
    match known:
        case "date" | "timestamp":
            dates = find_calendar(store, attribute, texts, known, zone=clues.zone, is_typed=kind == known)
            return ColumnType("number", dates.calendar, () if dates.note is None else (dates.note,))
        case "number":
            return ColumnType("number", scale)
        case "category":
            notes = _find_date_notes(store, attribute, texts)
            is_open = attribute.kind is None and attribute.hierarchy is None and attribute.categories is None
            return ColumnType(
                "category", scale, (*notes, *(_list_figures_notes(store, attribute, texts, scale) if is_open else ()))
            )
    if codes := int(store.scalar(select(count_where(is_code(texts.c.text))))):
        return ColumnType("category", scale, (_code_note(attribute, codes),))
    is_presumed = clues.presumed == "number" and not decides
    is_number = is_presumed or not store.scalar(select(count_where(is_no_number(texts.c.text, scale))))
    if is_number:
        return ColumnType("number", scale)
    return ColumnType("category", scale, _list_figures_notes(store, attribute, texts, scale))


def find_other_figures(store: Store, texts: FromClause, usual: Figures = PLAIN) -> tuple[Figures, ...]:
    """Return the other ways to write numbers in which each text of a column is one; none where the usual way will do.

    Two ways are returned if nothing tells decimals from thousands, as in ``1,234``. A mark that no text needs is not
    among them.

    Parameters
    ----------
    texts : FromClause
        ``text``: its distinct texts.
    """
    ways = [] if _has_words(store, texts) else [figures for figures in _OTHER_FIGURES if figures != usual]
    strange = 0
    for part in (_select_first_texts(texts), texts):
        if not ways:
            return ()
        strange, *counts = store.row(
            select(*(count_where(is_no_number(part.c.text, figures)) for figures in (usual, *ways)))
        )
        ways = [figures for figures, count in zip(ways, counts, strict=True) if not count]
    return tuple(way for way in ways if not _find_simpler_figures(way) & set(ways)) if strange else ()


def _find_simpler_figures(way: Figures) -> set[Figures]:
    """Return the ways that have fewer marks, or the usual one before decimals, and so are enough where they fit."""
    simpler = {Figures(way.decimal), Figures(".", way.thousands)} if way.thousands else set()
    return simpler - {way}


def format_figures_setting(figures: Figures) -> str:
    """Return how it is said that an input writes numbers so."""
    marks = {"decimal": figures.decimal, "thousands": figures.thousands}
    said = [(name, mark) for name, mark in marks.items() if mark and (figures == PLAIN or mark != ".")]
    if figures.decimal == "," and figures.thousands == ".":
        said = list(marks.items())
    written = [f"{name}={mark!r}" for name, mark in said]
    options = " ".join(f"--{name} {mark!r}" for name, mark in said)
    return choose_setting_name(f"{' '.join(written)} at the input", python=", ".join(written), options=options)


def format_figures_note(store: Store, column: object, texts: FromClause, usual: Figures = PLAIN) -> str | None:
    """Return the note that a column of categories would hold numbers if these were written in another way.

    Parameters
    ----------
    column : object
        What messages call it.
    texts : FromClause
        ``text``: its distinct texts.
    usual : Figures
        How the input is said to write numbers.
    """
    if _has_words(store, texts):
        return None
    ways = find_other_figures(store, texts, usual)
    settings = " or ".join(map(format_figures_setting, ways))
    if len(ways) > 1:
        return say(
            "%(column)s: its values would be numbers, but nothing tells whether their marks stand before decimals or "
            "between thousands. They are taken for categories. Write %(settings)s if they are numbers.",
            column=str(column),
            settings=settings,
        )
    if ways:
        python = f"If they are numbers, make some of them, or write {settings} where a file is read"
        remedy = choose_setting_name(f"Write {settings} if they are numbers", python=python)
        words = mark(
            "%(column)s: its values would be numbers with %(marks)s, and are taken for categories. %(remedy)s."
        )
        return say(words, column=str(column), marks=list_figure_marks(ways[0]), remedy=remedy)
    if _is_mixed(store, texts):
        return say(
            "%(column)s: its values would be numbers, but not all have the same mark before their decimals. They are "
            "taken for categories. If they are numbers, write all of them in one way.",
            column=str(column),
        )
    return None


def _select_first_texts(texts: FromClause) -> FromClause:
    return select(texts.c.text).where(texts.c.text.is_not(None)).limit(_FIRST_TEXTS).subquery()


def _has_words(store: Store, texts: FromClause) -> bool:
    """Return whether some text has no digit, which is soon seen of most columns that hold no numbers."""
    text = _select_first_texts(texts).c.text
    return bool(store.scalar(select(count_where(~has_match(text, "[0-9]")))))


def _is_mixed(store: Store, texts: FromClause) -> bool:
    """Return whether all texts are numbers, some with a point and others with a comma before their decimals."""
    no_points = no_commas = 0
    for part in (_select_first_texts(texts), texts):
        no_point = and_(is_no_number(part.c.text), is_no_number(part.c.text, Figures(".", ",")))
        no_comma = and_(is_no_number(part.c.text, Figures(",")), is_no_number(part.c.text, Figures(",", ".")))
        neither, no_points, no_commas = store.row(
            select(*map(count_where, (and_(no_point, no_comma), no_point, no_comma)))
        )
        if neither:
            return False
    return no_points > 0 and no_commas > 0


def list_figure_marks(figures: Figures) -> str:
    """Return what is unusual about a way to write numbers."""
    if not figures.thousands:
        return "decimal commas" if figures.decimal == "," else "decimal points"
    between = f"{figures.thousands!r} between thousands"
    return f"decimal commas and {between}" if figures.decimal == "," else between


def _list_figures_notes(store: Store, attribute: Attribute, texts: FromClause, scale: Scale) -> tuple[str, ...]:
    note = format_figures_note(store, attribute.column, texts, scale if isinstance(scale, Figures) else PLAIN)
    return () if note is None else (note,)


def find_own_scale(store: Store, attribute: Attribute, texts: FromClause, clues: TypeHints) -> Scale | None:
    """Return the scale of categories that are numbers or dates, which a hierarchy lists in any order; None otherwise.

    Parameters
    ----------
    texts : FromClause
        ``text``: its distinct texts; a missing one plays no part.
    """
    if attribute.ordered or not attribute.has_hierarchy or not store.scalar(select(func.count(texts.c.text))):
        return None
    if (unit := find_date_kind(store, texts)) is not None:
        plain = replace(attribute, kind=None, categories=None, hierarchy=None, builder=None)
        with suppress(InputError):
            scale: Scale = find_calendar(store, plain, texts, unit, zone=None, is_typed=False).calendar
            lacking = scale.value(texts.c.text).is_(None) & texts.c.text.is_not(None)
            return None if store.scalar(select(count_where(lacking))) else scale
        return None
    others = is_code(texts.c.text) | is_no_number(texts.c.text, clues.figures)
    return None if store.scalar(select(count_where(others))) else clues.figures


def _find_built_kind(store: Store, attribute: Attribute, texts: FromClause, said: Kind | None) -> Kind | None:
    """Return what the input says of a column; or what its builder takes, where that is dates, or anything."""
    if attribute.builder is None or said in ("date", "timestamp", "number"):
        return said
    if attribute.builder.takes == "dates":
        return "date"
    return (find_date_kind(store, texts) or said) if attribute.builder.takes == "anything" else said


def _find_date_notes(store: Store, attribute: Attribute, texts: FromClause) -> tuple[str, ...]:
    """Return a note if categories look like dates and nobody has declared them as categories."""
    is_open = attribute.kind is None and isinstance(attribute, QuasiIdentifier)
    if not is_open or (unit := find_date_kind(store, texts)) is None:
        return ()
    return (say(_DATES_AS_TEXTS[unit], column=str(attribute.column), setting=_format_kind_setting(attribute, unit)),)


_DATES_AS_TEXTS = {
    "date": mark(
        "%(column)s: its values are dates as texts, and are taken for categories. Write %(setting)s to have them "
        "generalised as dates."
    ),
    "timestamp": mark(
        "%(column)s: its values are timestamps as texts, and are taken for categories. Write %(setting)s to have them "
        "generalised as timestamps."
    ),
}


def _code_note(attribute: Attribute, codes: int) -> str:
    return say_count(
        "%(column)s: %(count)s value has a leading zero, as codes have, so that all are taken for categories. Write "
        "%(setting)s if they are numbers.",
        "%(column)s: %(count)s values have leading zeros, as codes have, so that all are taken for categories. Write "
        "%(setting)s if they are numbers.",
        codes,
        column=str(attribute.column),
        setting=_format_kind_setting(attribute, "number"),
    )


def _format_kind_setting(attribute: Attribute, kind: Kind) -> str:
    """Return the name of the setting that declares the kind of a column."""
    return choose_setting_name(
        f"type='{kind}'",
        python=f"kinds={{{str(attribute.column)!r}: '{kind}'}}",
        options=f"--kind {attribute.column}={kind}",
    )


# From the distinct texts of one column to its values: numbers or category codes.

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
    nature: ColumnType
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
    clues: TypeHints = NO_CLUES,
    texts: Select[str],
    all_texts: Query,
    kept_missing: str | None = None,
    counted: Query | None = None,
) -> TextDomain:
    """Find the value of each distinct text of a column, or the problem that it has.

    Parameters
    ----------
    clues : TypeHints
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
    nature = find_nature(store, attribute, distinct, clues)
    if nature.kind == "category":
        attribute = build_text_hierarchy(store, attribute, distinct, counted, kept_missing)
    if isinstance(nature.scale, Calendar):
        coded = _parse_dates(distinct, kept_missing, nature.scale)
    elif nature.kind == "number":
        coded = _parse_numbers(store, attribute, distinct, kept_missing, nature.scale)
    elif attribute.categories is None:
        rank = cast(func.row_number().over(order_by=distinct.c.text) - 1, Double)
        coded = select(distinct.c.text, rank.label("value"), cast(null(), String).label("problem"))
    else:
        if kept_missing is not None:
            is_missing = select(func.count()).where(distinct.c.text == kept_missing)
            attribute = add_missing_category(attribute, kept_missing, occurs=store.scalar(is_missing) > 0)
        problem = NO_CATEGORY if attribute.builder is None else OUTSIDE
        coded = _match_declared_categories(store, attribute.categories or {}, distinct, problem)
    coded_texts = store.create("texts", coded)
    if nature.kind == "number":
        attribute, coded_texts = _build_hierarchy(store, attribute, coded_texts, nature.scale, counted)
    store.drop(distinct)
    return TextDomain(attribute, position, nature, coded_texts, all_texts, kept_missing)


def _build_hierarchy(
    store: Store, attribute: Attribute, texts: Table, scale: Scale, counted: Query | None
) -> tuple[Attribute, Table]:
    """Make the hierarchy of numbers or dates; what has no place in it has a problem, unless it may go to the root."""
    values = select(texts.c.value).where(texts.c.problem.is_(None)).distinct().subquery()
    weights = None
    if counted is not None:
        each = counted.subquery()
        same = and_(each.c.text == texts.c.text, texts.c.problem.is_(None))
        weights = select(texts.c.value, each.c.records).join_from(texts, each, same).subquery()
    attribute, unplaced = build_number_hierarchy(store, attribute, values, scale, weights)
    if not unplaced or attribute.other == "root":
        return attribute, texts
    lost = store.create_constant("unplaced", {"value": (float, unplaced)})
    outside = case((texts.c.value.in_(select(lost.c.value)), OUTSIDE))
    problem = func.coalesce(texts.c.problem, outside).label("problem")
    return attribute, store.create("texts", select(texts.c.text, texts.c.value, problem))


def _match_declared_categories(
    store: Store, categories: Mapping[str, int], distinct: FromClause, unknown: str
) -> Query:
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


def _parse_dates(distinct: FromClause, kept_missing: str | None, calendar: Calendar) -> Query:
    """Read each text as a date."""
    text = distinct.c.text
    parsed = select(
        text, calendar.value(text).label("value"), calendar.parse_microseconds(text).label("micros")
    ).subquery()
    value, micros = parsed.c.value, parsed.c.micros
    problems: list[tuple[ColumnElement[bool], str]] = []
    if kept_missing is not None:
        problems.append((parsed.c.text == kept_missing, MISSING_DATE))
    problems.append((micros.is_(None), NOT_A_DATE if calendar.unit == "date" else NOT_A_TIMESTAMP))
    problems.append((value.is_(None), WITH_TIME))
    if calendar.unit == "timestamp":
        problems.append((cast(value, BigInteger) != micros, TOO_FINE))
    return select(parsed.c.text, value, case(*problems).label("problem"))


def _parse_numbers(
    store: Store, attribute: Attribute, distinct: FromClause, kept_missing: str | None, scale: Scale
) -> Query:
    """Read each text as a number within the hierarchy, if there is one."""
    # Adding zero turns -0 into 0, so that both are one value.
    plain = scale.plain(distinct.c.text) if isinstance(scale, Figures) else distinct.c.text
    value_of = (number_or_null(plain) + 0.0).label("value")
    parsed = select(distinct.c.text, plain.label("plain"), value_of).subquery()
    value = parsed.c.value
    merged = _find_merged_numbers(store, parsed)
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
        problems.append((~is_within(value, attribute.hierarchy.root.interval), OUTSIDE))
    return select(parsed.c.text, value, case(*problems).label("problem"))


def _find_merged_numbers(store: Store, parsed: FromClause) -> list[float]:
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
        if len({_parse_exact_number(text.strip().lower()) for _, text in texts}) > 1
    ]


def _parse_exact_number(text: str) -> Decimal | str:
    """Read the number that a text stands for; where its exponent is beyond all bounds, the text stands for itself."""
    mantissa, _, _ = text.partition("e")
    with suppress(InvalidOperation):
        return Decimal(text) if Decimal(mantissa) else Decimal(0)
    return text


def is_within(value: ColumnElement[float], interval: Interval) -> ColumnElement[bool]:
    """Test whether a value lies in an interval."""
    low, high = literal(interval.low, Double), literal(interval.high, Double)
    return and_(
        value >= low if interval.low_closed else value > low, value <= high if interval.high_closed else value < high
    )
