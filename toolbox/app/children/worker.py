"""The process that computes: it looks at tables or holds the session of a project, and answers call after call."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Final

from toolbox import PrivacyModel, Session, sniff
from toolbox import open as opened_session
from toolbox.app.children.profile_cache import profile_columns
from toolbox.app.children.protocol import (
    UNREAD,
    Call,
    Cancel,
    Done,
    Failed,
    Progress,
    hide_foreign_words,
    pack_message,
    read_message,
)
from toolbox.app.pages.protection import find_models
from toolbox.steps import Stage, Watcher

_QUESTIONS: Final[Mapping[str, Callable[..., Any]]] = {"sniff": sniff, "look": profile_columns}
_EVERY = 0.2
"""Seconds between two words on how far a call is."""
_TAKE_A_WATCHER = ("open", "run")
_CAN_BE_CANCELLED = ("run", "compare_statistics")


class Telling(Watcher):
    """Tells how far a call is: when a stage begins or says something, and now and then between."""

    is_watching = True

    def __init__(self, worker: SessionWorker, number: int) -> None:
        self._worker = worker
        self._number = number
        self._stage: Stage | None = None
        self._over = threading.Event()
        threading.Thread(target=self._repeat, daemon=True).start()

    def begin(self, stage: Stage) -> None:
        self._stage = stage
        self._tell()

    def say(self, stage: Stage) -> None:
        self._stage = stage

    def close(self) -> None:
        """Tell nothing more."""
        self._over.set()

    def _repeat(self) -> None:
        while not self._over.wait(_EVERY):
            self._tell()

    def _tell(self) -> None:
        stage = self._stage
        if stage is not None:
            done = stage.amount()
            share = None if done is None or not stage.total else min(1.0, done / stage.total)
            self._worker.tell(Progress(self._number, stage.title, stage.words, share))


class SessionWorker:
    """Answers calls in their order, until the caller is gone.

    Parameters
    ----------
    asked, answered : binary file
        Where calls come from, and where answers go.
    """

    def __init__(self, asked: BinaryIO, answered: BinaryIO) -> None:
        self._asked = asked
        self._answered = answered
        self._writing = threading.Lock()
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._cancelled: dict[int, threading.Event] = {}
        self._session: Session | None = None

    def run(self) -> None:
        """Work until the other side is gone; then nothing is left."""
        threading.Thread(target=self._read_calls, daemon=True).start()
        try:
            while (call := self._calls.get()) is not None:
                self._answer(call)
        finally:
            self._close()

    def tell(self, message: object) -> None:
        """Send a message; it is lost if nobody is there."""
        try:
            data = pack_message(message)
        except Exception as error:
            assert isinstance(message, Done), "only a value can be something that nobody foresaw"
            data = pack_message(Failed(message.number, hide_foreign_words(error)))
        with self._writing:
            try:
                self._answered.write(data)
                self._answered.flush()
            except OSError:
                # The reading thread hears it as well, and ends everything.
                return

    def _read_calls(self) -> None:
        try:
            while True:
                self._take_message()
        except (EOFError, OSError):
            for event in self._cancelled.values():
                event.set()
            self._calls.put(None)

    def _take_message(self) -> None:
        try:
            message = read_message(self._asked)
        except (EOFError, OSError):
            raise
        except Exception as error:
            # Whoever waits would wait for ever; the next message begins behind this one.
            self.tell(Failed(UNREAD, hide_foreign_words(error).with_traceback(None)))
            return
        match message:
            case Call() as call:
                self._cancelled[call.number] = threading.Event()
                self._calls.put(call)
            case Cancel(number) if number in self._cancelled:
                self._cancelled[number].set()

    def _answer(self, call: Call) -> None:
        cancel = self._cancelled[call.number]
        try:
            answer: Done | Failed = Done(call.number, self._call_session(call, cancel))
        except Exception as error:
            answer = Failed(call.number, hide_foreign_words(error).with_traceback(None))
        del self._cancelled[call.number]
        self.tell(answer)

    def _call_session(self, call: Call, cancel: threading.Event) -> Any:
        watcher = Telling(self, call.number)
        try:
            arguments = dict(call.arguments)
            if call.name in _TAKE_A_WATCHER:
                arguments["watcher"] = watcher
            if call.name in _CAN_BE_CANCELLED:
                arguments["cancel"] = cancel
            if "requirements" in arguments:
                arguments["models"] = _make_models(arguments.pop("requirements"))
            return self._find_function(call.name)(**arguments)
        finally:
            watcher.close()

    def _find_function(self, name: str) -> Callable[..., Any]:
        if name in _QUESTIONS:
            return _QUESTIONS[name]
        found: Callable[..., Any] = self._open if name == "open" else getattr(self._opened(), name)
        return found

    def _open(self, **arguments: Any) -> None:
        self._close()
        self._session = opened_session(**arguments)

    def _opened(self) -> Session:
        assert self._session is not None, "the first call opens a session"
        return self._session

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def _make_models(requirements: Iterable[Any]) -> list[PrivacyModel]:
    """Make the privacy models that a configuration requires."""
    return [
        find_models()[each.model](
            **each.parameters, **({} if each.attribute is None else {"attribute": each.attribute})
        )
        for each in requirements
    ]


def main() -> None:
    """Answer on what was standard output; what libraries print goes to standard error."""
    answered = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Whoever started us may have ignored interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        SessionWorker(sys.stdin.buffer, answered).run()


if __name__ == "__main__":
    main()
