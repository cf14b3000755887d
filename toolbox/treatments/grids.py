"""Treatments that make numbers and dates coarser: every released value is one of a grid, or within a cap."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import pi
from typing import Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    DateTime,
    FromClause,
    Integer,
    Numeric,
    String,
    case,
    cast,
    extract,
    func,
    literal,
    select,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.hierarchy.date_formats import find_unknown_directive
from toolbox.queries.dialect import (
    cast_as,
    count_microseconds,
    draw_share,
    find_iso_week,
    find_iso_year,
    find_quarter,
    matches,
    move_days,
    parse_iso_moment,
    parse_moment,
    read_fraction,
    write_moment,
)
from toolbox.queries.query import Query
from toolbox.queries.scales import Figures
from toolbox.treatments.treatment import PERSON_KEY, PERSON_TOKEN, Treatment, TreatmentSetting

_LARGEST: Final = 2**53
"""Beyond it, a double does not tell whole numbers apart."""
_FAR: Final = 8
"""Standard deviations that no draw is away from what is expected."""
_SEVERAL: Final = 100
"""Fewest draws whose mean and variance are compared with those of their law."""
_MOST_DAYS: Final = 36_500
"""Most days by which a date is moved: a century."""
_DAY: Final = 86_400_000_000
"""Microseconds of a day."""
_FIRST_YEAR: Final = 1900
"""The first year of dates that are plausible of people."""
_DECIMALS: Final = 9
"""Most decimals of a base; then numbers have 9 digits before them."""
_PERIODS: Final = {
    "decade": r"[0-9]{3}0s",
    "year": r"[0-9]{4}",
    "quarter": r"[0-9]{4}-Q[1-4]",
    "month": r"[0-9]{4}-[0-9]{2}",
    "week": r"[0-9]{4}-W[0-9]{2}",
    "day": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "hour": r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}h",
}
"""How a release writes each period."""


def _read_base(text: str) -> Decimal:
    """Read the distance of a grid: a number above 0 with at most 9 decimals.

    Raises
    ------
    ValueError
    """
    base = Decimal(text) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,9})?", text) else Decimal(0)
    if base <= 0:
        raise ValueError(text)
    return base.normalize()


def _read_step(text: str) -> Decimal | str:
    """Read a base, or a period of dates."""
    return text if text in _PERIODS else _read_base(text)


def _read_format(text: str) -> str:
    """Read how dates are written."""
    if "%" not in text or find_unknown_directive(text) is not None:
        raise ValueError(text)
    return text


def _read_cap(text: str) -> str:
    """Read a number, or a date."""
    if re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{1,9})?", text):
        return text.removeprefix("+")
    return date.fromisoformat(text).isoformat()


def _read_word(text: str) -> str:
    """Read how numbers are rounded."""
    if text not in ("nearest", "random"):
        raise ValueError(text)
    return text


# Numbers and dates as a column shows them.


def _find_number(value: ColumnElement[Any], figures: Figures) -> ColumnElement[float]:
    """Return the number of a value; null if it is none, or not finite."""
    return figures.value(cast(value, String))


def _write_number(text: ColumnElement[str], value: ColumnElement[Any], figures: Figures) -> ColumnElement[Any]:
    """Write a number as its column does, in the type of the column."""
    return cast_as(text if figures.decimal == "." else func.replace(text, ".", figures.decimal), value)


def _find_moment(value: ColumnElement[Any], date_format: str) -> ColumnElement[Any]:
    """Return the timestamp of a value of the years 1 to 9999; null if it is none."""
    text = cast(value, String)
    moment = parse_moment(text, date_format) if date_format else parse_iso_moment(text, zoned=False)
    return case((extract("year", moment).between(1, 9999), moment))


@dataclass(frozen=True)
class _Grid(Treatment):
    """What all treatments do that put numbers on a grid."""

    writes_plain: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    keeps_type: ClassVar[bool] = True
    remedy: ClassVar[str] = (
        "It takes whole numbers up to 2^53; with decimals in its base, numbers below 1,000,000,000. "
        "Choose another treatment, such as redact or drop."
    )

    def _put_on_grid(self, value: ColumnElement[Any], base: Decimal, up: Any = None) -> ColumnElement[Any]:
        """Return the value of the grid below a number, or the one above it where ``up`` says so of what is between."""
        number, step, result = self._measure(value, base)
        # Without branches: what stands in them is computed anew in each, for every record.
        rest = (number % step + step) % step
        below = number - rest
        found = below if up is None else below + step * cast(up(rest, step), Integer)
        return _write_number(cast(cast(found, result), String), value, self.facts.figures)

    def _measure(self, value: ColumnElement[Any], base: Decimal) -> tuple[ColumnElement[Any], ColumnElement[Any], Any]:
        """Return a number and a base in a type in which their rest is exact, and the type of what is on the grid."""
        decimals = max(-int(base.as_tuple().exponent), 0)
        if decimals:
            fraction = Numeric(18, _DECIMALS)
            number = read_fraction(self.facts.figures.plain(cast(value, String)), fraction)
            return number, cast(literal(f"{base:f}"), fraction), Numeric(18, decimals)
        number = _find_number(value, self.facts.figures)
        return case((func.abs(number) <= _LARGEST, number)), literal(float(base)), BigInteger()

    def normalise(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.coalesce(cast(_find_number(text, self.facts.figures), String), text)

    def _is_on_grid(self, text: ColumnElement[str], base: Decimal) -> ColumnElement[bool]:
        number, step, _ = self._measure(text, base)
        return func.coalesce(number % step == 0, False)


@dataclass(frozen=True)
class Truncate(_Grid):
    """Dates become their month, or another period; numbers become the value of a grid that is not above them.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("truncate:month").to, parse_treatment("truncate:0.5").to
    ('month', Decimal('0.5'))
    """

    name: ClassVar[str] = "truncate"
    words: ClassVar[str] = "Dates to a period, numbers down to a grid"
    promise: ClassVar[str] = "each value is a period, or a number of the grid, and not above the one that was read"
    untrue: ClassVar[str] = "A number is at least what is shown, and less than that and the base."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("to", _read_step, f"a number above 0, such as 1000, or one of {', '.join(_PERIODS)}"),
        TreatmentSetting("format", _read_format, "how dates are written, such as %d.%m.%Y", is_needed=False),
    )
    to: Decimal | str
    format: str = ""

    def __post_init__(self) -> None:
        # A period is no date any more.
        object.__setattr__(self, "keeps_type", isinstance(self.to, Decimal))

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        if isinstance(self.to, Decimal):
            return self._put_on_grid(value, self.to)
        return _write_period(_find_moment(value, self.format), self.to)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return self._is_on_grid(text, self.to) if isinstance(self.to, Decimal) else matches(text, _PERIODS[self.to])


def _write_period(moment: ColumnElement[Any], period: str) -> ColumnElement[str]:
    """Write the period of a timestamp."""
    iso = cast(cast(moment, DateTime), String)
    match period:
        case "decade":
            return func.concat(func.substr(iso, 1, 3), "0s") + _nothing(moment)
        case "quarter":
            return func.concat(func.substr(iso, 1, 4), "-Q", cast(find_quarter(moment), String)) + _nothing(moment)
        case "week":
            year, week = (cast(part, String) for part in (find_iso_year(moment), find_iso_week(moment)))
            return func.concat(func.lpad(year, 4, "0"), "-W", func.lpad(week, 2, "0")) + _nothing(moment)
        case "hour":
            return func.concat(func.substr(iso, 1, 13), "h") + _nothing(moment)
    return func.substr(iso, 1, {"year": 4, "month": 7, "day": 10}[period])


def _nothing(moment: ColumnElement[Any]) -> ColumnElement[str]:
    """Return an empty text; null where there is no timestamp, which a concatenation would pass over."""
    return case((moment.is_not(None), ""))


@dataclass(frozen=True)
class Round(_Grid):
    """Numbers become one of the two nearest of a grid: the nearer one, or either at random.

    At random, the chance of the upper one is how near it is, so that the expected value is the number itself.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("round:1000:random")
    Round(base=Decimal('1E+3'), how='random')
    """

    name: ClassVar[str] = "round"
    words: ClassVar[str] = "Numbers to a grid"
    promise: ClassVar[str] = "each value is of the grid, and less than its base from the one that was read"
    untrue: ClassVar[str] = "A number is not exact: it is off by less than the base."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("base", _read_base, "a number above 0 with at most 9 decimals, such as 1000"),
        TreatmentSetting("how", _read_word, "nearest or random", is_needed=False),
    )
    base: Decimal
    how: str = "nearest"

    @property
    def by_record(self) -> bool:
        return self.how == "random"

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return self._put_on_grid(value, self.base, lambda rest, step: rest * 2 >= step)

    def treat_in(self, record: FromClause, value: ColumnElement[Any]) -> ColumnElement[Any]:
        share = draw_share(record.c.record_id, literal(f"round {self.facts.place} {self.facts.secret}"))
        return self._put_on_grid(value, self.base, lambda rest, step: share * step < rest)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return self._is_on_grid(text, self.base)


# Caps, above or below which nobody is told apart.


@dataclass(frozen=True)
class Top(Treatment):
    """Values above a cap become the cap, which must stand for at least k records, or persons where they are declared.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("top:100000").cap, parse_treatment("bottom:1930-01-01").cap
    ('100000', '1930-01-01')
    """

    name: ClassVar[str] = "top"
    words: ClassVar[str] = "Values above a cap become the cap"
    promise: ClassVar[str] = "no value is beyond the cap, and at least k were, or none"
    keeps_type: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    needs_persons: ClassVar[bool] = True
    untrue: ClassVar[str] = "The cap stands for itself and for all values beyond it."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("cap", _read_cap, "a number such as 100000, or a date such as 1930-01-01"),
    )
    cap: str

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        found, figures = self._find(value), self.facts.figures
        cap = cast(literal(self.cap), String) if self._is_date else _write_number(literal(self.cap), value, figures)
        capped = cast_as(cap, value) if self._is_date else cap
        return case((found.is_(None), None), (self._is_beyond(found), capped), else_=value)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return func.coalesce(~self._is_beyond(self._find(text)), False)

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also count who is beyond the cap, where these are too few."""
        others, few = super().count_broken(read, shown), self._count_few(read)
        return select(cast(others.scalar_subquery() + few.scalar_subquery(), BigInteger))

    def list_causes(self, read: FromClause) -> Iterator[tuple[Query, str, str]]:
        yield from super().list_causes(read)
        beyond = f"{'above' if self.name == 'top' else 'below'} the cap {self.cap}, fewer than k={self.facts.k}"
        who = "person" if self.facts.persons else "record"
        yield self._count_few(read), f"{who}:{beyond}", "Choose a cap that more are beyond."

    def normalise(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.coalesce(cast(self._find(text), String), text)

    @property
    def _is_date(self) -> bool:
        return "-" in self.cap[1:]

    def _find(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return _find_moment(value, "") if self._is_date else _find_number(value, self.facts.figures)

    def _is_beyond(self, found: ColumnElement[Any]) -> ColumnElement[bool]:
        cap = parse_iso_moment(literal(self.cap), zoned=False) if self._is_date else literal(float(self.cap))
        return found > cap if self.name == "top" else found < cap

    def _count_few(self, read: FromClause) -> Query:
        """Count who is beyond the cap; 0 where these are enough."""
        who = (
            func.count(read.c[PERSON_KEY].distinct()) if self.facts.persons else func.coalesce(func.sum(read.c.size), 0)
        )
        beyond = select(who.label("people")).where(self._is_beyond(self._find(read.c.value))).subquery()
        return select(case((beyond.c.people < self.facts.k, beyond.c.people), else_=0))


@dataclass(frozen=True)
class Bottom(Top):
    """Values below a cap become the cap, as those above one do with `Top`.

    Examples
    --------
    >>> Bottom("18").name
    'bottom'
    """

    name: ClassVar[str] = "bottom"
    words: ClassVar[str] = "Values below a cap become the cap"


# Dates that are moved.


def _read_days(text: str) -> int:
    """Read the largest number of days by which dates are moved."""
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= _MOST_DAYS:
        raise ValueError(text)
    return int(text)


@dataclass(frozen=True)
class Shift(Treatment):
    """All dates of a person are moved by one number of days, which the key file makes and nobody else knows.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("shift:days=30")
    Shift(days=30, format='')
    """

    name: ClassVar[str] = "shift"
    words: ClassVar[str] = "All dates of a person moved by one secret number of days"
    promise: ClassVar[str] = "all dates of a person are moved by one number of days within the range, and not by 0"
    keeps_type: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    needs_persons: ClassVar[bool] = True
    requires_person: ClassVar[bool] = True
    needs_key: ClassVar[bool] = True
    is_true: ClassVar[bool] = False
    untrue: ClassVar[str] = "No date is the one of its record; the days between two dates of one person are."
    measures: ClassVar[str] = "dates_outside_the_plausible"
    remedy: ClassVar[str] = "Write how dates are written, as in shift:30:%d.%m.%Y, or choose redact or drop."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("days", _read_days, f"a whole number of days from 1 to {_MOST_DAYS}, such as 30"),
        TreatmentSetting("format", _read_format, "how dates are written, such as %d.%m.%Y", is_needed=False),
    )
    days: int
    format: str = ""

    by_record: ClassVar[bool] = True

    @property
    def beside(self) -> tuple[str, ...]:
        return (PERSON_TOKEN,)

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        raise AssertionError("a date is moved by its person")

    def treat_in(self, record: FromClause, value: ColumnElement[Any]) -> ColumnElement[Any]:
        text = cast(value, String)
        moved = move_days(_find_moment(value, self.format), self._draw_days(record))
        moved = case((extract("year", moved).between(1, 9999), moved))
        if self.format:
            return cast_as(write_moment(moved, self.format), value)
        # Whole days leave the clock as it was written.
        is_iso = matches(func.substr(text, 1, 10), _PERIODS["day"])
        shown = func.concat(func.substr(cast(moved, String), 1, 10), func.substr(text, 11))
        return cast_as(case((is_iso & moved.is_not(None), shown)), value)

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also count the cells of persons whose dates are moved by several numbers of days, by 0, or too far."""
        others, moves = super().count_broken(read, shown), self._measure_moves(read).subquery()
        low, high = moves.c.low, moves.c.high
        wrong = (low != high) | (low == 0) | (func.abs(low) > self.days * _DAY) | (low % _DAY != 0)
        of_persons = select(func.coalesce(func.sum(moves.c.size), 0)).where(wrong)
        return select(cast(others.scalar_subquery() + of_persons.scalar_subquery(), BigInteger))

    def measure(self, read: FromClause) -> Query:
        """Count the dates of the release before 1900 or after today."""
        moment = self._find_moved(read)
        last = func.concat(literal(date.today().isoformat()), " 23:59:59")
        outside = (extract("year", moment) < _FIRST_YEAR) | (moment > parse_iso_moment(last, zoned=False))
        return select(func.coalesce(func.sum(read.c.size), 0)).where(outside, ~self.is_missing(read.c.value))

    def _measure_moves(self, read: FromClause) -> Query:
        move = count_microseconds(self._find_moved(read)) - count_microseconds(_find_moment(read.c.value, self.format))
        person = read.c[PERSON_KEY]
        figures = (func.min(move).label("low"), func.max(move).label("high"), func.sum(read.c.size).label("size"))
        return select(*figures).where(~self.is_missing(read.c.value)).group_by(person)

    def _find_moved(self, read: FromClause) -> ColumnElement[Any]:
        return _find_moment(self.treat_in(read, read.c.value), self.format)

    def _draw_days(self, record: FromClause) -> ColumnElement[int]:
        """Return a number of days from -n to n, without 0, by the digest of the person."""
        drawn = cast(func.floor(draw_share(record.c[PERSON_TOKEN]) * (2 * self.days)), BigInteger) - self.days
        return case((drawn >= 0, drawn + 1), else_=drawn)


# Numbers that are moved by a draw.


def _read_law(text: str) -> str:
    """Read what is drawn from."""
    if text not in ("gaussian", "laplace"):
        raise ValueError(text)
    return text


def _read_decimals(text: str) -> int:
    """Read how many decimals are written."""
    if text not in tuple("0123456789"):
        raise ValueError(text)
    return int(text)


@dataclass(frozen=True)
class Noise(Treatment):
    """A draw is added to each number: from the normal distribution, or from that of Laplace.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("noise:gaussian:1000").untrue
    'A number is off by a draw of mean 0, from the gaussian law with the scale 1000.'
    """

    name: ClassVar[str] = "noise"
    words: ClassVar[str] = "A draw is added to each number"
    promise: ClassVar[str] = "each number is off by its draw, and the draws have the mean and the variance of their law"
    keeps_type: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    is_true: ClassVar[bool] = False
    by_record: ClassVar[bool] = True
    remedy: ClassVar[str] = (
        "It takes whole numbers up to 2^53; with decimals, numbers below 1,000,000,000. "
        "Choose another treatment, such as redact or drop."
    )
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("law", _read_law, "gaussian or laplace"),
        TreatmentSetting("scale", _read_base, "its standard deviation, or the scale of Laplace, such as 1000"),
        TreatmentSetting("decimals", _read_decimals, "how many decimals are written, from 0 to 9", is_needed=False),
    )
    law: str
    scale: Decimal
    decimals: int = -1

    def __post_init__(self) -> None:
        untrue = f"A number is off by a draw of mean 0, from the {self.law} law with the scale {self.scale:f}."
        object.__setattr__(self, "untrue", untrue)
        if self.decimals < 0:
            # Two digits of the scale are told.
            object.__setattr__(self, "decimals", min(max(1 - self.scale.adjusted(), 0), _DECIMALS))

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        raise AssertionError("a number is moved by the draw of its record")

    def treat_in(self, record: FromClause, value: ColumnElement[Any]) -> ColumnElement[Any]:
        figures = self.facts.figures
        number = _find_number(value, figures) + self._draw(record)
        limit, kind = (10.0**9, Numeric(18, self.decimals)) if self.decimals else (float(_LARGEST), BigInteger())
        return _write_number(cast(cast(case((func.abs(number) < limit, number)), kind), String), value, figures)

    def normalise(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.coalesce(cast(_find_number(text, self.facts.figures), String), text)

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also count all cells, if the draws are not those of their law."""
        others, scale = super().count_broken(read, shown).scalar_subquery(), float(self.scale)
        draws = select(self._draw(read).label("draw")).where(~self.is_missing(read.c.value)).subquery()
        count, draw = func.count(), draws.c.draw
        # The variance of the squares of a law is its fourth moment less the square of its variance.
        variance, squares = (scale**2, 2 * scale**4) if self.law == "gaussian" else (2 * scale**2, 20 * scale**4)
        is_far = (func.abs(func.avg(draw)) > _FAR * func.sqrt(variance / count)) | (
            func.abs(func.avg(draw * draw) - variance) > _FAR * func.sqrt(squares / count)
        )
        # Few draws have no law that can be told.
        wrong = select(case((is_far & (count >= _SEVERAL), count), else_=0)).select_from(draws).scalar_subquery()
        return select(cast(others + func.coalesce(wrong, 0), BigInteger))

    def _draw(self, record: FromClause) -> ColumnElement[float]:
        """Draw from the law, once for each record and column."""
        secret = f"noise {self.facts.place} {self.facts.secret}"
        first, second = (draw_share(record.c.record_id, literal(f"{secret} {nth}")) for nth in (1, 2))
        exponential = -func.ln(1 - first)
        if self.law == "laplace":
            return float(self.scale) * case((second < 0.5, exponential), else_=-exponential)
        return float(self.scale) * func.sqrt(2 * exponential) * func.cos(2 * pi * second)
