"""How a table is read is found out, and every line that is none of its records is told."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.flows.explore.sniff import find_first_notation, sniff_table


def test_many_unreadable_lines_are_told_with_number_and_reason_and_without_their_words(tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    lines = ["name;age", *(f"p{row};{row}" for row in range(60))]
    for line in (5, 6, 7, 8, 9, 20):
        lines[line] += ";secret"
    lines[30] = "alone"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = sniff_table(path, separator=";", header=True)
    assert (found.records, found.rejected, found.columns, found.kinds) == (
        53,
        7,
        ("name", "age"),
        ("category", "number"),
    )
    assert [(line.number, line.reason) for line in found.unreadable] == [
        *((number, "It has 3 values, and the table has 2 columns.") for number in (6, 7, 8, 9, 10, 21)),
        (31, "It has 1 value, and the table has 2 columns."),
    ]
    assert "secret" not in str(found) + str(found.document())
    assert (len(found.rows), found.rows[0]) == (50, ("p0", "0"))


def test_a_file_with_types_has_no_separator(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(pa.table({"age": [1, None], "town": ["a", "b"]}), path)
    found = sniff_table(path, rows=1)
    assert (found.kind, found.separator, found.encoding, found.header, found.missing) == ("Parquet", *[None] * 4)
    assert (found.records, found.rows, found.rejected) == (2, (("1", "a"),), 0)


def test_what_stands_for_missing_values_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n1,NA\n2,5\n3,NA\n")
    assert find_first_notation(Input(path=path, header=True)).mark == "NA"
    path.write_text("a;b\n1.234,5;NA\n2,5;5\n")
    found = sniff_table(path)
    assert (found.decimal, found.thousands, found.missing, found.kinds) == (",", ".", "NA", ("number", "number"))


def test_a_wrong_separator_and_an_empty_file_are_told(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("")
    with pytest.raises(InputError, match="is empty"):
        sniff_table(path)
