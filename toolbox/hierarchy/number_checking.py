"""The check of a hierarchy of numbers: labels that say intervals, and numbers that have no row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from toolbox.errors import quote, shortened
from toolbox.hierarchy.coverage import number_of
from toolbox.hierarchy.finding import Finding, fault, remark
from toolbox.hierarchy.interval import Interval, format_number
from toolbox.hierarchy.outline import Outline
from toolbox.messages import counted

Reading = Callable[[str], Interval | None]
"""From a label to what it says; None if it says no interval."""


def number_findings(outline: Outline, reading: Reading, *, quotes_values: bool = True) -> list[Finding]:
    """Check an outline whose values are numbers.

    Parameters
    ----------
    outline : Outline
    reading : callable
        Reads labels such as ``20-29``.
    quotes_values : bool
        Whether the values are those of the hierarchy, and not of somebody's data, so that a message may quote them.

    Examples
    --------
    >>> young, old = Outline("[0:20]", values=("0", "20", "21")), Outline("[20:99]", values=("22",))
    >>> says = {"[0:20]": Interval(0, 20), "[20:99]": Interval(20, 99)}
    >>> for finding in number_findings(Outline("*", (young, old)), says.get)[:2]:
    ...     print(finding.text)
    The label '[0:20]' covers 21 beyond its bounds. Correct it, or move the value.
    The labels '[0:20]' and '[20:99]' both say [20]. Let each begin after the one before, as 15-19 and 20-24 do.
    """
    said = {label: reading(label) for label in {node.label for node, _ in outline.walk()}}
    found = sorted(_untrue(outline, said, quotes_values=quotes_values), key=lambda finding: finding.line)
    return [*found, *_overlaps(outline, said), *(_gaps(outline) if quotes_values else ())]


def _untrue(outline: Outline, said: dict[str, Interval | None], *, quotes_values: bool) -> Iterator[Finding]:
    """Yield a fault for each label that says an interval and covers a value beyond it."""
    for node, _ in outline.walk():
        interval = said[node.label]
        if interval is None:
            continue
        outside = [
            value for value in node.all_values() if (number := number_of(value)) is not None and number not in interval
        ]
        if outside:
            more = len(outside) - 1
            others = f" and {counted(more, 'more value')}" if more else ""
            covered = f"{shortened(outside[0])}{others}" if quotes_values else counted(len(outside), "value")
            text = f"The label {quote(node.label)} covers {covered} beyond its bounds. Correct it, or move the value."
            yield fault("label", node.line, text)


def _overlaps(outline: Outline, said: dict[str, Interval | None]) -> Iterator[Finding]:
    """Yield a remark for each two neighbours of one level whose labels say the same numbers."""
    for nodes in outline.levels():
        intervals = {node.label: (interval, node.line) for node in nodes if (interval := said[node.label]) is not None}
        ordered = sorted(intervals.items(), key=lambda item: (item[1][0].low, item[1][0].high))
        for (first, (below, _)), (second, (above, line)) in pairwise(ordered):
            common = Interval(above.low, min(below.high, above.high), above.low_closed, below.high_closed)
            if not common.is_empty:
                text = f"The labels {quote(first)} and {quote(second)} both say {common}."
                yield remark("label", line, f"{text} Let each begin after the one before, as 15-19 and 20-24 do.")


def _gaps(outline: Outline) -> Iterator[Finding]:
    """Yield a remark where some whole numbers between others have no row; where most have none, nobody expects them."""
    numbers = sorted({number for value in outline.all_values() if (number := number_of(value)) is not None})
    if not all(number.is_integer() for number in numbers):
        return
    gaps = [(low + 1, high - 1) for low, high in pairwise(numbers) if high - low > 1]
    missing = int(sum(high - low + 1 for low, high in gaps))
    if gaps and missing < len(numbers):
        low, high = gaps[0]
        first = format_number(low) if low == high else f"{format_number(low)} to {format_number(high)}"
        what = counted(missing, "whole number has", "whole numbers have")
        yield remark("gap", 0, f"{what} no row between others that have one: {first}{', ..' if len(gaps) > 1 else ''}")
