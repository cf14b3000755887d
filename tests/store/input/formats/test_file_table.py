"""Where a record stands in its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from toolbox.store.input.formats.table import FileTable, make_array


class Rows(FileTable):
    """A table without any row."""

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        yield 0, []


def test_rows_that_are_no_records_are_counted_before_a_place() -> None:
    with Rows() as table:
        table.skip(1, 1)
        table.skip(3, 4)
        assert [table.place_of(record) for record in (1, 2, 3, 4)] == [2, 3, 7, 8]
    assert Rows().place_of(5) == 5


def test_values_become_an_array_and_an_array_stays() -> None:
    values = pa.array([1])
    assert make_array(values) is values
    assert make_array(["a", None]).to_pylist() == ["a", None]
