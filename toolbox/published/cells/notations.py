"""How programs write generalised values: intervals, sets, ranges, bounds, masks, and dates."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple

from toolbox.hierarchy.date_formats import build_format_shape, find_zone_clock
from toolbox.hierarchy.hierarchy import NUMBER, Interval
from toolbox.queries.scales import DAY, Calendar, Figures, Scale

# How programs write generalised values: intervals, sets, ranges, bounds, masks.

_RANGE = re.compile(
    rf"(?P<open>[\[(\]])?\s*(?P<low>{NUMBER}|-inf(?:inity)?)\s*(?:[:,;~–]|-|\.\.+|to)\s*(?P<high>{NUMBER}|\+?inf(?:inity)?)\s*"
    r"(?P<close>[\])\[])?",
    re.IGNORECASE,
)
_SINGLE = re.compile(rf"[\[{{(]?\s*({NUMBER})\s*[\]}})]?")
_BOUND = re.compile(rf"(?P<sign><=|>=|≤|≥|<|>)\s*(?P<bound>{NUMBER})")
_OR_MORE = re.compile(rf"(?P<bound>{NUMBER})\s*(?:\+|(?:and|or)\s+(?:over|more|above|older))", re.IGNORECASE)
_MEMBER = re.compile(r'\s*+(?:"(?P<quoted>(?:[^"]|"")*+)"\s*+|(?P<bare>(?:[^\s",][^,]*+)?))(?P<comma>,|\Z)')


@dataclass(frozen=True)
class Mask:
    """A code whose last characters are hidden."""

    prefix: str
    hidden: int
    """Number of hidden characters."""


def parse_interval(text: str) -> Interval | None:
    """Read numbers between bounds, in the notation of any program we know of; None if it is none.

    A bracket that points away from the numbers excludes its bound, as a parenthesis does: ``[20, 30[``.

    Examples
    --------
    >>> for text in ("[20:30)", "(20.0, 30.0]", "20-29", "20 - 29", "20~29", "[20, 30[", "-5--3", "<=50", "65+", "[7]"):
    ...     print(text, parse_interval(text))
    [20:30) [20:30)
    (20.0, 30.0] (20:30]
    20-29 [20:29]
    20 - 29 [20:29]
    20~29 [20:29]
    [20, 30[ [20:30)
    -5--3 [-5:-3]
    <=50 [-inf:50]
    65+ [65:inf]
    [7] [7]
    """
    stripped = text.strip()
    if match := _RANGE.fullmatch(stripped):
        low_open, high_open = match["open"] in ("(", "]"), match["close"] in (")", "[")
        interval = Interval(float(match["low"]), float(match["high"]), not low_open, not high_open)
    elif match := _SINGLE.fullmatch(stripped):
        interval = Interval(float(match[1]), float(match[1]))
    elif match := _BOUND.fullmatch(stripped):
        bound, closed = float(match["bound"]), match["sign"] not in ("<", ">")
        is_upper = match["sign"] in ("<", "<=", "≤")
        interval = Interval(-math.inf, bound, True, closed) if is_upper else Interval(bound, math.inf, closed, True)
    elif match := _OR_MORE.fullmatch(stripped):
        interval = Interval(float(match["bound"]), math.inf)
    else:
        return None
    return None if interval.is_empty else interval


def parse_column_interval(scale: Scale, text: str) -> Interval | None:
    """Read an interval as a column writes its values, or else as plain numbers.

    Examples
    --------
    >>> str(parse_column_interval(Figures(",", "."), "[1.234,5:2.000]"))
    '[1234.5:2000]'
    """
    if isinstance(scale, Calendar):
        return parse_dates(scale, text)
    if isinstance(scale, Figures) and not scale.is_plain:
        return parse_interval(scale.plain_text(text)) or parse_interval(text)
    return parse_interval(text)


def parse_members(text: str) -> Sequence[str] | None:
    """Read a set of values, ``{a,b}``, where a value with a comma stands in quotes, or ``a~b``; None if it is none.

    Examples
    --------
    >>> parse_members('{Ohio,"Washington, D.C."}'), parse_members("Ohio~Iowa"), parse_members("Ohio")
    (['Ohio', 'Washington, D.C.'], ['Ohio', 'Iowa'], None)
    """
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == "{" and stripped[-1] == "}":
        return _split_members(stripped[1:-1])
    if "~" in stripped:
        return [member.strip() for member in stripped.split("~")]
    return None


def _split_members(inner: str) -> list[str] | None:
    """Cut members at the commas between them; blanks around a member belong to it only within quotes."""
    if '"' not in inner:
        return [member.strip() for member in inner.split(",")]
    members, at = [], 0
    while match := _MEMBER.match(inner, at):
        quoted, bare = match["quoted"], match["bare"]
        members.append(bare.rstrip() if quoted is None else quoted.replace('""', '"'))
        if not match["comma"]:
            return members
        at = match.end()
    return None


# Reading generalised dates as programs write them: years, months, ranges and bounds, as ordered numbers.

_OFFSET = r"(?:Z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)"
_CLOCK = rf"[T ]\d{{2}}(?::\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?)?{_OFFSET}?"
_POINT = rf"\d{{4}}(?:s|-Q[1-4]|-W\d{{2}}|-\d{{2}}(?:-\d{{2}}(?:{_CLOCK})?)?)?"
_PERIOD = re.compile(
    rf"(?P<year>\d{{4}})(?:(?P<decade>s)|-Q(?P<quarter>[1-4])|-W(?P<week>\d{{2}})|-(?P<month>\d{{2}})(?:-(?P<day>\d{{2}})"
    r"(?:[T ](?P<hour>\d{2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    rf"(?P<offset>{_OFFSET})?)?)?)?"
)
_DATE_RANGE = re.compile(
    rf"(?P<open>[\[(\]])?\s*(?P<low>{_POINT})\s*(?::|[,;~–/]|\.\.+|to|-)\s*(?P<high>{_POINT})\s*(?P<close>[\])\[])?",
    re.IGNORECASE,
)
_SINGLE_DATE = re.compile(rf"[\[{{(]?\s*({_POINT})\s*[\]}})]?")
_DATE_BOUND = re.compile(rf"(?P<sign><=|>=|≤|≥|<|>)\s*(?P<bound>{_POINT})")
_EPOCH = datetime(1970, 1, 1)


class _Period(NamedTuple):
    """A period, or a moment, as numbers."""

    start: float
    behind: float
    """The first number that is no part of it any more; of a moment the moment itself."""


def parse_dates(calendar: Calendar, text: str) -> Interval | None:
    """Read dates between bounds, in the notation of any program we know of; None if it is none.

    Examples
    --------
    >>> days = Calendar("date")
    >>> for text in ("1970", "1970-02", "1970-Q1", "1970-W01", "1970s", "[1970-01-03:1970-02]", "1970-1971", "<1970"):
    ...     print(text, parse_dates(days, text))
    1970 [0:364]
    1970-02 [31:58]
    1970-Q1 [0:89]
    1970-W01 [-3:3]
    1970s [0:3651]
    [1970-01-03:1970-02] [2:58]
    1970-1971 [0:729]
    <1970 [-inf:-1]
    """
    interval = _read(calendar, text.strip())
    if interval is None and calendar.format is not None:
        return _read(calendar, _rewrite_in_iso(calendar, text.strip()))
    return interval


def _rewrite_in_iso(calendar: Calendar, text: str) -> str:
    """Rewrite the dates of a text from the format of the column, as other programs leave it."""
    form = calendar.format or ""

    def rewritten(match: re.Match[str]) -> str:
        try:
            moment = datetime.strptime(match[0], form)
        except ValueError:
            return match[0]
        return moment.date().isoformat() if calendar.unit == "date" else moment.isoformat()

    return re.sub(build_format_shape(form), rewritten, text)


def _read(calendar: Calendar, stripped: str) -> Interval | None:
    try:
        if match := _SINGLE_DATE.fullmatch(stripped):
            period = _parse_period(calendar, match[1])
            return _find_numbers_between(calendar, period, period)
        if match := _DATE_RANGE.fullmatch(stripped):
            low, high = _parse_period(calendar, match["low"]), _parse_period(calendar, match["high"])
            is_open = match["open"] in ("(", "]"), match["close"] in (")", "[")
            return _find_numbers_between(calendar, low, high, *is_open)
        if match := _DATE_BOUND.fullmatch(stripped):
            period, everything = _parse_period(calendar, match["bound"]), _Period(-math.inf, math.inf)
            if match["sign"] in ("<", "<=", "≤"):
                return _find_numbers_between(calendar, everything, period, high_open=match["sign"] == "<")
            return _find_numbers_between(calendar, period, everything, low_open=match["sign"] == ">")
    except (ValueError, OverflowError):  # the 31st of February
        pass
    return None


def _find_numbers_between(
    calendar: Calendar, low: _Period, high: _Period, low_open: bool = False, high_open: bool = False
) -> Interval | None:
    """Return the numbers from one period to another; an open bound excludes its whole period."""
    start = low.behind if low_open else low.start
    if calendar.unit == "date":
        interval = Interval(start, (high.start if high_open else high.behind) - 1)
    elif high_open:
        interval = Interval(start, high.start, not (low_open and low.start == low.behind), False)
    else:
        is_moment = high.start == high.behind or math.isinf(high.behind)
        interval = Interval(start, high.behind, not (low_open and low.start == low.behind), is_moment)
    return None if interval.is_empty else interval


def _parse_period(calendar: Calendar, text: str) -> _Period:
    """Read a period.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    match = _PERIOD.fullmatch(text)
    if match is None:
        raise ValueError(text)
    part = {name: int(digits) for name, digits in match.groupdict().items() if digits and name not in _WORDS}
    if "hour" not in part:
        return _make_day_period(calendar, _find_first_day(match, part), _find_day_behind(match, part))
    if calendar.unit == "date":
        raise ValueError(text)
    zone = _parse_offset(match["offset"]) if match["offset"] else _find_zone(calendar)
    moment = datetime.fromisoformat(f"{text[:10]}T00:00") + timedelta(
        hours=part["hour"],
        minutes=part.get("minute", 0),
        seconds=part.get("second", 0),
        microseconds=int(f"{match['fraction'] or 0:0<6}"[:6]),
    )
    start = _count_microseconds(moment, zone)
    length = 0 if "second" in part else DAY // 1440 if "minute" in part else DAY // 24
    return _Period(start, start + length)


_WORDS = ("decade", "fraction", "offset")


def _find_first_day(match: re.Match[str], part: dict[str, int]) -> date:
    year = part["year"]
    if match["decade"]:
        return date(max(year, 1), 1, 1)
    if "week" in part:
        return date.fromisocalendar(year, part["week"], 1)
    month = 3 * part["quarter"] - 2 if "quarter" in part else part.get("month", 1)
    return date(year, month, part.get("day", 1))


def _find_day_behind(match: re.Match[str], part: dict[str, int]) -> int:
    """Return the day after a period, as its number in the calendar; it may lie after the last year."""
    first, year = _find_first_day(match, part), part["year"]
    if "week" in part:
        return first.toordinal() + 7
    if "day" in part:
        return first.toordinal() + 1
    months = 3 if "quarter" in part else 1 if "month" in part else 12
    last_year, last_month = (year + 9, 12) if match["decade"] else (year, first.month + months - 1)
    return date(last_year, last_month, _count_days(last_year, last_month)).toordinal() + 1


def _count_days(year: int, month: int) -> int:
    return 31 if month == 12 else (date(year, month + 1, 1) - date(year, month, 1)).days


def _make_day_period(calendar: Calendar, first: date, behind: int) -> _Period:
    if calendar.unit == "date":
        epoch = date(1970, 1, 1).toordinal()
        return _Period(float(first.toordinal() - epoch), float(behind - epoch))
    zone = _find_zone(calendar)
    last = datetime.combine(date.fromordinal(behind - 1), datetime.min.time())
    start = _count_microseconds(datetime.combine(first, datetime.min.time()), zone)
    if behind > date.max.toordinal():
        return _Period(start, _count_microseconds(last, zone) + DAY)
    return _Period(start, _count_microseconds(last + timedelta(days=1), zone))


def _count_microseconds(local: datetime, zone: tzinfo | None) -> float:
    """Count the microseconds since 1970."""
    offset = timedelta(0) if zone is None else local.replace(tzinfo=zone).utcoffset() or timedelta(0)
    return float((local - _EPOCH - offset) // timedelta(microseconds=1))


@cache
def _find_zone(calendar: Calendar) -> tzinfo | None:
    return None if calendar.zone is None else find_zone_clock(calendar.zone)


def _parse_offset(text: str) -> tzinfo:
    digits = text[1:].replace(":", "")
    if not digits:
        return UTC
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4] or 0), int(digits[4:6] or 0)
    ahead = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-ahead if text[0] == "-" else ahead)
