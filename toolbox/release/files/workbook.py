"""A part of a release as a workbook of one sheet, written by queries, whatever its size; nothing in it can run.

A workbook is a zip archive of a few texts of XML (ECMA-376, Part 1). Only the sheet depends on the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sqlalchemy import BigInteger, Date, Double, String, and_, case, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import OutputError, quote
from toolbox.queries.cells import (
    DATE_STYLE,
    MOST_DIGITS,
    TIMESTAMP_STYLE,
    UNPRINTABLE,
    CellKind,
    escape_sheet_name,
    escape_sheet_text,
)
from toolbox.queries.dialect import count_microseconds, has_match, is_finite
from toolbox.release.files.part import Part, rename_columns
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.sheets import format_column_letters

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS: Final = 1_048_576
MOST_COLUMNS: Final = 16_384
LONGEST: Final = 32_767
"""Characters of a cell."""
SHEET: Final = "release"
"""What the sheet is called."""
_BLOCK: Final = 1 << 20
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_CONTENT: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS: Final = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_CONTENT}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_CONTENT}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_CONTENT}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    f'<sheet name="{SHEET}" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}
"""All of a workbook but its sheet."""
_LARGEST: Final = 10**MOST_DIGITS
_FIRST_DAY: Final = date(1900, 3, 1)
"""Spreadsheets know no dates before 1900, and a 29 February in that year."""
_DAY_0: Final = date(1899, 12, 30)
_DAY: Final = 86_400_000_000
_DAYS_TO_1970: Final = 25_569
_MILLISECOND: Final = 1_000


def write_workbook(store: Store, part: Part, path: Path) -> None:
    """Write a part as an .xlsx file, rows in their order.

    Raises
    ------
    OutputError
        If it has more rows or columns than a sheet can have, or a longer text than a cell.
    """
    cells = _choose_sheet_cells(store, part)
    named = _name_columns(part).subquery()
    number = func.row_number().over() + 1
    shown = [cell._replace(value=named.c[f"h{index}"]) for index, cell in enumerate(cells)]
    rows = path.with_name(f"{path.name}.rows")
    store.write_lines(select(_write_row(shown, number).label("row")).select_from(named), rows)
    head = f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>\n{_write_header(part.headers)}\n'
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=4) as archive:
        for name, text in _PARTS.items():
            archive.writestr(_make_entry(name), _HEAD + text)
        with archive.open(
            _make_entry("xl/worksheets/sheet1.xml"), "w", force_zip64=rows.stat().st_size > 1 << 31
        ) as sheet:
            sheet.write(head.encode())
            with rows.open("rb") as written:
                while block := written.read(_BLOCK):
                    sheet.write(block)
            sheet.write(b"</sheetData></worksheet>")
    rows.unlink()


def _make_entry(name: str) -> ZipInfo:
    """Return a part of the archive without a time: the same release is the same file."""
    entry = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = ZIP_DEFLATED
    return entry


def _write_header(headers: Any) -> str:
    cells = (
        f'<c r="{format_column_letters(index)}1" t="inlineStr">'
        f'<is><t xml:space="preserve">{escape_sheet_name(header)}</t></is></c>'
        for index, header in enumerate(headers, start=1)
    )
    return f'<row r="1">{"".join(cells)}</row>'


def _name_columns(part: Part) -> Any:
    return rename_columns(part.rows, [f"h{index}" for index, _ in enumerate(part.headers)])


def _choose_sheet_cells(store: Store, part: Part) -> list[_SheetColumn]:
    """Return how each column is written, after a look at all that a sheet cannot hold."""
    if len(part.headers) > MOST_COLUMNS:
        raise _make_size_error(f"{len(part.headers):,} columns", f"{MOST_COLUMNS:,}")
    if (length := max(map(len, part.headers))) > LONGEST:
        raise OutputError(f"The name of a column has {length:,} characters, and a cell takes {LONGEST:,}. {_REMEDY}")
    kinds = [_choose_kind(field.type) for field in store.arrow(_name_columns(part).limit(0)).schema]
    named = _name_columns(part).order_by(None).subquery()
    columns = [named.c[f"h{index}"] for index, _ in enumerate(kinds)]
    texts = [index for index, kind in enumerate(kinds) if kind == "text"]
    lengths = [func.max(func.length(cast(columns[index], String))) for index in texts]
    odd = [func.max(cast(has_match(cast(columns[index], String), UNPRINTABLE), String)) for index in texts]
    count, *found = store.row(select(func.count(), *lengths, *odd).select_from(named))
    if count >= MOST_ROWS:
        raise _make_size_error(f"{count:,} records", f"{MOST_ROWS - 1:,}, below the names of its columns")
    for index, length in zip(texts, found[: len(texts)], strict=True):
        if (length or 0) > LONGEST:
            problem = f"The column {quote(part.headers[index])} has a text of {length:,} characters"
            raise OutputError(f"{problem}, and a cell takes {LONGEST:,}. {_REMEDY}")
    unprintable = {index for index, is_odd in zip(texts, found[len(texts) :], strict=True) if is_odd == "true"}
    return [
        _SheetColumn(columns[index], kind, format_column_letters(index + 1), index in unprintable or kind != "text")
        for index, kind in enumerate(kinds)
    ]


_REMEDY: Final = "Release it as CSV or Parquet."


def _make_size_error(found: str, most: str) -> OutputError:
    return OutputError(f"The release has {found}, and a sheet takes {most}. {_REMEDY}")


def _choose_kind(kind: pa.DataType) -> CellKind:
    """Return how values of a type are written."""
    import pyarrow as pa

    types = pa.types
    if types.is_boolean(kind):
        return "truth"
    if types.is_integer(kind):
        return "whole"
    if types.is_float32(kind) or types.is_float64(kind) or (types.is_decimal(kind) and kind.precision <= MOST_DIGITS):
        return "number"
    if types.is_date(kind):
        return "date"
    return "timestamp" if types.is_timestamp(kind) and kind.tz is None and kind.unit != "ns" else "text"


class _SheetColumn(NamedTuple):
    """How a column is written."""

    value: ColumnElement[Any]
    kind: CellKind
    letters: str
    """Of the column."""
    has_unprintable: bool = False
    """Whether a text of the column holds what must be written otherwise."""


def _write_row(cells: Sequence[_SheetColumn], number: ColumnElement[int]) -> ColumnElement[str]:
    """Write one record; a null is no cell.

    Parameters
    ----------
    number : ColumnElement
        Of the row, from 1.
    """
    place = cast(number, String)
    written = [func.coalesce(_write_cell(cell, place), "") for cell in cells]
    return func.concat('<row r="', place, '">', *written, "</row>")


def _write_cell(cell: _SheetColumn, place: ColumnElement[str]) -> ColumnElement[str]:
    value = cell.value

    def plain(shown: ColumnElement[Any], attributes: str = "") -> ColumnElement[str]:
        return _write_unless_null(value, f'<c r="{cell.letters}', place, f'"{attributes}><v>', shown, "</v></c>")

    text = cast(value, String)
    as_text = _write_text(cell, text, place)
    match cell.kind:
        case "text":
            return as_text
        case "whole":
            return case((and_(value > -_LARGEST, value < _LARGEST), plain(text)), else_=as_text)
        case "number":
            return case((is_finite(cast(value, Double)), plain(text)), else_=as_text)
        case "truth":
            return plain(case((value, "1"), else_="0"), ' t="b"')
        case "date":
            days = cast(value - _make_date(_DAY_0), String)
            return case((value >= _make_date(_FIRST_DAY), plain(days, f' s="{DATE_STYLE}"')), else_=as_text)
        case "timestamp":
            micros = count_microseconds(value)
            days = cast(cast(micros, Double) / float(_DAY) + float(_DAYS_TO_1970), String)
            first = (_FIRST_DAY - date(1970, 1, 1)).days * _DAY
            fits = and_(micros >= first, cast(micros, BigInteger) % _MILLISECOND == 0)
            return case((fits, plain(days, f' s="{TIMESTAMP_STYLE}"')), else_=as_text)


def _make_date(day: date) -> ColumnElement[Any]:
    return cast(literal(day.isoformat()), Date)


def _write_text(cell: _SheetColumn, text: ColumnElement[str], place: ColumnElement[str]) -> ColumnElement[str]:
    begin = '" t="inlineStr"><is><t xml:space="preserve">'
    shown = escape_sheet_text(text, all_of_it=cell.has_unprintable)
    return _write_unless_null(text, f'<c r="{cell.letters}', place, begin, shown, "</t></is></c>")


def _write_unless_null(value: ColumnElement[Any], *parts: Any) -> ColumnElement[str]:
    return case((value.is_not(None), func.concat(*parts)))
