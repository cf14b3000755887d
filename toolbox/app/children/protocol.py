"""What the web process and its children say to each other: values behind their length, and errors in our terms."""

from __future__ import annotations

import asyncio
import copyreg
import io
import pickle
import sys
import traceback
from asyncio.subprocess import PIPE, Process
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from toolbox.errors import ConfigurationError, ToolboxError

# What the web process and its children say to each other: values, each behind its length.

_LENGTH = 8
"""Bytes of the length in front of a message."""


@dataclass(frozen=True)
class Call:
    """Call a method of the session; ``open`` opens it."""

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


@dataclass(frozen=True)
class Failed:
    """Why a call has failed."""

    number: int
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
        return ChildFaultError("The machine has no more memory. End other programs, or take a smaller table.")
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    where = f" in {Path(frames[-1].filename).relative_to(_PACKAGE)}, line {frames[-1].lineno}" if frames else ""
    return ChildFaultError(
        f"This is a fault of the toolbox: {type(error).__name__}{where}. Nothing was released, and the project is "
        "as it was."
    )


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
