"""A sheet of a workbook as a table: .xlsx, .xlsm, .xlsb, .xls and .ods, formulas with their saved values."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

from toolbox.errors import InputError, did_you_mean, quote
from toolbox.messages import choose_setting_name, format_count
from toolbox.store.input.formats.sheets import (
    SheetFacts,
    format_column_letters,
    make_damage_error,
    make_locked_error,
    scan_sheets,
)
from toolbox.store.input.formats.table import BATCH, FileTable, format_value, import_library

# What a compound file is, as Excel wrote workbooks until 2003 and writes locked ones today.

MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENTRY: Final = 128
"""Every entry of the directory begins at a multiple of this, with its name in UTF-16."""


def is_compound(path: Path) -> bool:
    """Return whether a file is a compound one, by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def require_workbook(path: Path) -> None:
    """Stop where a compound file is no workbook of Excel 97 or later, or is locked.

    Raises
    ------
    InputError
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if _has(data, "EncryptedPackage"):
            raise make_locked_error(path)
        if _has(data, "Workbook"):
            if path.suffix.lower() != ".xls":
                raise InputError(f"{path} is a workbook of Excel 97 to 2003. Give it a name that ends in .xls.")
            return
        if _has(data, "Book"):
            problem = f"{path} is a workbook of Excel 5 or 95, which is not read."
            raise InputError(f"{problem} Open it in Excel or LibreOffice, and save it as .xlsx.")
        if _has(data, "WordDocument"):
            raise InputError(f"{path} is a document of Word. Copy its table into a workbook, or save it as CSV.")
    raise make_damage_error(path)


def _has(data: mmap.mmap, name: str) -> bool:
    """Return whether the directory lists a stream of this name."""
    wanted, place = (name + "\0").encode("utf-16-le"), -1
    while (place := data.find(wanted, place + 1)) >= 0:
        if place % _ENTRY == 0:
            return True
    return False


# A sheet of a workbook as a table: .xlsx, .xlsm, .xlsb, .xls and .ods, formulas with the values that they had last.
#
# The first row with a cell names the columns. Numbers that are whole are whole numbers, and dates are dates. A cell
# whose formula failed has no value; a row without any value is no record. Rows that are hidden are data as well.

MOST_CELLS: Final = 100_000_000
"""Most cells of the block that the library holds, which takes 32 bytes for each and room for the texts."""
_SHOWN: Final = 20
"""Sheets that a message names."""
_ERRORS: Final = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"})
"""How an .ods file shows a formula that failed."""


class Sheet(FileTable):
    """One sheet of a workbook.

    Parameters
    ----------
    path : Path
    wanted : str, optional
        Its name; None: the only sheet with data.

    Raises
    ------
    InputError
        If the file is no workbook, is locked or damaged, or has no such sheet, or none or several with data.
    """

    def __init__(self, path: Path, wanted: str | None) -> None:
        super().__init__()
        if is_compound(path):
            require_workbook(path)
            facts: Mapping[str, SheetFacts] = {}
        else:
            facts = scan_sheets(path)
        if path.suffix.lower() == ".ods":
            # All sheets of such a file are unfolded as it is opened.
            for name, reach in facts.items():
                _require_room(path, name, reach)
        calamine = import_library("python_calamine", path)
        with _translate_errors(path, calamine), calamine.CalamineWorkbook.from_path(path) as book:
            self._sheet = _choose_sheet(path, book, wanted, facts)
        self._where = f"{path}, sheet {quote(self._sheet.name)}"
        self._facts = facts.get(self._sheet.name, SheetFacts())
        _require_calculated(self._where, self._facts)
        self._fails = _ERRORS if path.suffix.lower() == ".ods" and self._facts.errors else frozenset()
        # They begin with the first row of the sheet, and with the first column that has a cell.
        self._rows = enumerate(self._sheet.iter_rows(), start=1)
        self._first = self._read_names()
        self._tell()

    def _read_names(self) -> int:
        """Read the names of the columns, and return the row in which they stand."""
        number, row = next(((number, row) for number, row in self._rows if _has_value(row)), (0, None))
        if row is None:
            raise InputError(f"{self._where}: no cell has a value. A table needs at least one record.")
        if not any(isinstance(cell, str) and cell.strip() for cell in row):
            problem = f"{self._where}: row {number}, the first with a cell, holds numbers or dates, and no names"
            raise InputError(f"{problem}. A table begins with the names of its columns: insert a row with them.")
        names = [format_value(cell) for cell in row]
        self._kept = [place for place, name in enumerate(names) if name.strip()]
        self.names = [names[place] for place in self._kept]
        return number

    def _tell(self) -> None:
        """Note facts about the sheet that a reader may not expect."""
        areas = len(self._sheet.merged_cell_ranges or ())
        facts = self._facts
        errors = format_count(facts.errors, "cell holds", "cells hold")
        formulas = format_count(facts.formulas, "formula has", "formulas have")
        said = {
            f"the names of the columns stand in row {self._first}, the first with a cell.": self._first > 1,
            f"{errors} an error such as #N/A, and no value.": facts.errors,
            f"{format_count(facts.hidden, 'hidden row is', 'hidden rows are')} read as well.": facts.hidden,
            f"{formulas} the value that was saved, and the workbook "
            "says that they must be calculated again. Open it in a spreadsheet program and save it, unless the values "
            "are right.": facts.is_stale and facts.formulas,
            f"{format_count(areas, 'area is', 'areas are')} merged: only the first cell of each has its value.": areas,
        }
        self.notes += [f"{self._where}: {note}" for note, is_so in said.items() if is_so]

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield the rows that have a value.

        Raises
        ------
        InputError
            If a value stands in a column without a name.
        """
        records, before = 0, self._first
        nameless = [place for place in range(self._sheet.width) if place not in set(self._kept)]
        while rows := list(islice(self._rows, BATCH)):
            kept = [(number, row) for number, row in rows if _has_value(row)]
            self.blank += len(rows) - len(kept)
            for number, _ in kept:
                records += 1
                if number - records != before:
                    before = number - records
                    self.skip(records, before)
            if kept:
                columns = list(zip(*(row for _, row in kept), strict=True))
                self._require_names(kept, columns, nameless)
                yield len(kept), [self._values(columns[place]) for place in self._kept]
        if records + self.blank + self._first != self._sheet.end[0] + 1:
            raise InputError(f"{self._where}: not all of its rows could be read. Save it again in its program.")

    def place_of(self, record: int) -> int:
        return record + self._first if not self._skipped or record < self._skipped[0][0] else super().place_of(record)

    def _values(self, column: Sequence[Any]) -> list[Any]:
        if self._fails:
            return [None if value == "" or value in self._fails else value for value in column]
        return [None if value == "" else value for value in column]

    def _require_names(
        self, rows: Sequence[tuple[int, Any]], columns: Sequence[Sequence[Any]], nameless: Sequence[int]
    ) -> None:
        for place in nameless:
            if _has_value(columns[place]):
                row = next(number for number, cells in rows if cells[place] != "")
                letters = format_column_letters(self._sheet.start[1] + place + 1)
                problem = f"{self._where}: column {letters} has a value in row {row}, and no name in row {self._first}"
                remedy = "Give the column a name. Rows above the names of the columns, such as a title, must go."
                raise InputError(f"{problem}. {remedy}")


def _has_value(cells: Sequence[Any]) -> bool:
    return any(cell != "" for cell in cells)


@contextmanager
def _translate_errors(path: Path, calamine: Any) -> Iterator[None]:
    try:
        yield
    except calamine.PasswordError as error:
        raise make_locked_error(path) from error
    except calamine.CalamineError as error:
        raise make_damage_error(path) from error
    except BaseException as error:
        # So the library says that it has met what its authors thought could not be.
        if type(error).__name__ == "PanicException":
            raise make_damage_error(path) from error
        raise


def _choose_sheet(path: Path, book: Any, wanted: str | None, facts: Mapping[str, SheetFacts]) -> Any:
    """Load the sheet that is wanted, or the only one with data."""
    sheets = [entry for entry in book.sheets_metadata if str(entry.typ).endswith("WorkSheet")]
    names = [entry.name for entry in sheets]
    if wanted is not None:
        if wanted not in names:
            near = did_you_mean(wanted, names)
            known = _format_sheet_names([quote(name) for name in names])
            raise InputError(f"{path} has no sheet {quote(wanted)}.{near} It has: {known}.")
        sheet = _load_sheet(path, book, wanted, facts)
        if not sheet.height and not _has_formulas(wanted, facts):
            raise InputError(f"{path}, sheet {quote(wanted)}: the sheet is empty. A table needs at least one record.")
        return sheet
    found, empty = None, set[str]()
    for name in names:
        sheet = _load_sheet(path, book, name, facts)
        if not sheet.height and not _has_formulas(name, facts):
            empty.add(name)
        elif found is None:
            found = sheet
        else:
            raise _make_choice_error(path, [entry for entry in sheets if entry.name not in empty])
    if found is None:
        raise InputError(f"{path} has no sheet with a cell in it. A table needs at least one record.")
    return found


def _has_formulas(name: str, facts: Mapping[str, SheetFacts]) -> bool:
    """Return whether a sheet that seems to be empty holds formulas which nobody has calculated."""
    return facts.get(name, SheetFacts()).uncalculated > 0


def _require_calculated(where: str, facts: SheetFacts) -> None:
    if facts.uncalculated:
        more = ", .." if facts.uncalculated > len(facts.first_uncalculated) else ""
        places = ", ".join(facts.first_uncalculated) + more
        problem = f"{format_count(facts.uncalculated, 'formula has', 'formulas have')} no saved value: {places}"
        remedy = "Open the workbook in a spreadsheet program and save it, or write the values instead of the formulas."
        raise InputError(f"{where}: {problem}. {remedy}")


def _load_sheet(path: Path, book: Any, name: str, facts: Mapping[str, SheetFacts]) -> Any:
    _require_room(path, name, facts.get(name, SheetFacts()))
    return book.get_sheet_by_name(name)


def _require_room(path: Path, name: str, reach: SheetFacts) -> None:
    if reach.cells > MOST_CELLS:
        last = f"column {format_column_letters(reach.columns)}, row {reach.rows:,}"
        problem = f"{path}, sheet {quote(name)}: its cells reach to {last}"
        remedy = "Delete the rows and columns after the table, which hold a stray cell, or export it as CSV."
        raise InputError(f"{problem}, which is more than {MOST_CELLS:,} cells. {remedy}")


def _format_sheet_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", .." if len(names) > _SHOWN else "")


def _make_choice_error(path: Path, sheets: Sequence[Any]) -> InputError:
    names = [quote(entry.name) + ("" if str(entry.visible).endswith(".Visible") else " (hidden)") for entry in sheets]
    first = sheets[0].name
    choice = choose_setting_name(f"table={first!r}, or --input-table {quote(first)}", python=f"table={first!r}")
    problem = f"{path} has several sheets: {_format_sheet_names(names)}. Say which is meant: {choice}."
    return InputError(problem, [str(entry.name) for entry in sheets])
