"""Hierarchies of one column: as intervals in XML, or as a file of labels; sound or wrong."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from xml.sax.saxutils import quoteattr

from fuzzing.draw import Draw


@dataclass(frozen=True)
class Generalisations:
    """How a column may be generalised, as the configuration says it and as the judge knows it."""

    xml: str = ""
    """What stands within the ``att`` of the column."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each value all labels that stand for it."""
    words: str = ""
    """The same behind ``--hierarchy NAME=``; empty if only XML can say it."""
    listed: frozenset[str] | None = None
    """The values that the hierarchy itself names, so that none of them is missing; None: all that have labels."""

    def lists(self, value: str) -> bool:
        """Return whether the hierarchy names a value, however much it looks like a missing one."""
        return value in (self.labels if self.listed is None else self.listed)


def of_numbers(draw: Draw, values: Sequence[str], file: str) -> Generalisations:
    """Draw a hierarchy of numbers: intervals, or a file that lists them."""
    if draw.chance(0.5):
        return _intervals(draw, {value: float(value) for value in values})
    ordered = sorted({float(value): value for value in values}.items())
    listed = _file(draw, [text for _, text in ordered], file)
    spelled = {number: listed.labels[text] for number, text in ordered if text in listed.labels}
    labels = {value: spelled.get(float(value), frozenset()) for value in values}
    return Generalisations(listed.xml, listed.files, labels, listed.words)


def of_categories(draw: Draw, values: Sequence[str], file: str) -> Generalisations:
    """Draw a hierarchy of categories: a file, or a map with intervals of its codes."""
    if draw.chance(0.75) or not all(text.isprintable() for text in values):
        return _file(draw, draw.shuffled(values), file)
    codes = {value: index for index, value in enumerate(draw.shuffled(values))}
    entries = "".join(f"<entry cat={quoteattr(value)} int='{code}'/>" for value, code in codes.items())
    if draw.wrong("a category lacks in the map", 0.1):
        entries = entries.partition("/>")[2] or entries
    tree = _intervals(draw, {value: float(code) for value, code in codes.items()}, in_codes=True)
    return Generalisations(f"<map>{entries}</map>{tree.xml}", {}, tree.labels)


def _intervals(draw: Draw, values: Mapping[str, float], *, in_codes: bool = False) -> Generalisations:
    """Halve an interval that holds all values, on one to three levels."""
    low, high = min(values.values()), max(values.values()) + 1
    if draw.wrong("values lie outside the hierarchy", 0.1):
        high = (low + high) / 2
    labels: dict[str, set[str]] = {value: set() for value in values}

    def cut(start: float, end: float) -> float:
        middle = (start + end) / 2
        return float(math.floor(middle)) if in_codes else middle

    def node(name: str, start: float, end: float, depth: int) -> str:
        text = f"[{start:.17g}:{end:.17g}{']' if end == high else ')'}"
        label = f"{name}{start:g}" if draw.chance(0.3) else None
        for value, number in values.items():
            if start <= number <= end:
                # Where two nodes share a boundary a judge who takes both is not too strict.
                labels[value] |= {text, label or text}
        middle = cut(start, end)
        if draw.wrong("the hierarchy has a gap", 0.05):
            middle += (end - start) / 8
        below = node("n", start, cut(start, end), depth - 1) + node("n", middle, end, depth - 1) if depth else ""
        shown = f" label={quoteattr(label)}" if label else ""
        return f"<{name} value='{text}'{shown}>{below}</{name}>" if depth else f"<{name} value='{text}'{shown}/>"

    # Every leaf holds a code; as many levels as there are codes to halve.
    deepest = int(math.log2(max(1, high - low))) if in_codes else 3
    # The root is called vgh, all others node.
    xml = node("vgh", low, high, draw.whole(0, min(3, deepest))).replace("<n ", "<node ").replace("</n>", "</node>")
    return Generalisations(xml, {}, {value: frozenset(labels_above) for value, labels_above in labels.items()})


def _file(draw: Draw, values: Sequence[str], name: str) -> Generalisations:
    """Draw a file as ARX writes them: groups of neighbours, groups of groups, and mostly one root."""
    width = draw.whole(1, 3)
    sizes = sorted(draw.whole(1, 4) for _ in range(width - 1))
    spans: list[int] = []
    for size in sizes:
        spans.append(size * (spans[-1] if spans else 1))
    rows = [
        [value, *(f"{'ABC'[level]}-{index // span}" for level, span in enumerate(spans)), "*"]
        for index, value in enumerate(values)
    ]
    labels = {row[0]: frozenset(row[1:]) for row in rows}
    return Generalisations(f"<vgh file={quoteattr(name)}/>", {name: _written(draw, _damaged(draw, rows))}, labels, name)


def _damaged(draw: Draw, rows: list[list[str]]) -> list[list[str]]:
    if draw.wrong("a value lacks in the hierarchy", 0.08):
        rows = rows[1:] or rows
    if draw.wrong("a value stands twice in the hierarchy", 0.06):
        rows = [*rows, [*rows[0][:-1], "other"]]
    if draw.wrong("a row of the hierarchy is too short", 0.06):
        rows = [*rows[:-1], rows[-1][:-1]]
    if draw.wrong("a field of the hierarchy is empty", 0.06):
        rows = [[*rows[0][:-1], ""], *rows[1:]]
    return rows


def _written(draw: Draw, rows: Sequence[Sequence[str]]) -> bytes:
    separator = draw.choice((";", ";", ",", "\t"))
    text = StringIO(newline="")
    # The writer forgets a carriage return where only what needs quotes gets them.
    needs_quotes = any("\r" in cell for row in rows for cell in row)
    writer = csv.writer(
        text,
        delimiter=separator,
        quoting=csv.QUOTE_ALL if needs_quotes or draw.chance(0.5) else csv.QUOTE_MINIMAL,
        lineterminator=draw.choice(("\n", "\r\n")),
    )
    writer.writerows(rows)
    data = text.getvalue().encode("utf-8-sig" if draw.chance(0.1) else "utf-8")
    if draw.wrong("the hierarchy holds a NUL", 0.05):
        data = data[:3] + b"\0" + data[3:]
    if draw.wrong("the hierarchy is not UTF-8", 0.05):
        data += b"\xff;*\n"
    if draw.wrong("the hierarchy has an open quote", 0.05):
        data += b'"x;*\n'
    return data
