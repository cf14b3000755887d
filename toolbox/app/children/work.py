"""What is at work: its words, how far it is, and what has become of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from toolbox.app.children.protocol import Progress, hide_foreign_words
from toolbox.errors import CancelledError, ToolboxError

CANCELLED = "Cancelled. Nothing of it is left."


@dataclass(eq=False)
class Work:
    """One work of a child process that may take long."""

    name: str
    """What it is: ``open`` or ``run`` of the session; ``release`` or ``judge``, in a process of their own."""
    words: str
    """What people call it: "Read people.csv"."""
    started: float = field(default_factory=time.monotonic)
    step: str = ""
    share: float | None = None
    """How much of the step is done, between 0 and 1; None if nobody knows."""
    error: ToolboxError | None = None
    """Why it has failed, or that it was cancelled."""
    is_cancelling: bool = False
    task: asyncio.Task[Any] | None = None
    _seconds: float | None = None

    @property
    def slot(self) -> str:
        """Who does it: the session, or a command."""
        return "session" if self.name in ("open", "run") else "command"

    def begin(self, doing: Callable[[Work], Coroutine[Any, Any, None]]) -> None:
        """Let it go on while pages are answered."""

        async def go_on() -> None:
            try:
                await doing(self)
            except Exception as error:
                self.end(hide_foreign_words(error))
            else:
                self.end()

        self.task = asyncio.create_task(go_on())

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return time.monotonic() - self.started if self._seconds is None else self._seconds

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whichever way."""
        return self._seconds is not None

    @property
    def is_cancelled(self) -> bool:
        """Whether it has ended because somebody wanted it."""
        return isinstance(self.error, CancelledError)

    def require_wanted(self) -> None:
        """Stop before the next step if somebody has cancelled the work; whoever was between two steps hears it here.

        Raises
        ------
        CancelledError
        """
        if self.is_cancelling:
            raise CancelledError(CANCELLED)

    def told(self, progress: Progress) -> None:
        """Take in how far it is."""
        self.step = f"{progress.step}: {progress.words}" if progress.words else progress.step
        self.share = progress.share

    def end(self, error: ToolboxError | None = None) -> None:
        """Stop its clock."""
        self._seconds, self.error = self.seconds, error


class BusyError(ToolboxError):
    """What was asked has to wait for a work that takes long: the page then shows how far that is."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.work = work

    def __str__(self) -> str:
        return f"{self.work.words} is still at work."
