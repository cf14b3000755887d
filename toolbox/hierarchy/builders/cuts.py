"""Intervals between given numbers: ``<18``, ``[18:65)``, ``>=65``, on one level or several."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

from toolbox.hierarchy.builders.bands import Band, Bands, NumberBuilder, Write
from toolbox.hierarchy.builders.builder import Wrong
from toolbox.hierarchy.builders.intervals import range_label
from toolbox.hierarchy.builders.settings import NUMBERS_BY_LEVEL, Setting, written_number


def between(levels: Sequence[Sequence[float]], write: Write) -> Bands:
    """Return what finds the bands between numbers.

    Parameters
    ----------
    levels : sequence of sequences of float
        Where each level is cut, the narrowest first, each ascending and within the one before.
    """
    wide = [[-math.inf, *level, math.inf] for level in reversed(levels)]

    def find(value: float) -> list[Band]:
        found = []
        for ends in wide:
            place = bisect_right(ends, value)
            low, high = ends[place - 1], ends[place]
            found.append(Band(low, high, range_label(low, high, write)))
        return found

    return find


@dataclass(frozen=True, kw_only=True)
class Cuts(NumberBuilder):
    """Intervals between given numbers; the first and the last are open, so that no number is left out."""

    name: ClassVar[str] = "cuts"
    main: ClassVar[str | None] = "at"
    sample: ClassVar[str] = "18,30,65/18,65"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"at": NUMBERS_BY_LEVEL})

    at: tuple[tuple[Decimal, ...], ...]
    """Where each level is cut, the narrowest first."""

    def _faults(self) -> Iterator[Wrong]:
        for level in self.at:
            for first, second in pairwise(level):
                if float(second) <= float(first):
                    found = f"at= has {written_number(second)} after {written_number(first)}."
                    yield Wrong(found, "Write the numbers of a level in their order, each once.")
        for narrow, wide in pairwise(self.at):
            if strange := [number for number in wide if number not in narrow]:
                listed = ", ".join(map(written_number, strange))
                found = f"at= cuts a level at {listed}, where the level before it is not cut."
                yield Wrong(found, "Let each level leave some cuts of the one before it out, and add none.")
            elif len(wide) == len(narrow):
                yield Wrong("at= has the same level twice.", "Leave one of them out.")

    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        return between([[float(number) + 0.0 for number in level] for level in self.at], write)
