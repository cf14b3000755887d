"""The check of a hierarchy that can be read: labels, levels, numbers without a range, values that it lacks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from toolbox.errors import Fault, quote, shorten_text
from toolbox.hierarchy.hierarchy import Interval, format_number
from toolbox.hierarchy.outline import Outline
from toolbox.messages import Phrase, join_said, mark, say, say_count

# What a check of a hierarchy finds, as data.

FindingKind = Literal[
    "notation",
    "table",
    "header",
    "value twice",
    "two parents",
    "interval",
    "gap",
    "depth",
    "level",
    "root",
    "label",
    "order",
    "blank",
    "uncovered",
    "unused",
]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a hierarchy, or worth knowing."""

    kind: FindingKind
    line: int
    """Of the file, from 1; 0 if the finding is about all of it."""
    text: str
    """What was found, and what to write instead."""
    is_fault: bool
    """Whether a run would refuse it or release something untrue; otherwise it is a remark."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


def make_fault(kind: FindingKind, line: int, text: str) -> Finding:
    """Make a finding that is a fault."""
    return Finding(kind, line, text, is_fault=True)


def make_remark(kind: FindingKind, line: int, text: str) -> Finding:
    """Make a finding that is worth knowing."""
    return Finding(kind, line, text, is_fault=False)


def convert_faults(kind: FindingKind, faults: Iterable[Fault]) -> list[Finding]:
    """Turn the faults of a reader into findings of one kind."""
    return [make_fault(kind, one.line, join_said(" ", filter(None, (one.found, one.remedy)))) for one in faults]


# The check of a hierarchy that can be read: labels, levels and depths that are not what their author meant.


def list_outline_findings(
    outline: Outline,
    full_domain: Sequence[str] = (),
    *,
    quotes_values: bool = True,
) -> list[Finding]:
    """Check an outline.

    Parameters
    ----------
    outline : Outline
    full_domain : sequence of str
        The names of methods that generalise whole columns.
    quotes_values : bool
        Whether the values are those of the hierarchy, and not of somebody's data, so that a message may quote them.

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> tree = Outline("*", (Outline("Styria", values=("Graz",)), Outline("Vienna", values=("Wien",))))
    >>> for finding in list_outline_findings(tree):
    ...     print(finding.kind, finding.text)
    level Level 1 joins nothing: each of its 2 labels stands for one value.
    """
    return [
        *_find_uneven_depths(outline, full_domain),
        *_find_idle_levels(outline),
        *_find_double_meanings(outline, quotes_values=quotes_values),
        *_find_blanks(outline),
    ]


def _find_uneven_depths(outline: Outline, full_domain: Sequence[str]) -> Iterator[Finding]:
    height = outline.height
    shallow = [node for node, depth in outline.walk() if not node.children and depth + 1 < height]
    if shallow:
        told = [
            say_count(
                "The label %(label)s has values directly below, others have labels there.",
                "The label %(label)s and %(more)s more have values directly below, others have labels there.",
                len(shallow),
                label=quote(shallow[0].label),
                more=len(shallow) - 1,
            )
        ]
        if full_domain:
            refuse = mark("Methods that generalise whole columns refuse that: %(methods)s.")
            told.append(say(refuse, methods=", ".join(full_domain)))
        yield make_remark("depth", shallow[0].line, join_said(" ", told))


def _find_idle_levels(outline: Outline) -> Iterator[Finding]:
    """Yield a remark for each level that joins no two labels of the level below."""
    if not outline.is_uniform:
        return
    if not outline.children:
        yield make_remark(
            "root",
            0,
            say(
                "There is no level below the root %(label)s: values stay, or are suppressed.",
                label=quote(outline.label),
            ),
        )
        return
    for number, nodes in enumerate(outline.levels(), start=1):
        below = [len(node.children) + len(node.values) for node in nodes]
        if max(below) > 1 or not sum(below):
            continue
        names = [node.values[0] if node.values else node.children[0].label for node in nodes]
        if names == [node.label for node in nodes]:
            said = mark("Level %(number)s changes nothing: it is as level %(below)s. Leave it out.")
        elif len(nodes) == 1:
            said = mark("Level %(number)s has one label, as level %(below)s has. Leave one out.")
        elif number == 1:
            said = mark("Level %(number)s joins nothing: each of its %(labels)s labels stands for one value.")
        else:
            said = mark(
                "Level %(number)s joins nothing: each of its %(labels)s labels stands for one label of level %(below)s."
            )
        yield make_remark("level", 0, say(said, number=number, below=number - 1, labels=len(nodes)))


def _find_double_meanings(outline: Outline, *, quotes_values: bool) -> Iterator[Finding]:
    """Yield a remark for each text that is a label of different sets of values, or a value and a label of more."""
    first: dict[str, Outline] = {}
    told: set[str] = set()
    for node, _ in outline.walk():
        same = first.setdefault(node.label, node)
        if node.label not in told and _find_bottom(same) is not _find_bottom(node):
            told.add(node.label)
            text = mark("The label %(label)s stands for different values on two levels. Give one another name.")
            yield make_remark("label", node.line, say(text, label=quote(node.label)))
    for node, _ in outline.walk() if quotes_values else ():
        for value in node.values:
            wider = first.get(value)
            if wider is None or value in told or (not wider.children and wider.values == (value,)):
                continue
            bottom = _find_bottom(wider)
            if bottom.children or bottom.values != (value,):
                told.add(value)
                text = mark(
                    "%(value)s is a value, and a label of others: a release does not tell which it shows. Give the "
                    "label another name."
                )
                yield make_remark("label", wider.line, say(text, value=quote(value)))


def _find_bottom(node: Outline) -> Outline:
    """Return the lowest node that covers the same as a node."""
    while len(node.children) == 1 and not node.values:
        node = node.children[0]
    return node


def _find_blanks(outline: Outline) -> Iterator[Finding]:
    count = sum(value != value.strip() for value in outline.list_all_values())
    if count:
        text = say_count(
            "%(count)s value begins or ends with a blank, and is another value without it.",
            "%(count)s values begin or end with a blank, and are another value without it.",
            count,
        )
        yield make_remark("blank", 0, text)
    for label in dict.fromkeys(node.label for node, _ in outline.walk() if node.label != node.label.strip()):
        yield make_remark("blank", 0, say("The label %(label)s begins or ends with a blank.", label=quote(label)))


# Which values of a table a hierarchy covers, and how many records each of its values has.

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
            told = [
                say_count(
                    "The hierarchy lacks %(values)s of %(count)s record.",
                    "The hierarchy lacks %(values)s of %(count)s records.",
                    sum(self.uncovered.values()),
                    values=say_count("%(count)s value", "%(count)s values", len(self.uncovered)),
                )
            ]
            if self.nearly:
                nearly = mark("It has %(nearly)s of them in another case or without blanks at the ends.")
                told.append(say(nearly, nearly=self.nearly))
            told += [say("They go to its root, as other='root' says.")] if go_to_root else []
            told += [_format_shown_values(list(self.uncovered))] if shows_values else []
            text = join_said(" ", told)
            found.append(make_remark("uncovered", 0, text) if go_to_root else make_fault("uncovered", 0, text))
        if self.unused:
            text = say_count(
                "%(count)s value of the hierarchy does not occur in the data.",
                "%(count)s values of the hierarchy do not occur in the data.",
                self.unused,
            )
            found.append(make_remark("unused", 0, text))
        return found


def compare_coverage(
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
    >>> found = compare_coverage(["1", "2"], "number", {"1.0": 5, "3": 2}, figures=(".", ""))
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
        # Python reads more than the engine does: underscores, and digits of other scripts.
        if math.isfinite(number) and "_" not in text and plain.isascii():
            return number
    return None


def _format_shown_values(values: Sequence[str]) -> Phrase:
    more = len(values) - _MOST_SHOWN
    shown = ", ".join(map(quote, sorted(values)[:_MOST_SHOWN]))
    listed = say("%(names)s and %(count)s more", names=shown, count=more) if more > 0 else shown
    return say_count("It is %(values)s.", "They are %(values)s.", len(values), values=listed)


# The check of a hierarchy of numbers: labels that say intervals, and numbers that have no row.

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
    found = sorted(_find_untrue_labels(outline, said, quotes_values=quotes_values), key=lambda finding: finding.line)
    return [*found, *_find_overlaps(outline, said), *(_find_gaps(outline) if quotes_values else ())]


def _find_untrue_labels(
    outline: Outline, said: dict[str, Interval | None], *, quotes_values: bool
) -> Iterator[Finding]:
    """Yield a fault for each label that says an interval and covers a value beyond it."""
    for node, _ in outline.walk():
        interval = said[node.label]
        if interval is None:
            continue
        outside = [
            value
            for value in node.list_all_values()
            if (number := number_of(value)) is not None and number not in interval
        ]
        if outside:
            covered: str = say_count("%(count)s value", "%(count)s values", len(outside))
            if quotes_values:
                covered = shorten_text(outside[0])
                one, many = "%(value)s and %(count)s more value", "%(value)s and %(count)s more values"
                covered = covered if len(outside) == 1 else say_count(one, many, len(outside) - 1, value=covered)
            text = mark("The label %(label)s covers %(values)s beyond its bounds. Correct it, or move the value.")
            yield make_fault("label", node.line, say(text, label=quote(node.label), values=covered))


def _find_overlaps(outline: Outline, said: dict[str, Interval | None]) -> Iterator[Finding]:
    """Yield a remark for each two neighbours of one level whose labels say the same numbers."""
    for nodes in outline.levels():
        intervals = {node.label: (interval, node.line) for node in nodes if (interval := said[node.label]) is not None}
        ordered = sorted(intervals.items(), key=lambda item: (item[1][0].low, item[1][0].high))
        for (first, (below, _)), (second, (above, line)) in pairwise(ordered):
            common = Interval(above.low, min(below.high, above.high), above.low_closed, below.high_closed)
            if not common.is_empty:
                text = mark(
                    "The labels %(first)s and %(second)s both say %(common)s. Let each begin after the one before, as "
                    "15-19 and 20-24 do."
                )
                said_so = say(text, first=quote(first), second=quote(second), common=str(common))
                yield make_remark("label", line, said_so)


def _find_gaps(outline: Outline) -> Iterator[Finding]:
    """Yield a remark where some whole numbers between others have no row; where most have none, nobody expects them."""
    numbers = sorted({number for value in outline.list_all_values() if (number := number_of(value)) is not None})
    if not all(number.is_integer() for number in numbers):
        return
    gaps = [(low + 1, high - 1) for low, high in pairwise(numbers) if high - low > 1]
    missing = int(sum(high - low + 1 for low, high in gaps))
    if gaps and missing < len(numbers):
        low, high = gaps[0]
        ends = format_number(low), format_number(high)
        first: str = ends[0] if low == high else say("%(low)s to %(high)s", low=ends[0], high=ends[1])
        text = say_count(
            "%(count)s whole number has no row between others that have one: %(first)s",
            "%(count)s whole numbers have no row between others that have one: %(first)s",
            missing,
            first=first if len(gaps) == 1 else join_said("", [first, ", .."]),
        )
        yield make_remark("gap", 0, text)
