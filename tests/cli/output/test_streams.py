"""Standard output, even where it is missing, full, or nobody reads it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from toolbox.cli.output.streams import flush_out, open_closed_streams, print_out
from toolbox.errors import OutputError

FULL = Path("/dev/full")


@pytest.fixture
def unread() -> Iterator[TextIO]:
    """Open a pipe whose reader is gone."""
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w", encoding="utf-8")
    yield stream
    with suppress(OSError):
        stream.close()


@pytest.fixture
def full() -> Iterator[TextIO]:
    """Open a device that is full."""
    if not FULL.exists():
        pytest.skip("There is no device that is always full.")
    stream = FULL.open("w", encoding="utf-8")
    yield stream
    with suppress(OSError):
        stream.close()


def test_a_text_is_printed_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_out("one line")
    assert capsys.readouterr().out == "one line\n"


def test_what_the_output_has_no_letters_for_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a file may hold a byte that is no text; a terminal may know ASCII alone."""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    print_out("caf\u00e9 \udcff")
    assert written.getvalue() == b"caf\\xe9 \\udcff\n"


def test_that_nobody_reads_any_more_is_no_fault_and_the_rest_goes_nowhere(
    unread: TextIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", unread)
    print_out("first")
    print_out("second")
    flush_out()
    # What is left in the buffer disturbs no interpreter that ends.
    unread.close()


def test_a_full_disk_is_an_error_once(full: TextIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", full)
    with pytest.raises(OutputError) as caught:
        print_out("first")
    assert str(caught.value) == "Standard output cannot be written: No space left on device."
    flush_out()
    full.close()


def test_what_was_printed_before_is_written_or_an_error(full: TextIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", full)
    full.write("unwritten")
    with pytest.raises(OutputError, match="No space left on device"):
        flush_out()


def test_a_program_without_streams_gets_some_that_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    open_closed_streams()
    opened: list[TextIO] = [sys.stdout, sys.stderr]
    assert [stream.name for stream in opened] == [os.devnull, os.devnull]
    print_out("into nothing")
    for stream in opened:
        stream.close()


def test_streams_that_are_open_stay_as_they_are() -> None:
    before = sys.stdout, sys.stderr
    open_closed_streams()
    assert (sys.stdout, sys.stderr) == before
