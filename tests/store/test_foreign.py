"""Files of other programs are recognised by their first bytes, whatever they are called, with what to do."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from toolbox.errors import InputError
from toolbox.store.foreign import require_known

PEOPLE = pd.DataFrame({"age": [21, 35], "town": ["Graz", "Linz"]})


def archive(*names: str) -> bytes:
    with zipfile.ZipFile(written := io.BytesIO(), "w") as file:
        for name in names:
            file.writestr(name, "<x/>")
    return written.getvalue()


def stata(version: int) -> bytes:
    PEOPLE.to_stata(written := io.BytesIO(), version=version)
    return written.getvalue()


def sqlite(folder: Path) -> bytes:
    with sqlite3.connect(path := folder / "a.db") as opened:
        opened.execute("create table people (age int)")
    return path.read_bytes()


def parquet() -> bytes:
    PEOPLE.to_parquet(written := io.BytesIO())
    return written.getvalue()


def json_lines(**how: object) -> bytes:
    return PEOPLE.to_json(orient="records", **how).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda folder: archive("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook, which is not read. In"),
        (lambda folder: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "pandas.read_excel(..)."),
        (lambda folder: archive("mimetype", "content.xml"), "an OpenDocument file"),
        (lambda folder: archive("people.csv"), "a zip archive, which is not read. Unpack it"),
        (
            lambda folder: b"$FL2@(#) SPSS DATA FILE" + bytes(9),
            "an SPSS data file, which is not read. In SPSS, save it as CSV.",
        ),
        (lambda folder: b"$FL3@(#) SPSS DATA FILE" + bytes(9), "a compressed SPSS data file"),
        (lambda folder: stata(118), "a Stata data file"),
        (lambda folder: stata(114), "a Stata data file"),
        (sqlite, "an SQLite database, which is not read. Write a table as CSV: sqlite3"),
        (lambda folder: json_lines(lines=True), "JSON, not delimited text"),
        (lambda folder: gzip.compress(json_lines(lines=True)), "JSON, not delimited text"),
        (lambda folder: json_lines(indent=2), "pandas.read_json(..)."),
        (lambda folder: parquet(), "Parquet, which is not read. Give it a name that ends in .parquet."),
        (lambda folder: b"<!DOCTYPE html><html>", "a web page"),
    ],
)
def test_what_it_is_and_what_to_do_is_said(content: Callable[[Path], bytes], said: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(content(tmp_path))
    with pytest.raises(InputError) as caught:
        require_known(path)
    assert str(caught.value).startswith(f"{path} is ")
    assert said in str(caught.value)
    assert "Graz" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "age;town\n21;Graz\n",
        "{Graz,Linz},flu\n",
        "[21:35],flu\n",
        "[21],flu\n",
        '"{""a"": 1}",flu\n',
        "{},flu\n",
        "PK,f\n1,2\n",
        "ORCA,f\n1,2\n",
        "r\x01\n",
        "<b>,f\n",
    ],
)
def test_text_is_text_whatever_it_begins_with(text: str, tmp_path: Path) -> None:
    path = tmp_path / "people.xlsx"
    path.write_text(text)
    require_known(path)
