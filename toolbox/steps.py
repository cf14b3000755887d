"""The steps of a run: how long each takes and how far it is, for whoever watches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from toolbox.errors import EngineError, SettingError, ToolboxError

Unit = Literal["records", "bytes"]
Measure = Callable[[], float | None]
"""Tells, from any thread, how much of something is done; None while that is not known."""


@dataclass(eq=False)
class Stage:
    """One step, or one of the readings that a step consists of.

    One thread works and writes here, another may read to show it.
    """

    step: str
    part: str = ""
    """Name of the reading, where it is one."""
    unit: Unit = "records"
    """What `amount` and `total` count."""
    total: int | None = None
    """How much there is to do, where it is known before it is done."""
    words: str = ""
    """What a method last said of itself."""
    records: int | None = None
    """How many records it went through; known at its end."""
    started: float = field(default_factory=time.perf_counter)
    seconds: float | None = None
    """How long it took; None while it runs."""
    _measure: Measure | None = None
    _measured_since: float = 0.0
    _most: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def title(self) -> str:
        """What it is called in one line."""
        return f"{self.step}, {self.part}" if self.part else self.step

    @contextmanager
    def measured(self, measure: Measure) -> Iterator[None]:
        """Take the amount from a measure while the block runs; afterwards the measure is not called any more."""
        self._measured_since = time.perf_counter()
        with self._lock:
            self._measure = measure
        try:
            yield
        finally:
            # Whoever asks at this moment has his answer before the block ends, and what it measures may be closed.
            with self._lock:
                self._measure = None

    def amount(self) -> float | None:
        """Return how much is done; it never falls, and is None where nothing is known."""
        with self._lock:
            measured = None if self._measure is None else self._measure()
            if measured is None:
                return None
            self._most = max(self._most, measured)
            return self._most

    def measure_elapsed(self) -> float:
        """Return the seconds since the stage began, or those that it took."""
        return time.perf_counter() - self.started if self.seconds is None else self.seconds

    def measure_growth_time(self) -> float:
        """Return the seconds since the amount of the stage began to grow."""
        return time.perf_counter() - self._measured_since

    def end(self, records: int | None) -> None:
        """Stop the clock of the stage."""
        self.seconds = time.perf_counter() - self.started
        self.records = records


class Watcher:
    """Base of watchers: called as every stage begins and ends, by the working thread. This one does nothing."""

    is_watching = False

    def begin(self, stage: Stage) -> None:
        """Handle the start of a stage."""

    def say(self, stage: Stage) -> None:
        """Handle new words of a method on how far it is."""

    def end(self, stage: Stage) -> None:
        """Handle the end of a stage; not called where an error stopped it."""


class Steps:
    """The clock of a run, which calls its watcher."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        if not isinstance(watcher, (Watcher, type(None))):
            raise SettingError("watcher", watcher, "an object of a class that extends Watcher, or None")
        self._watcher = watcher or Watcher()
        self._seconds: dict[str, float] = {}
        self._started = time.perf_counter()
        self._stage: Stage | None = None
        self.records: int | None = None
        """How many records there are; None until they are counted."""
        self.size: int | None = None
        """Bytes of the input, if how far its reading is can be told from them."""

    @property
    def are_watched(self) -> bool:
        """Whether somebody wants to know how far a step is."""
        return self._watcher.is_watching

    @contextmanager
    def step(self, name: str, measure: Measure | None = None) -> Iterator[None]:
        """Time a step that the summary names.

        Parameters
        ----------
        measure : callable, optional
            Tells how many bytes are done.
        """
        begin = time.perf_counter()
        with self._shown(name, measure):
            yield
        self._end(self.records)
        self._seconds[name] = time.perf_counter() - begin

    @contextmanager
    def show_unlisted(self, name: str) -> Iterator[None]:
        """Show a step that reads no records, and whose time only counts towards the total."""
        with self._shown(name, None):
            yield
        self._end(None)

    @contextmanager
    def _shown(self, name: str, measure: Measure | None) -> Iterator[None]:
        stage = self._begin(Stage(name, unit="records" if measure is None else "bytes"))
        with stage.measured(measure or _measure_nothing), _add_step_name(name):
            yield

    @contextmanager
    def reading(self, name: str, share: Measure, *, until: float = 1.0) -> Iterator[None]:
        """Show one reading of the input, within a step.

        What comes before the first reading is shown as part of it, what follows a reading as its end.

        Parameters
        ----------
        share : callable
            Tells which share of its work the engine has done, between 0 and 1.
        until : float, default 1
            The share of the work at which the input has been read.
        """
        unit: Unit = "bytes" if self.records is None else "records"
        total = self.size if self.records is None else self.records
        stage = self._stage
        if stage is None or stage.part:
            self._end(self.records)
            stage = self._begin(Stage("read" if stage is None else stage.step, name, unit, total))
        else:
            stage.part, stage.unit, stage.total = name, unit, total

        def amount() -> float | None:
            done = share()
            return None if done is None or total is None else min(1.0, done / until) * total

        with stage.measured(_measure_nothing if self.size is None else amount):
            yield

    def say(self, words: str) -> None:
        """Pass the words of a method on how far it is to the watcher."""
        if self._stage is not None:
            self._stage.words = words
            self._watcher.say(self._stage)

    def timings(self) -> dict[str, float]:
        """Return the seconds of each step and of all."""
        return {**self._seconds, "total": time.perf_counter() - self._started}

    def _begin(self, stage: Stage) -> Stage:
        self._stage = stage
        self._watcher.begin(stage)
        return stage

    def _end(self, records: int | None) -> None:
        if self._stage is not None:
            self._stage.end(records)
            self._watcher.end(self._stage)
            self._stage = None


def _measure_nothing() -> None:
    return None


@contextmanager
def _add_step_name(step: str) -> Iterator[None]:
    """Add the name of the step to unforeseen errors of the block."""
    try:
        yield
    except EngineError as error:
        raise error.in_step(step) from error.__cause__
    except Exception as error:
        note = f"In the step {step!r}."
        # One step may be a part of another of this name.
        if not isinstance(error, ToolboxError) and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise
