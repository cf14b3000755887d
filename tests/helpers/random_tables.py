"""Random small tables with awkward values, and random hierarchies over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from hypothesis import strategies as st

_SPELLINGS = {
    # quarters are exact in binary, so that a plain program can compare widths without rounding
    -2.5: ["-2.5", "-2.50", "-25e-1"],
    -1.0: ["-1", "-1.0"],
    0.0: ["0", "0.0", "-0"],
    0.25: ["0.25", ".25", "2.5e-1"],
    1.0: ["1", "1.0", "01", "1e0"],
    2.0: ["2", "2.0"],
    3.75: ["3.75"],
    10.0: ["10", "1e1", "10.00"],
    1000000.0: ["1000000", "1e6"],
}
_CATEGORIES = [
    "a",
    "b",
    "c",
    "é",
    "名前",
    "a,b",
    'say "a"',
    "{a}",
    "{a,b}",
    "}",
    " ",
    "*",
    "'",
    "[1:2]",
    "1",
    "\U0001f600",
]


@dataclass(frozen=True)
class Column:
    """One quasi-identifier with a hierarchy over all values that occur in it."""

    kind: str
    texts: list[str]
    hierarchy: list[tuple[str, ...]]
    """A value, then its label on each level; the rows in any order."""

    @property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """For each text its labels, the narrowest first, without the text itself."""
        by_value = {self.value(row[0]): row[1:] for row in self.hierarchy}
        return {text: by_value[self.value(text)] for text in self.texts}

    def value(self, text: str) -> float | str:
        """Return what two texts have in common that mean the same."""
        return float(text) if self.kind == "number" else text

    def name(self, text: str) -> str:
        """Return the shortest way in which the column writes a value; of equally short ones the first."""
        same = {other for other in self.texts if self.value(other) == self.value(text)}
        return min(same, key=lambda other: (len(other), other))


@dataclass(frozen=True)
class Sample:
    """A table of quasi-identifiers q0, q1, .. and two columns that pass through."""

    columns: list[Column]
    k: int

    @property
    def size(self) -> int:
        return len(self.columns[0].texts)

    @property
    def names(self) -> list[str]:
        return [f"q{number}" for number, _ in enumerate(self.columns)]

    @property
    def frame(self) -> pd.DataFrame:
        rest = {"record": range(self.size), "note": [f'"{number}", so {{what}}?\n' for number in range(self.size)]}
        return pd.DataFrame({name: one.texts for name, one in zip(self.names, self.columns, strict=True)} | rest)

    @property
    def kinds(self) -> dict[str, str]:
        return {name: one.kind for name, one in zip(self.names, self.columns, strict=True)}

    @property
    def hierarchies(self) -> dict[str, list[tuple[str, ...]]]:
        return {name: one.hierarchy for name, one in zip(self.names, self.columns, strict=True)}


_NUMBERS = [("1000000", "large", "all"), ("0", "small", "all"), ("2", "large", "all"), ("1", "small", "all")]
_TEXTS = [(" ", "b", "all"), ("a,b", "b", "all"), ('say "a"', "a", "all"), ("*", "a", "all")]
HARD = Sample(
    [
        Column("number", ["1.0", "01", "1e0", "-0", "0", "2", "2.0", "1000000"], _NUMBERS),
        Column("category", ["*", 'say "a"', "*", "a,b", "a,b", " ", " ", "*"], _TEXTS),
        Column("category", ["1", "{a,b}", "1", "1", "{a,b}", "1", "1", "1"], [("{a,b}", "all"), ("1", "all")]),
    ],
    2,
)
"""For tests that draw few: one value in several spellings, awkward texts, and classes of one record beside larger."""


@st.composite
def samples(draw: st.DrawFn, *, most_rows: int = 40) -> Sample:
    """Draw 1 to 4 columns of up to 40 records, and a k of 1 to 5 that can be met."""
    size = draw(st.integers(1, most_rows))
    columns = [draw(_columns(size)) for _ in range(draw(st.integers(1, 4)))]
    return Sample(columns, min(size, draw(st.sampled_from([2, 3, 4, 5, 1]))))


@st.composite
def _columns(draw: st.DrawFn, size: int) -> Column:
    kind = draw(st.sampled_from(["number", "category"]))
    if kind == "number":
        pool = draw(st.lists(st.sampled_from(sorted(_SPELLINGS)), min_size=1, max_size=6, unique=True))
        text = st.sampled_from(pool).flatmap(lambda value: st.sampled_from(_SPELLINGS[value]))
        values = sorted({float(one): one for one in (_SPELLINGS[value][0] for value in pool)}.items())
        listed = [one for _, one in values]
    else:
        listed = draw(st.lists(st.sampled_from(_CATEGORIES), min_size=1, max_size=6, unique=True))
        text = st.sampled_from(listed)
    texts = draw(st.lists(text, min_size=size, max_size=size))
    return Column(kind, texts, draw(_hierarchies(listed)))


@st.composite
def _hierarchies(draw: st.DrawFn, listed: Sequence[str]) -> list[tuple[str, ...]]:
    """Draw labels level by level; each stands for neighbours in the list, as hierarchies of numbers must."""
    paths: list[tuple[str, ...]] = [(value,) for value in listed]
    groups = list(range(len(listed)))
    for level in range(1, draw(st.integers(1, 3))):
        opens = [draw(st.booleans()) for _ in range(max(groups) + 1)]
        ranks = [sum(opens[1 : group + 1]) for group in range(len(opens))]
        groups = [ranks[group] for group in groups]
        paths = [(*path, f"label {level}.{group}") for path, group in zip(paths, groups, strict=True)]
    return draw(st.permutations([(*path, "everything") for path in paths]))
