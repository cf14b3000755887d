"""The page of all reproductions: a summary, then the text of each document with its tables in their places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reproductions.frame import Number, Source, Table, Value, Verdict

TEXTS = Path(__file__).parent
"""Where the text of each document lies, and that of the head of the page."""
_PLACE = re.compile(r"^<!-- (\w+) -->$", flags=re.MULTILINE)
_SPECIAL = re.compile(r"[*|_\[\]]")


def page(sources: Sequence[Source]) -> str:
    """Write the page."""
    head = (TEXTS / "head.md").read_text(encoding="utf-8").rstrip()
    return "\n\n".join([head, "\n".join(_summary(sources)), *map(document, sources)]) + "\n"


def _summary(sources: Sequence[Source]) -> Iterator[str]:
    counts = {_link(_text(source)): source.verdicts() for source in sources}
    total = sum(counts.values(), Counter[Verdict]())
    verdicts = [one for one in Verdict if one is not Verdict.UNEXPLAINED or total[one]]
    yield _line(["document", "numbers", *(one.value for one in verdicts)])
    yield _line(["---", *["--:"] * (len(verdicts) + 1)])
    for name, of in {**counts, "all": total}.items():
        yield _line([name, f"{of.total():,}", *(f"{of[one]:,}" for one in verdicts)])


def _text(source: Source) -> str:
    return (TEXTS / f"{source.name}.md").read_text(encoding="utf-8").rstrip()


def _link(text: str) -> str:
    title = text.partition("\n")[0].removeprefix("## ")
    anchor = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_").replace(" ", "-")
    return f"[{title}](#{anchor})"


def document(source: Source) -> str:
    """Write the section of one document: each table stands where the text marks its place.

    Raises
    ------
    ValueError
        If a table has no place, or more than one.
    """
    text = _text(source)
    places = Counter(_PLACE.findall(text))
    if wrong := [name for name in source.tables if places[name] != 1]:
        raise ValueError(f"{source.name}.md has not just one place for: {', '.join(wrong)}")
    return _PLACE.sub(lambda found: shown(source.tables.get(found[1])), text)


def shown(table: Table | None) -> str:
    """Write a table, what equal means in it, and the reasons of its differences."""
    if table is None:
        return "*This table was left out.*"
    reasons = _reasons(table)
    parts = [_tolerance(table.numbers), "\n".join(_rows(table, reasons))]
    parts.append("\n".join(f"- ({mark}) {reason}" for reason, mark in reasons.items()))
    return "\n\n".join(part for part in parts if part)


def _reasons(table: Table) -> dict[str, str]:
    """Give a letter to each reason that is needed."""
    needed = (number.why for number in table.numbers if number.verdict is not Verdict.EQUAL)
    return dict(zip(dict.fromkeys(needed), "abcdefghijklmnopqrstuvwxyz", strict=False))


def _tolerance(numbers: Sequence[Number]) -> str:
    shown = sorted({number.within for number in numbers if number.within > 1e-6})
    amounts = " or ".join(f"{within:g}" for within in shown)
    return f"Equal means: fractions differ by {amounts} at most, counts not at all." if shown else ""


def _rows(table: Table, reasons: Mapping[str, str]) -> Iterator[str]:
    columns = list(dict.fromkeys(number.column for number in table.numbers))
    found = {(number.row, number.column): number for number in table.numbers}
    width = 1 if table.is_compact else 2
    heads = [[column] if table.is_compact else [f"{column}: {table.heading}", table.beside] for column in columns]
    yield _line(["", *(head for pair in heads for head in pair)])
    yield _line(["---", *["--:"] * (len(columns) * width)])
    for row in dict.fromkeys(number.row for number in table.numbers):
        cells = [_cells(found.get((row, column)), reasons, width) for column in columns]
        yield _line([_escaped(row), *(cell for pair in cells for cell in pair)])


def _cells(number: Number | None, reasons: Mapping[str, str], width: int) -> list[str]:
    if number is None:
        return [""] * width
    digits = 0 if isinstance(number.published, int) and _is_whole(number.ours) else number.digits
    published, ours = (_written(value, digits) for value in (number.published, number.ours))
    mark = "" if number.verdict is Verdict.EQUAL else f" ({reasons[number.why]})"
    if width > 1:
        return [published, ours + mark]
    is_alone = number.verdict in (Verdict.EQUAL, Verdict.NOT_REPRODUCIBLE)
    return [f"{published}{mark}" if is_alone else f"{published}, ours {ours}{mark}"]


def _is_whole(value: Value | None) -> bool:
    return isinstance(value, float) and value.is_integer()


def _written(value: Value | None, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        # A sum of logarithms may be -2.7e-11, and no loss is less than none.
        return f"{round(value, digits) + 0.0:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else _escaped(value)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
