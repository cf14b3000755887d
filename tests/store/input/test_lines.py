"""Where records end, told by bytes alone."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.store.input import text_records as lines
from toolbox.store.input.text_records import cut_pieces

LONGEST = 1000


def records(content: bytes, separator: bytes = b",") -> list[bytes]:
    """Cut a text into records with their line ends, as `pieces` tells them."""
    found, unfinished = [], b""
    for piece in cut_pieces(io.BytesIO(content), separator, LONGEST):
        begin = 0
        for end in piece.record_ends:
            found.append(unfinished + piece.content[begin : end + 1])
            begin, unfinished = end + 1, b""
        unfinished += piece.content[begin:]
    return [*found, unfinished] if unfinished else found


def records_by_character(content: bytes, separator: bytes) -> list[bytes]:
    """Cut a text into records, one character after the other: the rule as it is written down."""
    found, begin, place = [], 0, 0
    is_quoted, field = False, 0
    while place < len(content):
        rest = content[place:]
        step = 1
        if is_quoted:
            step = 2 if rest.startswith(b'""') else 1
            is_quoted = step == 2 or not rest.startswith(b'"')
        elif rest.startswith(b'"') and content[field:place] in (b"", b" "):
            is_quoted = True
        elif rest.startswith((b"\r", b"\n")):
            step = 2 if rest.startswith(b"\r\n") else 1
            found.append(content[begin : place + step])
            begin = field = place + step
        elif rest.startswith(separator):
            step = len(separator)
            field = place + step
        place += step
    return [*found, content[begin:]] if begin < len(content) else found


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\nb\r\nc\rd", [b"a\n", b"b\r\n", b"c\r", b"d"]),
        (b"a\n\n\r\nb\n", [b"a\n", b"\n", b"\r\n", b"b\n"]),
        (b'1,"x\ny"\n2\n', [b'1,"x\ny"\n', b"2\n"]),
        (b'1,"x""\n"\n2\n', [b'1,"x""\n"\n', b"2\n"]),
        (b'1, "x\ny"\n2\n', [b'1, "x\ny"\n', b"2\n"]),
        (b'1,  "x\ny"\n2\n', [b'1,  "x\n', b'y"\n', b"2\n"]),
        (b'5" pipe,1\n6" pipe,2\n', [b'5" pipe,1\n', b'6" pipe,2\n']),
        (b'"a"b,"c\nd"\n', [b'"a"b,"c\nd"\n']),
        (b'1,"x\n2\n', [b'1,"x\n2\n']),
        (b'\xef\xbb\xbf"a\nb"\n', [b'"a\nb"\n']),
    ],
    ids=[
        "three line ends",
        "blank lines",
        "quoted",
        "doubled quotes",
        "one blank before",
        "two blanks before",
        "quotes within text",
        "text behind a quote",
        "never closed",
        "byte order mark",
    ],
)
def test_a_line_end_ends_a_record_unless_it_is_quoted(content: bytes, expected: list[bytes]) -> None:
    assert records(content) == expected


def test_a_separator_of_several_characters_begins_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b'1||"x\ny"\n1|"x\ny"\n'
    assert records(content, b"||") == [b'1||"x\ny"\n', b'1|"x\n', b'y"\n']


def test_the_blank_before_a_quote_may_be_the_end_of_the_separator() -> None:
    assert records(b'1, "x\ny"\n1,  "x\ny"\n', b", ") == [b'1, "x\ny"\n', b'1,  "x\ny"\n']


@pytest.mark.sampled(2)
@pytest.mark.parametrize("block", [1, 2, 7, 1 << 20])
@given(
    text=st.lists(st.sampled_from(["a", '"', '"', "\n", "\r", "\r\n", " ", "S"]), max_size=25),
    separator=st.sampled_from([",", "||"]),
)
def test_records_are_those_of_the_rule_however_the_text_is_read(block: int, text: list[str], separator: str) -> None:
    content = "".join(text).replace("S", separator).encode()
    earlier, lines._BLOCK = lines._BLOCK, block
    try:
        assert records(content, separator.encode()) == records_by_character(content, separator.encode())
    finally:
        lines._BLOCK = earlier


def test_a_text_without_line_ends_is_cut_where_it_grows_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_BLOCK", 100)
    found = list(cut_pieces(io.BytesIO(b"x" * 2500), b",", LONGEST))
    assert [len(piece.content) for piece in found] == [1100, 1100, 300]


def test_line_ends_become_line_feeds_but_within_quotes() -> None:
    content = b'a,b\r\n1,"x\r\ny"\r2,3\n\r\r\n4,5'
    assert b"".join(piece.replace_line_ends() for piece in cut_pieces(io.BytesIO(content), b",", LONGEST)) == (
        b'a,b\n1,"x\r\ny"\n2,3\n\n\n4,5'
    )


def test_a_position_has_the_number_of_its_line() -> None:
    (piece,) = cut_pieces(io.BytesIO(b'1\r\n"a\nb"\r2\n'), b",", LONGEST)
    assert [piece.find_byte_line(place) for place in (0, 3, 4, 6, 9)] == [1, 2, 2, 3, 4]
