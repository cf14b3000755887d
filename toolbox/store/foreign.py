"""Files of other programs that no reader here understands, recognised by their first bytes."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import BadZipFile, ZipFile

from toolbox.errors import InputError
from toolbox.store.compressed import open_binary

_SAMPLE: Final = 1 << 16
_SHORT: Final = 4


class Foreign(NamedTuple):
    """A kind of file."""

    name: str
    remedy: str


_EXCEL = Foreign("an Excel workbook", "In Excel, save the sheet as CSV UTF-8. {pandas}read_excel")
_BY_FIRST_BYTES: Final = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _EXCEL,
    b"$FL2": Foreign("an SPSS data file", "In SPSS, save it as CSV. {pandas}read_spss"),
    b"$FL3": Foreign("a compressed SPSS data file", "In SPSS, save it as CSV. {pandas}read_spss"),
    b"<stata_dta>": Foreign("a Stata data file", "In Stata, export it: export delimited. {pandas}read_stata"),
    b"\0" * 12 + b"\xc2\xea\x81\x60": Foreign("a SAS data file", "In SAS, export it as CSV. {pandas}read_sas"),
    b"SQLite format 3\0": Foreign(
        "an SQLite database", "Write a table as CSV: sqlite3 -header -csv FILE 'SELECT * FROM people' > people.csv."
    ),
    b"PAR1": Foreign("Parquet", "Give it a name that ends in .parquet."),
    b"ARROW1\0\0": Foreign("an Arrow file", "Save it as Parquet. {pandas}read_feather"),
    b"Obj\x01": Foreign("an Avro file", "Save it as Parquet or CSV."),
    b"ORC": Foreign("an ORC file", "Save it as Parquet. {pandas}read_orc"),
    b"\x89HDF\r\n\x1a\n": Foreign("an HDF5 file", "Save it as Parquet. {pandas}read_hdf"),
    b"%PDF-": Foreign("a PDF", "Get the table itself, as CSV or Parquet."),
    b"BZh": Foreign("compressed with bzip2", "Unpack it, or compress it with gzip or zstd."),
    b"\xfd7zXZ\0": Foreign("compressed with xz", "Unpack it, or compress it with gzip or zstd."),
    b"7z\xbc\xaf\x27\x1c": Foreign("a 7z archive", "Unpack it."),
}
_JSON = Foreign("JSON, not delimited text", "Convert it to CSV or Parquet. {pandas}read_json")
_OLD_STATA: Final = range(0x66, 0x74)
"""Versions 102 to 115, which name themselves by their first byte."""
_PANDAS = "Or read it in Python, and give toolbox.anonymize the DataFrame: pandas."


def require_known(path: Path) -> None:
    """Stop where a file is no delimited text; the error names its kind and what to do.

    Raises
    ------
    InputError
    """
    with path.open("rb") as file:
        kind = _of_bytes(file.read(_SAMPLE), path)
    if kind is None:
        with open_binary(path) as file:
            kind = _of_bytes(file.read(_SAMPLE), path)
    if kind is not None:
        remedy = kind.remedy.replace("{pandas}", _PANDAS)
        remedy += "" if remedy.endswith(".") else "(..)."
        raise InputError(f"{path} is {kind.name}, which is not read. {remedy}")


def _of_bytes(start: bytes, path: Path) -> Foreign | None:
    # A header may begin with some of these letters, but has no control characters.
    is_binary = any(byte < ord("\t") for byte in start)
    for magic, foreign in _BY_FIRST_BYTES.items():
        if start.startswith(magic) and (is_binary or len(magic) > _SHORT):
            return foreign
    if start[:4] == b"PK\x03\x04":
        return _archive(path)
    if len(start) > 3 and start[0] in _OLD_STATA and start[1] in (1, 2) and start[2:4] == b"\x01\0":
        return _BY_FIRST_BYTES[b"<stata_dta>"]
    if start[:5].lower() == b"<html" or start[:14].lower() == b"<!doctype html":
        return Foreign("a web page", "Was it downloaded in the place of a table? Get the file itself.")
    return _JSON if _is_json(start) else None


def _archive(path: Path) -> Foreign:
    """Return the kind of an archive: new workbooks are archives."""
    with suppress(BadZipFile, OSError), ZipFile(path) as archive:
        names = archive.namelist()
        if "xl/workbook.xml" in names or "xl/workbook.bin" in names:
            return _EXCEL
        if "content.xml" in names and "mimetype" in names:
            return Foreign("an OpenDocument file", "Save the sheet as CSV. {pandas}read_excel")
    return Foreign("a zip archive", "Unpack it, or compress the text with gzip or zstd.")


def _is_json(start: bytes) -> bool:
    """Return whether a file holds JSON objects, in lines or in a list; text may begin with ``{`` or ``[`` as well."""
    text = start.decode("utf-8-sig", errors="ignore").lstrip().removeprefix("[").lstrip()
    with suppress(ValueError):
        first, _ = json.JSONDecoder().raw_decode(text)
        return isinstance(first, dict) and bool(first)
    return False
