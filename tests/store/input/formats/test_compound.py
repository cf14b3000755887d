"""Compound files: workbooks of Excel 97, locked ones of today, and what is no workbook."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.file_tables import FileReader
from helpers.workbooks import compound, xls

from toolbox.store.input.formats.workbook import MAGIC, is_compound


def test_a_compound_file_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = xls(tmp_path / "p.xls", [["a"], [1]])
    assert is_compound(path)
    assert path.read_bytes().startswith(MAGIC)
    (tmp_path / "p.csv").write_text("a\n1\n")
    assert not is_compound(tmp_path / "p.csv")


@pytest.mark.parametrize(
    ("name", "streams", "said"),
    [
        ("p.xlsx", ["EncryptionInfo", "EncryptedPackage"], "p.xlsx is locked by a password. Open it in its program"),
        ("p.xls", ["Book"], "p.xls is a workbook of Excel 5 or 95, which is not read. Open it in Excel"),
        ("p.xls", ["WordDocument"], "p.xls is a document of Word."),
        ("p.xls", ["Contents"], "p.xls is a damaged workbook."),
        ("p.xlsx", ["Workbook"], "p.xlsx is a workbook of Excel 97 to 2003. Give it a name that ends in .xls."),
        ("p.xls", ["Workbook"], "p.xls is a damaged workbook."),
    ],
)
def test_what_is_no_open_workbook_is_told(
    name: str, streams: list[str], said: str, read: FileReader, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(compound(dict.fromkeys(streams, b"nothing of use")))
    assert read.refusal(path).startswith(said)
