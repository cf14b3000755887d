"""Trees from a file with a row for each child and its parent: ``Graz;Styria``, ``Styria;Austria``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Self

from toolbox.errors import ConfigurationError, Fault
from toolbox.hierarchy.builders.builder import BOOLEAN, ROOT, TEXT, Setting
from toolbox.hierarchy.builders.texts import Naming, TextBuilder
from toolbox.hierarchy.rows import Row, read_raw_rows

_HEADERS: Final = frozenset({("child", "parent"), ("value", "parent"), ("node", "parent")})


@dataclass(frozen=True, kw_only=True)
class Tree(TextBuilder):
    """The children and parents of a file.

    A value that is nobody's parent is a leaf. One that is less deep than the others stays as it is on the levels that
    it lacks, so that all levels end at the same heights above.
    """

    name: ClassVar[str] = "tree"
    has_form: ClassVar[bool] = False
    main: ClassVar[str | None] = "file"
    sample: ClassVar[str] = "places.csv"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"file": TEXT, "header": BOOLEAN})

    file: str = ""
    header: bool | None = None
    """Whether the first row names the columns; without it, if it says child and parent."""
    parents: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The parent of each child; of one without a parent an empty text."""

    def opened(self, folder: Path) -> Self:
        path = folder / self.file
        return replace(self, parents=MappingProxyType(find_parents(read_raw_rows(path), str(path), header=self.header)))

    @property
    def listed(self) -> Collection[str]:
        above = set(self.parents.values())
        return [text for text in self.parents if text not in above]

    @property
    def hint(self) -> str:
        return "Add them to the file as children of their parents, or correct them."

    def naming(self, counts: Mapping[str, int]) -> Naming:
        top = self.top
        ways = {leaf: self._list_parents(leaf, top) for leaf in self.listed}
        height = max(map(len, ways.values()), default=0)
        return lambda text: (*[text] * (height - len(ways[text])), *ways[text]) if text in ways else None

    def _list_parents(self, leaf: str, top: str | None) -> tuple[str, ...]:
        """Return the parents of a leaf, the nearest first, without the one that is the root of all."""
        found, text = [], leaf
        while (text := self.parents.get(text, "")) and text != top:
            found.append(text)
        return tuple(found)

    @property
    def top(self) -> str | None:
        """The only one without a parent, which is the root then, unless the root is called otherwise."""
        if self.root != ROOT:
            return None
        known = {*self.parents, *self.parents.values()} - {""}
        tops = [text for text in known if not self.parents.get(text)]
        return tops[0] if len(tops) == 1 and tops[0] in self.parents.values() else None


def find_parents(rows: Sequence[Row], source: str, *, header: bool | None = None) -> dict[str, str]:
    """Return the parent of each child.

    Parameters
    ----------
    rows : sequence of Row
        Child and parent; a root may be there with an empty parent.
    source : str
        What messages call them.
    header : bool, optional
        Whether the first row is left out; without it, if it says child and parent.

    Raises
    ------
    ConfigurationError
        If a row has not two fields, a child has two parents, or somebody is below themselves; with all faults.
    """
    if header is None:
        header = bool(rows) and tuple(text.strip().lower() for text in rows[0].fields) in _HEADERS
    table = rows[1:] if header else rows
    if not table:
        raise ConfigurationError(source, [Fault(0, "The file holds no row.", "Write child;parent, a row for each.")])
    faults = list(_find_shape_faults(table))
    lines: dict[str, int] = {}
    parents: dict[str, str] = {}
    for row in table if not faults else ():
        child, parent = row.fields
        if parents.setdefault(child, parent) != parent:
            problem = f"The child has another parent than in line {lines[child]}."
            faults.append(Fault(row.line, problem, "Keep one of the rows."))
        lines.setdefault(child, row.line)
    faults += _find_circles(parents, lines)
    if faults:
        raise ConfigurationError(source, faults)
    return parents


def _find_shape_faults(rows: Iterable[Row]) -> Iterator[Fault]:
    for row in rows:
        if len(row.fields) != 2:
            count = "1 column" if len(row.fields) == 1 else f"{len(row.fields)} columns"
            yield Fault(row.line, f"The row has {count}.", "Write child;parent.")
        elif not row.fields[0].strip() or any("\0" in text for text in row.fields):
            yield Fault(row.line, "The row has no child.", "Write child;parent, or remove the row.")


def _find_circles(parents: Mapping[str, str], lines: Mapping[str, int]) -> Iterator[Fault]:
    """Yield a fault for each circle, at its first line."""
    done: set[str] = set()
    for child in parents:
        way: dict[str, None] = {}
        text = child
        while text in parents and text not in done and text not in way:
            way[text] = None
            text = parents[text]
        if text in way:
            circle = list(way)[list(way).index(text) :]
            remedy = "Remove one of the rows, so that there is a root."
            yield Fault(min(lines[one] for one in circle), "The child is above itself: the rows form a circle.", remedy)
        done.update(way)
