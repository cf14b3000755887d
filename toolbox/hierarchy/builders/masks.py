"""Texts of which the first or the last characters stay, and the others are hidden: ``247**``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

from toolbox.hierarchy.builders.builder import Wrong
from toolbox.hierarchy.builders.settings import COUNTS, TEXT, Setting
from toolbox.hierarchy.builders.texts import Naming, TextBuilder

_QUOTE = '"'


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

    def _faults(self) -> Iterator[Wrong]:
        for more, fewer in pairwise(self.keep):
            if fewer >= more:
                found = f"keep= has {fewer} after {more}, so that nothing more is hidden."
                yield Wrong(found, "Write fewer characters on each level, such as 3,1.")
        if _QUOTE in self.mask:
            yield Wrong("mask= holds a quote.", "Write another character, such as *.")
        if len(self.mask) > 1 and not self.keep:
            found = f"mask={self.mask!r} hides how many characters there are, so that keep= must say how many stay."
            yield Wrong(found, "Write keep='3,1', say, or a mask of one character.")

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

    def _too_deep(self) -> str:
        return "Write how many characters stay: keep='3,1', say."

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

    def _kept(self, text: str, keep: int) -> str:
        return text[-keep:]

    def _label(self, kept: str, mask: str) -> str:
        return mask + kept

    def _is_ambiguous(self, kept: str) -> bool:
        return kept.startswith(self.mask) or kept.endswith(_QUOTE)
