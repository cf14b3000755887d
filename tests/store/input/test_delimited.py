"""Delimited text: what is a record, what is a value, and where a faulty line stands."""

import gzip
from pathlib import Path

import pytest
from helpers.amounts import times
from helpers.reading import Lines, Reader, account_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from toolbox.config.model import Input, Limits
from toolbox.errors import InputError
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Account, RecordPlace
from toolbox.store.input.text import DelimitedSource

# The first record


def test_the_first_record_tells_the_number_of_columns(reader: Reader) -> None:
    assert reader.headers("1,2,3\n4,5,6\n") == (None, 3)


def test_the_first_record_names_the_columns_where_there_is_a_header(reader: Reader) -> None:
    names = 'id,"say ""hi""",select,,Alter,alter,🦆\n1,2,3,4,5,6,7\n'
    assert reader.headers(names, header=True) == (("id", 'say "hi"', "select", "", "Alter", "alter", "🦆"), 7)


def test_a_header_may_hold_the_separator_and_line_ends_within_quotes(reader: Reader) -> None:
    assert reader.headers('a,"last, first","two\nlines"\n1,2,3\n', header=True) == (
        ("a", "last, first", "two\nlines"),
        3,
    )


def test_empty_lines_before_the_first_record_do_not_count(reader: Reader) -> None:
    assert reader.headers("\n\na,b\n1,2\n", header=True) == (("a", "b"), 2)


def test_a_mark_before_the_first_header_is_no_part_of_it(reader: Reader) -> None:
    assert reader.headers(b"\xef\xbb\xbfa,b\n1,2\n", header=True) == (("a", "b"), 2)
    assert reader.rows(b"\xef\xbb\xbfa,b\n1,2\n", header=True) == [("1", "2")]


# Values


def test_values_stay_as_they_stand(reader: Reader) -> None:
    values = ["007", " 12 ", "1_000", "0x1F", "-0", "NULL", "\\N", "null", "*", "'; DROP TABLE x", "1e308", "true"]
    assert reader.rows("\n".join(f"{value},x" for value in values)) == [(value, "x") for value in values]


def test_an_empty_field_is_null_and_a_quoted_one_is_empty_text(reader: Reader) -> None:
    assert reader.rows('a,,""\n,b,"x"\n') == [("a", None, ""), (None, "b", "x")]


def test_quotes_protect_separators_line_ends_and_quotes(reader: Reader) -> None:
    assert reader.rows('1,"a,b"\n2,"a\nb"\n3,"say ""hi"""\n') == [("1", "a,b"), ("2", "a\nb"), ("3", 'say "hi"')]


def test_empty_lines_are_no_records(reader: Reader) -> None:
    assert reader.rows("1,2\n\n3,4\n\n\n5,6") == [("1", "2"), ("3", "4"), ("5", "6")]


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "separator", [",", ";", "\t", "|", " ", "'", "%", ":", "\\", "ä", "||", "::::", "#-----#", "äöüß"]
)
def test_any_separator_cuts(reader: Reader, separator: str) -> None:
    text = f'a{separator}b{separator}c\n1{separator}{separator}"x{separator}y"\n'
    assert reader.rows(text, separator=separator, header=True) == [("1", None, f"x{separator}y")]
    assert reader.headers(text, separator=separator, header=True) == (("a", "b", "c"), 3)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "windows-1252", "utf-16", "utf-16-le", "cp850"])
def test_any_encoding_is_read(reader: Reader, encoding: str) -> None:
    text = 'Name,Straße\n1,"Gör, Öl"\n2,é\n'
    assert reader.rows(text.encode(encoding), encoding=encoding, header=True) == [("1", "Gör, Öl"), ("2", "é")]
    assert reader.headers(text.encode(encoding), encoding=encoding, header=True) == (("Name", "Straße"), 2)


def test_an_encoding_that_cannot_hold_the_text_is_named_with_the_line(reader: Reader) -> None:
    with pytest.raises(InputError, match=r"in\.csv, line 1: the text is not utf-8.*encoding='windows-1252'"):
        reader.headers("Straße,b\n1,2\n".encode("latin-1"), header=True)
    with pytest.raises(InputError, match=r"in\.csv, line 3: the text is not utf-8"):
        reader.rejects("a,b\n1,2\nStraße,4\n".encode("latin-1"), header=True)
    with pytest.raises(InputError, match=r"in\.csv, line 2: the text is not utf-16"):
        reader.rows("a,b\n1,2".encode("utf-16") + b"\x00", encoding="utf-16")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_gzip_is_seen_by_its_first_bytes_whatever_the_file_is_called(reader: Reader, encoding: str) -> None:
    packed = gzip.compress("a,b\n1,é\n".encode(encoding))
    assert reader.rows(packed, encoding=encoding, header=True) == [("1", "é")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_ends_a_record(reader: Reader, end: str) -> None:
    assert reader.rows(end.join(["a,b", "1,2", "3,4", ""]), header=True) == [("1", "2"), ("3", "4")]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a,b\r\n1,2\n3,4\r\n5,6\n", [("1", "2"), ("3", "4"), ("5", "6")]),
        ('a,b\n1,"x"\n1,"y"\r\n1,"z"\n', [("1", "x"), ("1", "y"), ("1", "z")]),
        ('a,b\n1,"x\r\ny"\r1,"z"\n', [("1", "x\r\ny"), ("1", "z")]),
        ('"a\r\nA",b\n1,2\n3,4\n', [("1", "2"), ("3", "4")]),
    ],
    ids=["CR LF and LF", "behind quotes", "within quotes too", "another one within the header"],
)
def test_mixed_line_ends_end_records_alike(reader: Reader, content: str, rows: list[tuple[str, str]]) -> None:
    assert reader.rows(content, header=True) == rows
    assert reader.path.read_bytes() == content.encode()


def test_of_two_hundred_records_with_mixed_line_ends_none_is_left_out(reader: Reader) -> None:
    content = "a,b\n" + "".join(f'{number},"x"{end}' for number, end in enumerate(("\n", "\r\n") * 100))
    assert reader.rows(content, header=True) == [(str(number), "x") for number in range(200)]


def test_a_file_name_is_no_pattern(reader: Reader) -> None:
    reader.path = reader.folder / "in [1-3]* it's {a}?.csv"
    assert reader.rows("1,2\n") == [("1", "2")]


_TEXT = st.text(st.sampled_from('ab ,;"\n|é0-'), max_size=4)


@pytest.mark.slow
@settings(max_examples=times(10, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(_TEXT, min_size=2, max_size=2), min_size=1, max_size=5),
    st.sampled_from([",", ";", "||", "ab,|;"]),
)
def test_what_is_quoted_is_read_as_it_was(reader: Reader, rows: list[list[str]], separator: str) -> None:
    text = "\n".join(separator.join('"' + value.replace('"', '""') + '"' for value in row) for row in rows)
    assert reader.rows(text + "\n", separator=separator) == [tuple(row) for row in rows]


# Where a value stands


def test_the_places_of_a_value_are_its_lines(reader: Reader) -> None:
    content = 'age,b\n12,"x\ny"\n\n?,2\n13,3\nold,4\n"old",5\n'
    assert reader.places(content, 0, "12", "13", "?", header=True) == [7, 8]
    assert reader.places(content, 0, "12", "13", "old", header=True) == [5]


def test_the_first_five_places_are_enough(reader: Reader) -> None:
    assert reader.places("x,1\n" * 9, 0, "y") == [1, 2, 3, 4, 5]


def test_what_is_no_record_has_no_value(reader: Reader) -> None:
    content = "\n\nage,b\nold,1\nold,1,2\n\nold\n12,3\nold,4\n"
    assert reader.places(content, 0, "12", header=True) == [4, 9]


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("separator", [";", "||", "=====", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_whatever_separates_values_and_ends_lines(reader: Reader, separator: str, end: str) -> None:
    lines = ["1;a", '2;"a', 'b;c"', '"old";"d', '"', "1;e", "old;f", ""]
    content = end.join(lines).replace(";", separator)
    assert reader.places(content, 0, "1", "2", separator=separator) == [4, 7]


def test_an_empty_field_counts_as_empty_text(reader: Reader) -> None:
    assert reader.places('1,a\n,b\n"",c\n2,d\n', 0, "1", "2") == [2, 3]
    assert reader.places('1,a\n,b\n"",c\n2,d\n', 0, "1", "") == [4]


# Files that cannot be read


def test_a_file_that_cannot_be_read_is_named_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "blank.csv").write_bytes(b"\n\r\n\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1,2\n" * 1000)[:30])
    wrong = {
        "absent.csv": "absent.csv cannot be read: No such file or directory. Name a file that exists.",
        "empty.csv": "empty.csv is empty. A table needs at least one record.",
        "blank.csv": "blank.csv holds only empty lines. A table needs at least one record.",
        "cut.gz": "cut.gz is a damaged gzip file (Compressed file ended before the end-of-stream marker was reached). Get a complete copy.",
    }
    for name, message in wrong.items():
        with Store(tmp_path) as store, pytest.raises(InputError) as caught:
            DelimitedSource(Input(path=tmp_path / name), store)
        assert str(caught.value).removeprefix(f"{tmp_path}/") == message


# Several files


def several(
    folder: Path, contents: list[str], threads: int = 1, **given: object
) -> tuple[list[tuple[str, ...]], Lines]:
    for number, content in enumerate(contents):
        (folder / f"part-{number}").write_bytes(content.encode())
    with Store(folder, Limits(threads=threads)) as store:
        source = DelimitedSource(Input(path=folder / "part-*", **given), store)
        rows = store.rows(select(source.relation()))
        return rows, account_of(source, store, len(rows))[1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 9])
def test_a_quote_that_never_closes_is_found_in_whichever_file_it_opens(
    tmp_path: Path, threads: int, count: int
) -> None:
    for place in {0, count // 2, count - 1}:
        contents = ['a,b\n1,"2"\n'] * count
        contents[place] = 'a,b\n1,2\n3,"4\n5,6\n7,8\n'
        with pytest.raises(InputError, match=rf"part-{place}, line 3: a quote opens here and never closes"):
            several(tmp_path, contents, threads, header=True)


def test_the_lines_that_many_files_reject_are_told_once_and_in_order(tmp_path: Path) -> None:
    contents = ['a,b\n1,"2"\n', "a,b\n1\n2,3\n", 'a,b\n\n"x\ny",1\n4,5,"6"\n', "a,b\n"] * 2
    rows, rejects = several(tmp_path, contents, header=True)
    assert rows == [("1", "2"), ("2", "3"), ("x\ny", "1")] * 2
    places = {1: (2, "1"), 2: (5, '4,5,"6"'), 5: (2, "1"), 6: (5, '4,5,"6"')}
    assert rejects == [
        (RecordPlace(line, tmp_path / f"part-{number}"), text) for number, (line, text) in places.items()
    ]


@pytest.mark.slow
@pytest.mark.sampled(7)
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\r", "\n", "\r\n"])
def test_a_line_end_within_quotes_of_the_first_record_is_not_that_of_the_lines(
    own_store: Store, tmp_path: Path, inside: str, ending: str, header: bool
) -> None:
    rows = [(f"x{inside}y", "n"), (f"x{inside}y", "1"), ("z", "2"), (f"{inside}", "3")]
    text = "".join(f'"{first}",{second}{ending}' for first, second in rows)
    (tmp_path / "in.csv").write_text(text, encoding="utf-8", newline="")
    source = DelimitedSource(Input(path=tmp_path / "in.csv", header=header), own_store)
    found = own_store.rows(select(*source.relation().c))
    assert sorted(map(tuple, found)) == sorted(rows[1:] if header else rows)
    assert source.account(len(found)) == Account()
