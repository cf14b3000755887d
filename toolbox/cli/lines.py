"""Progress as lines, for logs: as each step begins and ends, and at least every ten seconds between."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

from toolbox.cli.figures import figures, seconds_text
from toolbox.steps import Stage, Watcher

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
        return f"[{seconds_text(time.perf_counter() - self._began):>7}]"

    def _write(self, line: str) -> None:
        with suppress(OSError, ValueError):
            print(line, file=self._stream, flush=True)


class JsonLines(Lines):
    """Writes the same as documents, for programs, and oftener."""

    def __init__(self, stream: TextIO, every: float = OFTEN) -> None:
        super().__init__(stream, every)

    def begun(self, stage: Stage) -> str:
        return self.described(stage)

    def described(self, stage: Stage) -> str:
        now = figures(stage)
        document = {
            "step": stage.title,
            "words": ", ".join(filter(None, (stage.words, now.amount))),
            "share": now.share,
            "seconds": round(stage.elapsed(), 3),
            "is_over": stage.seconds is not None,
        }
        return json.dumps(document)


def describe(stage: Stage) -> str:
    """Describe in one line how far a stage is."""
    now = figures(stage)
    if stage.seconds is not None:
        parts = [now.amount, now.rate, now.time]
    else:
        parts = [stage.words, now.amount, now.rate, now.time if now.is_foretold else f"{now.time} so far"]
    return f"{stage.title}: {', '.join(filter(None, parts))}"
