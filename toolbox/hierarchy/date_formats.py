"""How people write dates: formats with ``%`` as `datetime.strptime` reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from types import MappingProxyType
from typing import Final

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
_DIRECTIVE: Final = re.compile("%(.?)", re.DOTALL)
_DAYS: Final = (
    *("%d.%m.%Y", "%m.%d.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d"),
    *("%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
_TIMES: Final = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p")


def unknown_directive(written: str) -> str | None:
    """Return the first directive of a format that is not understood; None if all are."""
    return next((found[0] for found in _DIRECTIVE.finditer(written) if found[1] not in _SHAPES or not found[1]), None)


def is_complete(written: str, *, with_time: bool) -> bool:
    """Tell whether a format says the day, and the time of it if it should."""
    known = {found[1] for found in _DIRECTIVE.finditer(written)}
    has_day = bool(known & {"Y", "y"}) and bool(known & {"m", "b", "B"}) and "d" in known
    return has_day and (not with_time or "H" in known or {"I", "p"} <= known)


def shape_of(written: str) -> str:
    """Describe the texts that fit a format by a regular expression.

    Examples
    --------
    >>> re.fullmatch(shape_of("%d.%m.%Y"), "24.1.1971") is not None, re.fullmatch(shape_of("%d.%m.%Y"), "24.1.71")
    (True, None)
    """
    parts = _DIRECTIVE.split(written)
    return "".join(_SHAPES[part] if place % 2 else re.escape(part) for place, part in enumerate(parts))


def usual_formats(*, with_time: bool) -> Iterator[str]:
    """List the formats that are tried where nothing is said, those beside ISO 8601."""
    if not with_time:
        yield from _DAYS
        return
    yield from (f"{day} {time}" for day, time in product(_DAYS, _TIMES))
