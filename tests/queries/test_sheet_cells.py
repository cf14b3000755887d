"""Rows of a spreadsheet as they are written, character by character."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest
from helpers.small_tables import shared_store
from sqlalchemy import String, cast, column, literal, select, table

from toolbox.queries.cells import CellKind, escape_sheet_name, escape_sheet_text
from toolbox.release.files.workbook import _SheetColumn, _write_row
from toolbox.store.engine.store import Store

store = shared_store


def text(value: str, place: str = "A3") -> str:
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        ("text", "a & b", text("a &amp; b")),
        ("whole", 5, '<c r="A3"><v>5</v></c>'),
        ("whole", 10**15, text("1000000000000000")),
        ("number", 0.5, '<c r="A3"><v>0.5</v></c>'),
        ("number", float("nan"), text("nan")),
        ("truth", True, '<c r="A3" t="b"><v>1</v></c>'),
        ("date", date(1970, 1, 1), '<c r="A3" s="1"><v>25569</v></c>'),
        ("date", date(1899, 12, 31), text("1899-12-31")),
        ("timestamp", datetime(1970, 1, 1, 12), '<c r="A3" s="2"><v>25569.5</v></c>'),
        ("timestamp", datetime(1970, 1, 1, 0, 0, 0, 1), text("1970-01-01 00:00:00.000001")),
        ("number", None, ""),
    ],
)
def test_a_cell_is_of_its_kind_or_text(kind: CellKind, value: object, cell: str, store: Store) -> None:
    name = store.register("values", pa.table({"v": [value]}))
    values = table(name, column("v"))
    written = _write_row([_SheetColumn(values.c.v, kind, "A")], literal(3))
    assert store.scalar(select(written).select_from(values)) == f'<row r="3">{cell}</row>'


def test_what_xml_does_not_take_is_written_as_spreadsheets_do(store: Store) -> None:
    given = cast(literal("a\rb _x0041_ <\x02>"), String)
    assert store.scalar(select(escape_sheet_text(given, all_of_it=True))) == "a_x000D_b _x005F_x0041_ &lt;_x0002_&gt;"
    assert store.scalar(select(escape_sheet_text(cast(literal("_x004_\n"), String), all_of_it=True))) == "_x004_\n"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a & <b>", "a &amp; &lt;b&gt;"),
        ("be\x07d\ufffe", "be_x0007_d_xFFFE_"),
        ("b_x0041_d", "b_x005F_x0041_d"),
        # The underscore between two of them belongs to both.
        ("_x0041_x0042_", "_x005F_x0041_x005F_x0042_"),
    ],
)
def test_names_of_columns_are_written_as_texts_are(name: str, written: str, store: Store) -> None:
    assert escape_sheet_name(name) == written
    assert store.scalar(select(escape_sheet_text(cast(literal(name), String), all_of_it=True))) == written
