"""How far the cells of a sheet reach, by whatever way they say it."""

from __future__ import annotations

import io

import pytest
from helpers.workbooks import sheet

from toolbox.store.readers.cell_scans import (
    SheetFacts,
    letters_of,
    number_of,
    records,
    scan_open_document,
    scan_xml,
)

ROWS = 1 << 20


def facts(text: str) -> SheetFacts:
    return scan_xml(lambda: io.BytesIO(text.encode()))


@pytest.mark.parametrize("number", [1, 26, 27, 52, 702, 703, 16_384])
def test_letters_and_numbers_of_columns_are_one(number: int) -> None:
    assert number_of(letters_of(number)) == number


def test_narrow_sheets_are_known_by_their_letters_alone() -> None:
    found = facts(sheet([["a"] * 26] * 3))
    assert (found.rows, found.columns) == (ROWS, 26)


def test_wide_sheets_are_known_exactly() -> None:
    found = facts(sheet([["a"] * 27] * 3))
    assert (found.rows, found.columns) == (3, 27)


@pytest.mark.parametrize(
    "text",
    [
        "<w><row><c><v>1</v></c><c/><c/></row><row r='7'><c/><c r='AB9' t='e' /></row></w>",
        "<x:w xmlns:x='u'><x:row r='2'><x:c r='B2'/></x:row><x:row hidden='1'><x:c r='ab9' t='e'/></x:row></x:w>",
    ],
)
def test_cells_that_do_not_say_where_they_stand_are_counted(text: str) -> None:
    found = facts(text)
    assert (found.rows, found.columns, found.errors) == (9, 28, 1)


def test_a_place_that_is_cut_by_a_block_is_found() -> None:
    long = "x" * ((1 << 20) - 60)
    found = facts(f'<w><row r="1"><c r="A1"><v>{long}</v></c><c r="ZZ1"><v>1</v></c></row></w>')
    assert (found.rows, found.columns) == (1, 702)


def test_repeated_cells_count_as_often_as_they_are() -> None:
    content = (
        '<d xmlns:table="t" xmlns:office="o"><table:table table:name="S"><table:table-row '
        'table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="4" office:value-type="float"/>'
        '<table:table-cell table:number-columns-repeated="9"/></table:table-row></table:table></d>'
    )
    found = scan_open_document(lambda: io.BytesIO(content.encode()))
    assert (found["S"].rows, found["S"].columns, found["S"].cells) == (3, 4, 12)


def test_records_of_a_binary_sheet_are_cut_wherever_blocks_end() -> None:
    long = bytes(range(200))
    content = b"\x05\x02ab" + b"\x93\x01\x00" + b"\x07" + bytes([200 & 127 | 128, 1]) + long
    for size in (1, 3, 1000):
        parts = iter([content[place : place + size] for place in range(0, len(content), size)])
        assert list(records(parts)) == [(5, b"ab"), (147, b""), (7, long)]
