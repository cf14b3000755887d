"""How far the cells of a sheet reach, by whatever way they say it."""

from __future__ import annotations

import io

import pytest
from helpers.workbooks import sheet

from toolbox.store.input.formats.sheets import (
    SheetFacts,
    format_column_letters,
    number_of,
    scan_open_document,
    scan_xml,
    split_records,
)

ROWS = 1 << 20


def facts(text: str) -> SheetFacts:
    return scan_xml(lambda: io.BytesIO(text.encode()))


@pytest.mark.parametrize("number", [1, 26, 27, 52, 702, 703, 16_384])
def test_letters_and_numbers_of_columns_are_one(number: int) -> None:
    assert number_of(format_column_letters(number)) == number


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


def test_formulas_are_counted_in_the_same_way_by_both_scans() -> None:
    cells = (
        '<c r="A1"><f>1</f><v>1</v></c><c r="B1" t="str"><f>1</f><v></v></c><c r="C1" t="b"><f/><v/></c>'
        "<c r='D1'><f a='>'>1</f></c><c r='E1'><f>1</f><v/><extLst/></c><c r='F1'><f>1</f><v>0</v></c>"
    )
    quick, slow = (facts(f"<w><row r='1'>{cells}{more}</row></w>") for more in ("", "<c/>"))
    for found in (quick, slow):
        assert (found.formulas, found.uncalculated, found.first_uncalculated) == (6, 3, ["C1", "D1", "E1"])
    plain = facts("<w><row r='1'><c r='A1'><f>1</f></c><c r='B1'><f>1</f><v>2</v></c></row></w>")
    assert (plain.columns, plain.formulas, plain.first_uncalculated) == (26, 2, ["A1"])


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
        assert list(split_records(parts)) == [(5, b"ab"), (147, b""), (7, long)]


@pytest.mark.parametrize(
    "text",
    [
        '<w><row r="2"><c r="ZZZZ2"><v>1</v></c></row></w>',
        '<w><row r="2"><c r="A9999999"><v>1</v></c></row></w>',
        '<w><row r="2"><c r="A99999999999"><v>1</v></c></row></w>',
        '<w><row r="2"><c r="A-5"><v>1</v></c></row></w>',
        "<w><row r='-5'><c><v>1</v></c></row></w>",
        "<w><row r='4294967295'><c><v>1</v></c></row></w>",
    ],
)
def test_a_cell_beyond_the_end_of_all_sheets_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"no (row|cell) of a sheet"):
        facts(text)


def test_the_last_cell_of_a_sheet_is_one() -> None:
    found = facts('<w><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></w>')
    assert (found.rows, found.columns) == (ROWS, 16_384)
