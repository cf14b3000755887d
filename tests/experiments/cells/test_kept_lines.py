"""Lines of kept results, also as nobody should have written them."""

from __future__ import annotations

import json
from typing import Any

from toolbox.experiments.cells.rows import Cell, make_row, read_line
from toolbox.experiments.plan.plan import DataSet, Wish

CELL = Cell(DataSet(name="Übersee"), "Mondrian", Wish(k=2), 1, 7, ())
ROW = make_row(CELL, kind="loss", metric="NCP", value=0.5, seconds=1)
SILENT = make_row(CELL, kind="loss", metric="precision", status="not measured", reason="why")


def line(found: Any) -> bytes:
    return json.dumps(found).encode()


def test_rows_are_read_as_they_were_written_without_tasks_that_have_failed() -> None:
    failed = {**SILENT, "status": "failed"}
    assert read_line(line({"a": [ROW, SILENT], "b": [], "c": [ROW, failed]})) == {"a": [ROW, SILENT], "b": []}


def test_what_is_no_result_is_left_out() -> None:
    rows: list[Any] = [5, None, [5], [{}], [None], "text", [ROW, ROW], [{**ROW, "more": 1}]]
    for name, value in (
        ("value", "0.5"),
        ("value", None),
        ("value", float("nan")),
        ("value", float("inf")),
        ("value", True),
        ("value", 10**30),
        ("k", 2.5),
        ("seed", None),
        ("split", 2**63),
        ("status", "well"),
        ("kind", ""),
        ("direction", "up"),
        ("data", 5),
        ("reason", "\ud800"),
    ):
        rows.append([{**ROW, name: value}])
    for found in rows:
        assert read_line(line({"a": [], "b": found})) is None, found
    for text in (b"[1,2]", b"5", b"null", b"[" * 100_000, b"", b"\xff", b"1" * 10_000, b'{"a":'):
        assert read_line(text) is None, text[:20]
