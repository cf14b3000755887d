"""What holds of every hierarchy that is built: each value has a place, levels are nested, labels mean one thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import Builder, BuilderError
from toolbox.hierarchy.builders.words import make_builder, parse_builder_words

Rows = Sequence[tuple[str, ...]]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
"""Any text that a cell may hold."""
HOSTILE_TEXTS = st.text(st.sampled_from("a*\"., ;\n'{}[]:=é\u200f𝔘"), min_size=1, max_size=8)
"""Texts of what labels are made of."""
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
"""Any number that a cell may hold."""


def built(text: str, folder: Path = Path()) -> Builder:
    """Return the builder that the command line writes so."""
    attributes = parse_builder_words(text)
    assert attributes is not None
    return make_builder(attributes, folder)


def wrong(text: str) -> list[str]:
    """Return all that is wrong with a builder."""
    with pytest.raises(BuilderError) as caught:
        built(text)
    return [f"{found} {remedy}" for found, remedy in caught.value.wrong]


def assert_is_hierarchy(rows: Rows, values: Sequence[str]) -> None:
    """Fail unless all leaves lie at one depth, levels are nested and no label stands for two sets of values."""
    assert {row[0] for row in rows} >= set(values)
    assert len({row[0] for row in rows}) == len(rows)
    assert len({len(row) for row in rows}) == 1
    meanings = defaultdict(set)
    for level in range(1, len(rows[0])):
        groups = defaultdict(set)
        for row in rows:
            groups[row[level]].add(row[0])
        for label, group in groups.items():
            meanings[label].add(frozenset(group))
    for narrow, wide in zip(range(1, len(rows[0])), range(2, len(rows[0])), strict=False):
        above = defaultdict(set)
        for row in rows:
            above[row[narrow]].add(row[wide])
        assert {len(parents) for parents in above.values()} == {1}
    assert {label: sets for label, sets in meanings.items() if len(sets) > 1} == {}
    assert len({row[-1] for row in rows}) == 1


def assert_is_stable(build: Callable[[], Builder], old: Sequence[object], new: Sequence[object]) -> None:
    """Fail if a value has other labels where more values are there; levels may be added below the root."""
    before = {row[0]: row[:-1] for row in build().rows(old)}
    after = {row[0]: row[:-1] for row in build().rows([*old, *new])}
    assert {value: after[value][: len(labels)] for value, labels in before.items() if value in after} == {
        value: labels for value, labels in before.items() if value in after
    }
