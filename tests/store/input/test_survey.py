"""What a file of text consists of, counted from its bytes."""

import gzip
from pathlib import Path

import pytest

from toolbox.errors import InputError
from toolbox.store.input import text_records as lines
from toolbox.store.input.text import count_records
from toolbox.store.input.text_file import Survey


def counted(folder: Path, content: bytes, separator: str = ",") -> Survey:
    path = folder / "in.csv"
    path.write_bytes(content)
    return count_records(path, separator)


def fault(folder: Path, content: bytes) -> str:
    with pytest.raises(InputError) as caught:
        counted(folder, content)
    return str(caught.value).removeprefix(f"{folder}/")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1,2\n", Survey(2, 0, {"\n": 2}, is_plain=True)),
        (b"a,b\n1,2", Survey(2, 0, {"\n": 1}, is_plain=True)),
        (b"\n\na,b\n\n1,2\n\n", Survey(2, 4, {"\n": 6}, is_plain=True)),
        (b"a\r\n\r\nb\r\n", Survey(2, 1, {"\r\n": 3}, is_plain=False)),
        (b"a\r\rb\r", Survey(2, 1, {"\r": 3}, is_plain=False)),
        (b'a\n"x\r\ny"\r\nb\r', Survey(3, 0, {"\n": 1, "\r\n": 1, "\r": 1}, is_plain=False)),
        (b"#a\n", Survey(1, 0, {"\n": 1}, is_plain=False)),
        (b"\xef\xbb\xbfa\n", Survey(1, 0, {"\n": 1}, is_plain=True)),
        (b"", Survey(0, 0, {}, is_plain=True)),
    ],
)
def test_records_blank_lines_and_line_ends_are_counted(tmp_path: Path, content: bytes, expected: Survey) -> None:
    assert counted(tmp_path, content) == expected
    assert counted(tmp_path, gzip.compress(content)) == expected if content else True


def test_a_file_that_is_read_in_many_blocks_is_counted_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b'a,b\r\n\r\n1,"x\r\n\r\ny"\r\n2,3\r\n' * 50
    whole = counted(tmp_path, content)
    monkeypatch.setattr(lines, "_BLOCK", 5)
    assert counted(tmp_path, content) == whole == Survey(150, 50, {"\r\n": 200}, is_plain=False)


def test_the_line_is_named_in_which_a_quote_opens_that_never_closes(tmp_path: Path) -> None:
    assert fault(tmp_path, b'a,b\n"x\ny",2\n3,"4\n5,6\n') == (
        'in.csv, line 4: a quote opens here and never closes. Close it, or double a quote that belongs to the value: "".'
    )
    assert fault(tmp_path, b'a\n"b\nc",1,"d\n').startswith("in.csv, line 3: a quote opens here")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("before", [0, 3, 2_000_000])
def test_a_record_that_is_too_long_is_named_with_its_line(tmp_path: Path, before: int) -> None:
    content = b"1\n" * before + b"x" * 8_000_001 + b"\n1\n"
    message = f"in.csv, line {before + 1}: is longer than 8 MB. Does a line end or a quote lack?"
    assert fault(tmp_path, content) == message
    quoted = content.replace(b"x" * 8_000_001, b'"x\n' + b"x" * 8_000_001 + b'"')
    assert fault(tmp_path, quoted).startswith(f"in.csv, line {before + 1}: ")


def test_a_record_of_just_the_longest_size_is_no_fault(tmp_path: Path) -> None:
    assert counted(tmp_path, b"1\n" + b"x" * 8_000_000 + b"\r\n1\n").records == 3


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ('1,"a"b\n', "line 1"),
        ('1,"a" \n2,"a" b\n3,"a"\n', "line 2"),
        ('1,"a\n\n"b\n', "line 3"),
        ('1,"a"b\n' * 7, "lines 1, 2, 3, 4, 5, ..."),
    ],
)
def test_text_behind_a_closing_quote_is_named_with_its_lines(tmp_path: Path, content: str, lines: str) -> None:
    assert fault(tmp_path, content.encode()).startswith(f"in.csv, {lines}: text follows a closing quote.")


@pytest.mark.parametrize("text", ['"a","b"', '"a", "b"', '"a" ,"b" ', '"a""",""', '5" pipe,x"', '"",""""'])
def test_all_other_quotes_are_right(tmp_path: Path, text: str) -> None:
    assert counted(tmp_path, f"{text}\n".encode()).records == 1
    assert counted(tmp_path, f"{text}\n".replace(",", "||").encode(), "||").records == 1
