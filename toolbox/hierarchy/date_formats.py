"""How people write dates: formats with ``%`` as `datetime.strptime` reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import product
from types import MappingProxyType
from typing import Final, Literal, get_args
from zoneinfo import ZoneInfo

from toolbox.messages import say

Period = Literal["hour", "day", "week", "month", "quarter", "year", "decade"]
"""A span of time to which dates are generalised."""
PERIODS: Final[tuple[Period, ...]] = get_args(Period)
"""The shortest first."""
DATE: Final = "([0-9]{4}-[0-9]{2}-[0-9]{2})"
TIME: Final = "[T ]([0-2][0-9]:[0-5][0-9])(:[0-5][0-9](?:[.,][0-9]{1,9})?)?"
OFFSET: Final = " ?(Z|[+-][0-9]{2})(?::?([0-9]{2}))?(?::?([0-9]{2}))?"
ISO: Final = f"{DATE}(?:{TIME})?"
"""ISO 8601, as far as it is read, in the words that Python's regular expressions share with the engine's."""
ISO_WITH_OFFSET: Final = f"{DATE}{TIME}{OFFSET}"
_SHAPES: Final = MappingProxyType(
    {
        "Y": "[0-9]{4}",
        "y": "[0-9]{2}",
        "m": "[0-9]{1,2}",
        "d": "[0-9]{1,2}",
        "b": "[A-Za-z]{3}",
        "B": "[A-Za-z]{3,9}",
        "H": "[0-9]{1,2}",
        "I": "[0-9]{1,2}",
        "M": "[0-9]{2}",
        "S": "[0-9]{2}",
        "f": "[0-9]{1,6}",
        "p": "[AaPp][Mm]",
        "z": "[+-][0-9]{2}:?(?:[0-9]{2})?",
        "%": "%",
    }
)
"""What each directive takes. The engine alone would take 71 for a year."""
_FIXED: Final = re.compile("([+-])([0-9]{2}):?([0-9]{2})")
_DIRECTIVE: Final = re.compile("%(.?)", re.DOTALL)
_DAYS: Final = (
    *("%d.%m.%Y", "%m.%d.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d"),
    *("%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
_TIMES: Final = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p")


def find_zone_offset(zone: str) -> timedelta | None:
    """Return how far a zone is ahead of UTC that is named by just that, ``+05:30``; None for any other name.

    Examples
    --------
    >>> find_zone_offset("+05:30"), find_zone_offset("-0930"), find_zone_offset("Asia/Kolkata")
    (datetime.timedelta(seconds=19800), datetime.timedelta(days=-1, seconds=52200), None)
    """
    fixed = _FIXED.fullmatch(zone)
    if fixed is None or int(fixed[2]) > 23 or int(fixed[3]) > 59:
        return None
    ahead = timedelta(hours=int(fixed[2]), minutes=int(fixed[3]))
    return -ahead if fixed[1] == "-" else ahead


def find_zone_clock(zone: str) -> tzinfo:
    """Return the clock of a zone: UTC, one that is named by its offset, or one that has a name."""
    if zone == "UTC":
        return UTC
    offset = find_zone_offset(zone)
    return ZoneInfo(zone) if offset is None else timezone(offset)


def find_period_disorder(periods: Sequence[Period]) -> tuple[str, str] | None:
    """Return why periods do not lie one within the next, and what to write instead; None if they do.

    Examples
    --------
    >>> find_period_disorder(["year", "month"])[0], find_period_disorder(["month", "year"])
    ('is not in order', None)
    """
    if list(periods) != sorted(set(periods), key=PERIODS.index):
        return say("is not in order"), say("Write the shortest period first: %(periods)s.", periods=",".join(PERIODS))
    if "week" in periods[:-1]:
        remedy = say("Write week as the last one, or leave it out.")
        return say("has longer periods than weeks, which do not begin with a week"), remedy
    return None


def find_unknown_directive(written: str) -> str | None:
    """Return the first directive of a format that is not understood; None if all are."""
    return next(
        (directive[0] for directive in _DIRECTIVE.finditer(written) if directive[1] not in _SHAPES or not directive[1]),
        None,
    )


def is_complete(written: str, *, with_time: bool) -> bool:
    """Return whether a format has the whole day, and the time of day if it is needed."""
    known = {directive[1] for directive in _DIRECTIVE.finditer(written)}
    has_day = bool(known & {"Y", "y"}) and bool(known & {"m", "b", "B"}) and "d" in known
    return has_day and (not with_time or "H" in known or {"I", "p"} <= known)


def build_format_shape(written: str) -> str:
    """Describe the texts that fit a format by a regular expression.

    Examples
    --------
    >>> [bool(re.fullmatch(build_format_shape("%d.%m.%Y"), text)) for text in ("24.1.1971", "24.1.71")]
    [True, False]
    """
    parts = _DIRECTIVE.split(written)
    return "".join(_SHAPES[part] if index % 2 else re.escape(part) for index, part in enumerate(parts))


def list_usual_formats(*, with_time: bool) -> Iterator[str]:
    """List the formats that are tried where none is declared, in addition to ISO 8601."""
    if not with_time:
        yield from _DAYS
        return
    yield from (f"{day} {time}" for day, time in product(_DAYS, _TIMES))


def find_fitting_formats(texts: Sequence[str], formats: Iterable[str]) -> list[str]:
    """Return the formats in which at least one of a few texts is written."""
    return [form for form in formats if any(_has_format(text, form) for text in texts)]


def has_only_dates(texts: Sequence[str], *, with_time: bool) -> bool:
    """Return whether all of a few texts are dates, or timestamps, in the same format.

    Examples
    --------
    >>> has_only_dates(["24.01.1971", "1.2.2003"], with_time=False), has_only_dates(["1971", "2003"], with_time=False)
    (True, False)
    """
    if not texts:
        return False
    shapes = [ISO, ISO_WITH_OFFSET] if with_time else [DATE]
    if any(all(re.fullmatch(shape, text) for text in texts) for shape in shapes):
        return True
    # Digits alone are numbers.
    spaced = (form for form in list_usual_formats(with_time=with_time) if form != "%Y%m%d")
    return any(all(_has_format(text, form) for text in texts) for form in spaced)


def _has_format(text: str, form: str) -> bool:
    if re.fullmatch(build_format_shape(form), text.strip()) is None:
        return False
    try:
        datetime.strptime(text.strip(), form)
    except ValueError:
        return False
    return True
