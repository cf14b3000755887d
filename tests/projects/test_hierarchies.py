"""Rows that are edited become a text, which reads as the same rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.projects.state import HierarchyFiles

CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)


@pytest.mark.slow
@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[CELL] * width), min_size=1, max_size=5)))
def test_rows_are_read_as_they_were_put(rows: list[tuple[str, ...]]) -> None:
    files = HierarchyFiles(Path("/nowhere"))
    name = files.put(rows, "town", None)
    # One column of texts is a table of separators as well: nothing says where it would be cut.
    if len(rows[0]) > 1:
        assert files.rows(name, header=False, column="town") == rows


def test_names_of_files_are_those_of_columns_without_what_leads_elsewhere(tmp_path: Path) -> None:
    files = HierarchyFiles(tmp_path)
    names = [
        files.put([("a", "*")], column, None) for column in ("town", "town", "../../etc/x", "", "Größe (cm)", "x" * 99)
    ]
    assert names == [
        "hierarchies/town.csv",
        "hierarchies/town-2.csv",
        "hierarchies/_etc_x.csv",
        "hierarchies/column.csv",
        "hierarchies/Größe_cm_.csv",
        f"hierarchies/{'x' * 60}.csv",
    ]


def test_a_text_that_is_not_written_keeps_its_name(tmp_path: Path) -> None:
    files = HierarchyFiles(tmp_path)
    first = files.put([("a", "*")], "town", None)
    assert files.put([("b", "*")], "town", first) == first
    files.saved.add(first)
    assert files.put([("c", "*")], "town", first) == "hierarchies/town-2.csv"
