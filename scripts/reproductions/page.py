"""The page of all reproductions: a summary, then each document with its tables, reasons and errata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reproductions.frame import Number, Source, Table, Value, Verdict

INTRODUCTION = """\
# Every published table, repeated

Five documents stand behind this toolbox. Here is every number that they publish and that the data at hand allow, beside
what the toolbox computes. One command makes this page:

    python scripts/reproduce_all.py --data FOLDER

`FOLDER` holds `data/` and `fixtures/`, as for the tests. `--only SOURCE` repeats one document and prints it. `--quick`
leaves out what takes longer than a minute. The command ends with status 1 if a number differs and no reason is known.

A number is *equal* if it agrees as far as it was printed, or within the tolerance that stands above its table. It is
*explained* if it differs, and the reason stands below the table. It is *not reproducible* if something that is needed
was not published."""


def page(sources: Sequence[Source]) -> str:
    """Write the page."""
    parts = [INTRODUCTION, "\n".join(_summary(sources))]
    parts += [document(source) for source in sources]
    return "\n\n".join(parts) + "\n"


def _summary(sources: Sequence[Source]) -> Iterator[str]:
    verdicts = [one for one in Verdict if one is not Verdict.UNEXPLAINED or any(s.verdicts()[one] for s in sources)]
    yield _line(["document", "numbers", *(one.value for one in verdicts)])
    yield _line(["---", *["--:"] * (len(verdicts) + 1)])
    for source in sources:
        counts = source.verdicts()
        yield _line([_link(source.title), f"{counts.total():,}", *(f"{counts[one]:,}" for one in verdicts)])


def _link(title: str) -> str:
    anchor = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_").replace(" ", "-")
    return f"[{title}](#{anchor})"


def document(source: Source) -> str:
    """Write the section of one document."""
    parts = [f"## {source.title}", source.reference, source.introduction]
    parts += [_section(table) for table in source.tables]
    parts += _list("Errata", source.errata) + _list("Remarks", source.remarks)
    return "\n\n".join(part for part in parts if part)


def _list(heading: str, sentences: Sequence[str]) -> list[str]:
    return [f"### {heading}", "\n".join(f"- {sentence}" for sentence in sentences)] if sentences else []


def _section(table: Table) -> str:
    reasons = _reasons(table)
    parts = [f"### {table.place}", f"{table.what} {_tolerance(table.numbers)}".strip(), "\n".join(_rows(table, reasons))]
    parts += ["\n".join(f"- ({mark}) {reason}" for reason, mark in reasons.items())] if reasons else []
    parts += [f"![{table.place}]({table.picture})"] if table.picture else []
    return "\n\n".join(parts)


def _reasons(table: Table) -> dict[str, str]:
    """Give a letter to each reason that is needed."""
    needed = (number.why for number in table.numbers if number.verdict is not Verdict.EQUAL)
    return {reason: _letter(place) for place, reason in enumerate(dict.fromkeys(needed))}


def _letter(place: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[place]


def _tolerance(numbers: Sequence[Number]) -> str:
    largest = max(number.within for number in numbers)
    return f"Equal means: within {largest:g}." if largest > 1e-6 else ""


def _rows(table: Table, reasons: dict[str, str]) -> Iterator[str]:
    columns = list(dict.fromkeys(number.column for number in table.numbers))
    found = {(number.row, number.column): number for number in table.numbers}
    width = 1 if table.is_compact else 2
    heads = [[column] if table.is_compact else [f"{column}: {table.heading}", "ours"] for column in columns]
    yield _line(["", *(head for pair in heads for head in pair)])
    yield _line(["---", *["--:"] * (len(columns) * width)])
    for row in dict.fromkeys(number.row for number in table.numbers):
        cells = [_cells(found.get((row, column)), reasons, width) for column in columns]
        yield _line([_escaped(row), *(cell for pair in cells for cell in pair)])


def _cells(number: Number | None, reasons: dict[str, str], width: int) -> list[str]:
    if number is None:
        return [""] * width
    published, ours = (_written(value, number.digits) for value in (number.published, number.ours))
    mark = "" if number.verdict is Verdict.EQUAL else f" ({reasons[number.why]})"
    if width > 1:
        return [published, ours + mark]
    is_alone = number.verdict in (Verdict.EQUAL, Verdict.NOT_REPRODUCIBLE)
    return [f"{published}{mark}" if is_alone else f"{published}, ours {ours}{mark}"]


def _written(value: Value | None, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else _escaped(value)


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "*|_[]" else letter for letter in text)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
