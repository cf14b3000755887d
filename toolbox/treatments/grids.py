"""Treatments of numbers and dates, value by value: coarser ones, on a grid or within a cap, and noise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import pi
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Date,
    DateTime,
    FromClause,
    Integer,
    Numeric,
    String,
    Text,
    case,
    cast,
    extract,
    func,
    literal,
    select,
)
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import NullType

from toolbox.errors import UsageError, quote
from toolbox.queries.dialect import (
    Query,
    cast_as,
    draw_share,
    find_iso_week,
    find_iso_year,
    find_quarter,
    matches,
    parse_iso_moment,
    read_fraction,
)
from toolbox.queries.scales import Figures
from toolbox.treatments.treatment import PERSON_KEY, Treatment, TreatmentSetting

if TYPE_CHECKING:
    from pyspark.sql import Column

_LARGEST: Final = 2**53
"""Beyond it, a double does not tell whole numbers apart."""
_FAR: Final = 8
"""Standard deviations that no draw is away from what is expected."""
_SEVERAL: Final = 100
"""Fewest draws whose mean and variance are compared with those of their law."""
_LARGE: Final = 10**9
"""Beyond it, numbers with decimals are not exact."""
_DATES: Final = ("date", "timestamp")
"""What columns hold that an engine reads as dates."""
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


def _read_grid(text: str) -> Decimal:
    """Read the base of a grid; if it has decimals, twice as much must be a number that they leave room for."""
    base = _read_base(text)
    if _count_decimals(base) and 2 * base >= _LARGE:
        raise ValueError(text)
    return base


def _read_step(text: str) -> Decimal | str:
    """Read a base, or a period of dates."""
    return text if text in _PERIODS else _read_grid(text)


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


def _count_decimals(base: Decimal) -> int:
    return max(-int(base.as_tuple().exponent), 0)


@dataclass(frozen=True)
class _Grid(Treatment):
    """What all treatments do that put numbers on a grid."""

    writes_plain: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    keeps_type: ClassVar[bool] = True
    kinds_in_engines: ClassVar[tuple[str, ...]] = ("number",)
    remedy: ClassVar[str] = (
        "It takes whole numbers up to 2^53; with decimals in its base, it takes and makes numbers below 1,000,000,000. "
        "What it makes must fit the type of the column. Choose another treatment, such as redact or drop."
    )

    def _put_on_grid(self, value: ColumnElement[Any], base: Decimal, up: Any = None) -> ColumnElement[Any]:
        """Return the value of the grid below a number, or the one above it where ``up`` says so of what is between."""
        number, step, result = self._measure(value, base, is_read=True)
        # Without branches: what stands in them is computed anew in each, for every record.
        rest = (number % step + step) % step
        below = number - rest
        found = below if up is None else below + step * cast(up(rest, step), Integer)
        return _write_number(cast(cast(found, result), String), value, self.facts.figures)

    def _measure(
        self, value: ColumnElement[Any], base: Decimal, *, is_read: bool
    ) -> tuple[ColumnElement[Any], ColumnElement[Any], Any]:
        """Return a number and a base in a type in which their rest is exact, and the type of what is on the grid.

        What is made of the largest whole number that is read may be larger.
        """
        if decimals := _count_decimals(base):
            fraction = Numeric(18, _DECIMALS)
            number = read_fraction(self.facts.figures.plain(cast(value, String)), fraction)
            return number, cast(literal(f"{base:f}"), fraction), Numeric(_DECIMALS + decimals, decimals)
        number = _find_number(value, self.facts.figures)
        known = case((func.abs(number) <= _LARGEST, number)) if is_read else number
        return known, literal(float(base)), BigInteger()

    def _put_on_grid_in_postgresql(self, value: ColumnElement[Any], base: Decimal, *, up: bool) -> ColumnElement[Any]:
        """Do the same with numbers that are exact; that of a double is its shortest text."""
        is_exact = isinstance(value.type, Integer) or type(value.type) is Numeric
        exact, decimals = cast(value if is_exact else cast(value, Text), Numeric()), _count_decimals(base)
        if decimals:
            number: ColumnElement[Any] = case((func.abs(exact) < _LARGE, func.round(exact, _DECIMALS)))
        else:
            number = case((func.abs(exact) <= _LARGEST, exact))
        step = cast(literal(f"{base:f}"), Numeric())
        rest = (number % step + step) % step
        below = number - rest
        return case((rest * 2 >= step, below + step), else_=below) if up else below

    def _put_on_grid_in_spark(self, value: Column, functions: Any, base: Decimal, *, up: bool) -> Column:
        """Do the same with doubles, in which whole numbers are exact, or with decimals."""
        if decimals := _count_decimals(base):
            fraction = f"decimal(18,{_DECIMALS})"
            number = functions.when(functions.abs(value.cast("double")) < _LARGE, value.cast("string").cast(fraction))
            step, result = functions.lit(f"{base:f}").cast(fraction), f"decimal(18,{decimals})"
        else:
            double = value.cast("double")
            number = functions.when(functions.abs(double) <= float(_LARGEST), double)
            step, result = functions.lit(float(base)), "bigint"
        rest = (number % step + step) % step
        below: Column = number - rest
        return (functions.when(rest * 2 >= step, below + step).otherwise(below) if up else below).cast(result)

    def normalise(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.coalesce(cast(_find_number(text, self.facts.figures), String), text)

    def _is_on_grid(self, text: ColumnElement[str], base: Decimal) -> ColumnElement[bool]:
        number, step, _ = self._measure(text, base, is_read=False)
        return func.coalesce(number % step == 0, False)

    def list_causes(self, read: FromClause) -> Iterator[tuple[Query, str, str]]:
        if self.facts.is_typed:
            text = cast(self.treat_record(read.c.value, read), String)
            misfit = ~self.is_missing(text) & ~self.is_kept_by(text)
            cells = select(func.coalesce(func.sum(read.c.size), 0)).where(misfit)
            remedy = f"For a column of whole numbers, write a whole number behind {quote(self.name)}."
            yield cells, "cell:rounded by the type of the column", remedy
        yield from super().list_causes(read)


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
        TreatmentSetting.of_date_format(),
    )
    to: Decimal | str
    format: str = ""

    def __post_init__(self) -> None:
        # A period is no date any more.
        object.__setattr__(self, "keeps_type", isinstance(self.to, Decimal))
        if not isinstance(self.to, Decimal):
            object.__setattr__(self, "kinds_in_engines", _DATES)

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        if isinstance(self.to, Decimal):
            return self._put_on_grid(value, self.to)
        return _write_period(self.find_moment(value, self.format), self.to)

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        if isinstance(self.to, Decimal):
            return self._put_on_grid_in_postgresql(value, self.to, up=False)
        return _write_period_in_postgresql(value, self.to)

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        if isinstance(self.to, Decimal):
            return self._put_on_grid_in_spark(value, functions, self.to, up=False)
        return _write_period_in_spark(value, functions, self.to)

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


def _write_period_in_postgresql(moment: ColumnElement[Any], period: str) -> ColumnElement[Any]:
    """Write the period of a date or a timestamp of the years 1 to 9999."""

    def part(name: str, digits: int = 2) -> ColumnElement[str]:
        return func.lpad(cast(cast(extract(name, moment), Integer), Text), digits, "0")

    year = part("year", 4)
    month = func.concat(year, "-", part("month"))
    day = func.concat(month, "-", part("day"))
    written = {
        "decade": func.concat(func.substr(year, 1, 3), "0s"),
        "year": year,
        "quarter": func.concat(year, "-Q", part("quarter", 1)),
        "month": month,
        "week": func.concat(part("isoyear", 4), "-W", part("week")),
        "day": day,
        "hour": func.concat(day, " ", part("hour"), "h"),
    }
    return case((extract("year", moment).between(1, 9999), written[period]))


def _write_period_in_spark(moment: Column, functions: Any, period: str) -> Column:
    """Write the period of a date or a timestamp of the years 1 to 9999."""
    f = functions

    def write(number: Column, digits: int = 2) -> Column:
        return f.lpad(number.cast("string"), digits, "0")  # type: ignore[no-any-return]

    year = write(f.year(moment), 4)
    month = f.concat(year, f.lit("-"), write(f.month(moment)))
    day = f.concat(month, f.lit("-"), write(f.dayofmonth(moment)))
    # A week is of the year that its Thursday is in; Sail 0.7 says that a Sunday is the day -1.
    thursday = f.date_add(moment.cast("date"), f.lit(3) - (f.weekday(moment) + 7) % 7)
    written = {
        "decade": f.concat(year.substr(1, 3), f.lit("0s")),
        "year": year,
        "quarter": f.concat(year, f.lit("-Q"), write(f.quarter(moment), 1)),
        "month": month,
        "week": f.concat(write(f.year(thursday), 4), f.lit("-W"), write(f.weekofyear(moment))),
        "day": day,
        "hour": f.concat(day, f.lit(" "), write(f.hour(moment)), f.lit("h")),
    }
    return f.when(f.year(moment).between(1, 9999), written[period])  # type: ignore[no-any-return]


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
        TreatmentSetting(
            "base", _read_grid, "a number above 0 with at most 9 decimals, and then below 500,000,000, such as 1000"
        ),
        TreatmentSetting("how", _read_word, "nearest or random", is_needed=False),
    )
    base: Decimal
    how: str = "nearest"

    @property
    def by_record(self) -> bool:
        return self.how == "random"

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return self._put_on_grid(value, self.base, lambda rest, step: rest >= step - rest)

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        self._require_nearest("PostgreSQL")
        return self._put_on_grid_in_postgresql(value, self.base, up=True)

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        self._require_nearest("Spark")
        return self._put_on_grid_in_spark(value, functions, self.base, up=True)

    def _require_nearest(self, engine: str) -> None:
        """Stop where an engine would draw, as nobody could recount its draws."""
        if self.by_record:
            raise UsageError(
                f"The treatment {quote(f'round:{self.base:f}:random')} draws for each record, which {engine} does not. "
                f"Write round:{self.base:f}, which takes the nearer number, or read the records here."
            )

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
    remedy: ClassVar[str] = (
        "It takes numbers, or dates such as 2024-02-29, and a cap that the type of the column holds: a whole number "
        "for whole numbers. Choose another cap, or another treatment, such as redact or drop."
    )
    untrue: ClassVar[str] = "The cap stands for itself and for all values beyond it."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("cap", _read_cap, "a number such as 100000, or a date such as 1930-01-01"),
    )
    cap: str

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        found, figures = self._find(value), self.facts.figures
        cap = cast(literal(self.cap), String) if self._is_date else _write_number(literal(self.cap), value, figures)
        capped = cast_as(cap, value) if self._is_date else cap
        if self.facts.is_typed and not self._is_date:
            # The type of the column may round it.
            capped = case((_find_number(capped, figures) == float(self.cap), capped))
        return case((found.is_(None), None), (self._is_beyond(found), capped), else_=value)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds_in_engines", _DATES if self._is_date else ("number",))

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        cap = cast(literal(self.cap), Date() if self._is_date else Numeric())
        is_beyond = value > cap if self.name == "top" else value < cap
        return case((is_beyond, cap if isinstance(value.type, NullType) else cast(cap, value.type)), else_=value)

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        cap = functions.lit(self.cap).cast("date") if self._is_date else functions.lit(float(self.cap))
        is_beyond = value > cap if self.name == "top" else value < cap
        return functions.when(is_beyond, cap).otherwise(value)  # type: ignore[no-any-return]

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
        return self.find_moment(value) if self._is_date else _find_number(value, self.facts.figures)

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
        "It takes whole numbers up to 2^53; with decimals, numbers below 1,000,000,000. What it makes must fit the "
        "type of the column. Choose another treatment, such as redact or drop."
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

    @property
    def writes_no_formulas(self) -> bool:
        # A spreadsheet reads a number with a point as one, also behind a sign.
        return self.facts.figures.decimal == "."

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        raise AssertionError("a number is moved by the draw of its record")

    def prepare(self, records: FromClause, value: str) -> FromClause:
        """Move the number in a select of its own: the engine would draw anew wherever the number is named."""
        return select(*records.c, self._move(records.c[value], records).label(self._moved)).subquery()

    def treat_in(self, record: FromClause, value: ColumnElement[Any]) -> ColumnElement[Any]:
        figures = self.facts.figures
        number = record.c[self._moved] if self._moved in record.c else self._move(value, record)
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

    @property
    def _moved(self) -> str:
        return f"moved_{self.facts.place}"

    def _move(self, value: ColumnElement[Any], record: FromClause) -> ColumnElement[float]:
        return _find_number(value, self.facts.figures) + self._draw(record)

    def _draw(self, record: FromClause) -> ColumnElement[float]:
        """Draw from the law, once for each record and column."""
        secret = f"noise {self.facts.place} {self.facts.secret}"
        first, second = (draw_share(record.c.record_id, literal(f"{secret} {nth}")) for nth in (1, 2))
        exponential = -func.ln(1 - first)
        if self.law == "laplace":
            return float(self.scale) * case((second < 0.5, exponential), else_=-exponential)
        return float(self.scale) * func.sqrt(2 * exponential) * func.cos(2 * pi * second)
