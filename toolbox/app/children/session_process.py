"""The process of a session, as the web process sees it."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any

from toolbox.app.children.protocol import Call, Cancel, Done, Failed, Progress, pack_message, receive_message
from toolbox.app.children.work import CANCELLED
from toolbox.errors import CancelledError, ToolboxError

_OPENS = "open"
_ENDS_WITHIN = 3.0
"""Seconds in which a process removes what it has left, before it is killed."""


class WorkerGoneError(ToolboxError):
    """The process that computes has ended in the middle of a call."""

    def __str__(self) -> str:
        return (
            "The process that computes has ended: it was killed, or the machine has no more memory. "
            "The project is unharmed, and the next question starts it again."
        )


async def start_process(*words: str, **how: Any) -> Process:
    """Start a process of ours, in a session of its own: an interrupt of the terminal is for the web process alone.

    Raises
    ------
    ToolboxError
        If the machine starts no more processes.
    """
    try:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", *words), stdout=PIPE, start_new_session=True, **how
        )
    except OSError as error:
        raise NotStartedError(
            f"The machine starts no more processes: {error.strerror or error}. End other programs, and try again."
        ) from error


class NotStartedError(ToolboxError):
    """A process that computes could not be started."""


class SessionProcess:
    """Starts the process with the first call, and again with the next one if it has ended."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._numbers = count(1)
        self._at_work: int | None = None
        self._is_stopped = self._is_closed = False

    @property
    def is_alive(self) -> bool:
        """Whether there is a process, which then holds what it has opened."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int | None:
        """Of the process, if there is one."""
        return self._process.pid if self._process is not None and self.is_alive else None

    async def call(self, name: str, arguments: Mapping[str, Any], told: Callable[[Progress], None]) -> Any:
        """Call a method of the session; one call at a time.

        Raises
        ------
        ToolboxError
            What the method raises; `WorkerGoneError` if the process has ended, `CancelledError` if it was stopped.
        """
        if self._is_closed:
            raise CancelledError(CANCELLED)
        if name != _OPENS and not self.is_alive:
            # Another process would have no session.
            raise WorkerGoneError
        self._is_stopped = False
        process = await self._started()
        if self._is_stopped:
            await self.end()
            raise CancelledError(CANCELLED)
        assert process.stdin is not None and process.stdout is not None
        number = self._at_work = next(self._numbers)
        try:
            process.stdin.write(pack_message(Call(number, name, dict(arguments))))
            await process.stdin.drain()
            while True:
                match await receive_message(process.stdout):
                    case Progress(number=told_of) as progress if told_of == number:
                        told(progress)
                    case Done(number=answered, value=value) if answered == number and not self._is_stopped:
                        return value
                    case Failed(number=answered, error=error) if answered == number:
                        raise error
        except (EOFError, ConnectionError) as gone:
            await process.wait()
            if self._is_stopped:
                raise CancelledError(CANCELLED) from gone
            raise WorkerGoneError from gone
        finally:
            self._at_work = None

    def cancel(self) -> None:
        """Ask the call that is at work to end itself."""
        if self.is_alive and self._at_work is not None:
            assert self._process is not None and self._process.stdin is not None
            self._process.stdin.write(pack_message(Cancel(self._at_work)))

    async def end(self) -> None:
        """End the process, which removes what it has left; kill it if it does not end soon."""
        self._is_stopped = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        if self._at_work is not None:
            # Not all calls can be cancelled, but each hears an interrupt.
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _ENDS_WITHIN)
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def close(self) -> None:
        """End the process for good: a call that has waited behind another one starts none again."""
        self._is_closed = True
        await self.end()

    async def _started(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await start_process("toolbox.app.children.session_worker", stdin=PIPE, stderr=DEVNULL)
        return self._process
