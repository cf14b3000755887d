"""Diagnoses of ICD-10 by category, block and chapter: ``E11.9``, ``E11``, ``E10-E14``, ``E00-E90``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final

from toolbox.hierarchy.builders.icd10_table import CHAPTERS
from toolbox.hierarchy.builders.texts import Naming, TextBuilder

# With or without its point, and with the marks of a cause, of its manifestation and of an addition.
_CODE: Final = re.compile(r"\s*([A-Z][0-9][0-9A-Z])(?:\.?[0-9A-Z]{1,4}|\.?-)?[-+*#!†]?\s*", re.IGNORECASE)


@cache
def _blocks() -> tuple[list[str], list[tuple[str, str]]]:
    """Return the first category of each block, ascending, beside the last one and the name of the block."""
    ranges = [name for _, blocks in CHAPTERS for name in blocks.split()]
    ends = sorted((name.split("-")[0], name.split("-")[-1], name) for name in ranges)
    return [first for first, _, _ in ends], [(last, name) for _, last, name in ends]


@cache
def _chapters() -> tuple[list[str], list[str]]:
    ends = sorted((name.split("-")[0], name) for name, _ in CHAPTERS)
    # Modifications of ICD-10 have V00, which the WHO has not.
    return ["V00" if first == "V01" else first for first, _ in ends], [name for _, name in ends]


def chapter_of(category: str) -> str:
    """Return the chapter of a category; a category that the WHO does not list has the chapter of the one before.

    Examples
    --------
    >>> chapter_of("E11"), chapter_of("U07"), chapter_of("D49")
    ('E00-E90', 'U00-U99', 'C00-D48')
    """
    firsts, names = _chapters()
    return names[bisect_right(firsts, category) - 1]


def block_of(category: str) -> str:
    """Return the block of a category; one that the WHO does not list is a block of its own.

    Examples
    --------
    >>> block_of("E11"), block_of("C50"), block_of("A29")
    ('E10-E14', 'C50', 'A29')
    """
    firsts, ends = _blocks()
    last, name = ends[bisect_right(firsts, category) - 1]
    return name if category <= last else category


@dataclass(frozen=True, kw_only=True)
class Icd10(TextBuilder):
    """Category, block and chapter."""

    name: ClassVar[str] = "icd10"

    @property
    def hint(self) -> str:
        return "Correct them: a code is a letter and two digits, and more after a point, such as E11.9."

    def sorting(self, text: str) -> object:
        return text.strip().upper()

    def naming(self, counts: Mapping[str, int]) -> Naming:
        return _named


def _named(text: str) -> tuple[str, ...] | None:
    match = _CODE.fullmatch(text)
    if match is None:
        return None
    category = match[1].upper()
    return category, block_of(category), chapter_of(category)
