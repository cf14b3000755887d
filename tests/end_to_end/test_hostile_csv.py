"""What looks odd and is not wrong: it is read, and what is not generalised comes out as it went in, in its order."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from helpers import in_order
from helpers.amounts import is_thorough, some, times
from helpers.hostile import FIRST, Release, Run, configuration, quoted_field, read_fields, records, run_here, write
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import toolbox

pytestmark = pytest.mark.sampled(2)

# Line endings and blank lines.


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        "\ufeffa,b\nx,1\nx,2\n",
        "a,b\r\nx,1\r\nx,2\r\n",
        "a,b\rx,1\rx,2\r",
        "a,b\nx,1\nx,2",
        "a,b\r\nx,1\nx,2\r\n",
        "a,b\nx,1\r\nx,2\n",
        "a,b\rx,1\nx,2\r",
        "a,b\r\nx,1\rx,2\r\n",
        "a,b\nx,1\nx,2\r",
        "a,b\n\n\nx,1\n\nx,2\n\n",
        "\n\na,b\nx,1\nx,2\n",
        "\r\na,b\r\nx,1\r\nx,2\r\n",
        '"a","b"\n"x","1"\n"x","2"\n',
    ],
    ids=repr,
)
def test_any_line_ending_blank_line_or_byte_order_mark_leaves_the_records_as_they_are(
    data: str, release: Release
) -> None:
    assert release(data) == b"a,b\nx,1\nx,2\n"


@pytest.mark.slow
def test_a_byte_order_mark_is_no_part_of_the_first_value(release: Release) -> None:
    assert release("\ufeffx,1\nx,2\n", configuration(FIRST, given="")) == b"x,1\nx,2\n"


@pytest.mark.slow
def test_a_line_end_within_quotes_stays_where_lines_end_in_another_way(release: Release) -> None:
    assert release('a,b\nx,"1\r\n2"\nx,"3\r4"\n') == b'a,b\nx,"1\r\n2"\nx,"3\r4"\n'
    assert release('a,b\r\nx,"1\n2"\r\nx,"3\r4"\r\n') == b'a,b\nx,"1\n2"\nx,"3\r4"\n'


@pytest.mark.slow
def test_a_line_end_within_quotes_stays_where_lines_end_in_several_ways(release: Release) -> None:
    assert release('a,b\r\nx,"1\r\n2"\r\nx,"3\n4"\nx,"5\r6"\r\n') == b'a,b\nx,"1\r\n2"\nx,"3\n4"\nx,"5\r6"\n'


# Quotes, empty fields, odd values.


@pytest.mark.slow
def test_quotes_may_hold_separators_line_ends_and_quotes(release: Release) -> None:
    data = 'a,b\nx,"1,2"\nx,"say ""no"""\nx,"two\nlines"\nx,"""\n,"""\n'
    assert release(data).decode() == data


@pytest.mark.slow
def test_a_quote_within_an_unquoted_value_is_a_character(release: Release) -> None:
    assert records(release('a,b\nx,5"\nx,6" by 7"\n').decode()) == [["a", "b"], ["x", '5"'], ["x", '6" by 7"']]


@pytest.mark.slow
def test_an_empty_field_and_an_empty_text_stay_apart(release: Release) -> None:
    data = 'a,b,c\nx,,""\nx,"",\nx,,\n'
    assert release(data).decode() == data


VALUES = [
    *("NULL", "null", "\\N", "None", "NaN", "nan", "inf", "*", "?x", "#", "-", " ", "  12  ", "0", "-0", "007"),
    *("1_000", "0x1F", "12345678901234567890", "1e308", "-1e308", "1e-400", "1.10", "true", "2020-01-01"),
    *("'; DROP TABLE records; --", "%s", "100%", "%(x)s", ":b", "{x}", "$1", "\\", "\\n", "'", "''", "`", "@"),
    *("=1+1", "é", "日本語", "😀", "e\u0301", "\u200b", "\u00a0", "\x00", "\x01", "\x1f", "\x7f", "\ufffd"),
    *("<b>", "&amp;", "[red]", "\t", "x" * 1_000_000),
]


@pytest.mark.slow
def test_odd_values_are_released_side_by_side(release: Release) -> None:
    table = [["a", "b"], *([value, value] for value in VALUES)]
    data = "".join(f"{a},{b}\n" for a, b in table).encode()
    assert records(release(data, configuration(root="k='1'")).decode()) == table


# A column that holds nothing else could be taken for numbers or missing values, and the text could end too early.
@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "value", VALUES if is_thorough() else ["007", "NULL", "\x00"], ids=lambda value: ascii(value[:30])
)
def test_a_value_is_released_as_it_was_read(value: str, release: Release) -> None:
    data = f"a,b\n{value},{value}\nx,1\n{value},{value}\nx,{value}\n".encode()
    shown = records(release(data).decode())
    assert shown == [["a", "b"], [value, value], ["x", "1"], [value, value], ["x", value]]


@pytest.mark.slow
@example(values=["\r"], separator=",")  # the engine goes by the first line end that it sees, even within quotes
@example(values=["a\r\nb"], separator="::=>::=")
@given(
    values=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\x1f"), max_size=8), min_size=1, max_size=8
    ),
    separator=st.sampled_from([",", ";", "\t", "|", "'", "%", ":", "\\", "||", "#-#", "::=>::=", "e", " "]),
)
@settings(max_examples=times(2, slow=12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_passes_through_any_separator(values: list[str], separator: str, release: Release) -> None:
    lines = [separator.join(("k", quoted_field(value), "z")) for value in values] * 2
    config = configuration(FIRST, given=f'separator="{separator.replace(chr(9), "&#9;")}"')
    shown = read_fields(release("\n".join(lines) + "\n", config).decode(), separator)
    assert shown == [["k", value, "z"] for value in values] * 2


def test_the_reader_of_these_tests_knows_quotes_and_long_separators() -> None:
    assert read_fields('a||"b||""c"||\n||d|\n', "||") == [["a", 'b||"c', ""], ["", "d|"]]


# Separators.


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "separator", some(["::=>::=", "\t", "'", "%", ":", "\\", "|", " ", "€", "😀", "||", "a7", "\\.", "*"], every=3)
)
def test_a_release_is_read_again_with_the_separator_of_its_input(separator: str, anonymised: Callable) -> None:
    lines = [["q", "b", "c"], ["x", f'"1{separator}2"', ""], ["x", '""', "3"], ["x", '"say ""no"""', "4"]]
    data = "".join(separator.join(line) + "\n" for line in lines)
    config = configuration("<att name='q' type='category'/>")
    _, first = anonymised(data, config, "-separator", separator)
    _, second = anonymised(first, config, "-separator", separator)
    assert first == second
    expected = [["q", "b", "c"], ["x", f"1{separator}2", ""], ["x", "", "3"], ["x", 'say "no"', "4"]]
    assert read_fields(second.decode(), separator) == expected


@pytest.mark.slow
def test_a_tab_is_written_with_a_backslash(release: Release) -> None:
    assert release("a\tb\nx\t1,5\nx\t2\n", None, "-separator", "\\t") == b"a\tb\nx\t1,5\nx\t2\n"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("separator", "end"),
    some([(separator, end) for separator in ("::=>::=", ", ", "||") for end in ("\r\n", "\n", "\r")], every=4),
)
def test_a_quote_within_a_value_is_no_quote_behind_a_long_separator_either(
    separator: str, end: str, anonymised: Callable
) -> None:
    lines = ['a|inch"|c', 'x|5"|1', 'x|"5|""|"|2', 'x|"two' + end + 'lines"|3', "x|6|4"]
    data = end.join(line.replace("|", separator) for line in lines)
    run, shown = anonymised(data, configuration(given=f'header="true" separator="{separator}"'))
    assert run.document["records_read"] == 4
    assert read_fields(shown.decode(), separator) == [
        ["a", 'inch"', "c"],
        ["x", '5"', "1"],
        ["x", f'5{separator}"{separator}', "2"],
        ["x", f"two{end}lines", "3"],
        ["x", "6", "4"],
    ]


@pytest.mark.slow
def test_a_value_that_ends_like_the_separator_begins_can_be_read_again(release: Release) -> None:
    data = 'a||b||c\nx||"1|"||2\nx||"|3"||4\n'
    assert read_fields(release(data, None, "-separator", "||").decode(), "||")[1:] == [
        ["x", "1|", "2"],
        ["x", "|3", "4"],
    ]


@pytest.mark.slow
def test_the_output_may_have_a_separator_of_its_own(release: Release) -> None:
    data = release("a,b\nx,1;2\nx,3\n", configuration(output="separator=';'"))
    assert data == b'a;b\nx;"1;2"\nx;3\n'


# Ragged lines.

RAGGED = 'a,b\nx,"1\n2"\nx\nx,3\nx,4,5\n\nx,6\n'


@pytest.mark.slow
def test_ragged_lines_are_counted_and_kept_with_the_line_numbers_of_an_editor(
    anonymised: Callable[..., tuple[Run, bytes]], tmp_path: Path
) -> None:
    run, data = anonymised(RAGGED, None, "--rejects", str(tmp_path / "rejected.txt"))
    assert data == b'a,b\nx,"1\n2"\nx,3\nx,6\n'
    assert (run.document["records_read"], run.document["lines_rejected"]) == (3, 2)
    assert run.document["first_rejected"] == [4, 6]
    assert any("2 lines could not be read" in note for note in run.document["notes"])
    assert (tmp_path / "rejected.txt").read_bytes() == b"x\nx,4,5\n"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r"])
def test_the_line_numbers_of_ragged_lines_are_right_for_every_line_ending(ending: str, anonymised: Callable) -> None:
    run, _ = anonymised(f"a,b{ending}x,1{ending}x{ending}x,2{ending}x,3,4{ending}")
    assert run.document["first_rejected"] == [3, 5]


@pytest.mark.slow
def test_no_ragged_line_leaves_an_empty_file_of_rejects(anonymised: Callable, tmp_path: Path) -> None:
    anonymised("a,b\nx,1\nx,2\n", None, "--rejects", str(tmp_path / "rejected.txt"))
    assert (tmp_path / "rejected.txt").read_bytes() == b""


def test_a_line_beyond_eight_megabytes_is_an_error_because_it_hides_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in.csv", "a,b\n" + "x,1\n" * 1_000 + "x," + "y" * 9_000_000 + "\nx,1\n")
    run = run_here(["-config", write(tmp_path / "c.xml", configuration())], capsys)
    assert run.status == 4
    assert "in.csv, line 1002: is longer than 8 MB. Does a line end or a quote lack?" in run.err


# Order and size.

LONG = 300_000
"""More records than two parts of a table, which the engine's threads write side by side."""


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_the_records_of_a_long_file_keep_their_order(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count = LONG
    write(tmp_path / "in.csv", "a,b\n" + "".join(f"{number % 5},{number}\n" for number in range(count)))
    path = write(tmp_path / "c.xml", configuration(target=name))
    assert run_here(["-config", path, "--quiet", "--threads", "4"], capsys).status == 0
    if name == "out.csv":
        shown = [int(line.partition(",")[2]) for line in (tmp_path / name).read_text().splitlines()[1:]]
    else:
        shown = [int(text) for text in pa.parquet.read_table(tmp_path / name)["b"].to_pylist()]
    assert shown == list(range(count))


@pytest.mark.slow
def test_the_records_of_a_long_data_frame_keep_their_order() -> None:
    frame = pd.DataFrame({"a": np.arange(LONG) % 5, "b": np.arange(LONG)})
    result = in_order.anonymize(frame, quasi_identifiers=["a"], k=2, limits=toolbox.Limits(threads=4))
    assert result.release["b"].tolist() == frame["b"].tolist()


@pytest.mark.slow
def test_thousands_of_columns_pass_through(release: Release) -> None:
    count = times(100, slow=10_000)
    header = ",".join(["a", *(f"h{number}" for number in range(1, count))])
    line = ",".join(["x", *map(str, range(1, count))])
    assert release(f"{header}\n{line}\n{line}\n").decode() == f"{header}\n{line}\n{line}\n"


@pytest.mark.slow
def test_one_column_and_one_record_are_a_table(release: Release) -> None:
    assert release("a\nx\n", configuration(root="k='1'")) == b"a\nx\n"
    assert release("x", configuration(FIRST, root="k='1'", given="")) == b"x\n"


@pytest.mark.slow
def test_a_blank_line_in_a_table_of_one_column_is_no_record_of_the_release(release: Release) -> None:
    skipping = configuration(given="header='true' onMissing='skip'")
    assert release("a\nx\n\nx\n", skipping) == b"a\nx\nx\n"


# Compression and encodings.


@pytest.mark.slow
def test_gzip_is_read_whatever_the_file_is_called(release: Release) -> None:
    assert release(gzip.compress(b"a,b\nx,1\n") + gzip.compress(b"x,2\n")) == b"a,b\nx,1\nx,2\n"


ENCODINGS = [
    ("utf-16", "Zoë 😀"),
    ("utf-8", "Zoë €"),
    ("utf-8-sig", "Zoë €"),
    ("latin-1", "Zoë §"),
    ("cp1252", "Zoë €"),
    ("utf-16-le", "Zoë 😀"),
    ("utf-16-be", "Zoë 😀"),
    ("koi8-r", "Зоя"),
    ("shift_jis", "日本"),
    ("ascii", "Zoe"),
]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("encoding", "text", "separator"),
    some([(*encoding, separator) for encoding in ENCODINGS for separator in (",", "======")], every=3),
)
def test_text_of_any_encoding_is_released_as_utf_8(encoding: str, text: str, separator: str, release: Release) -> None:
    table = f"a,ä b\nx,{text}\nx,2\n" if encoding not in ("koi8-r", "shift_jis", "ascii") else f"a,b\nx,{text}\nx,2\n"
    table = table.replace(",", separator)
    config = configuration(given=f"header='true' encoding='{encoding}' separator='{separator}'")
    assert release(table.encode(encoding), config).decode() == table


def test_a_byte_order_mark_is_no_part_of_a_header_in_utf_16(release: Release) -> None:
    config = configuration(given="header='true' encoding='utf-16-le'")
    assert release("\ufeffa,b\nx,1\nx,2\n".encode("utf-16-le"), config) == b"a,b\nx,1\nx,2\n"
