"""The columns of a case: what each is to the configuration, its values, and how it generalises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fuzzing.builders import built_of_categories, built_of_numbers
from fuzzing.draw import Draw
from fuzzing.hierarchies import Generalisations, of_categories, of_numbers
from fuzzing.values import is_writable, numbers, words

Role = Literal["id", "qid", "sens", "other"]
Kind = Literal["number", "category"]
_NAMES = ("age", "sex", "town", "born", "work", "note", "Age", "a b", "x,y", 'q"', "ö", "", "age", "1", "c0", "label_1")


@dataclass(frozen=True)
class Column:
    """One column of the input."""

    name: str
    role: Role
    kind: Kind
    values: tuple[str, ...]
    """What its cells may hold; empty for serial numbers, which differ in every record."""
    generalisations: Generalisations
    has_hierarchy: bool


def draw_columns(draw: Draw, *, encoding: str, needs_hierarchies: bool, needs_sensitive: bool) -> tuple[Column, ...]:
    """Draw one to four quasi-identifiers, among other columns in any order."""
    roles: list[Role] = []
    count = 1 if needs_sensitive and not draw.wrong("not one sensitive column", 0.1) else draw.choice((0, 0, 1, 2))
    counts: dict[Role, int] = {
        "qid": draw.choice((1, 1, 1, 2, 2, 3)),
        "sens": count,
        "id": draw.choice((0, 0, 1)),
        "other": draw.choice((0, 0, 1)),
    }
    for role, times in counts.items():
        roles += [role] * times
    roles = draw.shuffled(roles)
    if draw.chance(0.85):
        roles.append("other")
    names = _names(draw, len(roles), encoding)
    columns = []
    for index, (role, name) in enumerate(zip(roles, names, strict=True)):
        is_serial = (index == len(roles) - 1 and role == "other") or role == "id"
        columns.append(_column(draw, name, role, index, encoding, is_serial, needs_hierarchies))
    return tuple(columns)


def _names(draw: Draw, count: int, encoding: str) -> list[str]:
    if draw.chance(0.7):
        return [f"column{index}" for index in range(count)]
    return [name for name in draw.shuffled(_NAMES) if is_writable(name, encoding)][:count] + [
        f"more{index}" for index in range(max(0, count - len(_NAMES)))
    ]


def _column(
    draw: Draw, name: str, role: Role, position: int, encoding: str, is_serial: bool, needs_hierarchies: bool
) -> Column:
    kind: Kind = "number" if draw.chance(0.4) else "category"
    if is_serial:
        return Column(name, role, "number", (), Generalisations(), False)
    count = draw.choice((1, 2, 3, 5, 8, 15))
    values = numbers(draw, count) if kind == "number" else words(draw, count, encoding)
    has_hierarchy = role == "qid" and (needs_hierarchies or draw.chance(0.4))
    if has_hierarchy and needs_hierarchies and draw.wrong("a hierarchy lacks", 0.05):
        has_hierarchy = False
    generalisations = Generalisations()
    if has_hierarchy:
        generalisations = _generalisations(draw, kind, values, f"hierarchy{position}.csv")
    return Column(name, role, kind, tuple(values), generalisations, has_hierarchy)


def _generalisations(draw: Draw, kind: Kind, values: Sequence[str], file: str) -> Generalisations:
    if draw.chance(0.35):
        return built_of_numbers(draw, values) if kind == "number" else built_of_categories(draw, values)
    return of_numbers(draw, values, file) if kind == "number" else of_categories(draw, values, file)


def draw_records(draw: Draw, columns: Sequence[Column], missing: str) -> list[list[str | None]]:
    """Draw the records; None is an empty field."""
    count = draw.choice((1, 3, 10, 20, 20, 40, 40, 80))
    share_missing = draw.choice((0.0, 0.0, 0.0, 0.02, 0.2))
    marks = (None, "", missing)

    def cell(column: Column, row: int) -> str | None:
        if draw.chance(share_missing):
            return draw.choice(marks)
        if not column.values:
            return str(row)
        # The first values more often, so that classes differ in size.
        return column.values[min(draw.whole(0, len(column.values) - 1), draw.whole(0, len(column.values) - 1))]

    records = [[cell(column, row) for column in columns] for row in range(count)]
    _spoil(draw, columns, records)
    return records


def _spoil(draw: Draw, columns: Sequence[Column], records: list[list[str | None]]) -> None:
    """Replace a number by a text."""
    spoiled = [index for index, column in enumerate(columns) if column.role == "qid" and column.kind == "number"]
    if spoiled and draw.wrong("a word stands in a column of numbers", 0.1):
        texts = ("x", "NaN", "1e999", "0x1F", "1_0", "1" * 400, "0e9999999999999999999", "1e-9999999999", "--1")
        draw.choice(records)[draw.choice(spoiled)] = draw.choice(texts)
