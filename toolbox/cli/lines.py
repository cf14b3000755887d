"""Progress as lines, for logs: as each step begins and ends, and at least every ten seconds between."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

from toolbox.cli.figures import figures, seconds_text
from toolbox.steps import Stage, Watcher

EVERY = 10.0
"""Seconds between two lines about one step."""


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
            self._write(f"{stage.title} begins")

    def end(self, stage: Stage) -> None:
        with self._writing:
            self._stage = None
            self._write(describe(stage))

    def _repeat(self) -> None:
        while not self._over.wait(self._every):
            with self._writing:
                if self._stage is not None:
                    self._write(describe(self._stage))

    def _write(self, text: str) -> None:
        elapsed = seconds_text(time.perf_counter() - self._began)
        with suppress(OSError, ValueError):
            print(f"[{elapsed:>7}] {text}", file=self._stream, flush=True)


def describe(stage: Stage) -> str:
    """Describe in one line how far a stage is."""
    now = figures(stage)
    if stage.seconds is not None:
        parts = [now.amount, now.rate, now.time]
    else:
        parts = [stage.words, now.amount, now.rate, now.time if now.is_foretold else f"{now.time} so far"]
    return f"{stage.title}: {', '.join(filter(None, parts))}"
