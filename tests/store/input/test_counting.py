"""What a text consists of, added up piece by piece."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.errors import InputError
from toolbox.store.input import text_count as counting
from toolbox.store.input import text_records as lines
from toolbox.store.input.text_count import count_text
from toolbox.store.input.text_file import Survey


def count(content, separator=","):
    return count_text(BytesIO(content), separator, Path("in.csv"))


def by_hand(content):
    """Go through a text without stray quotes character by character."""
    records = blank = 0
    endings = {}
    record, is_quoted, rest = b"", False, content
    while rest:
        end = next((end for end in (b"\r\n", b"\r", b"\n") if rest.startswith(end)), None)
        if end is None or is_quoted:
            is_quoted ^= rest[:1] == b'"'
            record, rest = record + rest[:1], rest[1:]
            continue
        endings[end.decode()] = endings.get(end.decode(), 0) + 1
        records, blank = records + bool(record), blank + (not record)
        record, rest = b"", rest[len(end) :]
    is_plain = not any(special in content for special in (b'"', b"\r", b"#"))
    return Survey(records + bool(record), blank, endings, is_plain)


FIELDS = st.sampled_from(["", "1", "#", '"a"', '"a\nb"', '"a\r\n"', '""""', '",\r"'])
RECORDS = st.builds(
    lambda fields, end: ",".join(fields) + end, st.lists(FIELDS, max_size=3), st.sampled_from(["\n", "\r\n", "\r"])
)


@given(st.lists(RECORDS, max_size=8), st.sampled_from(["", "last", "last,1"]))
@example(["a\r", "\n"], "")
@example(["\n", "\n", "a\n"], "")
def test_each_byte_belongs_to_a_record_a_blank_line_or_an_end(records, last):
    content = ("".join(records) + last).encode()
    assert count(content) == by_hand(content)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_where_the_text_is_cut_into_pieces_changes_nothing(monkeypatch, size):
    content = b'a,b\r\n\r\n"x\r\ny",1\n\n"say ""b""",2\rlast'
    monkeypatch.setattr(lines, "_BLOCK", size)
    assert count(content) == Survey(4, 2, {"\r\n": 2, "\n": 2, "\r": 1}, is_plain=False)


def test_a_quote_begins_a_value_behind_a_separator_of_any_length():
    assert count(b'1||"a\nb"\n', "||").records == 1
    with pytest.raises(InputError, match=r"^in\.csv, line 2: a quote opens here and never closes\. Close it"):
        count(b'a,b\n1,"2\n3,4\n')


def test_text_behind_closing_quotes_is_named_with_the_first_five_lines():
    content = b"a\n" + b'"b"c\n' * 7
    with pytest.raises(InputError, match=r"^in\.csv, lines 2, 3, 4, 5, 6, \.\.\.: text follows a closing quote\."):
        count(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\n\n1234567890\n12345678901\n", "line 4: is longer than"),
        (b"a\n12345678901", "line 2: is longer than"),
        (b'a\n"2345678901"\n', "line 2: is longer than"),
        (b'a\nb\n1,"56789012', "line 3: a quote opens here and does not close within"),
    ],
)
def test_a_record_that_is_longer_than_the_engine_reads_is_named_with_its_line(monkeypatch, content, message):
    monkeypatch.setattr(counting, "CHARACTERS_PER_LINE", 10)
    with pytest.raises(InputError, match=f"^in\\.csv, {message}"):
        count(content)
    assert count(b"a\r\n1234567890\r\n1234567890").records == 3
