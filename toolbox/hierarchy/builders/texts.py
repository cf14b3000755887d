"""Hierarchies of texts: by their first or last characters, or in an order, some neighbours at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Self

from toolbox.errors import ConfigurationError, Fault, quote
from toolbox.hierarchy.builders.builder import (
    BOOLEAN,
    COUNTS,
    DEEPEST,
    TEXT,
    TEXTS,
    Builder,
    FormField,
    Setting,
    Takes,
    Wrong,
)
from toolbox.hierarchy.hierarchy import ROOT
from toolbox.hierarchy.outline import FileHierarchy, make_row_hierarchy
from toolbox.hierarchy.rows import Row, read_raw_rows, read_text
from toolbox.messages import mark, say, say_count

# Hierarchies of texts, built from a rule that names the generalisations of each.

Naming = Callable[[str], tuple[str, ...] | None]
"""From a text to its labels, the narrowest first, without the root; None if it has no place."""


@dataclass(frozen=True, kw_only=True)
class TextBuilder(Builder):
    """A builder whose values are texts, each of which has a place of its own.

    A subclass supplies `naming`. Texts with one label on a level have one label on all levels above.
    """

    takes: ClassVar[Takes] = "texts"

    @abstractmethod
    def naming(self, counts: Mapping[str, int]) -> Naming:
        """Return what names the generalisations of each text.

        Parameters
        ----------
        counts : mapping of str to int
            All texts, each with the number of its records.
        """

    @property
    def listed(self) -> Collection[str]:
        """The texts that the builder itself lists, in its order."""
        return ()

    @property
    def top(self) -> str | None:
        """What the root is called, if the builder itself says it."""
        return None

    @property
    def is_ordered(self) -> bool:
        """Whether the texts are in an order that means something."""
        return False

    def choose_sort_key(self, text: str) -> object:
        """Return by what texts below one label are sorted."""
        return text

    def paths(self, counts: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
        """Return the labels of each text that has a place, the root last, in the order of the tree.

        Raises
        ------
        BuilderError
            If there would be too many levels.
        """
        named = self.naming(counts)
        every = dict.fromkeys(self.listed) | dict.fromkeys(sorted(counts, key=self._key))
        found = {text: labels for text in every if (labels := named(text)) is not None}
        deepest = max((len(labels) for labels in found.values()), default=0)
        if deepest > DEEPEST:
            raise self._refuse(say("It would make %(levels)s levels.", levels=deepest), self._explain_too_deep())
        root = self.top or self.root
        if any(root in labels for labels in set(found.values())):
            found_twice = say("The root is called %(root)s, and so is a part of the values.", root=repr(root))
            raise self._refuse(found_twice, say("Write another root=."))
        return {text: (*labels, root) for text, labels in found.items()}

    def _key(self, text: str) -> tuple[object, str]:
        return self.choose_sort_key(text), text

    def _explain_too_deep(self) -> str:
        return say("Choose fewer, at most %(most)s.", most=DEEPEST)

    def hierarchy(self, counts: Mapping[str, int]) -> FileHierarchy | None:
        """Return the hierarchy of the texts that have a place, as a hierarchy file would declare it.

        Returns
        -------
        FileHierarchy, optional
            None if no text has a place.
        """
        # What only files must not hold, such as U+0000, is no fault of a value.
        rows = [Row(line, (text, *labels)) for line, (text, labels) in enumerate(self.paths(counts).items(), start=1)]
        return make_row_hierarchy(rows, self.name, "category") if rows else None

    def rows(self, values: Iterable[object]) -> list[tuple[str, ...]]:
        counts = Counter(str(value) for value in values if value is not None)
        paths = self.paths(counts)
        unknown = [text for text in sorted(counts) if text not in paths]
        if unknown and self.other == "error":
            raise self._unknown(len(unknown))
        tree = self.hierarchy(counts)
        codes = {} if tree is None or tree.categories is None else tree.categories
        root = self.top or self.root
        height = len(next(iter(paths.values()), (root,)))
        return [(text, *paths[text]) for text in codes] + [(text, *[root] * height) for text in unknown]


# Texts of which the first or the last characters stay, and the others are hidden: ``247**``.

_QUOTE = '"'


_KEEP: Final = mark("On each level, the most first: 4,2 keeps four, then two. Empty: one less on each level.")


def say_keep(fewer: int, more: int) -> str:
    """Say that a level hides nothing more than the one before."""
    return say("keep= has %(fewer)s after %(more)s, so that nothing more is hidden.", fewer=fewer, more=more)


@dataclass(frozen=True, kw_only=True)
class Masking(TextBuilder):
    """Hides all but some characters, of each text as many as it has.

    A subclass supplies `_kept`, `_label` and `_is_ambiguous`. What stays is put in quotes where a reader could not tell
    it from the mask.
    """

    main: ClassVar[str | None] = "keep"
    sample: ClassVar[str] = "3,1"
    is_needed: ClassVar[bool] = False
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"keep": COUNTS, "mask": TEXT})

    keep: tuple[int, ...] = ()
    """Characters that stay on each level, the narrowest first; empty: one less on each."""
    mask: str = "*"
    """What stands for a hidden character; several characters stand for all hidden ones at once."""

    def _find_setting_faults(self) -> Iterator[Wrong]:
        for more, fewer in pairwise(self.keep):
            if fewer >= more:
                yield Wrong(say_keep(fewer, more), say("Write fewer characters on each level, such as 3,1."))
        if _QUOTE in self.mask:
            yield Wrong(say("mask= holds a quote."), say("Write another character, such as *."))
        if len(self.mask) > 1 and not self.keep:
            words = mark("mask=%(mask)s hides how many characters there are, so that keep= must say how many stay.")
            remedy = say("Write keep='3,1', say, or a mask of one character.")
            yield Wrong(say(words, mask=repr(self.mask)), remedy)

    def naming(self, counts: Mapping[str, int]) -> Naming:
        longest = max(map(len, counts), default=1)
        return lambda text: tuple(self._hidden(text, keep) for keep in self._levels(text, longest))

    def _levels(self, text: str, longest: int) -> Iterator[int]:
        """Yield how many characters of a text stay on each level."""
        if self.keep:
            yield from self.keep
            return
        yield from (max(1, len(text) - hidden) for hidden in range(1, longest))

    def _hidden(self, text: str, keep: int) -> str:
        kept = self._kept(text, keep)
        if self._is_ambiguous(kept):
            kept = f"{_QUOTE}{kept.replace(_QUOTE, _QUOTE * 2)}{_QUOTE}"
        hidden = max(0, len(text) - keep)
        return self._label(kept, self.mask * hidden if len(self.mask) == 1 else self.mask * bool(hidden))

    def _explain_too_deep(self) -> str:
        return say("Write how many characters stay: keep='3,1', say.")

    @abstractmethod
    def _kept(self, text: str, keep: int) -> str:
        """Return the characters that stay."""

    @abstractmethod
    def _label(self, kept: str, mask: str) -> str:
        """Join what stays and the mask."""

    @abstractmethod
    def _is_ambiguous(self, kept: str) -> bool:
        """Return whether what stays could be taken for a part of the mask."""


@dataclass(frozen=True, kw_only=True)
class Prefix(Masking):
    """The first characters stay."""

    name: ClassVar[str] = "prefix"
    title: ClassVar[str] = mark("Hide the last characters")
    sentence: ClassVar[str] = mark("24700, then 2470*, 247**; for postcodes and other codes.")
    rank: ClassVar[int] = 60
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "keep": FormField(mark("First characters that stay"), _KEEP),
            "mask": FormField(
                mark("What stands for a hidden character"), mark("Several characters hide the length, too."), "*"
            ),
        }
    )

    def _kept(self, text: str, keep: int) -> str:
        return text[:keep]

    def _label(self, kept: str, mask: str) -> str:
        return kept + mask

    def _is_ambiguous(self, kept: str) -> bool:
        return kept.endswith(self.mask) or kept.startswith(_QUOTE)


@dataclass(frozen=True, kw_only=True)
class Suffix(Masking):
    """The last characters stay."""

    name: ClassVar[str] = "suffix"
    title: ClassVar[str] = mark("Hide the first characters")
    sentence: ClassVar[str] = mark("A-17, then **17.")
    rank: ClassVar[int] = 70
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "keep": FormField(mark("Last characters that stay"), _KEEP),
            "mask": FormField(
                mark("What stands for a hidden character"), mark("Several characters hide the length, too."), "*"
            ),
        }
    )

    def _kept(self, text: str, keep: int) -> str:
        return text[-keep:]

    def _label(self, kept: str, mask: str) -> str:
        return mask + kept

    def _is_ambiguous(self, kept: str) -> bool:
        return kept.startswith(self.mask) or kept.endswith(_QUOTE)


# Names of neighbouring texts: ``low..mid``, the first and the last of them.

SEPARATOR = ".."


def format_range_name(texts: Sequence[str], root: str | None = None) -> str:
    """Name some neighbours by their ends, one by itself.

    An end that could be read in two ways stands in quotes, and so does one text that is called as the root.

    Examples
    --------
    >>> format_range_name(["low", "mid", "high"]), format_range_name(["low"]), format_range_name(["v1.", "v2"])
    ('low..high', 'low', '"v1."..v2')
    """
    if len(texts) == 1:
        only = texts[0]
        return _quote_text(only) if SEPARATOR in only or only.startswith(_QUOTE) or only == root else only
    return SEPARATOR.join(_quote_text(end) if _is_ambiguous(end) else end for end in (texts[0], texts[-1]))


def _is_ambiguous(end: str) -> bool:
    return SEPARATOR in end or end.startswith((".", _QUOTE)) or end.endswith(".")


def _quote_text(text: str) -> str:
    return f"{_QUOTE}{text.replace(_QUOTE, _QUOTE * 2)}{_QUOTE}"


# Categories in an order, some neighbours at a time: ``low..mid``.


@dataclass(frozen=True, kw_only=True)
class Order(TextBuilder):
    """Neighbours of a list, each number of them a multiple of the one before."""

    name: ClassVar[str] = "order"
    title: ClassVar[str] = mark("Neighbours of an order")
    sentence: ClassVar[str] = mark("Low and mid, then all; for values that have an order.")
    rank: ClassVar[int] = 80
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "values": FormField(mark("All values in their order"), mark("Commas between them.")),
            "size": FormField(mark("Neighbours that become one, on each level"), mark("Empty: 2, 4, 8 and so on.")),
        }
    )
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

    def _find_setting_faults(self) -> Iterator[Wrong]:
        if self.values and self.file is not None:
            yield Wrong(say("values= and file= both list the categories."), say("Keep one of them."))
        for text, count in Counter(self.values).items():
            if count > 1:
                found = say("values= has %(text)s %(times)s times.", text=quote(text), times=count)
                yield Wrong(found, say("Keep it once."))
        if "" in self.values:
            yield Wrong(say("values= has an empty category."), say("Remove a comma."))
        for few, many in pairwise(self.size):
            if many <= few or many % few:
                found = say("size= has %(many)s after %(few)s, which is no multiple of it.", many=many, few=few)
                yield Wrong(found, say("Write each number as a multiple of the one before, such as 2,4."))
        if 1 in self.size:
            yield Wrong(say("size= holds 1, which leaves each category alone."), say("Write 2 or more."))

    def opened(self, folder: Path) -> Self:
        if self.file is None:
            return self
        path = folder / self.file
        lines = [line.strip() for line in read_text(path).splitlines()]
        firsts: dict[str, int] = {}
        faults = []
        for number, line in enumerate(lines, start=1):
            if line and firsts.setdefault(line, number) != number:
                found = say("The category is in line %(line)s already.", line=firsts[line])
                faults.append(Fault(number, found, say("Keep one of them.")))
        if not firsts:
            remedy = say("Write one into each line, in their order.")
            faults.append(Fault(0, say("The file lists no category."), remedy))
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
        if self.file is None:
            return say("Add them to values=, or correct them.")
        return say("Add them to the file, or correct them.")

    def naming(self, counts: Mapping[str, int]) -> Naming:
        known = list(self.listed)
        sizes = self.size or [2**level for level in range(1, max(1, (len(known) - 1).bit_length()))]
        named: dict[str, list[str]] = {text: [] for text in known}
        for size in sizes:
            for first in range(0, len(known), size):
                neighbours = known[first : first + size]
                for text in neighbours:
                    named[text].append(format_range_name(neighbours))
        return lambda text: tuple(named[text]) if text in named else None


# A tree that a file lists.

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
        return say("Add them to the file as children of their parents, or correct them.")

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
        remedy = say("Write child;parent, a row for each.")
        raise ConfigurationError(source, [Fault(0, say("The file holds no row."), remedy)])
    faults = list(_find_shape_faults(table))
    lines: dict[str, int] = {}
    parents: dict[str, str] = {}
    for row in table if not faults else ():
        child, parent = row.fields
        if parents.setdefault(child, parent) != parent:
            problem = say("The child has another parent than in line %(line)s.", line=lines[child])
            faults.append(Fault(row.line, problem, say("Keep one of the rows.")))
        lines.setdefault(child, row.line)
    faults += _find_circles(parents, lines)
    if faults:
        raise ConfigurationError(source, faults)
    return parents


def _find_shape_faults(rows: Iterable[Row]) -> Iterator[Fault]:
    for row in rows:
        if len(row.fields) != 2:
            found = say_count("The row has %(count)s column.", "The row has %(count)s columns.", len(row.fields))
            yield Fault(row.line, found, say("Write child;parent."))
        elif not row.fields[0].strip() or any("\0" in text for text in row.fields):
            yield Fault(row.line, say("The row has no child."), say("Write child;parent, or remove the row."))


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
            found = say("The child is above itself: the rows form a circle.")
            remedy = say("Remove one of the rows, so that there is a root.")
            yield Fault(min(lines[one] for one in circle), found, remedy)
        done.update(way)
