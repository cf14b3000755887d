"""Where the engine begins to read other records than stand in a file."""

from pathlib import Path

import pytest

from toolbox.store import difference
from toolbox.store.difference import first_difference
from toolbox.store.survey import Survey


def reader_that_stumbles(over: bytes):
    """Make an engine that loses records wherever some text stands."""

    def agrees(content: bytes, held: Survey) -> bool:
        assert held.records, "it is shown whole records"
        return over not in content

    return agrees


@pytest.mark.parametrize("group", [1, 40, 16_000_000])
@pytest.mark.parametrize("line", [1, 2, 57, 100])
def test_the_line_is_that_of_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int, line: int) -> None:
    monkeypatch.setattr(difference, "_GROUP", group)
    records = [f"{number},x" for number in range(1, 101)]
    records[line - 1] = "BAD"
    (tmp_path / "in.csv").write_text("\n".join(records))
    assert first_difference(tmp_path / "in.csv", ",", reader_that_stumbles(b"BAD")) == line


def test_quoted_line_ends_count_as_lines_and_not_as_records(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('a\n"b\n\nc",1\n"d\nBAD",2\ne\n')
    assert first_difference(tmp_path / "in.csv", ",", reader_that_stumbles(b"BAD")) == 5


def test_there_may_be_none(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a\nb\n")
    assert first_difference(tmp_path / "in.csv", ",", reader_that_stumbles(b"BAD")) is None
