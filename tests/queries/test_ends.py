"""Ranges of ordered categories, named by their ends."""

import pytest
from sqlalchemy import select

from toolbox.methods.mondrian.partitions import _is_nameable
from toolbox.queries.labels import RangeEnds, name_range, parse_range_name
from toolbox.store.engine.store import Store

NAMES = {
    ("low", "mid"): "low..mid",
    ("2020Q1", "2020Q3"): "2020Q1..2020Q3",
    ("(17.9, 26.8]", "(26.8, 35.8]"): "(17.9, 35.8]",
    ("[0, 10)", "[20, 30)"): "[0, 30)",
    ("(17.9, 26.8]", "older"): "(17.9, 26.8]..older",
    ("Washington, D.C.", "York"): "Washington, D.C...York",
}


def test_a_range_is_named_by_its_ends_and_intervals_by_their_bounds(store: Store) -> None:
    first, last = zip(*NAMES, strict=True)
    given = store.create_constant("given", {"n": (int, range(len(first))), "first": (str, first), "last": (str, last)})
    rows = store.rows(select(name_range(given.c.first, given.c.last)).order_by(given.c.n))
    assert [name for (name,) in rows] == list(NAMES.values())
    assert store.scalar(select(_is_nameable(given.c.first)).limit(1)) is True


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("low..mid", RangeEnds("low", "mid", False)),
        ("(17.9, 35.8]", RangeEnds("(17.9", "35.8]", True)),
        ("low", None),
        ("..mid", None),
        ("low..", None),
        ("{low,mid}", None),
    ],
)
def test_the_ends_of_a_name_are_read(text: str, ends: RangeEnds | None) -> None:
    assert parse_range_name(text) == ends
