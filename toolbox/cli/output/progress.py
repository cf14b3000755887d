"""Progress of long work, on standard error: bars on a terminal, lines elsewhere if they are asked for."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from toolbox.steps import Stage, Unit, Watcher

# Progress of long work, on standard error: bars on a terminal, lines elsewhere if they are asked for.


@contextmanager
def show_progress(*, quiet: bool, verbose: bool = False, as_json: bool = False) -> Iterator[Watcher]:
    """Yield a watcher that shows the steps of a run while the block runs."""
    if as_json:
        with JsonProgress(sys.stderr) as lines:
            yield lines
    elif not quiet and _can_move():
        with Bars(keep=verbose) as bars:
            yield bars
    elif verbose:
        with Lines(sys.stderr) as lines:
            yield lines
    else:
        yield Watcher()


def _can_move() -> bool:
    """Return whether standard error is a terminal whose cursor can move."""
    return sys.stderr.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown", "")


# The progress of a stage in words: how much is done, how fast, and how long it takes.

_SURE = 0.02
"""Share of the work after which its end is foretold."""


@dataclass(frozen=True)
class StageFigures:
    """A stage at one moment."""

    share: float | None
    """How much of it is done, between 0 and 1; None if it is over, or nobody knows."""
    amount: str
    rate: str
    time: str
    """How long it still takes, else how long it has taken."""
    is_foretold: bool = False
    """Whether the time is how long it still takes."""


def describe_stage(stage: Stage) -> StageFigures:
    """Describe a stage at this moment; unknown figures are empty."""
    if stage.seconds is not None:
        amount = "" if stage.records is None else format_amount(stage.records, None, "records")
        rate = "" if stage.records is None else format_rate(stage.records, stage.seconds, "records")
        return StageFigures(None, amount, rate, format_seconds(stage.seconds))
    done, elapsed = stage.amount(), format_seconds(stage.measure_elapsed())
    if done is None or not (done or stage.total):
        return StageFigures(None, "", "", elapsed)
    duration = stage.measure_growth_time()
    amount, rate = format_amount(done, stage.total, stage.unit), format_rate(done, duration, stage.unit)
    if not stage.total or done >= stage.total:
        # What was measured is done; what is left of the stage is not known.
        return StageFigures(None, amount, rate, elapsed)
    share = done / stage.total
    if share < _SURE:
        return StageFigures(share, amount, rate, elapsed)
    left = f"{format_seconds(duration * (1 - share) / share, whole=True)} left"
    return StageFigures(share, amount, rate, left, is_foretold=True)


def format_amount(done: float, total: float | None, unit: Unit) -> str:
    """Write an amount.

    Examples
    --------
    >>> format_amount(1_100_000.3, 2_000_000, "records")
    '1,100,000 records'
    >>> format_amount(1_234_567, 205_250_971, "bytes")
    '1.2 of 205.3 MB'
    """
    if unit == "records":
        return f"{done:,.0f} records"
    return f"{done / 1e6:,.1f}{'' if total is None else f' of {total / 1e6:,.1f}'} MB"


def format_rate(done: float, seconds: float, unit: Unit) -> str:
    """Write how much is done in a second, with two digits; empty for nothing.

    Examples
    --------
    >>> format_rate(2_000_000, 3, "records")
    '670,000/s'
    >>> format_rate(3_400_000, 2, "records")
    '1.7 M/s'
    >>> format_rate(205_250_971, 2, "bytes")
    '102.6 MB/s'
    """
    rate = done / seconds if seconds > 0 else 0.0
    if unit == "bytes":
        return f"{rate / 1e6:,.1f} MB/s" if rate else ""
    if rate >= 999_500:
        return f"{rate / 1e6:,.1f} M/s"
    whole = round(rate)
    return f"{round(whole, 2 - len(str(whole))):,}/s" if whole else ""


def format_seconds(seconds: float, *, whole: bool = False) -> str:
    """Write a time.

    Examples
    --------
    >>> format_seconds(6.94), format_seconds(4.2, whole=True), format_seconds(83), format_seconds(3723)
    ('6.9 s', '5 s', '1:23', '1:02:03')
    """
    if whole:
        seconds = int(seconds) + 1
    if seconds < 59.95:
        return f"{seconds} s" if whole else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# Progress as bars on a terminal, one line for each step.

_PER_SECOND = 4
_FOR_ECHO = 3
"""Columns that stay free for the ^C that a terminal shows at the end of the last line, lest it begins another one."""
_BAR, _RATE, _TIME = 20, 12, 9
_AMOUNT = 40
"""Most columns for the words of a method."""
# Columns needed for a percentage, for an amount in words, for a bar beside it, and for a rate as well.
_ROOM_FOR_AMOUNT = 31
_ROOM_FOR_WORDS = 42
_ROOM_FOR_BAR = 63
_ROOM_FOR_RATE = 75


class Bars(Watcher):
    """Draws every stage with its bar, amount, rate and time, until the block is left.

    A thread of the drawing library asks the running stage how far it is, a few times in a second, and ends with the
    block.

    Parameters
    ----------
    keep : bool
        Whether the finished lines, and what methods say, stay on the screen; else nothing does.
    """

    is_watching = True

    def __init__(self, *, keep: bool, console: Console | None = None) -> None:
        self._keep = keep
        self._stages: list[Stage] = []
        self._console = console or Console(stderr=True, highlight=False)
        self._live = Live(self, console=self._console, refresh_per_second=_PER_SECOND, transient=not keep)

    def __enter__(self) -> Self:
        self._live.start(refresh=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def begin(self, stage: Stage) -> None:
        self._stages.append(stage)

    def say(self, stage: Stage) -> None:
        if self._keep:
            self._console.print(Text(f"{stage.title}: {stage.words}", style="dim"), soft_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the stages as they are now."""
        yield _draw_stages(list(self._stages), options.max_width - _FOR_ECHO)


def _draw_stages(stages: list[Stage], width: int) -> Table:
    """Draw the stages; on a narrow terminal the rates are left out first, then the bars, then the amounts."""
    has_rate, has_bar, has_amount = (width >= room for room in (_ROOM_FOR_RATE, _ROOM_FOR_BAR, _ROOM_FOR_AMOUNT))
    # Every width is chosen here: left to itself, a table that is too wide takes from the times.
    title = max(11, min(16, max((len(stage.title) for stage in stages), default=0)))
    rest = title + 1 + _TIME + (_BAR + 1 if has_bar else 0) + (_RATE + 1 if has_rate else 0)
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, width=title)
    if has_bar:
        table.add_column(width=_BAR)
    if has_amount:
        table.add_column(no_wrap=True, justify="right", width=max(1, min(_AMOUNT, width - rest - 1)))
    if has_rate:
        table.add_column(no_wrap=True, justify="right", width=_RATE)
    table.add_column(no_wrap=True, justify="right", width=_TIME)
    for stage in stages:
        now, is_over = describe_stage(stage), stage.seconds is not None
        row: list[Text | ProgressBar] = [Text(stage.title, style="" if is_over else "bold")]
        if has_bar:
            row.append(_make_bar(stage, now))
        if has_amount:
            row.append(Text(_format_stage_amount(stage, now, width)))
        if has_rate:
            row.append(Text(now.rate, style="cyan"))
        table.add_row(*row, Text(now.time, style="green" if is_over else ""))
    return table


def _format_stage_amount(stage: Stage, now: StageFigures, width: int) -> str:
    """Return how much is done: in the words of the method while it runs, as a percentage if there is no bar."""
    if now.share is not None and width < _ROOM_FOR_BAR:
        return f"{int(100 * now.share)}%"
    if stage.seconds is None and stage.words:
        return stage.words
    return now.amount if width >= _ROOM_FOR_WORDS else now.amount.removesuffix(" records")


def _make_bar(stage: Stage, now: StageFigures) -> ProgressBar:
    if stage.seconds is not None:
        return ProgressBar(total=1, completed=1, width=_BAR)
    if now.share is None:
        return ProgressBar(total=None, pulse=True, width=_BAR)
    return ProgressBar(total=1, completed=now.share, width=_BAR)


# Progress as lines, for logs: as each step begins and ends, and at least every ten seconds between.

EVERY = 10.0
"""Seconds between two lines about one step."""
OFTEN = 0.2
"""The same where a program shows them."""


class Lines(Watcher):
    """Writes a line when a stage begins, when it ends, and now and then between, until the block is left.

    Parameters
    ----------
    stream : text file
        Is flushed after each line. Where it cannot be written to, the run goes on in silence.
    every : float
        Seconds between two lines about one stage.
    """

    is_watching = True

    def __init__(self, stream: TextIO, every: float = EVERY) -> None:
        self._stream = stream
        self._every = every
        self._began = time.perf_counter()
        self._stage: Stage | None = None
        self._writing = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def begin(self, stage: Stage) -> None:
        with self._writing:
            self._stage = stage
            self._write(self.begun(stage))

    def end(self, stage: Stage) -> None:
        with self._writing:
            self._stage = None
            self._write(self.described(stage))

    def _repeat(self) -> None:
        while not self._over.wait(self._every):
            with self._writing:
                if self._stage is not None:
                    self._write(self.described(self._stage))

    def begun(self, stage: Stage) -> str:
        """Return the line of a stage that begins."""
        return f"{self._time()} {stage.title} begins"

    def described(self, stage: Stage) -> str:
        """Return the line of a stage that is at work or has ended."""
        return f"{self._time()} {describe(stage)}"

    def _time(self) -> str:
        return f"[{format_seconds(time.perf_counter() - self._began):>7}]"

    def _write(self, line: str) -> None:
        with suppress(OSError, ValueError):
            print(line, file=self._stream, flush=True)


class JsonProgress(Lines):
    """Writes the same as documents, for programs, and oftener."""

    def __init__(self, stream: TextIO, every: float = OFTEN) -> None:
        super().__init__(stream, every)

    def begun(self, stage: Stage) -> str:
        return self.described(stage)

    def described(self, stage: Stage) -> str:
        now = describe_stage(stage)
        document = {
            "step": stage.title,
            "words": ", ".join(filter(None, (stage.words, now.amount))),
            "share": now.share,
            "seconds": round(stage.measure_elapsed(), 3),
            "is_over": stage.seconds is not None,
        }
        return json.dumps(document)


def describe(stage: Stage) -> str:
    """Describe in one line how far a stage is."""
    now = describe_stage(stage)
    if stage.seconds is not None:
        parts = [now.amount, now.rate, now.time]
    else:
        parts = [stage.words, now.amount, now.rate, now.time if now.is_foretold else f"{now.time} so far"]
    return f"{stage.title}: {', '.join(filter(None, parts))}"
