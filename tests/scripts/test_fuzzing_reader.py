"""The fuzzer's own reader cuts text as RFC 4180 says, and as the fuzzer's writer meant it."""

import gzip

import pytest
from fuzzing.cases import draw_case
from fuzzing.dialects import Line
from fuzzing.reader import UnreadableError, read, text_of


def record(*cells):
    return Line("record", cells)


REJECTED, BLANK = Line("rejected"), Line("blank")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("1,2\n3,4\n", [record("1", "2"), record("3", "4")]),
        ("1,2\r\n3,4\r5,6", [record("1", "2"), record("3", "4"), record("5", "6")]),
        ("1,2\n\n3,4\n", [record("1", "2"), BLANK, record("3", "4")]),
        ("1,2\n3\n4,5,6\n7,8,\n", [record("1", "2"), REJECTED, REJECTED, record("7", "8")]),
        ('1,"a\nb"\n', [record("1", "a\nb")]),
        ('1,"a ""b"" c"\n', [record("1", 'a "b" c')]),
        ('1,""\n1,\n', [record("1", ""), record("1", None)]),
        ('1,a"b\n', [record("1", 'a"b')]),
        ('1, "a" \n1, a \n', [record("1", "a"), record("1", " a ")]),
        ('1,  "a"\n', [record("1", '  "a"')]),
        ('1,"a"b\n2,3\n', [REJECTED, record("2", "3")]),
        ('1,2\n1,"a\n2,3\n', [record("1", "2"), REJECTED]),
    ],
)
def test_lines(text, lines):
    assert read(text, ",", header=False).lines == lines


def test_of_a_single_column_a_line_without_text_is_a_record():
    assert read("a\n1\n\n2\n", ",", header=True).lines == [record("1"), record(None), record("2")]


def test_a_separator_of_several_characters():
    assert read('1||"a||b"||c|d\n', "||", header=False).lines == [record("1", "a||b", "c|d")]


def test_packed_and_encoded_text():
    packed = gzip.compress("é".encode("utf-16")) + gzip.compress("é".encode("utf-16-le"))
    assert text_of(packed, "utf-16") == "éé"
    assert text_of(b"\xef\xbb\xbfa") == "a"
    for broken in (b"\xff", packed[:-3], b"\x28\xb5\x2f\xfdx"):
        with pytest.raises(UnreadableError):
            text_of(broken)


def test_what_the_writer_wrote_the_reader_reads():
    compared = 0
    for case in map(draw_case, range(400)):
        told = case.told
        if told is None or told.dialect is None or told.lines is None:
            continue
        lines = []
        for name in told.inputs:
            text = text_of(case.files[name], told.dialect.encoding)
            lines += read(text, told.dialect.separator, header=told.dialect.header, width=len(told.columns)).lines
        assert lines == list(told.lines), f"seed {case.seed}"
        compared += 1
    assert compared > 150
