"""What a workbook holds, and how far the cells of its sheets reach, found before it is unpacked as a whole."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from lzma import LZMAError
from pathlib import Path
from posixpath import join, normpath
from typing import IO, Any, Final
from xml.etree import ElementTree
from xml.parsers import expat
from zipfile import BadZipFile, LargeZipFile, ZipFile

from toolbox.errors import InputError

# How far the cells of a sheet reach, and what a person should know of them, found without holding the sheet.

Opener = Callable[[], IO[bytes]]
"""Opens a part of an archive, which may be read more than once."""
_CHUNK: Final = 1 << 20
_PLACE: Final = re.compile(rb"""<c r=["']([A-Za-z]{1,3})([0-9]{1,7})["']""")
_REFERENCE: Final = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_STRANGE: Final = re.compile(rb"""<c r=["'](?![A-Za-z]{1,3}(?:[0-9]{1,6}|10[0-4][0-9]{4})["'])""")
"""A cell that may stand beyond the end of all sheets, for which the library would ask for all memory, and abort."""
_TWO_LETTERS: Final = re.compile(rb"""<c r=["'][A-Za-z]{2}""")
_ONE_LETTER: Final = 26
_MOST_ROWS: Final = 1 << 20
_FORMULA: Final = re.compile(
    rb"<c ([^<>]*)>\s*<f(?:\s[^<>]*)?(?:/>|>[^<]*</f>)\s*(<v(?:\s[^<>]*)?(?:/>|>([^<]*)</v>))?\s*</c>"
)
"""A cell with a formula: its attributes, its value and the text of that."""
_TEXT: Final = re.compile(rb"""\bt=["']str["']""")
_SHOWN: Final = 10
"""Cells that a message names."""
_HIDDEN: Final = re.compile(rb"""<row [^<>]*\bhidden=["'](?:1|true)["']""")
_ROW: Final = 0
"""How a binary sheet calls the record that begins a row."""
_CELLS: Final = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62})
_ERRORS: Final = frozenset({3, 11})


@dataclass
class SheetFacts:
    """What was found of a sheet."""

    rows: int = 0
    """The last row in which a cell stands."""
    columns: int = 0
    """The last column."""
    errors: int = 0
    """Cells whose formula failed."""
    hidden: int = 0
    """Rows that are not shown."""
    formulas: int = 0
    uncalculated: int = 0
    """Formulas without a saved value."""
    first_uncalculated: list[str] = field(default_factory=list)
    """Where the first of them stand."""
    is_stale: bool = False
    """Whether the workbook wants its formulas to be calculated when it is opened."""

    @property
    def cells(self) -> int:
        """Cells of the block that holds all of them."""
        return self.columns * self.rows

    def note_formula(self, place: str, *, has_value: bool, times: int = 1) -> None:
        """Count a cell with a formula."""
        self.formulas += times
        if not has_value:
            self.uncalculated += times
            self.first_uncalculated = [*self.first_uncalculated, place][:_SHOWN]

    def include_cell(self, row: int, column: int) -> None:
        """Include a cell, by its row and column from 1."""
        self.rows, self.columns = max(self.rows, row), max(self.columns, column)


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Read a part to its end, where the archive compares checksum and size with what it promised."""
    while chunk := file.read(_CHUNK):
        yield chunk


def scan_xml(opened: Opener) -> SheetFacts:
    """Scan a sheet of an .xlsx file.

    It is quick where all cells say where they stand, as all known programs write them, and in columns of one letter:
    then only these letters, and the most rows that there are, are known of how far they reach.
    """
    facts = SheetFacts(_MOST_ROWS, _ONE_LETTER)
    with opened() as file:
        for text in _read_whole_elements(file):
            are_placed = text.count(b"<c>") + text.count(b"<c ") == text.count(b"<c r=")
            if not are_placed or b":c " in text or b":c>" in text or _STRANGE.search(text):
                return _scan_slowly(opened, _XmlSheet())
            formulas = _FORMULA.findall(text) if b"<f" in text else []
            if len(formulas) != text.count(b"<f>") + text.count(b"<f ") + text.count(b"<f/"):
                return _scan_slowly(opened, _XmlSheet())
            for attributes, value, shown in formulas:
                # A formula whose result is the empty text has an empty value, and says that it is a text.
                has_value = bool(shown.strip() or (value and _TEXT.search(attributes)))
                facts.note_formula(attributes.split(attributes[2:3])[1].decode(), has_value=has_value)
            facts.errors += text.count(b' t="e"') + text.count(b" t='e'")
            facts.hidden += len(_HIDDEN.findall(text)) if b"hidden=" in text else 0
            if facts.columns == _ONE_LETTER and _TWO_LETTERS.search(text):
                facts.rows, facts.columns = _find_reach(opened)
    return facts


def _read_whole_elements(file: IO[bytes]) -> Iterator[bytes]:
    """Read text that ends before a cell or a row begins, where it has one."""
    rest = b""
    for chunk in read_chunks(file):
        text = rest + chunk
        end = max(text.rfind(b"<c "), text.rfind(b"<row "))
        end = text.rfind(b"<") if end < 0 else end
        # What has no end is no element that anybody needs; it must not grow with the file.
        text, rest = (text[:end], text[end:]) if len(text) - end < _CHUNK else (text, b"")
        yield text
    yield rest


def _find_reach(opened: Opener) -> tuple[int, int]:
    """Return the last row and the last column that a cell names."""
    rows, letters = 0, set[bytes]()
    with opened() as file:
        for text in _read_whole_elements(file):
            places = _PLACE.findall(text)
            letters.update({name for name, _ in places})
            rows = max(rows, max((int(row) for _, row in places), default=0))
    return rows, max((number_of(name.decode()) for name in letters), default=0)


def number_of(letters: str) -> int:
    """Return the number of a column, from 1.

    Examples
    --------
    >>> number_of("A"), number_of("xfd")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


def format_column_letters(number: int) -> str:
    """Return the letters of a column, by its number from 1.

    Examples
    --------
    >>> format_column_letters(1), format_column_letters(16384)
    ('A', 'XFD')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


class _XmlSheet:
    """Follows every element of a sheet of an .xlsx file."""

    def __init__(self) -> None:
        self.facts = SheetFacts()
        self._row = self._column = 0
        self._has_formula = self._has_value = self._is_text = self._is_value = False

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "row":
            self._row, self._column = _parse_row_number(attributes.get("r", self._row + 1)), 0
            self.facts.hidden += attributes.get("hidden") in ("1", "true")
        elif name == "c":
            self._column += 1
            if (reference := attributes.get("r")) is not None:
                self._row, self._column = _place_of(reference)
            self.facts.errors += attributes.get("t") == "e"
            self.facts.include_cell(self._row, self._column)
            self._has_formula, self._has_value, self._is_text = False, False, attributes.get("t") == "str"
        elif name == "f":
            self._has_formula = True
        elif name in ("v", "is"):
            self._is_value = True
            # A formula whose result is the empty text has an empty value, and says that it is a text.
            self._has_value |= self._is_text

    def end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name in ("v", "is"):
            self._is_value = False
        elif name == "c" and self._has_formula:
            self.facts.note_formula(f"{format_column_letters(self._column)}{self._row}", has_value=self._has_value)

    def text(self, text: str) -> None:
        self._has_value |= self._is_value and bool(text.strip())


def _parse_row_number(number: str | int) -> int:
    if not 1 <= int(number) <= _MOST_ROWS:
        raise ValueError("no row of a sheet")
    return int(number)


def _place_of(reference: str) -> tuple[int, int]:
    """Return the row and the column of a cell."""
    place = _REFERENCE.fullmatch(reference)
    if place is None:
        raise ValueError("no cell of a sheet")
    return _parse_row_number(place[2]), number_of(place[1])


def _scan_slowly(opened: Opener, sheet: Any) -> SheetFacts:
    facts: SheetFacts = sheet.facts
    parser = expat.ParserCreate()
    parser.StartElementHandler = sheet.begin
    parser.EndElementHandler = getattr(sheet, "end", None)
    parser.CharacterDataHandler = getattr(sheet, "text", None)
    with opened() as file:
        try:
            for chunk in read_chunks(file):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise ValueError("no XML") from error
    return facts


def scan_open_document(opened: Opener) -> dict[str, SheetFacts]:
    """Scan all sheets of an .ods file, by their names."""
    document = _OpenDocument()
    _scan_slowly(opened, document)
    return document.sheets


class _OpenDocument:
    """Follows every element of an .ods file. A cell, and a row, may say how often it is repeated."""

    def __init__(self) -> None:
        self.sheets: dict[str, SheetFacts] = {}
        self.facts = SheetFacts()
        self._row = self._column = self._repeated = 0

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "table":
            self.facts = self.sheets.setdefault(attributes.get("table:name", ""), SheetFacts())
            self._row = self._repeated = 0
        elif name == "table-row":
            self._row += self._repeated
            self._repeated, self._column = int(attributes.get("table:number-rows-repeated", 1)), 0
            if attributes.get("table:visibility", "visible") != "visible":
                self.facts.hidden += min(self._repeated, 1)
        elif name in ("table-cell", "covered-table-cell"):
            self._column += int(attributes.get("table:number-columns-repeated", 1))
            has_value = any(key.endswith("value-type") for key in attributes)
            if "table:formula" in attributes:
                rows, columns = self._repeated, int(attributes.get("table:number-columns-repeated", 1))
                place = f"{format_column_letters(self._column - columns + 1)}{self._row + 1}"
                self.facts.note_formula(place, has_value=has_value, times=rows * columns)
            if has_value:
                self.facts.errors += attributes.get("calcext:value-type") == "error"
                self.facts.include_cell(self._row + self._repeated, self._column)


def split_records(parts: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Cut a part of an .xlsb file into its records: the number of a kind, and what it holds."""
    rest = b""
    for part in parts:
        rest, place = rest + part, 0
        while (record := _record(rest, place)) is not None:
            kind, begin, place = record
            yield kind, rest[begin:place]
        rest = rest[place:]


def _record(data: bytes, place: int) -> tuple[int, int, int] | None:
    """Return the kind of the record at a place, and where it begins and ends; None if it is not all there."""
    numbers = []
    for most in (2, 4):
        number = shift = 0
        for _ in range(most):
            if place >= len(data):
                return None
            byte = data[place]
            number |= (byte & 127) << shift
            shift, place = shift + 7, place + 1
            if byte < 128:
                break
        numbers.append(number)
    kind, size = numbers
    return (kind, place, place + size) if place + size <= len(data) else None


def scan_binary(opened: Opener) -> SheetFacts:
    """Scan a sheet of an .xlsb file."""
    facts, row = SheetFacts(), 0
    with opened() as file:
        for kind, content in split_records(read_chunks(file)):
            if kind == _ROW:
                row = int.from_bytes(content[:4], "little") + 1
                # Behind height and outline level stands a bit for a row that is not shown.
                facts.hidden += len(content) > 11 and bool(content[11] & 0x10)
            elif kind in _CELLS:
                facts.include_cell(row, int.from_bytes(content[:4], "little") + 1)
                facts.errors += kind in _ERRORS
    return facts


# What a workbook holds, found before it is unpacked as a whole: workbooks of today are zip archives, and may be
# bombs.
#
# The library that reads workbooks holds a sheet as one block, from its first cell to its last. One stray cell at the
# far end of a sheet, or a small archive that unpacks to a huge one, would take all memory and end the program.

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


def scan_sheets(path: Path) -> Mapping[str, SheetFacts]:
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
                raise make_locked_error(path)
            names = set(archive.namelist())
            if "content.xml" in names:
                return _open_document(path, archive)
            book = next((name for name in ("xl/workbook.xml", "xl/workbook.bin") if name in names), None)
            return {} if book is None else _scan_excel_sheets(archive, names, book)
    except _FAILURES as error:
        raise make_damage_error(path) from error


def make_damage_error(path: Path) -> InputError:
    """Return the error that a workbook is damaged."""
    return InputError(f"{path} is a damaged workbook. Get a complete copy, or save it again in its program.")


def make_locked_error(path: Path) -> InputError:
    """Return the error that a workbook is encrypted."""
    remedy = "Open it in its program, remove the password, and save a copy; delete that when you are done."
    return InputError(f"{path} is locked by a password. {remedy}")


def _require_size(path: Path, archive: ZipFile) -> None:
    size = sum(info.file_size for info in archive.infolist())
    if size > MOST_BYTES:
        amount = f"{size / (1 << 30):,.0f} GB, and at most {MOST_BYTES >> 30} GB are unpacked"
        raise InputError(f"{path} would unpack to {amount}. If it is no trap, export its table as CSV.")


def _scan_excel_sheets(archive: ZipFile, names: set[str], book: str) -> Mapping[str, SheetFacts]:
    is_binary = book.endswith(".bin")
    targets = _read_relations(archive, f"xl/_rels/{book.removeprefix('xl/')}.rels")
    listed = _list_binary_sheets(archive.read(book)) if is_binary else _list_xml_sheets(archive.read(book))
    scan = scan_binary if is_binary else scan_xml
    is_stale = not is_binary and _needs_calculation(archive.read(book))
    facts = {}
    for name, relation in listed:
        part = normpath(join("xl", targets.get(relation, ""))).lstrip("/")
        if part in names:
            facts[name] = scan(partial(archive.open, part))
            facts[name].is_stale = is_stale
    for part in names & {"xl/sharedStrings.xml", "xl/sharedStrings.bin"}:
        with archive.open(part) as file:
            for _ in read_chunks(file):
                pass
    return facts


def _read_relations(archive: ZipFile, name: str) -> dict[str, str]:
    root = ElementTree.fromstring(archive.read(name)) if name in archive.namelist() else ElementTree.Element("none")
    return {entry.get("Id", ""): entry.get("Target", "") for entry in root}


def _list_xml_sheets(book: bytes) -> list[tuple[str, str]]:
    sheets = (node for node in ElementTree.fromstring(book).iter() if node.tag.rpartition("}")[2] == "sheet")
    return [(node.get("name", ""), node.get(_RELATION) or node.get(_STRICT) or "") for node in sheets]


def _needs_calculation(book: bytes) -> bool:
    """Return whether a workbook says that its formulas are to be calculated when it is opened."""
    nodes = ElementTree.fromstring(book).iter()
    return any(node.get("fullCalcOnLoad") in ("1", "true") for node in nodes if node.tag.rpartition("}")[2] == "calcPr")


def _list_binary_sheets(book: bytes) -> list[tuple[str, str]]:
    sheets = []
    for kind, content in split_records(iter([book])):
        if kind == _SHEET:
            relation, rest = _parse_wide_text(content[8:])
            sheets.append((_parse_wide_text(rest)[0], relation))
    return sheets


def _parse_wide_text(content: bytes) -> tuple[str, bytes]:
    end = 4 + 2 * int.from_bytes(content[:4], "little")
    return content[4:end].decode("utf-16-le", errors="replace"), content[end:]


def _open_document(path: Path, archive: ZipFile) -> Mapping[str, SheetFacts]:
    if "META-INF/manifest.xml" in archive.namelist() and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise make_locked_error(path)
    return scan_open_document(partial(archive.open, "content.xml"))
