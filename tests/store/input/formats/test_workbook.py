"""Sheets as tables: what becomes of cells, which sheet is read, and what is said of a sheet that is no table."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest
from helpers.file_tables import FileReader
from helpers.workbooks import Raw, ods, ods_cell, ods_row, people, sheet, xls, xlsb, xlsx

from toolbox.store.input.formats import sheets as archives
from toolbox.store.input.formats import workbook
from toolbox.store.input.source import RecordPlace

FAILED = Raw('<c {} t="e"><v>#DIV/0!</v></c>')
FORMULA = Raw("<c {}><f>20+15</f><v>35</v></c>")


def test_cells_become_what_they_are(read: FileReader, tmp_path: Path) -> None:
    path = people(
        tmp_path / "people.xlsx",
        [
            ["whole", "number", "date", "moment", "text", "mixed", "truth", "formula", "none"],
            [1, 1.5, date(2020, 2, 29), datetime(2020, 1, 2, 3, 4), "ü<&>", 5, True, FORMULA],
            [2.0, 2, date(1950, 12, 31), datetime(2020, 1, 2), "=1+1", "five", False, 7, FAILED],
            [None, None, None, None, " ", 0.5, None, None, None],
        ],
    )
    assert read.rows(path) == [
        ("whole", "number", "date", "moment", "text", "mixed", "truth", "formula", "none"),
        (1, 1.5, date(2020, 2, 29), datetime(2020, 1, 2, 3, 4), "ü<&>", "5", True, 35, None),
        (2, 2.0, date(1950, 12, 31), datetime(2020, 1, 2), "=1+1", "five", False, 7, None),
        (None, None, None, None, " ", "0.5", None, None, None),
    ]
    assert read.kinds(path) == ["number", "number", "date", "timestamp", *["category"] * 3, "number", "category"]
    assert read.notes(path) == ["1 cell holds an error such as #N/A, and no value."]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "written",
    [
        "<c {}><f>A2*2</f><v></v></c>",
        "<c {}><f>A2*2</f><v /></c>",
        "<c {}><f>A2*2</f></c>",
        "<c {} s='0'><f t='array' ref='B2:B2'>A2*2</f><v/></c>",
        "<c {} t='str'><f>A2*2</f></c>",
        "<c {}><f t='shared' si='0'/><v> </v></c>",
        "<c {}><f>A2>2</f><v/></c>",
        "<c {}><f><![CDATA[A2<2]]></f><v/></c>",
    ],
)
def test_a_formula_that_was_never_calculated_is_refused(read: FileReader, tmp_path: Path, written: str) -> None:
    path = people(tmp_path / "p.xlsx", [["a", "b"], [1, Raw(written)], [2, FORMULA], [3, Raw(written)]])
    refused = read.refusal(path)
    assert "sheet 'People': 2 formulas have no saved value: B2, B4. Open the workbook in a spreadsheet" in refused
    assert "A2" not in refused


def test_formulas_that_were_never_calculated_are_all_counted_and_some_are_named(
    read: FileReader, tmp_path: Path
) -> None:
    never = Raw("<c {}><f>1+1</f></c>")
    path = people(tmp_path / "p.xlsx", [["a"], *[[never] for _ in range(30_000)]])
    first = ", ".join(f"A{row}" for row in range(2, 12))
    assert f"30,000 formulas have no saved value: {first}, .." in read.refusal(path)


def test_names_and_whole_sheets_of_such_formulas_are_refused(read: FileReader, tmp_path: Path) -> None:
    never = Raw("<c {}><f>1+1</f></c>")
    assert "1 formula has no saved value: B1." in read.refusal(people(tmp_path / "1.xlsx", [["a", never], [1, 2]]))
    assert "1 formula has no saved value: A2." in read.refusal(people(tmp_path / "2.xlsx", [[], [never]]))
    both = {"S": sheet([["a"], [1]]), "T": sheet([[never]])}
    assert "has several sheets: 'S', 'T'" in read.refusal(xlsx(tmp_path / "3.xlsx", both))


def test_a_formula_whose_result_is_the_empty_text_was_calculated(read: FileReader, tmp_path: Path) -> None:
    empty = Raw('<c {} t="str"><f>""</f><v></v></c>')
    path = people(tmp_path / "p.xlsx", [["a", "b"], [1, empty], [2, Raw('<c {} t="str"><f>"x"</f><v>x</v></c>')]])
    assert read.rows(path) == [("a", "b"), (1, None), (2, "x")]
    assert read.notes(path) == []


def test_an_open_document_has_such_formulas_too(read: FileReader, tmp_path: Path) -> None:
    never = '<table:table-cell table:formula="of:=1+1" table:number-columns-repeated="2"/>'
    saved = '<table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="2"/>'
    rows = [ods_row(ods_cell("a"), ods_cell("b")), ods_row(saved, ods_cell(1))]
    assert read.rows(ods(tmp_path / "p.ods", {"S": "".join(rows)})) == [("a", "b"), (2, 1)]
    path = ods(tmp_path / "q.ods", {"S": "".join([*rows, ods_row(ods_cell(3), never), ods_row(never)])})
    assert "4 formulas have no saved value: B3, A4, .." in read.refusal(path)


def test_a_workbook_that_wants_its_formulas_calculated_again_says_so(read: FileReader, tmp_path: Path) -> None:
    # As XlsxWriter writes them: with 0 for a value, and this request.
    unknown = Raw("<c {}><f>A2*2</f><v>0</v></c>")
    path = people(tmp_path / "p.xlsx", [["a", "b"], [1, unknown]])
    assert read.notes(path) == []
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    asking = b'</sheets><calcPr calcId="124519" fullCalcOnLoad="1"/>'
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(b"</sheets>", asking)
    with ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    (note,) = read.notes(path)
    assert note.startswith("1 formula has the value that was saved, and the workbook says that they must be calculated")


def test_every_row_is_a_record_or_blank_and_is_found_again(read: FileReader, tmp_path: Path) -> None:
    rows = [[], ["a", "b"], [1, "x"], [], [], [2, "y"], [None, "z"], []]
    path = people(tmp_path / "people.xlsx", rows)
    assert read.rows(path) == [("a", "b"), (1, "x"), (2, "y"), (None, "z")]
    source = read.source(path)
    assert source.account(3).blank == 2
    assert [source.place_of(record) for record in (1, 2, 3)] == [RecordPlace(3), RecordPlace(6), RecordPlace(7)]
    assert read.notes(path) == ["the names of the columns stand in row 2, the first with a cell."]


def test_several_workbooks_are_one_table_with_one_type_for_each_column(read: FileReader, tmp_path: Path) -> None:
    first = people(tmp_path / "1.xlsx", [["a", "b"], [1, 1], [2, 2]])
    second = people(tmp_path / "2.xlsx", [["a", "b"], [0.5, "x"]])
    assert read.rows(first, second) == [("a", "b"), (1.0, "1"), (2.0, "2"), (0.5, "x")]
    source = read.source(first, second)
    assert [source.place_of(record) for record in (2, 3)] == [RecordPlace(3, first), RecordPlace(2, second)]
    other = people(tmp_path / "3.xlsx", [["a", "c"], [1, 1]])
    assert "column 2 is not called 'b'" in read.refusal(first, other)


def test_hidden_rows_are_data_and_merged_areas_are_told(read: FileReader, tmp_path: Path) -> None:
    merged = '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>'
    path = xlsx(tmp_path / "p.xlsx", {"S": sheet([["a", "b"], [1, 1], [None, 2]], hidden=[3], rest=merged)})
    assert read.rows(path) == [("a", "b"), (1, 1), (None, 2)]
    assert read.notes(path) == [
        "1 hidden row is read as well.",
        "1 area is merged: only the first cell of each has its value.",
    ]


def test_other_kinds_of_workbooks_hold_the_same(read: FileReader, tmp_path: Path) -> None:
    table = [["a", "b"], [1, "x"], [2.5, None]]
    expected = [("a", "b"), (1.0, "x"), (2.5, None)]
    binary = xlsb(tmp_path / "p.xlsb", "S", [["a", "b"], [1, "x"], [2.5, "#N/A"]], hidden=[2])
    assert read.rows(binary) == read.rows(xls(tmp_path / "p.xls", table)) == expected
    assert read.notes(binary) == ["1 cell holds an error such as #N/A, and no value.", "1 hidden row is read as well."]
    rows = [
        ods_row(ods_cell("a"), ods_cell("b")),
        ods_row(ods_cell(1), ods_cell("x"), shown="collapse"),
        ods_row(ods_cell(2.5), ods_cell("#N/A", is_error=True)),
        ods_row(ods_cell(repeated=16_384), repeated=1_048_573),
    ]
    document = ods(tmp_path / "p.ods", {"S": "".join(rows)})
    assert read.rows(document) == expected
    assert len(read.notes(document)) == 2


def test_one_sheet_with_data_is_taken_and_of_several_one_is_named(read: FileReader, tmp_path: Path) -> None:
    one, two = sheet([["a"], [1]]), sheet([["a"], [2]])
    empty = sheet([])
    assert read.rows(xlsx(tmp_path / "1.xlsx", {"Leer": empty, "Daten": one})) == [("a",), (1,)]
    path = xlsx(tmp_path / "2.xlsx", {"Mai 'x'": one, "Juni": two, "Leer": empty}, {"Juni": "hidden"})
    assert read.refusal(path) == (
        "2.xlsx has several sheets: \"Mai 'x'\", 'Juni' (hidden), 'Leer'. Say which is meant: "
        "table=\"Mai 'x'\", or --input-table \"Mai 'x'\"."
    )
    assert read.rows(path, table="Juni") == [("a",), (2,)]
    assert read.refusal(path, table="juni") == (
        "2.xlsx has no sheet 'juni'. Did you mean 'Juni'? It has: \"Mai 'x'\", 'Juni', 'Leer'."
    )
    assert "'Leer': the sheet is empty" in read.refusal(path, table="Leer")
    nothing = xlsx(tmp_path / "3.xlsx", {"Leer": empty})
    assert read.refusal(nothing) == "3.xlsx has no sheet with a cell in it. A table needs at least one record."


def test_a_sheet_that_does_not_begin_with_names_is_no_table(read: FileReader, tmp_path: Path) -> None:
    numbers = people(tmp_path / "1.xlsx", [[2019, date(2020, 1, 2)], [1, 2]])
    assert "row 1, the first with a cell, holds numbers or dates, and no names" in read.refusal(numbers)
    title = people(tmp_path / "2.xlsx", [["People of Graz"], ["name", "age"], ["Ada", 35]])
    assert read.refusal(title) == (
        "2.xlsx, sheet 'People': column B has a value in row 2, and no name in row 1. "
        "Give the column a name. Rows above the names of the columns, such as a title, must go."
    )
    failed = people(tmp_path / "4.xlsx", [[FAILED], [FAILED]])
    assert read.refusal(failed) == "4.xlsx, sheet 'People': no cell has a value. A table needs at least one record."
    spaced = people(tmp_path / "3.xlsx", [["a", None, 2020], [1, None, 3]])
    assert read.rows(spaced) == [("a", "2020"), (1, 3)]


def test_names_that_come_twice_are_kept_for_whoever_names_them_by_position(read: FileReader, tmp_path: Path) -> None:
    path = people(tmp_path / "p.xlsx", [["a", "A", "a"], [1, 2, 3]])
    assert read.rows(path) == [("a", "A", "a"), (1, 2, 3)]


def test_a_stray_cell_at_the_far_end_does_not_take_all_memory(read: FileReader, tmp_path: Path) -> None:
    stray = Raw('<c r="XFD1048576"><v>1</v></c>')
    path = people(tmp_path / "p.xlsx", [["a"], [stray]])
    assert read.refusal(path) == (
        "p.xlsx, sheet 'People': its cells reach to column XFD, row 1,048,576, which is more than 100,000,000 cells. "
        "Delete the rows and columns after the table, which hold a stray cell, or export it as CSV."
    )
    rows = ods_row(ods_cell("a")) + ods_row(ods_cell(1, repeated=16_384), repeated=1_048_575)
    assert "column XFD, row 1,048,576" in read.refusal(ods(tmp_path / "p.ods", {"S": rows}))
    assert workbook.MOST_CELLS == 100_000_000


@pytest.mark.parametrize("name", ["p.xlsx", "p.ods"])
def test_an_archive_that_would_unpack_to_too_much_is_not_unpacked(name: str, read: FileReader, tmp_path: Path) -> None:
    rows = [["a"], [1]]
    path = people(tmp_path / name, rows) if name == "p.xlsx" else ods(tmp_path / name, {"S": ods_row(ods_cell("a"))})
    content = bytearray(path.read_bytes())
    place = content.rindex(b"PK\x01\x02")
    # The uncompressed size, as the archive claims it.
    content[place + 24 : place + 28] = (0xFFFFFFF0).to_bytes(4, "little")
    second = content.index(b"PK\x01\x02")
    content[second + 24 : second + 28] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(bytes(content))
    assert "would unpack to 8 GB, and at most 4 GB are unpacked" in read.refusal(path)
    assert archives.MOST_BYTES == 4 << 30
