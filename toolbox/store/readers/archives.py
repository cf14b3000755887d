"""What a workbook holds, found before it is unpacked as a whole: workbooks of today are zip archives, and may be bombs.

The library that reads workbooks holds a sheet as one block, from its first cell to its last. One stray cell at the far
end of a sheet, or a small archive that unpacks to a huge one, would take all memory and end the program.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import partial
from lzma import LZMAError
from pathlib import Path
from posixpath import join, normpath
from typing import Final
from xml.etree import ElementTree
from zipfile import BadZipFile, LargeZipFile, ZipFile

from toolbox.errors import InputError
from toolbox.store.readers.cell_scans import SheetFacts, chunks, records, scan_binary, scan_open_document, scan_xml

_FAILURES: Final = (
    BadZipFile,
    LargeZipFile,
    zlib.error,
    LZMAError,
    EOFError,
    OSError,
    RuntimeError,  # a way to pack that is not known
    ElementTree.ParseError,
    ValueError,
)
MOST_BYTES: Final = 4 << 30
"""Most that an archive may unpack to."""
_SHEET: Final = 156
"""How a binary workbook calls the record that names a sheet."""
_RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT: Final = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"


def sheets_of_archive(path: Path) -> Mapping[str, SheetFacts]:
    """Look through all sheets of a workbook, by their names; every byte of them is unpacked once, and checked.

    Raises
    ------
    InputError
        If it is damaged, locked, or unpacks to too much.
    """
    try:
        with ZipFile(path) as archive:
            _require_size(path, archive)
            if any(info.flag_bits & 1 for info in archive.infolist()):
                raise locked(path)
            names = set(archive.namelist())
            if "content.xml" in names:
                return _open_document(path, archive)
            book = next((name for name in ("xl/workbook.xml", "xl/workbook.bin") if name in names), None)
            return {} if book is None else _excel(archive, names, book)
    except _FAILURES as error:
        raise damaged(path) from error


def damaged(path: Path) -> InputError:
    """Return the error that a workbook is damaged."""
    return InputError(f"{path} is a damaged workbook. Get a complete copy, or save it again in its program.")


def locked(path: Path) -> InputError:
    """Return the error that a workbook is encrypted."""
    remedy = "Open it in its program, remove the password, and save a copy; delete that when you are done."
    return InputError(f"{path} is locked by a password. {remedy}")


def _require_size(path: Path, archive: ZipFile) -> None:
    size = sum(info.file_size for info in archive.infolist())
    if size > MOST_BYTES:
        amount = f"{size / (1 << 30):,.0f} GB, and at most {MOST_BYTES >> 30} GB are unpacked"
        raise InputError(f"{path} would unpack to {amount}. If it is no trap, export its table as CSV.")


def _excel(archive: ZipFile, names: set[str], book: str) -> Mapping[str, SheetFacts]:
    is_binary = book.endswith(".bin")
    targets = _relations(archive, f"xl/_rels/{book.removeprefix('xl/')}.rels")
    listed = _binary_sheets(archive.read(book)) if is_binary else _xml_sheets(archive.read(book))
    scan = scan_binary if is_binary else scan_xml
    is_stale = not is_binary and _wants_calculation(archive.read(book))
    facts = {}
    for name, relation in listed:
        part = normpath(join("xl", targets.get(relation, ""))).lstrip("/")
        if part in names:
            facts[name] = scan(partial(archive.open, part))
            facts[name].is_stale = is_stale
    for part in names & {"xl/sharedStrings.xml", "xl/sharedStrings.bin"}:
        with archive.open(part) as file:
            for _ in chunks(file):
                pass
    return facts


def _relations(archive: ZipFile, name: str) -> dict[str, str]:
    root = ElementTree.fromstring(archive.read(name)) if name in archive.namelist() else ElementTree.Element("none")
    return {entry.get("Id", ""): entry.get("Target", "") for entry in root}


def _xml_sheets(book: bytes) -> list[tuple[str, str]]:
    sheets = (node for node in ElementTree.fromstring(book).iter() if node.tag.rpartition("}")[2] == "sheet")
    return [(node.get("name", ""), node.get(_RELATION) or node.get(_STRICT) or "") for node in sheets]


def _wants_calculation(book: bytes) -> bool:
    """Return whether a workbook says that its formulas are to be calculated when it is opened."""
    nodes = ElementTree.fromstring(book).iter()
    return any(node.get("fullCalcOnLoad") in ("1", "true") for node in nodes if node.tag.rpartition("}")[2] == "calcPr")


def _binary_sheets(book: bytes) -> list[tuple[str, str]]:
    sheets = []
    for kind, content in records(iter([book])):
        if kind == _SHEET:
            relation, rest = _wide_text(content[8:])
            sheets.append((_wide_text(rest)[0], relation))
    return sheets


def _wide_text(content: bytes) -> tuple[str, bytes]:
    end = 4 + 2 * int.from_bytes(content[:4], "little")
    return content[4:end].decode("utf-16-le", errors="replace"), content[end:]


def _open_document(path: Path, archive: ZipFile) -> Mapping[str, SheetFacts]:
    if "META-INF/manifest.xml" in archive.namelist() and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise locked(path)
    return scan_open_document(partial(archive.open, "content.xml"))
