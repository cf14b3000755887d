"""Files of other programs are recognised by their first bytes, whatever they are called, with what to do."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from helpers.workbooks import people

from toolbox.errors import InputError
from toolbox.store.input.formats.first_bytes import require_kind, require_known

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


def duckdb_file(folder: Path) -> bytes:
    duckdb.connect(path := folder / "a.duckdb").close()
    return path.read_bytes()


def parquet() -> bytes:
    PEOPLE.to_parquet(written := io.BytesIO())
    return written.getvalue()


def json_lines(**how: object) -> bytes:
    return PEOPLE.to_json(orient="records", **how).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda folder: archive("xl/workbook.xml"), "an Excel workbook. Give it a name that ends in .xlsx."),
        (lambda folder: archive("xl/workbook.bin"), "a binary Excel workbook. Give it a name that ends in .xlsb."),
        (lambda folder: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "an Excel workbook. Give it a name that"),
        (lambda folder: archive("mimetype", "content.xml"), "an OpenDocument file. Give it a name that ends in .ods."),
        (lambda folder: archive("people.csv"), "a zip archive, which is not read. Unpack it"),
        (lambda folder: archive("people.csv")[:40], "a damaged zip archive. Get a complete copy."),
        (lambda folder: b"$FL2@(#) SPSS DATA FILE" + bytes(9), "an SPSS data file. Give it a name that ends in .sav."),
        (lambda folder: b"$FL3@(#) SPSS DATA FILE" + bytes(9), "an SPSS data file. Give it a name that ends in .sav."),
        (lambda folder: b"\x1c" + bytes(7) + b"ENCRYPTEDSAV", "locked by a password of SPSS, which is not read. Save"),
        (lambda folder: stata(118), "a Stata data file. Give it a name that ends in .dta."),
        (lambda folder: stata(114), "a Stata data file. Give it a name that ends in .dta."),
        (sqlite, "an SQLite database. Give it a name that ends in .sqlite."),
        (duckdb_file, "a DuckDB database. Give it a name that ends in .duckdb."),
        (lambda folder: json_lines(lines=True), "JSON lines, not delimited text. Give it a name that ends in .jsonl."),
        (lambda folder: gzip.compress(json_lines(lines=True)), "JSON lines, not delimited text"),
        (lambda folder: json_lines(), "a JSON document, which is not read. Convert it to CSV, Parquet or JSON lines."),
        (lambda folder: json_lines(indent=2), "pandas.read_json(..)."),
        (lambda folder: parquet(), "Parquet. Give it a name that ends in .parquet."),
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


def test_text_that_opens_very_many_brackets_is_text(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("[" * 100_000)
    require_known(tmp_path / "people.csv")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.xlsx", b"a,b\n1,2\n", "the name of a workbook, and is text. Give it a name that ends in .csv, say."),
        ("p.xls", b"<html><table>", "the name of a workbook, and is a web page. Was it downloaded"),
        (
            "p.ods",
            archive("xl/workbook.xml"),
            "a workbook, and is an Excel workbook. Give it a name that ends in .xlsx.",
        ),
        ("p.sav", b"SR\0\4" + bytes(99), "a file of a statistics package, and is something else. Get a complete copy"),
        ("p.sav", archive("xl/workbook.xml"), "a file of a statistics package, and is an Excel workbook."),
        ("p.db", b"a,b\n1,2\n", "the name of a database, and is text."),
        ("p.jsonl", b'[\n{"a": 1}\n]', "the name of JSON lines, and is a JSON document."),
    ],
)
def test_a_file_that_is_not_what_it_is_called_is_told(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        require_kind(tmp_path / name)
    assert said in str(caught.value)


def test_a_file_that_is_what_it_is_called_is_taken(tmp_path: Path) -> None:
    require_kind(people(tmp_path / "p.xlsx", [["a"], [1]]))
    for name, content in (("p.dta", stata(118)), ("p.jsonl.gz", gzip.compress(b'{"a": 1}')), ("p.por", b"any")):
        (tmp_path / name).write_bytes(content)
        require_kind(tmp_path / name)
