"""Which values of a table a hierarchy covers, and how many records each of its values has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from toolbox.errors import quote
from toolbox.hierarchy.finding import Finding, fault, remark
from toolbox.messages import counted

_MOST_SHOWN = 20


@dataclass(frozen=True)
class Coverage:
    """The values of a table, set against those of a hierarchy."""

    records: Mapping[str, int]
    """Of each value of the hierarchy that occurs."""
    uncovered: Mapping[str, int]
    """Values that the hierarchy lacks, each with its records."""
    unused: int
    """Values of the hierarchy that do not occur."""
    nearly: int
    """Values that it lacks, but has in another case or without blanks."""

    def findings(self, *, shows_values: bool = False, go_to_root: bool = False) -> list[Finding]:
        """Return what is wrong, and what is worth knowing.

        Parameters
        ----------
        shows_values : bool
            Whether to quote the values of the table, which may be known of one person only.
        go_to_root : bool
            Whether values that the hierarchy lacks go to its root, and are no fault.
        """
        found = []
        if self.uncovered:
            values = counted(len(self.uncovered), "value", "values")
            text = f"The hierarchy lacks {values} of {counted(sum(self.uncovered.values()), 'record')}."
            if self.nearly:
                text += f" It has {self.nearly:,} of them in another case or without blanks at the ends."
            text += " They go to its root, as other='root' says." if go_to_root else ""
            text += _shown(list(self.uncovered)) if shows_values else ""
            found.append(remark("uncovered", 0, text) if go_to_root else fault("uncovered", 0, text))
        if self.unused:
            text = f"{counted(self.unused, 'value', 'values')} of the hierarchy {'does' if self.unused == 1 else 'do'}"
            found.append(remark("unused", 0, f"{text} not occur in the data."))
        return found


def coverage(
    values: Sequence[str],
    kind: Literal["number", "category"],
    counts: Mapping[str, int],
    *,
    figures: tuple[str, str],
    own_figures: tuple[str, str] = (".", ""),
) -> Coverage:
    """Set the values of a table against those of a hierarchy; numbers are the same however they are written.

    Parameters
    ----------
    values : sequence of str
        Those of the hierarchy.
    counts : mapping of str to int
        The texts of the table, each with its records.
    figures : (str, str)
        What stands before the decimals of numbers in the table, and between their thousands.
    own_figures : (str, str)
        The same of the hierarchy.

    Examples
    --------
    >>> found = coverage(["1", "2"], "number", {"1.0": 5, "3": 2}, figures=(".", ""))
    >>> dict(found.records), dict(found.uncovered), found.unused
    ({'1': 5}, {'3': 2}, 1)
    """
    if kind == "category":
        by_meaning: Mapping[str | float, str] = {value: value for value in values}
    else:
        by_meaning = {number: value for value in values if (number := number_of(value, *own_figures)) is not None}
    records: dict[str, int] = {}
    uncovered: dict[str, int] = {}
    for text, count in counts.items():
        meaning = text if kind == "category" else number_of(text, *figures)
        value = None if meaning is None else by_meaning.get(meaning)
        target = uncovered if value is None else records
        name = text if value is None else value
        target[name] = target.get(name, 0) + count
    known = {value.strip().casefold() for value in values} if uncovered else set()
    nearly = sum(text.strip().casefold() in known for text in uncovered)
    return Coverage(records, uncovered, len(values) - len(records), nearly)


def number_of(text: str, decimal: str = ".", thousands: str = "") -> float | None:
    """Return the number that a text says; None if it says none."""
    plain = (text.replace(thousands, "") if thousands else text).replace(decimal, ".")
    with suppress(ValueError):
        number = float(plain)
        if math.isfinite(number) and "_" not in text:
            return number
    return None


def _shown(values: Sequence[str]) -> str:
    more = len(values) - _MOST_SHOWN
    shown = ", ".join(map(quote, sorted(values)[:_MOST_SHOWN]))
    return f" {'It is' if len(values) == 1 else 'They are'} {shown}{f' and {more:,} more' if more > 0 else ''}."
