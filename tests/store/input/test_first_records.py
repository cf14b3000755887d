"""The encoding, the separator and the first records of a text of which nothing is known."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.store.input.text_file import guess_encoding, guess_separator, split_first_records


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "a.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("text", "encoding", "guess"),
    [
        ("a,b\n1,2\n", "ascii", "utf-8"),
        ("Größe\n1\n", "utf-8", "utf-8"),
        ("\ufeffGröße\n", "utf-8", "utf-8"),
        ("Größe\n1 €\n", "windows-1252", "windows-1252"),
        ("Größe\n\x81\n", "latin-1", "latin-1"),
        ("Größe\n", "utf-16", "utf-16"),
    ],
)
def test_the_encoding_is_one_that_reads_the_whole_text(tmp_path: Path, text: str, encoding: str, guess: str) -> None:
    path = written(tmp_path, text, encoding)
    assert guess_encoding(path) == guess
    path.read_bytes().decode(guess)


@pytest.mark.slow
def test_one_letter_at_the_end_of_a_long_packed_text_decides(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" * 600_000 + "ü\n".encode("latin-1")))
    assert guess_encoding(path) == "windows-1252"


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("1,5;2,5;3,5\n1,5;2,5;3,5\n", ";"),
        ("a\tb\n1, 2\t3; 4\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a\n1\n", ","),
        ('a,b\n"x;y",2\n"z;w",3\n', ","),
        ("a,b;c\n1,2\n3,4\n", ","),
        ('"a;b",c\n"x;y",d\n', ","),
    ],
)
def test_the_separator_cuts_all_records_into_as_many_values(tmp_path: Path, text: str, separator: str) -> None:
    assert guess_separator(Input(path=written(tmp_path, text))) == separator


def test_the_first_hundred_records_are_cut_and_blank_lines_are_none(tmp_path: Path) -> None:
    path = written(tmp_path, 'a,b\n\n"x\ny",2\n' + "1,2\n" * 500)
    records = split_first_records(Input(path=path))
    assert records[:2] == [["a", "b"], ["x\ny", "2"]]
    assert len(records) == 100


def test_where_the_quotes_are_wrong_what_comes_before_is_there(tmp_path: Path) -> None:
    assert split_first_records(Input(path=written(tmp_path, 'a,b\n1,2\n"x"y,3\n'))) == [["a", "b"], ["1", "2"]]


def test_what_cannot_be_read_beyond_the_first_record_is_told(tmp_path: Path) -> None:
    """A record that is wide enough is not decoded with the first one; and the file may have gone in between."""
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\n" + (b"x" * 5000 + b",y\n") * 4 + b"Gr\xe4z,z\n")
    with pytest.raises(InputError, match=r"people\.csv, line 6: the text is not utf-8"):
        split_first_records(Input(path=path))
    path.unlink()
    with pytest.raises(InputError, match=r"people\.csv cannot be read: No such file or directory\."):
        split_first_records(Input(path=path))
    with pytest.raises(InputError, match=r"people\.csv cannot be read: No such file or directory\."):
        guess_encoding(path)
