"""Hierarchies of texts, built from a rule that names the generalisations of each."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from toolbox.hierarchy.builders.builder import DEEPEST, Builder, Takes
from toolbox.hierarchy.from_file import FileHierarchy, hierarchy_from_rows

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

    def sorting(self, text: str) -> object:
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
            raise self._refuse(f"It would make {deepest:,} levels.", self._too_deep())
        root = self.top or self.root
        if any(root in labels for labels in set(found.values())):
            raise self._refuse(f"The root is called {root!r}, and so is a part of the values.", "Write another root=.")
        return {text: (*labels, root) for text, labels in found.items()}

    def _key(self, text: str) -> tuple[object, str]:
        return self.sorting(text), text

    def _too_deep(self) -> str:
        return f"Choose fewer, at most {DEEPEST}."

    def hierarchy(self, counts: Mapping[str, int]) -> FileHierarchy | None:
        """Return the hierarchy of the texts that have a place, as a hierarchy file would declare it.

        Returns
        -------
        FileHierarchy, optional
            None if no text has a place.
        """
        rows = [(text, *labels) for text, labels in self.paths(counts).items()]
        return hierarchy_from_rows(rows, self.name, "category") if rows else None

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
