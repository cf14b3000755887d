"""Lines of a plain text are counted, and whatever else a text may hold is left to the count that understands it."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from toolbox.store.input import text_count as plain_lines
from toolbox.store.input.text_count import count_plain_lines
from toolbox.store.input.text_file import Survey

_HERE = [HealthCheck.function_scoped_fixture]


def counted(folder: Path, content: bytes) -> Survey | None:
    path = folder / "in.csv"
    path.write_bytes(content)
    return count_plain_lines(path)


@settings(suppress_health_check=_HERE)
@given(st.lists(st.text("a,#é", max_size=5), min_size=1, max_size=20), st.booleans(), st.sampled_from([4, 7, 1000]))
@example(["a", "", "b"], True, 7)
@example(["", "a"], True, 7)
@example(["ab"] * 4, False, 4)
def test_each_line_is_a_record_unless_one_is_blank_or_longer_than_a_block(
    tmp_path: Path, lines: list[str], is_ended: bool, block: int
) -> None:
    is_ended |= not lines[-1]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plain_lines, "_PLAIN_BLOCK", block)
        content = ("\n".join(lines) + "\n" * is_ended).encode()
        found = counted(tmp_path, content)
    ends = content.count(b"\n")
    expected = Survey(len(lines), 0, {"\n": ends} if ends else {}, is_plain=b"#" not in content)
    if not all(lines):
        assert found is None
    elif max(len(line.encode()) for line in lines) < block:
        assert found == expected
    else:
        assert found in (None, expected)


@pytest.mark.parametrize(
    "content",
    [b'a\n"b"\n', b"a\r\nb\r\n", b"a\rb\n", b"\xef\xbb\xbfa\nb\n", b"\na\nb\n", b"a\n\nb\n", b"a\nb\n\n"],
    ids=["a quote", "CR LF", "CR", "a byte order mark", "blank first", "blank within", "blank last"],
)
@pytest.mark.parametrize("block", [3, 1000])
def test_other_texts_are_not_counted(
    content: bytes, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_lines, "_PLAIN_BLOCK", block)
    assert counted(tmp_path, content) is None


def test_a_line_that_might_be_too_long_to_be_read_is_not_counted(tmp_path: Path) -> None:
    assert counted(tmp_path, b"a\n" + b"x" * 8_000_001 + b"\nb\n") is None


def test_a_text_that_becomes_shorter_while_it_is_looked_at_is_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b"abc\n")
    assert plain_lines._count_part(path, 10, 20, Event()) is None
    assert plain_lines._count_part(path, 2, 20, Event()) is None
    assert counted(tmp_path, b"") is None
