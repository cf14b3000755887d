"""What becomes of every line of a text: it is read, rejected, blank, or the whole text is refused."""

import gzip
from decimal import Decimal
from pathlib import Path

import pytest
from helpers.reading import Reader
from sqlalchemy import select

from toolbox.config.model import Input, Portion
from toolbox.errors import InputError
from toolbox.store.engine.store import Store
from toolbox.store.input.source import RecordPlace
from toolbox.store.input.text import DelimitedSource

# Lines that are rejected


def test_lines_that_do_not_fit_the_first_are_kept_aside_with_their_numbers(reader: Reader) -> None:
    rows, rejects = reader.read("a,b\n1,2\n3\n4,5\n6,7,8\n", header=True)
    assert rows == [("1", "2"), ("4", "5")]
    assert rejects == [(RecordPlace(3), "3"), (RecordPlace(5), "6,7,8")]


@pytest.mark.slow
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
    assert reader.rejects(packed) == [(RecordPlace(3), "2")]


@pytest.mark.slow
def test_numbers_of_lines_are_right_beyond_the_first_million_of_bytes(reader: Reader) -> None:
    content = "1,xxxxxxxxxxxxxxxxxxxx\n" * 70_000 + "2\n" + "1,2\n" * 1000 + "3,4,5\n"
    assert [place.number for place, _ in reader.rejects(content)] == [70_001, 71_002]


def test_a_quote_that_never_closes_is_no_rejected_line_but_an_error(reader: Reader) -> None:
    with pytest.raises(InputError, match="line 2: a quote opens here and never closes"):
        reader.rejects('1,2\n3,"4\n5,6\n7,8\n')


# Nothing is lost


@pytest.mark.sampled(2)
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


@pytest.mark.slow
def test_an_open_quote_with_megabytes_behind_it_is_an_error(reader: Reader) -> None:
    """The engine gives up its buffer of 32 MB, and goes on behind it."""
    content = b"a,b\n" + b"1,x\n" * 5 + b'1,"open\n' + b"1,abcdefgh\n" * 3_200_000
    with pytest.raises(InputError, match="line 7: a quote opens here and does not close within 8 MB"):
        reader.account(content, header=True)


@pytest.mark.slow
def test_a_line_of_megabytes_is_an_error(reader: Reader) -> None:
    content = b"a,b\n1,x\n1,x\n1," + b"x" * 33_000_000 + b"\n1,x\n"
    with pytest.raises(InputError, match="line 4: is longer than 8 MB"):
        reader.account(content, header=True)


@pytest.mark.sampled(6)
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
