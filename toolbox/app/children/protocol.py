"""What the web process and its children say to each other: values behind their length, and errors in our terms."""

from __future__ import annotations

import asyncio
import copyreg
import io
import pickle
import signal
import sys
import traceback
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import ChainMap
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from toolbox.errors import CancelledError, ConfigurationError, ToolboxError
from toolbox.messages import mark, say

# What the web process and its children say to each other: values, each behind its length.

_LENGTH = 8
"""Bytes of the length in front of a message."""


NEED_NO_SESSION = ("open", "sniff", "look")
"""Calls that a process without a session answers: ``open`` opens it, the others ask about a table."""
CANCELLED = mark("Cancelled. Nothing of it is left.")
_ENDS_WITHIN = 3.0
"""Seconds in which a process removes what it has left, before it is killed."""


@dataclass(frozen=True)
class Call:
    """Ask a question about a table, or call a method of the session."""

    number: int
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Cancel:
    """Cancel a call, if it is still at work."""

    number: int


@dataclass(frozen=True)
class Progress:
    """How far a call is."""

    number: int
    step: str
    words: str
    share: float | None
    """How much of the step is done, between 0 and 1; None if nobody knows."""


@dataclass(frozen=True)
class Done:
    """What a call has given back."""

    number: int
    value: Any


UNREAD: Final = 0
"""The number of a call that the child could not read: whichever is at work has then failed."""


@dataclass(frozen=True)
class Failed:
    """Why a call has failed."""

    number: int
    """Of the call, or `UNREAD`."""
    error: Exception


def pack_message(message: object) -> bytes:
    """Return the bytes of a message."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(message)
    return len(buffer.getbuffer()).to_bytes(_LENGTH, "big") + buffer.getvalue()


def read_message(stream: BinaryIO) -> Any:
    """Return the next message.

    Raises
    ------
    EOFError
        If whoever wrote is gone.
    """
    length = int.from_bytes(_read_exactly(stream, _LENGTH), "big")
    return pickle.loads(_read_exactly(stream, length))


async def receive_message(stream: asyncio.StreamReader) -> Any:
    """Return the next message.

    Raises
    ------
    EOFError
        If whoever wrote is gone.
    """
    length = int.from_bytes(await stream.readexactly(_LENGTH), "big")
    return pickle.loads(await stream.readexactly(length))


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    found = stream.read(length)
    if len(found) < length:
        raise EOFError
    return found


def _unpack_mapping(contents: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(contents)


_TABLE: ChainMap[type[Any], Callable[[Any], Any]] = ChainMap(
    {MappingProxyType: lambda mapping: (_unpack_mapping, (dict(mapping),))}, copyreg.dispatch_table
)


class _Pickler(pickle.Pickler):
    """Also writes read-only mappings, which configurations and summaries have. Only our own children read it."""

    dispatch_table = _TABLE


# What people are told of an error that nobody foresaw.

_PACKAGE = Path(__file__).parents[2]


class ChildFaultError(ToolboxError):
    """The toolbox itself failed; the message names the place in it, and not the error's text, which may quote cells."""

    exit_status = 3


def list_fault_sentences(error: ToolboxError) -> list[str]:
    """Return what an error says: of a configuration each fault by itself, without its name, as there is but one."""
    if not isinstance(error, ConfigurationError):
        return [str(error)]
    return [" ".join(f"{fault.found} {fault.remedy}".split()) for fault in error.faults]


def hide_foreign_words(error: Exception) -> ToolboxError:
    """Return an error whose words may be shown: those of libraries may quote cells."""
    if isinstance(error, ToolboxError):
        return error
    if isinstance(error, MemoryError):
        return ChildFaultError(say("The machine has no more memory. End other programs, or take a smaller table."))
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    name = type(error).__name__
    if frames:
        file, line = Path(frames[-1].filename).relative_to(_PACKAGE), str(frames[-1].lineno)
        name = say("%(error)s in %(file)s, line %(line)s", error=name, file=file, line=line)
    words = mark("This is a fault of the toolbox: %(error)s. Nothing was released, and the project is as it was.")
    return ChildFaultError(say(words, error=name))


class WorkerGoneError(ToolboxError):
    """The process that computes has ended in the middle of a call."""

    def __str__(self) -> str:
        return say(
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
        told = mark("The machine starts no more processes: %(reason)s. End other programs, and try again.")
        raise NotStartedError(say(told, reason=error.strerror or error)) from error


class NotStartedError(ToolboxError):
    """A process that computes could not be started."""


# How the web process calls a child.


class ChildProcess:
    """The process that computes: started with the first call, and again with the next one if it has ended.

    Parameters
    ----------
    purpose : str
        What a list of processes shows of it.
    """

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose
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

    async def call(
        self, name: str, arguments: Mapping[str, Any], told: Callable[[Progress], None] | None = None
    ) -> Any:
        """Ask a question about a table, or call a method of the session; one call at a time.

        Raises
        ------
        ToolboxError
            What is raised there; `WorkerGoneError` if the process has ended, `CancelledError` if it was stopped.
        """
        if self._is_closed:
            raise CancelledError(CANCELLED)
        if name not in NEED_NO_SESSION and not self.is_alive:
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
                        if told is not None:
                            told(progress)
                    case Done(number=answered, value=value) if answered == number and not self._is_stopped:
                        return value
                    case Failed(number=answered, error=error) if answered in (number, UNREAD):
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

    async def kill(self) -> None:
        """End a process that leaves nothing behind."""
        self._is_stopped = True
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.terminate()
            await self._process.wait()

    async def close(self) -> None:
        """End the process for good: a call that has waited behind another one starts none again."""
        self._is_closed = True
        await self.end()

    async def _started(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await start_process(
                "toolbox.app.children.worker", self._purpose, stdin=PIPE, stderr=DEVNULL
            )
        return self._process
