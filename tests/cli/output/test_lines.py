"""Lines of progress, for logs."""

from __future__ import annotations

import io
import re
import threading

import pytest

from toolbox.cli.output.progress import EVERY, Lines, describe
from toolbox.steps import Stage, Steps


class Listening(io.StringIO):
    """A stream that tells when so many lines are flushed."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.enough = threading.Event()
        self._lines = lines

    def flush(self) -> None:
        if self.getvalue().count("\n") >= self._lines:
            self.enough.set()


class Broken(io.StringIO):
    """A stream whose reader has left."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def lines(stream: io.StringIO) -> list[str]:
    """Return what was written, without the time in front."""
    written = stream.getvalue().splitlines()
    assert all(re.match(r"\[ *\d+\.\d s\] ", line) for line in written)
    return [line.partition("] ")[2] for line in written]


def test_a_line_at_the_beginning_and_at_the_end_of_each_step() -> None:
    stream = io.StringIO()
    with Lines(stream) as watcher:
        steps = Steps(watcher)
        steps.records = 5
        for name in ("prove", "write"):
            with steps.step(name):
                pass
    first, second, third, fourth = lines(stream)
    assert (first, third) == ("prove begins", "write begins")
    assert second.startswith("prove: 5 records, ")
    assert fourth.startswith("write: 5 records, ")


def test_a_running_step_is_told_of_again_and_again() -> None:
    stream = Listening(lines=4)
    with Lines(stream, every=0.01) as watcher, Steps(watcher).step("prove"):
        assert stream.enough.wait(30)
    assert [re.sub(r"\d+\.\d", "0.0", line) for line in lines(stream)][:4] == [
        "prove begins",
        "prove: 0.0 s so far",
        "prove: 0.0 s so far",
        "prove: 0.0 s so far",
    ]


def test_the_interval_is_ten_seconds() -> None:
    assert EVERY == 10


def test_every_line_is_flushed() -> None:
    stream = Listening(lines=1)
    with Lines(stream) as watcher, Steps(watcher).step("prove"):
        assert stream.enough.is_set()


def test_after_the_block_nothing_is_written_and_no_thread_is_left() -> None:
    before = threading.active_count()
    stream = Listening(lines=2)
    with pytest.raises(KeyboardInterrupt), Lines(stream, every=0.01) as watcher:
        watcher.begin(Stage("prove"))
        assert stream.enough.wait(30)
        raise KeyboardInterrupt
    assert threading.active_count() == before


@pytest.mark.parametrize("close", [False, True])
def test_a_stream_that_nobody_reads_does_not_stop_the_run(close: bool) -> None:
    stream = Broken()
    if close:
        stream.close()
    steps = Steps()
    with Lines(stream) as watcher:
        steps = Steps(watcher)
        with steps.step("prove"):
            pass
    assert list(steps.timings()) == ["prove", "total"]


def test_what_a_method_says_is_told_while_it_runs() -> None:
    stage = Stage("Mondrian", words="12 cuts")
    assert describe(stage).startswith("Mondrian: 12 cuts, ")
    stage.end(5)
    assert "cuts" not in describe(stage)


def test_a_reading_tells_its_records_rate_and_remaining_time() -> None:
    stage = Stage("read", "keep", "records", 400_000)
    with stage.measured(lambda: 100_000.0):
        assert re.fullmatch(r"read, keep: 100,000 records, [\d.,]+( M)?/s, \d+ s left", describe(stage))
