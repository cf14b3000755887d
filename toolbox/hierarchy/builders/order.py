"""Categories in an order, some neighbours at a time: ``low..mid``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Self

from toolbox.errors import ConfigurationError, Fault, quote
from toolbox.hierarchy.builders.builder import Wrong
from toolbox.hierarchy.builders.ranges import range_of
from toolbox.hierarchy.builders.settings import COUNTS, TEXT, TEXTS, Setting
from toolbox.hierarchy.builders.texts import Naming, TextBuilder
from toolbox.hierarchy.rows import read_text


@dataclass(frozen=True, kw_only=True)
class Order(TextBuilder):
    """Neighbours of a list, each number of them a multiple of the one before."""

    name: ClassVar[str] = "order"
    main: ClassVar[str | None] = "values"
    sample: ClassVar[str] = "low,mid,high"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"values": TEXTS, "file": TEXT, "size": COUNTS})

    values: tuple[str, ...] = ()
    """All categories in their order."""
    file: str | None = None
    """A file with a category in each line, instead."""
    size: tuple[int, ...] = ()
    """How many neighbours become one on each level; without it 2, 4, 8 and so on."""
    content: tuple[str, ...] = ()
    """What the file holds."""

    @classmethod
    def is_said(cls, given: Mapping[str, str]) -> bool:
        return "file" in given

    def _faults(self) -> Iterator[Wrong]:
        if self.values and self.file is not None:
            yield Wrong("values= and file= both list the categories.", "Keep one of them.")
        for text, count in Counter(self.values).items():
            if count > 1:
                yield Wrong(f"values= has {quote(text)} {count} times.", "Keep it once.")
        if "" in self.values:
            yield Wrong("values= has an empty category.", "Remove a comma.")
        for few, many in pairwise(self.size):
            if many <= few or many % few:
                found = f"size= has {many} after {few}, which is no multiple of it."
                yield Wrong(found, "Write each number as a multiple of the one before, such as 2,4.")
        if 1 in self.size:
            yield Wrong("size= holds 1, which leaves each category alone.", "Write 2 or more.")

    def opened(self, folder: Path) -> Self:
        if self.file is None:
            return self
        path = folder / self.file
        lines = [line.strip() for line in read_text(path).splitlines()]
        firsts: dict[str, int] = {}
        faults = []
        for number, line in enumerate(lines, start=1):
            if line and firsts.setdefault(line, number) != number:
                faults.append(Fault(number, f"The category is in line {firsts[line]} already.", "Keep one of them."))
        if not firsts:
            faults.append(Fault(0, "The file lists no category.", "Write one into each line, in their order."))
        if faults:
            raise ConfigurationError(str(path), faults)
        return replace(self, content=tuple(firsts))

    @property
    def listed(self) -> Collection[str]:
        return self.values or self.content

    @property
    def is_ordered(self) -> bool:
        return True

    @property
    def hint(self) -> str:
        return f"Add them to {'values=' if self.file is None else 'the file'}, or correct them."

    def naming(self, counts: Mapping[str, int]) -> Naming:
        known = list(self.listed)
        sizes = self.size or [2**level for level in range(1, max(1, (len(known) - 1).bit_length()))]
        named: dict[str, list[str]] = {text: [] for text in known}
        for size in sizes:
            for first in range(0, len(known), size):
                neighbours = known[first : first + size]
                for text in neighbours:
                    named[text].append(range_of(neighbours))
        return lambda text: tuple(named[text]) if text in named else None
