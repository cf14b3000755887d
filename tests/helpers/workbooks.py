"""Workbooks that a test writes out, byte by byte, with no library that also reads them."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
DAY_0 = datetime(1899, 12, 30)
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm"/></numFmts>'
    '<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>'
)


class Raw(str):
    """A cell as it stands in the XML, without its place; ``{}`` is where that goes."""


def letters(column: int) -> str:
    return (letters((column - 1) // 26) if column > 26 else "") + chr(65 + (column - 1) % 26)


def cell(value: object, row: int, column: int) -> str:  # noqa: PLR0911 - a kind of value each
    place = f"{letters(column)}{row}"
    match value:
        case None:
            return ""
        case Raw():
            return value.format(f'r="{place}"')
        case bool():
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        case int() | float():
            return f'<c r="{place}"><v>{value!r}</v></c>'
        case datetime():
            return f'<c r="{place}" s="2"><v>{(value - DAY_0).total_seconds() / 86400!r}</v></c>'
        case date():
            return f'<c r="{place}" s="1"><v>{(datetime(*value.timetuple()[:3]) - DAY_0).days}</v></c>'
        case _:
            return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def sheet(rows: Sequence[Sequence[object]], *, hidden: Sequence[int] = (), rest: str = "") -> str:
    """Write a sheet; `rest` stands behind its rows, and rows are hidden by their numbers."""
    written = "".join(
        f'<row r="{number}"{" hidden=" + quoteattr("1") if number in hidden else ""}>'
        + "".join(cell(value, number, column) for column, value in enumerate(row, start=1))
        + "</row>"
        for number, row in enumerate(rows, start=1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{written}</sheetData>{rest}</worksheet>'


def xlsx(path: Path, sheets: Mapping[str, str], states: Mapping[str, str] | None = None) -> Path:
    """Write a workbook of sheets that are written out."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{index}" r:id="r{index}" '
        f"state={quoteattr((states or {}).get(name, 'visible'))}/>"
        for index, name in enumerate(names, start=1)
    )
    links = "".join(
        f'<Relationship Id="r{index}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{index}.xml"/>'
        for index, _ in enumerate(names, start=1)
    )
    styles = f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
    office = f'<Relationship Id="b" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{RELATIONS}">{office}</Relationships>')
        book = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        archive.writestr("xl/workbook.xml", book)
        archive.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{RELATIONS}">{links}{styles}</Relationships>'
        )
        archive.writestr("xl/styles.xml", STYLES)
        for index, text in enumerate(sheets.values(), start=1):
            archive.writestr(f"xl/worksheets/sheet{index}.xml", text)
    return path


def people(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    """Write a workbook with one sheet, called People."""
    return xlsx(path, {"People": sheet(rows)})


def ods(path: Path, tables: Mapping[str, str], manifest: str = "<m/>") -> Path:
    """Write an OpenDocument file of tables whose rows are written out."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    body = "".join(f"<table:table table:name={quoteattr(name)}>{rows}</table:table>" for name, rows in tables.items())
    content = (
        f'<office:document-content {spaces} xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:'
        f'xmlns:calcext:1.0"><office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", content)
    return path


def ods_row(*cells: str, repeated: int = 1, shown: str = "visible") -> str:
    attributes = f'table:number-rows-repeated="{repeated}" table:visibility="{shown}"'
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def ods_cell(value: object = None, *, repeated: int = 1, is_error: bool = False) -> str:
    more = f' table:number-columns-repeated="{repeated}"'
    if value is None:
        return f"<table:table-cell{more}/>"
    if isinstance(value, str):
        kind = ' calcext:value-type="error"' if is_error else ""
        text = f"<text:p>{escape(value)}</text:p>"
        return f'<table:table-cell office:value-type="string"{kind}{more}>{text}</table:table-cell>'
    if isinstance(value, date):
        return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"{more}/>'
    return f'<table:table-cell office:value-type="float" office:value="{value}"{more}/>'


def xlsb(path: Path, name: str, rows: Sequence[Sequence[object]], *, hidden: Sequence[int] = ()) -> Path:
    """Write a binary workbook of one sheet."""

    def record(kind: int, content: bytes = b"") -> bytes:
        number = bytes([kind]) if kind < 128 else bytes([kind & 127 | 128, kind >> 7])
        return number + bytes([len(content)]) + content

    def text(value: str) -> bytes:
        return struct.pack("<I", len(value)) + value.encode("utf-16-le")

    book = record(131) + record(143) + record(156, struct.pack("<II", 0, 1) + text("r1") + text(name)) + record(144)
    written = record(129) + record(148, struct.pack("<IIII", 0, len(rows) - 1, 0, len(rows[0]) - 1)) + record(145)
    for number, row in enumerate(rows):
        flags = 0x10 if number + 1 in hidden else 0
        written += record(0, struct.pack("<IIHBBB", number, 0, 300, 0, flags, 0) + struct.pack("<I", 0))
        for column, value in enumerate(row):
            head = struct.pack("<II", column, 0)
            if isinstance(value, str) and value.startswith("#"):
                written += record(3, head + b"\x2a")
            elif isinstance(value, str):
                written += record(6, head + text(value))
            elif value is not None:
                written += record(5, head + struct.pack("<d", value))
    written += record(146) + record(130)
    link = f'<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.bin"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.bin", book + record(132))
        archive.writestr("xl/_rels/workbook.bin.rels", f'<Relationships xmlns="{RELATIONS}">{link}</Relationships>')
        archive.writestr("xl/worksheets/sheet1.bin", written)
    return path


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Write a compound file whose streams are large enough to have sectors of their own."""
    size, free, end = 512, 0xFFFFFFFF, 0xFFFFFFFE
    entries, data, table = [("Root Entry", 5, end, 0)], b"", [0xFFFFFFFD, end]
    for name, content in streams.items():
        padded = content.ljust(max(4096, -(-len(content) // size) * size), b"\0")
        first, count = len(table), len(padded) // size
        table += [*range(first + 1, first + count), end]
        entries.append((name, 2, first, len(padded)))
        data += padded
    children = len(entries) - 1
    directory = b""
    for index, (name, kind, first, length) in enumerate(entries):
        encoded = name.encode("utf-16-le")
        following = index + 1 if 0 < index < children else free
        child = 1 if index == 0 and children else free
        directory += encoded.ljust(64, b"\0") + struct.pack("<HBB", len(encoded) + 2, kind, 1)
        directory += struct.pack("<III", free, following, child) + bytes(36) + struct.pack("<IQ", first, length)
    directory = directory.ljust(size, b"\0")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, end, 0, end, 0) + struct.pack("<I", 0)
    head = head.ljust(size, b"\xff")
    return head + struct.pack(f"<{len(table)}I", *table).ljust(size, b"\xff") + directory + data


def xls(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    """Write a workbook of Excel 97 with one sheet, called People."""

    def record(kind: int, content: bytes = b"") -> bytes:
        return struct.pack("<HH", kind, len(content)) + content

    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0x0DBB, 1996, 0, 6))

    cells = b""
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            head = struct.pack("<HHH", number, column, 0)
            if isinstance(value, str):
                cells += record(0x204, head + struct.pack("<HB", len(value), 0) + value.encode("latin-1"))
            elif value is not None:
                cells += record(0x203, head + struct.pack("<d", value))
    listed = lambda place: record(0x85, struct.pack("<IBBBB", place, 0, 0, 6, 0) + b"People")  # noqa: E731
    place = len(begin(5)) + len(listed(0)) + 4
    book = begin(5) + listed(place) + record(0x0A) + begin(0x10) + cells + record(0x0A)
    path.write_bytes(compound({"Workbook": book}))
    return path
