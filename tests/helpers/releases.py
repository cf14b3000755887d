"""What a reader does with a release: cut its text into values, form classes, see whether values are covered."""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"([\[(])({_NUMBER}):({_NUMBER})([\])])")


@dataclass(frozen=True)
class TextTable:
    """A delimited file, every value as the text that stands there."""

    header: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def columns(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return, for each record, its values in these columns."""
        places = [self.header.index(name) for name in names]
        return [tuple(row[place] for place in places) for row in self.rows]


def read_text_table(path: Path, *, separator: str = ",", header: bool = True) -> TextTable:
    """Read a release, or an input, with the csv module; ``.gz`` is unpacked."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = list(csv.reader(StringIO(text.decode(), newline=""), delimiter=separator))
    return TextTable(rows[0], rows[1:]) if header else TextTable([], rows)


def read_hierarchy(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a hierarchy file: each value with its generalisations, itself first."""
    rows = csv.reader(StringIO(path.read_text(encoding="utf-8")), delimiter=";")
    return {row[0]: tuple(row) for row in rows if row}


def classes(rows: Sequence[Sequence[str]]) -> dict[tuple[str, ...], frozenset[int]]:
    """Group row numbers by what the rows show."""
    found: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for number, row in enumerate(rows):
        found[tuple(row)].add(number)
    return {shown: frozenset(numbers) for shown, numbers in found.items()}


def partition(rows: Sequence[Sequence[str]]) -> set[frozenset[int]]:
    """Return the classes alone, each as the set of its row numbers."""
    return set(classes(rows).values())


def set_members(shown: str) -> list[str] | None:
    """Cut ``{a,"b,c"}`` into its members; None if the text is no set."""
    if not (shown.startswith("{") and shown.endswith("}")):
        return None
    return next(csv.reader([shown[1:-1]], strict=True))


def range_ends(shown: str) -> tuple[float, float] | None:
    """Return the ends of ``[25:31]``; None if the text is no range."""
    match = _RANGE.fullmatch(shown)
    return (float(match[2]), float(match[3])) if match else None


def number_is_covered(shown: str, original: str) -> bool:
    """Whether a number, or an interval with open or closed ends, stands for a number."""
    match, value = _RANGE.fullmatch(shown), float(original)
    if match is None:
        return bool(re.fullmatch(_NUMBER, shown)) and float(shown) == value
    low, high = float(match[2]), float(match[3])
    above = low <= value if match[1] == "[" else low < value
    return above and (value <= high if match[4] == "]" else value < high)


def category_is_covered(shown: str, original: str) -> bool:
    """Whether a category, or a set of some, stands for a category."""
    return shown == original or original in (set_members(shown) or ())


def label_covers(shown: str, original: str, hierarchy: Mapping[str, Collection[str]]) -> bool:
    """Whether a hierarchy generalises a value, at any level, to what is shown."""
    return shown in hierarchy[original]
