"""The labels of whole columns, and whether each has one meaning."""

from __future__ import annotations

import pytest
from helpers.small_tables import declared, load

from toolbox.methods.lattice.objectives import _fetch_labels
from toolbox.store.engine.store import Store


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("hierarchy", "is_plain"),
    [
        ("21 young *\n22 young *\n34 old *", True),
        # A value may be its own generalisation.
        ("21 young *\n22 young *\n34 34 *", True),
        ("21 22 *\n22 22 *\n34 34 *", False),
        ("21 * *\n22 * *\n34 old *", False),
    ],
)
def test_a_label_has_one_meaning(store: Store, hierarchy: str, is_plain: bool) -> None:
    tables = load(store, "age\n21\n22\n34", declared("age", hierarchies={"age": hierarchy})).tables
    assert _fetch_labels(tables, tables.quasi_identifiers[0]).is_plain is is_plain


def test_each_value_has_a_label_at_each_level(store: Store) -> None:
    tables = load(store, "age\n21\n22\n34", declared("age", hierarchies={"age": "21 young *\n22 young *\n34 old *"}))
    labels = _fetch_labels(tables.tables, tables.tables.quasi_identifiers[0])
    shown = [[labels.texts[number] for number in level] for level in labels.at]
    assert shown == [["21", "22", "34"], ["young", "young", "old"], ["*", "*", "*"]]
    assert [flags.tolist() for flags in labels.is_root] == [[False] * 3, [False] * 3, [True] * 3]
