"""The files of an input: what they tell of their values before a release is written."""

import gzip
from pathlib import Path

import pytest

from toolbox.config.model import Input
from toolbox.store.inputs import InputFiles


@pytest.mark.parametrize(
    ("content", "is_plain"),
    [
        (b"a,b\n1,2\n", True),
        ("é,?\n,\n".encode(), True),
        (b"a,b\n1,#2\n", False),
        (b'a,b\n1,"x,y"\n', False),
        (b'a,b\n1,2"\n', False),
        (b"a,b\r\n1,2\r\n", False),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), False),
    ],
)
def test_text_is_plain_where_no_value_can_need_quotes(tmp_path: Path, content: bytes, is_plain: bool) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    files = InputFiles(Input(path=tmp_path / "in.csv"))
    assert files.are_plain(",") is is_plain
    assert not files.are_plain(";")


@pytest.mark.parametrize("change", [{"encoding": "cp037"}, {"separator": "||"}])
def test_text_in_another_form_is_not_taken_for_plain(tmp_path: Path, change: dict[str, str]) -> None:
    (tmp_path / "in.csv").write_bytes(b"a\n")
    given = Input(path=tmp_path / "in.csv", **change)  # type: ignore[arg-type]
    assert not InputFiles(given).are_plain(given.separator)
