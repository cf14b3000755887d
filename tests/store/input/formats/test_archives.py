"""Workbooks that are archives: what is found in them before they are unpacked as a whole."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from helpers.workbooks import Raw, ods, ods_cell, ods_row, people, sheet, xlsb, xlsx

from toolbox.errors import InputError
from toolbox.store.input.formats.sheets import scan_sheets


def test_all_sheets_are_looked_through_by_their_names(tmp_path: Path) -> None:
    error = Raw('<c {} t="e"><v>#N/A</v></c>')
    path = xlsx(tmp_path / "p.xlsx", {"Ä & B": sheet([["a"], [error], [error]]), "C": sheet([["a"]], hidden=[1])})
    found = scan_sheets(path)
    assert {name: (facts.errors, facts.hidden) for name, facts in found.items()} == {"Ä & B": (2, 0), "C": (0, 1)}
    (facts,) = scan_sheets(xlsb(tmp_path / "p.xlsb", "Ü", [["a", "b"], [1, "#N/A"]])).items()
    assert (facts[0], facts[1].rows, facts[1].columns, facts[1].errors) == ("Ü", 2, 2, 1)


def test_a_workbook_that_was_cut_off_or_altered_is_damaged(tmp_path: Path) -> None:
    path = people(tmp_path / "p.xlsx", [["a"], *([number] for number in range(500))])
    whole = path.read_bytes()
    # In the middle of what is packed, so that only its checksum tells.
    with zipfile.ZipFile(path) as archive:
        place = archive.getinfo("xl/worksheets/sheet1.xml").header_offset + 80
    for content in (whole[:-30], whole[: len(whole) // 2], whole[:place] + b"\0\1\2\3" + whole[place + 4 :]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"p\.xlsx is a damaged workbook\. Get a complete copy"):
            scan_sheets(path)


def test_a_way_to_pack_that_is_not_known_is_damage(tmp_path: Path) -> None:
    path = people(tmp_path / "p.xlsx", [["a"], [1]])
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        places = [info.header_offset + 8 for info in archive.infolist()]
    places += [place + 10 for place in range(len(content)) if content[place : place + 4] == b"PK\1\2"]
    for place in places:
        content[place] = 77
    path.write_bytes(content)
    with pytest.raises(InputError, match="is a damaged workbook"):
        scan_sheets(path)


def test_locked_workbooks_are_told(tmp_path: Path) -> None:
    manifest = "<manifest:encryption-data/>"
    path = ods(tmp_path / "p.ods", {"S": ods_row(ods_cell("a"))}, manifest)
    with pytest.raises(InputError, match=r"p\.ods is locked by a password"):
        scan_sheets(path)
    path = people(tmp_path / "p.xlsx", [["a"], [1]])
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"p\.xlsx is locked by a password"):
        scan_sheets(path)
