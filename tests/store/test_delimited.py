"""Delimited text: what is a record, what is a value, and where a faulty line stands."""

import gzip
from decimal import Decimal
from pathlib import Path

import pytest
from helpers.amounts import times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import literal, select, union_all

from toolbox.config.model import Input, Limits, Portion
from toolbox.errors import InputError
from toolbox.store.delimited import DelimitedSource
from toolbox.store.source import Account, Place
from toolbox.store.store import Store

Lines = list[tuple[Place, str]]


def account_of(source: DelimitedSource, store: Store, read: int) -> tuple[Account, Lines]:
    """Return the account of a reading, and the first rejected lines: where they stand and what they say."""
    account = source.account(read)
    texts = [] if account.rejects.lines is None else [text for (text,) in store.rows(account.rejects.lines)]
    assert len(texts) == account.rejects.count
    return account, list(zip(account.rejects.first, texts, strict=False))


class Reader:
    """Writes a file and reads it, each in a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "in.csv"
        self.folder = folder

    def rows(self, content: str | bytes, **given: object) -> list[tuple[str | None, ...]]:
        return self.read(content, **given)[0]

    def rejects(self, content: str | bytes, **given: object) -> Lines:
        return self.read(content, **given)[1]

    def account(self, content: str | bytes, **given: object) -> tuple[int, int, int]:
        """Return how many records are read, lines rejected, lines blank."""
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            read = len(store.rows(select(source.relation())))
            account = source.account(read)
            return read, account.rejects.count, account.blank

    def read(self, content: str | bytes, **given: object) -> tuple[list[tuple[str | None, ...]], Lines]:
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            rows = store.rows(select(source.relation()))
            return rows, account_of(source, store, len(rows))[1]

    def headers(self, content: str | bytes, **given: object) -> tuple[tuple[str, ...] | None, int]:
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            return source.headers, source.width

    def places(self, content: str | bytes, position: int, *known: str, **given: object) -> list[int]:
        """Find the lines in which a column holds another text than those known."""
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            texts = union_all(*(select(literal(text).label("text")) for text in known)).subquery()
            return [place.number for place in source.places(position, select(texts.c.text))]


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


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


@pytest.mark.parametrize(
    "separator", [",", ";", "\t", "|", " ", "'", "%", ":", "\\", "ä", "||", "::::", "#-----#", "äöüß"]
)
def test_any_separator_cuts(reader: Reader, separator: str) -> None:
    text = f'a{separator}b{separator}c\n1{separator}{separator}"x{separator}y"\n'
    assert reader.rows(text, separator=separator, header=True) == [("1", None, f"x{separator}y")]
    assert reader.headers(text, separator=separator, header=True) == (("a", "b", "c"), 3)


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


@settings(max_examples=times(10, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(_TEXT, min_size=2, max_size=2), min_size=1, max_size=5),
    st.sampled_from([",", ";", "||", "ab,|;"]),
)
def test_what_is_quoted_is_read_as_it_was(reader: Reader, rows: list[list[str]], separator: str) -> None:
    text = "\n".join(separator.join('"' + value.replace('"', '""') + '"' for value in row) for row in rows)
    assert reader.rows(text + "\n", separator=separator) == [tuple(row) for row in rows]


# Lines that are rejected


def test_lines_that_do_not_fit_the_first_are_kept_aside_with_their_numbers(reader: Reader) -> None:
    rows, rejects = reader.read("a,b\n1,2\n3\n4,5\n6,7,8\n", header=True)
    assert rows == [("1", "2"), ("4", "5")]
    assert rejects == [(Place(3), "3"), (Place(5), "6,7,8")]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ('a,b\n1,"x\ny\nz"\n2\n', [5]),
        ("a,b\n\n\n1,2\n3\n\n4\n", [5, 7]),
        ('1,2\r\n3,"x\r\ny"\r\n4\r\n', [4]),
        ('"x\n1",2\n"y\n3"\n"z\n4",5,6\n', [3, 5]),
        ("1,2\n3", [2]),
        ("1,2\n\n\n\n3,4,5\n", [5]),
        ("1,2\r3\r4,5\r6\r", [2, 4]),
    ],
    ids=[
        "after quoted line ends",
        "after empty lines",
        "CR LF",
        "within quotes",
        "no last end",
        "many empty",
        "CR only",
    ],
)
def test_the_line_is_that_of_the_file(reader: Reader, content: str, lines: list[int]) -> None:
    assert [place.number for place, _ in reader.rejects(content)] == lines


def test_numbers_of_lines_are_right_in_packed_files_too(reader: Reader) -> None:
    packed = gzip.compress(b'1,"x\ny"\n2\n3,4\n')
    assert reader.rejects(packed) == [(Place(3), "2")]


def test_numbers_of_lines_are_right_beyond_the_first_million_of_bytes(reader: Reader) -> None:
    content = "1,xxxxxxxxxxxxxxxxxxxx\n" * 70_000 + "2\n" + "1,2\n" * 1000 + "3,4,5\n"
    assert [place.number for place, _ in reader.rejects(content)] == [70_001, 71_002]


def test_a_quote_that_never_closes_is_no_rejected_line_but_an_error(reader: Reader) -> None:
    with pytest.raises(InputError, match="line 2: a quote opens here and never closes"):
        reader.rejects('1,2\n3,"4\n5,6\n7,8\n')


# Nothing is lost


@pytest.mark.parametrize(
    ("content", "given", "account"),
    [
        ("a,b\n1,2\n\n3\n", {"header": True}, (1, 1, 1)),
        ("\n\n1,2\n3,4", {}, (2, 0, 2)),
        ("\na,b\n1,2\n\n", {"header": True}, (1, 0, 2)),
        ("a\n1\n\n2\n", {"header": True}, (3, 0, 0)),
        ("\na\n1\n", {"header": True}, (1, 0, 1)),
        ('1,"x\n\ny"\n2, "z\nz"\n', {}, (2, 0, 0)),
        ('1,5" pipe\n2,"x" \n3, "y"\n', {}, (3, 0, 0)),
    ],
    ids=["rejected and blank", "no header", "before the header", "one column", "its header", "line ends", "quotes"],
)
def test_every_line_is_read_rejected_or_blank(
    reader: Reader, content: str, given: dict[str, object], account: tuple[int, int, int]
) -> None:
    assert reader.account(content, **given) == account


@pytest.mark.parametrize("separator", [",", "||", "abcdef"])
def test_text_behind_a_closing_quote_is_an_error_with_its_places(reader: Reader, separator: str) -> None:
    """The engine loses such text, or all that follows it."""
    records = ["a,b", *["1,x"] * 3, '2,"x"y', '3,"x" ', '"x"4,y', *["1,x"] * 3]
    with pytest.raises(InputError) as caught:
        reader.account("\n".join(records).replace(",", separator), separator=separator)
    problem = "text follows a closing quote. A quoted value ends with its quote; double a quote that belongs to it"
    assert str(caught.value) == f'{reader.path}, lines 5, 7: {problem}: "".'


def test_a_reading_of_fewer_records_than_there_are_is_refused(tmp_path: Path) -> None:
    """Where the engine reads every part as it stands, and yet not the whole, no place can be named."""
    (tmp_path / "in.csv").write_text("1,2\n3,4\n")
    with Store(tmp_path) as store:
        source = DelimitedSource(Input(path=tmp_path / "in.csv"), store)
        assert len(store.rows(select(source.relation()))) == 2
        with pytest.raises(InputError, match="not all of its records could be read"):
            source.account(1)


@pytest.mark.parametrize("count", [10, 11])
def test_ten_lines_may_be_rejected_of_a_short_input(reader: Reader, count: int) -> None:
    content = "1,2\n" * 100 + "3\n" * count
    if count == 10:
        assert reader.account(content) == (100, 10, 0)
        return
    with pytest.raises(InputError) as caught:
        reader.account(content)
    assert str(caught.value) == (
        f"{reader.path}: 11 of 111 lines have not as many values as the first one (lines 101, 102, 103, 104, 105, "
        "...), and 10 may be left out. Mend them, check separator and header, or allow more with maxRejects "
        "(--max-rejects)."
    )


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        (None, 20),
        (Portion(Decimal(0)), 0),
        (Portion(Decimal(3)), 3),
        (Portion(Decimal("0.25"), is_percentage=True), 5),
        (Portion(Decimal(100), is_percentage=True), 2000),
    ],
)
def test_how_many_lines_may_be_rejected_is_a_number_or_a_share(limit: Portion | None, most: int) -> None:
    assert Input(path=Path("in.csv"), max_rejects=limit).reject_limit(2000) == most


def test_an_open_quote_with_megabytes_behind_it_is_an_error(reader: Reader) -> None:
    """The engine gives up its buffer of 32 MB, and goes on behind it."""
    content = b"a,b\n" + b"1,x\n" * 5 + b'1,"open\n' + b"1,abcdefgh\n" * 3_200_000
    with pytest.raises(InputError, match="line 7: a quote opens here and does not close within 8 MB"):
        reader.account(content, header=True)


def test_a_line_of_megabytes_is_an_error(reader: Reader) -> None:
    content = b"a,b\n1,x\n1,x\n1," + b"x" * 33_000_000 + b"\n1,x\n"
    with pytest.raises(InputError, match="line 4: is longer than 8 MB"):
        reader.account(content, header=True)


@pytest.mark.parametrize(
    ("content", "is_plain"),
    [
        (b"a,b\n1,2\n", True),
        ("é,?\n,\n".encode(), True),
        (b"a,b\n1,#2\n", False),
        (b'a,b\n1,"x,y"\n', False),
        (b'a,b\n1,2"\n', False),
        (b"a,b\r\n1,2\r\n", False),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), True),
    ],
)
def test_text_is_plain_where_no_value_can_need_quotes(tmp_path: Path, content: bytes, is_plain: bool) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    with Store(tmp_path) as store:
        source = DelimitedSource(Input(path=tmp_path / "in.csv"), store)
        assert not source.is_plain(","), "nothing is known yet"
        source.relation()
        assert source.is_plain(",") is is_plain
        assert not source.is_plain(";")


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
        "absent.csv": "absent.csv cannot be read: No such file or directory.",
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
    assert rejects == [(Place(line, tmp_path / f"part-{number}"), text) for number, (line, text) in places.items()]


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\r", "\n", "\r\n"])
def test_a_line_end_within_quotes_of_the_first_record_is_not_that_of_the_lines(
    store: Store, tmp_path: Path, inside: str, ending: str, header: bool
) -> None:
    rows = [(f"x{inside}y", "n"), (f"x{inside}y", "1"), ("z", "2"), (f"{inside}", "3")]
    text = "".join(f'"{first}",{second}{ending}' for first, second in rows)
    (tmp_path / "in.csv").write_text(text, encoding="utf-8", newline="")
    source = DelimitedSource(Input(path=tmp_path / "in.csv", header=header), store)
    found = store.rows(select(*source.relation().c))
    assert sorted(map(tuple, found)) == sorted(rows[1:] if header else rows)
    assert source.account(len(found)) == Account()
