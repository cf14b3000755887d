"""Which notation a file has, and its rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import ConfigurationError
from toolbox.hierarchy.notations import Notation, guess_notation, read_notation

ROWS = [("Graz", "Styria", "*"), ("Leoben", "Styria", "*"), ("Wien", "Vienna", "*")]


def write(folder: Path, text: str) -> Path:
    path = folder / "tree"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("Graz;Styria;*\n", "arx"),
        ("Graz;Styria\nWien;Vienna\n", "arx"),
        ("Graz;Styria\nStyria;Austria\n", "child-parent"),
        ("Graz,Leoben => Styria\n", "rules"),
        ("\ufeff \n<vgh value='[0:1]'/>", "utd"),
        ("", "arx"),
    ],
)
def test_the_content_tells_the_notation(tmp_path: Path, text: str, notation: str) -> None:
    assert guess_notation(write(tmp_path, text)) == notation


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text",
    [
        "Graz;Styria;*\nLeoben;Styria;*\nWien;Vienna;*",
        "Graz\tStyria\t*\nLeoben\tStyria\t*\nWien\tVienna\t*\n",
        '"Graz","Styria","*"\nLeoben,Styria,*\nWien,Vienna,*\n',
        "value;level 1;level 2\nGraz;Styria;*\nLeoben;Styria;*\nWien;Vienna;*\n",
    ],
)
def test_tables_with_any_separator_quotes_and_header_are_the_same_rows(tmp_path: Path, text: str, end: str) -> None:
    read = read_notation([write(tmp_path, text.replace("\n", end))], "arx")
    assert [row.fields for row in read.rows] == ROWS
    assert bool(read.note) is text.startswith("value")


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("child-parent", "Graz;Styria\nLeoben;Styria\nStyria;*\nWien;Vienna\nVienna;*"),
        ("rules", "Graz,Leoben => Styria\nWien => Vienna\n\nStyria,Vienna => *"),
    ],
)
def test_other_notations_are_the_same_rows(tmp_path: Path, notation: Notation, text: str) -> None:
    assert [row.fields for row in read_notation([write(tmp_path, text)], notation).rows] == ROWS


def test_a_root_that_is_put_above_several_texts_is_told(tmp_path: Path) -> None:
    read = read_notation([write(tmp_path, "Graz;Austria\nBonn;Germany\n")], "child-parent")
    assert read.note == "Several texts have no parent: a root * is put above them."
    assert read_notation([write(tmp_path, "Graz;*\nBonn;*\n")], "child-parent").note == ""


def test_a_header_can_be_told(tmp_path: Path) -> None:
    path = write(tmp_path, "Linz;X;Y\nGraz;Styria;Z\n")
    assert [row.fields[0] for row in read_notation([path], "arx", header=True).rows] == ["Graz"]
    assert read_notation([path], "arx", header=True).note == ""
    assert [row.fields[0] for row in read_notation([path], "arx", header=False).rows] == ["Linz", "Graz"]
    with pytest.raises(ConfigurationError, match="The file has a header, and no row"):
        read_notation([write(tmp_path, "a;b\n")], "arx", header=True)


def test_a_row_that_may_be_a_header_is_refused_with_the_option_that_tells(tmp_path: Path) -> None:
    path = write(tmp_path, "town;province\nGraz;Styria\nLeoben;Styria\nBruck;Styria\n")
    with pytest.raises(ConfigurationError, match="Write --header yes or --header no"):
        read_notation([path], "arx")
