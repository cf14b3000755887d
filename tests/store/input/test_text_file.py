"""A text file as the engine's reader can take it."""

import gzip
from pathlib import Path

import pytest

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.store.input.text import _unify_line_ends
from toolbox.store.input.text_file import (
    SourceFile,
    TextFile,
    check_readable,
    find_lines,
    is_utf_8,
    make_readable_copy,
    read_first_record,
    require_encoding,
)

UNIT = "\x1f"


@pytest.fixture
def given(tmp_path):
    def write(content, **options):
        path = tmp_path / "in [1]*.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Input(path=path, **options)

    return write


def test_plain_text_is_linked_and_not_copied(given, tmp_path):
    source = given("a,b\n")
    assert make_readable_copy(source, tmp_path / "input_0") == TextFile(tmp_path / "input_0", ",")
    assert (tmp_path / "input_0").readlink() == source.path
    packed = given(gzip.compress(b"a,b\n", mtime=0))
    assert make_readable_copy(packed, tmp_path / "input_1").path.name == "input_1.gz"


def test_another_encoding_becomes_utf_8_and_line_ends_stay(given, tmp_path):
    text = make_readable_copy(given("Köln,\r\nGraz,\r".encode("latin-1"), encoding="latin-1"), tmp_path / "copy")
    assert text.path.read_bytes() == "Köln,\r\nGraz,\r".encode()
    text = make_readable_copy(given("Köln\n".encode("utf-16"), encoding="utf-16"), tmp_path / "copy")
    assert text.path.read_bytes() == "Köln\n".encode()


@pytest.mark.parametrize(
    ("line", "copied"),
    [
        ("a<---->b\n", "a_b\n"),
        ('"a<---->b"<---->"c ""<---->"" d"\n', '"a<---->b"_"c ""<---->"" d"\n'),
        ('"a\n<---->b"<---->c\n', '"a\n<---->b"_c\n'),
        ('a"<---->b\n', 'a"_b\n'),
        ("<----><---->\n", "__\n"),
    ],
    ids=["plain", "within quotes", "over two lines", "a quote within a value", "empty fields"],
)
def test_a_separator_that_is_too_long_is_replaced_but_not_within_quotes(given, tmp_path, line, copied):
    text = make_readable_copy(given(line, separator="<---->"), tmp_path / "copy")
    assert text.separator == UNIT
    assert text.path.read_text() == copied.replace("_", UNIT)


def test_a_text_that_holds_the_substitute_is_refused(given, tmp_path):
    with pytest.raises(InputError, match=r"holds the control character U\+001F"):
        make_readable_copy(given(f"a<---->b{UNIT}c\n", separator="<---->"), tmp_path / "copy")


def test_records_that_end_in_several_ways_end_in_one_and_values_keep_theirs(given, tmp_path):
    text = TextFile(given('a,b\r\n"x\r\ny",1\r2,3\n').path, ",")
    assert _unify_line_ends(text, tmp_path / "copy").path.read_bytes() == b'a,b\n"x\r\ny",1\n2,3\n'


@pytest.mark.parametrize(
    ("content", "options", "values", "blank"),
    [
        ("a,b\n1,2\n", {}, ["a", "b"], 0),
        ("\n\r\na,b\n", {}, ["a", "b"], 2),
        ('"a,\nb","c ""d"""\n', {}, ["a,\nb", 'c "d"'], 0),
        ("\ufeffa;b", {"separator": ";"}, ["a", "b"], 0),
        ("a<---->b<---->\n", {"separator": "<---->"}, ["a", "b", ""], 0),
        ("Köln\n".encode("utf-16"), {"encoding": "utf-16"}, ["Köln"], 0),
        ("\ufeffKöln\n".encode("utf-16-le"), {"encoding": "utf-16-le"}, ["Köln"], 0),
        (gzip.compress(b"a,b\n", mtime=0), {}, ["a", "b"], 0),
    ],
)
def test_the_first_record_is_cut_into_its_values(given, content, options, values, blank):
    record = read_first_record(given(content, **options))
    assert (record.values, record.blank_lines) == (values, blank)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n\n", "holds only empty lines. A table needs at least one record."),
        ('"a,b\n1,2\n', "line 1: the quotes of the first record are wrong ("),
        ('\n\n"a,b\n1,2\n', "line 3: the quotes of the first record are wrong ("),
        (b"K\xf6ln\n", "line 1: the text is not utf-8. Name its encoding, such as encoding='windows-1252' (--encoding"),
    ],
)
def test_what_has_no_first_record_says_why(given, content, message):
    with pytest.raises(InputError) as caught:
        read_first_record(given(content))
    assert message in str(caught.value)


@pytest.mark.parametrize("separator", [",", UNIT * 5])
@pytest.mark.parametrize("header", [True, False])
def test_the_lines_of_records_with_a_text_are_found(given, separator, header):
    lines = ["x,b", "1,x", '"2\n2",x', "", "x,y,z", "3,y", "4,x"]
    content = "\n".join(lines).replace(",", separator)
    source = SourceFile(given(content, header=header, separator=separator), TextFile(given(content).path, separator), 0)
    assert list(find_lines(source, 2, 1, {"x"})) == [2, 3, 8]
    assert list(find_lines(source, 2, 0, {"x", "3"})) == ([7] if header else [1, 7])


def test_lines_are_counted_by_how_records_end_where_that_is_known(given):
    source = SourceFile(given(""), TextFile(given("a\r\nb\r\nx\r\n").path, ","), 0, "\r\n")
    assert list(find_lines(source, 1, 0, {"x"})) == [3]
    source = SourceFile(given(""), TextFile(given('"a\rb"\nx\n').path, ","), 0, "\n")
    assert list(find_lines(source, 1, 0, {"x"})) == [2]
    source = SourceFile(given(""), TextFile(given("a\rb\rx\r").path, ","), 0, "\r")
    assert list(find_lines(source, 1, 0, {"x"})) == [3]


def test_the_line_is_named_in_which_an_encoding_fails_also_at_the_very_end(given):
    require_encoding(given("Köln\n" * 9))
    for content, line in [(b"a\nb\nK\xf6ln\nd\n", 3), (b"a\nK\xc3", 2)]:
        with pytest.raises(InputError, match=rf", line {line}: the text is not utf-8\. "):
            require_encoding(given(content))
        assert not is_utf_8(given(content).path)
    with pytest.raises(InputError, match=r"line 2: the text is not ascii.*such as encoding='utf-8'"):
        require_encoding(given("a\nK\u00f6ln\n", encoding="ascii"))
    assert is_utf_8(given("K\u00f6ln").path)


@pytest.mark.parametrize(
    ("name", "alone", "message"),
    [
        (".", True, " is a folder. Name a file."),
        ("empty", True, "empty is empty. A table needs at least one record."),
        ("empty", False, "empty is empty. Leave it out, or get a complete copy."),
        ("absent", True, "absent cannot be read: No such file or directory. Name a file that exists."),
        ("/dev/null", True, "/dev/null is no regular file, which could be read twice. Write it to one."),
    ],
)
def test_what_cannot_be_read_is_told_before_anything_is_made(tmp_path, name, alone, message):
    (tmp_path / "empty").touch()
    with pytest.raises(InputError) as caught:
        check_readable(tmp_path / name, alone=alone)
    assert str(caught.value).endswith(message)


def test_a_url_is_not_fetched():
    with pytest.raises(InputError, match=r"is a URL\. Nothing is fetched"):
        check_readable(Path("https://host/in.csv"))
