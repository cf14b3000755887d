"""Workbooks: what calamine finds in them, which is another program than ours, and what a sheet does not take."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from helpers import amounts
from helpers.typed_parts import typed_part
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook
from sqlalchemy import literal, select, union_all

from toolbox.errors import OutputError
from toolbox.queries.dialect import list_whole_numbers
from toolbox.release.files import workbook
from toolbox.release.files.part import Part
from toolbox.release.files.workbook import write_workbook
from toolbox.store.engine.store import Store

DATETIME = datetime(2020, 1, 2, 3, 4, 5)


def written(store: Store, part: Part, name: str = "out.xlsx") -> list[list[Any]]:
    """Write a part, and return the cells of its sheet; no cell is empty text."""
    path = store.folder / name
    write_workbook(store, part, path)
    with CalamineWorkbook.from_path(path) as book:
        assert book.sheet_names == ["release"]
        return [[None if cell == "" else cell for cell in row] for row in book.get_sheet_by_index(0).iter_rows()]


def test_values_keep_their_types(store: Store) -> None:
    columns = {
        "whole": pa.array([1, -(10**15) + 1, None], pa.int64()),
        "long": pa.array([10**15, 2**63 - 1, 5], pa.int64()),
        "number": pa.array([0.1, float("inf"), 1e-300]),
        "decimal": pa.array([Decimal("1.50"), None, Decimal("-2.25")], pa.decimal128(15, 2)),
        "digits": pa.array([Decimal(10**20), None, Decimal(1)], pa.decimal128(30, 0)),
        "truth": pa.array([True, False, None]),
        "date": pa.array([date(2020, 2, 29), date(1900, 2, 28), date(1900, 3, 1)]),
        "moment": pa.array([DATETIME, datetime(2020, 1, 2, 3, 4, 5, 1), None], pa.timestamp("us")),
        "zoned": pa.array([datetime(2020, 1, 2), None, None], pa.timestamp("us", "UTC")),
        "text": pa.array(["a", None, "5"]),
    }
    store.write_moments_in_utc()
    assert written(store, typed_part(store, columns)) == [
        list(columns),
        [1, str(10**15), 0.1, 1.5, str(10**20), True, date(2020, 2, 29), DATETIME, "2020-01-02 00:00:00+00", "a"],
        [
            -(10**15) + 1,
            str(2**63 - 1),
            "inf",
            None,
            None,
            False,
            "1900-02-28",
            "2020-01-02 03:04:05.000001",
            None,
            None,
        ],
        [None, 5, 1e-300, -2.25, "1", None, date(1900, 3, 1), None, None, "5"],
    ]


AWKWARD = [
    "=1+1",
    " x ",
    "a\nb\tc",
    "a\r\nb",
    "<&>\"'",
    "_x000D_",
    "_x0041_x0042_",
    "\0\x01\x1f",
    "🦆",
    "+1",
    "@x",
    "'",
]


def test_texts_are_texts_whatever_they_hold(store: Store) -> None:
    part = typed_part(store, {"a<b>&\x07_x0041_": pa.array(AWKWARD), "plain": pa.array(["<&>"] * len(AWKWARD))})
    assert written(store, part) == [["a<b>&\x07_x0041_", "plain"], *([text, "<&>"] for text in AWKWARD)]
    with zipfile.ZipFile(store.folder / "out.xlsx") as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in sheet)


# Which XML does not take: calamine shows these as they are written, _xFFFE_.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff")


@given(texts=st.lists(st.text(characters, min_size=1, max_size=20), min_size=1, max_size=20))
@settings(
    max_examples=amounts.times(5, slow=15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_text_comes_back(store: Store, texts: list[str]) -> None:
    part = typed_part(store, {"a": pa.array(texts)})
    assert written(store, part) == [["a"], *([text] for text in texts)]


def test_the_archive_is_a_workbook_to_strict_readers_and_the_same_each_time(store: Store, tmp_path: Path) -> None:
    part = typed_part(store, {"a": pa.array([1, 2]), "b": pa.array(["x", None])})
    written(store, part)
    first = (store.folder / "out.xlsx").read_bytes()
    written(store, part)
    assert (store.folder / "out.xlsx").read_bytes() == first
    with zipfile.ZipFile(store.folder / "out.xlsx") as archive:
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))
        main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
        root = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        places = [cell.get("r") for cell in root.iter(f"{main}c")]
        rows = [row.get("r") for row in root.iter(f"{main}row")]
    assert (places, rows) == (["A1", "B1", "A2", "B2", "A3"], ["1", "2", "3"])


def test_rows_are_numbered_in_the_order_of_the_release(own_store: Store) -> None:
    numbers = list_whole_numbers(0, 50_000)
    turned = (numbers.c.number * 7919) % 50_000
    part = Part(suffix="", headers=("n",), rows=select(turned.label("n")).order_by(numbers.c.number))
    assert written(own_store, part)[1:] == [[(number * 7919) % 50_000] for number in range(50_000)]


def test_what_a_sheet_does_not_take_is_told_before_anything_is_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = union_all(select(literal("x" * 32_768).label("a"))).subquery()
    with pytest.raises(OutputError, match="The column 'long' has a text of 32,768 characters, and a cell takes 32,767"):
        write_workbook(store, Part(suffix="", headers=("long",), rows=select(texts.c.a)), store.folder / "a.xlsx")
    numbers = list_whole_numbers(0, 1_048_576)
    with pytest.raises(OutputError, match="The release has 1,048,576 records, and a sheet takes 1,048,575, below"):
        write_workbook(store, Part(suffix="", headers=("n",), rows=select(numbers.c.number)), store.folder / "a.xlsx")
    wide = Part(suffix="", headers=("n",) * 16_385, rows=select(literal(1)))
    with pytest.raises(OutputError, match="The release has 16,385 columns, and a sheet takes 16,384"):
        write_workbook(store, wide, store.folder / "a.xlsx")
    named = Part(suffix="", headers=("n" * 32_768,), rows=select(literal(1)))
    with pytest.raises(OutputError, match="The name of a column has 32,768 characters, and a cell takes 32,767"):
        write_workbook(store, named, store.folder / "a.xlsx")
    assert not (store.folder / "a.xlsx").exists()
    assert workbook.MOST_ROWS == 1_048_576
