"""What a source document publishes beside what the toolbox computes: numbers, tables, documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

Value = int | float | str
OURS = "ours"


class Verdict(Enum):
    """How ours stands to what was published."""

    EQUAL = "equal"
    EXPLAINED = "explained"
    NOT_REPRODUCIBLE = "not reproducible"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class Number:
    """One published number, or one word, beside ours."""

    row: str
    column: str
    published: Value
    ours: Value | None
    """None if nobody can compute it from what is at hand."""
    within: float = 0.0
    """How far ours may be away and still be equal."""
    why: str = ""
    """Why ours differs, or why there is none."""
    known: Value | None = None
    """With a reason: what ours is then. Another value is a difference that nobody has explained."""
    digits: int = 4
    """Of what is shown of a fraction, behind the point."""

    @property
    def verdict(self) -> Verdict:
        """Whether ours is equal, and if not, whether the reason holds."""
        if self.ours is None:
            return Verdict.NOT_REPRODUCIBLE if self.why else Verdict.UNEXPLAINED
        if _agree(self.published, self.ours, self.within):
            return Verdict.EQUAL
        is_as_known = self.known is None or _agree(self.known, self.ours, self.within)
        return Verdict.EXPLAINED if self.why and is_as_known else Verdict.UNEXPLAINED


def _agree(one: Value, other: Value, within: float) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    # What 0.785 stands for ends at 0.7855, which no computer holds exactly.
    return abs(one - other) <= within * (1 + 1e-9)


@dataclass(frozen=True)
class Table:
    """Numbers that stand in one place of a document."""

    numbers: Sequence[Number]
    heading: str = "published"
    """What the published side is called."""
    beside: str = OURS
    """What the other side is called. Where it is not ours, nothing is reproduced, and so nothing is counted."""
    is_compact: bool = False
    """Whether numbers that agree are shown once."""

    def __post_init__(self) -> None:
        if not self.numbers:
            raise ValueError("a table has at least one number")


@dataclass(frozen=True)
class Source:
    """One document. What its section of the page says besides is in the file ``NAME.md`` beside this one."""

    name: str
    """By which it is asked for."""
    tables: Mapping[str, Table]
    """Each by the name that marks its place in the text."""
    lacking: int = 0
    """Published numbers that no table lists, because nothing at hand could repeat them."""

    def verdicts(self) -> Counter[Verdict]:
        """Count the numbers of each verdict."""
        ours = [table for table in self.tables.values() if table.beside == OURS]
        counts = Counter(number.verdict for table in ours for number in table.numbers)
        counts[Verdict.NOT_REPRODUCIBLE] += self.lacking
        return counts

    def unexplained(self) -> Iterator[str]:
        """Name every number that differs, or is missing, without a reason."""
        for name, table in self.tables.items():
            for number in table.numbers:
                if number.verdict is Verdict.UNEXPLAINED:
                    place = f"{self.name}, {name}, {number.row}, {number.column}"
                    yield f"{place}: published {number.published}, {table.beside} {number.ours}; nobody knows why"


@dataclass(frozen=True)
class Data:
    """Where the real data are, and how much is asked for."""

    folder: Path
    """With ``data`` and ``fixtures``."""
    is_quick: bool = False
    """Whether what takes longer than a minute is left out."""
    pictures: Path | None = None
    """The folder in which figures are drawn; None for none."""

    def fixture(self, *parts: str) -> Path:
        """Return the path of something recorded."""
        return self.folder.joinpath("fixtures", *parts)

    def table(self, name: str) -> Path:
        """Return the path of a table of records."""
        return self.folder / "data" / name
