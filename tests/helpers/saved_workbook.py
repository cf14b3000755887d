"""A workbook as a spreadsheet program saves it, written by hand: no library of ours reads what it wrote itself."""

import csv
import re
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DAY_ZERO = date(1899, 12, 30)
"""From which spreadsheets count days."""
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f"""<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>
<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>""",
    "_rels/.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
    "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>""",
    "xl/workbook.xml": f"""<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">
<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>""",
    "xl/styles.xml": f"""<styleSheet xmlns="{_MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>
<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>
<cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>""",
}


def write_workbook(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write texts as a sheet, those of numbers and of dates as such."""
    cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    with ZipFile(path, "w", ZIP_DEFLATED) as book:
        for name, part in {**_PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            book.writestr(name, _HEAD + part)


def workbook_of(text: Path) -> Path:
    """Save a file of comma separated values as a workbook beside it."""
    book = text.with_suffix(".xlsx")
    with text.open(encoding="utf-8", newline="") as lines:
        write_workbook(book, csv.reader(lines))
    return book


def _cell(text: str) -> str:
    if _NUMBER.fullmatch(text):
        return f"<c><v>{text}</v></c>"
    if _DATE.fullmatch(text):
        return f'<c s="1"><v>{(date.fromisoformat(text) - _DAY_ZERO).days}</v></c>'
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
