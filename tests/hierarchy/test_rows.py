"""The rows of a hierarchy file: what separates their fields, and what is wrong with them."""

import os
from pathlib import Path

import pytest

from toolbox.errors import ConfigurationError
from toolbox.hierarchy.rows import Row, read_rows, require_table


@pytest.fixture
def read(tmp_path):
    def write_and_read(content):
        path = tmp_path / "h.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return [(row.line, *row.fields) for row in read_rows(path)]

    return write_and_read


def faults(read, content):
    with pytest.raises(ConfigurationError) as caught:
        read(content)
    return [(fault.line, fault.found) for fault in caught.value.faults]


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_each_separator_is_found(read, separator):
    content = "30;old;*\n20;young;*\n".replace(";", separator)
    assert read(content) == [(1, "30", "old", "*"), (2, "20", "young", "*")]


@pytest.mark.parametrize(
    ("content", "first"),
    [
        ("a,b;x;*\nc;y;*\n", (1, "a,b", "x", "*")),
        ("a;b,x,*\nc,y,*\n", (1, "a;b", "x", "*")),
        ("Graz,A;x\nWien,A;y\n", (1, "Graz,A", "x")),  # nothing tells them apart, so the one of ARX
        ("1;a,*\n2;b,*\n", (1, "1;a", "*")),
        ("a b\nc d\n", (1, "a b")),
        ("\ta,x,*\n\tb,y,*\n", (1, "\ta", "x", "*")),  # a tab that begins a value cuts nothing
    ],
)
def test_a_separator_cuts_all_rows_alike_and_leaves_one_label_at_the_top(read, content, first):
    assert read(content)[0] == first


def test_lines_are_counted_as_in_the_file_behind_quoted_line_ends_and_empty_lines(read):
    assert read('"a\nb";*\n\n\nc;*\n') == [(1, "a\nb", "*"), (5, "c", "*")]


def test_blanks_and_quotes_within_fields_are_kept(read):
    assert read('" a ";"say ""b"""\nc ;d\n') == [(1, " a ", 'say "b"'), (2, "c ", "d")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "a;x;*\nb;*\n;y;\n",
            [
                (2, "The row has 2 columns, that of line 1 has 3."),
                (3, "Column 1 is empty."),
                (3, "Column 3 is empty."),
            ],
        ),
        ("a;*\nb\n", [(2, "The row has 1 column, that of line 1 has 2.")]),
        ("a\0;*\nb\n", [(1, "Column 1 holds the control character U+0000.")]),
        ("a;*\n\xff;*\n".encode("latin-1"), [(2, "The file is not UTF-8.")]),
        ("", [(0, "The hierarchy is empty.")]),
        (";".join("x" * 65), [(1, "The row has 65 columns.")]),
        ('Ohio;"Mid"west;*\nIowa;East;*\n', [(0, "The file is not a table of values (';' expected after '\"').")]),
        ('"a"b;*\n', [(0, "The file is not a table of values (';' expected after '\"').")]),
    ],
)
def test_what_is_no_table_is_reported_by_line(read, content, expected):
    assert faults(read, content) == expected


def test_64_columns_are_not_too_many(read):
    assert len(read(";".join("x" * 64))[0]) == 1 + 64


def test_what_cannot_be_read_is_a_fault_of_the_configuration(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, found in [
        (tmp_path / "absent.csv", "There is no such file."),
        (tmp_path, "The file cannot be read ("),
        (tmp_path / "pipe", "The file is a device or a pipe."),
        (Path(os.devnull), "The file is a device or a pipe."),
    ]:
        with pytest.raises(ConfigurationError) as caught:
            read_rows(path)
        (fault,) = caught.value.faults
        assert fault.found.startswith(found)
        assert fault.line == 0


def test_rows_in_memory_are_held_to_the_same():
    rows = [Row(1, ("a", "*")), Row(2, ("b", "*"))]
    assert require_table(rows, "the dict") == rows
    with pytest.raises(ConfigurationError, match=r"the dict: line 2: Column 2 is empty"):
        require_table([*rows[:1], Row(2, ("b", ""))], "the dict")
