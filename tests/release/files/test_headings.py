"""Names that a file can have for its columns."""

from __future__ import annotations

from sqlalchemy import literal, select

from toolbox.release.files.part import make_writable_headers, rename_columns
from toolbox.store.engine.store import Store


def test_columns_are_renamed_in_their_order(store: Store) -> None:
    rows = select(literal(1).label("a"), literal(2).label("b"))
    assert store.arrow(rename_columns(rows, ["x y", "A"])).column_names == ["x y", "A"]


def test_names_are_told_apart_whatever_their_case() -> None:
    assert make_writable_headers(["a", "A", "", "a"]) == ["a", "A_2", "column_2", "a_3"]
