"""What a compound file is, as Excel wrote workbooks until 2003 and writes locked ones today."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Final

from toolbox.errors import InputError
from toolbox.store.readers.archives import damaged, locked

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
            raise locked(path)
        if _has(data, "Workbook"):
            if path.suffix.lower() != ".xls":
                raise InputError(f"{path} is a workbook of Excel 97 to 2003. Give it a name that ends in .xls.")
            return
        if _has(data, "Book"):
            problem = f"{path} is a workbook of Excel 5 or 95, which is not read."
            raise InputError(f"{problem} Open it in Excel or LibreOffice, and save it as .xlsx.")
        if _has(data, "WordDocument"):
            raise InputError(f"{path} is a document of Word. Copy its table into a workbook, or save it as CSV.")
    raise damaged(path)


def _has(data: mmap.mmap, name: str) -> bool:
    """Return whether the directory lists a stream of this name."""
    wanted, place = (name + "\0").encode("utf-16-le"), -1
    while (place := data.find(wanted, place + 1)) >= 0:
        if place % _ENTRY == 0:
            return True
    return False
