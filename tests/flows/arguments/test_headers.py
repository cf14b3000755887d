"""The names of the columns of a table, for whoever does not know them; never values."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from toolbox.flows.arguments.tables import read_header


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_header_is_cut_at_the_usual_separators(separator: str, tmp_path: Path) -> None:
    text = f"first name{separator}born{separator}zip\nAda{separator}1980{separator}8010\n"
    assert read_header([table(tmp_path, text)]) == ("first name", "born", "zip")


def test_a_separator_and_an_encoding_may_be_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("größe~b\n1~2\n".encode("latin-1"))
    assert read_header([tmp_path / "t.csv"], separator="~", encoding="latin-1") == ("größe", "b")


def test_the_header_of_parquet(tmp_path: Path) -> None:
    pd.DataFrame({"a b": [1], "c": ["x"]}).to_parquet(tmp_path / "t.parquet")
    assert read_header([tmp_path / "t.parquet"]) == ("a b", "c")


@pytest.mark.parametrize(
    "first", ["Ada,1980-01-02,8010", "Ada,ada@example.org", "a,a", "a,,b", "a,+43 316 12", "3.5,x"]
)
def test_what_may_be_a_record_is_not_shown(first: str, tmp_path: Path) -> None:
    assert read_header([table(tmp_path, f"{first}\n{first}\n")]) == ()


def test_what_cannot_be_read_has_none(tmp_path: Path) -> None:
    assert read_header([]) == ()
    assert read_header([tmp_path / "nothing.csv"]) == ()
    assert read_header([tmp_path]) == ()
    assert read_header([table(tmp_path, "")]) == ()
    assert read_header([table(tmp_path, "PAR1 and no more", "t.parquet")]) == ()
    assert read_header([table(tmp_path, "a,b\n1,2\n")], encoding="no such") == ()
