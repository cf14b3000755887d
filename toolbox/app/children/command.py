"""A command of the toolbox in a process of its own: a release, or what is said of one."""

from __future__ import annotations

import asyncio
import json
import re
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from toolbox.app.children.protocol import Progress
from toolbox.app.children.session_process import start_process
from toolbox.errors import CancelledError, ToolboxError

_ENDS_WITHIN = 10.0
"""Seconds in which a process removes what it has left, before it is killed."""
_LONGEST_LINE = 1 << 20
_INTERRUPTED = 130
_MISSING = re.compile(
    r"(?P<table>.+) has no column (?P<column>'[^']*'|\"[^\"]*\")\.(?: Did you mean .*?\?)?"
    r"(?P<known>(?: (?:It has:|None of the names).*)?)"
)
"""What a command says of a column that a table lacks."""


class CommandError(ToolboxError):
    """A command has failed, in its own words: one sentence or more for each fault."""

    def __str__(self) -> str:
        return " ".join(self.args)


class ChildCommand:
    """Runs one command after the other, and ends the one that is at work.

    A release is made by ``toolbox -config``, as on a command line, and not by what was previewed: it reads the records
    itself, and proves what it writes.
    """

    def __init__(self) -> None:
        self._process: Process | None = None
        self._is_stopped = False

    async def run(self, words: Sequence[str], folder: Path, told: Callable[[Progress], None]) -> dict[str, Any]:
        """Run a command in a folder; return the document that it prints.

        Raises
        ------
        CommandError
            If it fails; `CancelledError` if it was stopped. In both cases nothing was written.
        """
        self._is_stopped = False
        process = self._process = await start_process(
            *("toolbox", *words, "--json"), cwd=folder, stdin=DEVNULL, stderr=PIPE, limit=_LONGEST_LINE
        )
        assert process.stdout is not None and process.stderr is not None
        if self._is_stopped:
            process.terminate()
        answer, _ = await asyncio.gather(process.stdout.read(), _tell(process.stderr, told))
        status = await process.wait()
        if status and (self._is_stopped or status == _INTERRUPTED):
            raise CancelledError("Cancelled. Nothing was written.")
        document = _parse_document(answer)
        if status and "error" in document:
            raise CommandError(*_list_error_sentences(document["error"]))
        if not document:
            raise CommandError(
                "The process has ended without a word: it was killed, or the machine has no more memory."
            )
        return document

    async def cancel(self) -> None:
        """End the command that is at work; it removes what it has left."""
        # Also where the process only begins to be one.
        self._is_stopped = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _ENDS_WITHIN)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _tell(lines: asyncio.StreamReader, told: Callable[[Progress], None]) -> None:
    """Pass on how far a command is; what else it says is in its document."""
    while line := await lines.readline():
        with suppress(ValueError, KeyError, TypeError):
            said = json.loads(line)
            told(Progress(0, str(said["step"]), str(said["words"]), said["share"]))


def _list_error_sentences(error: Mapping[str, Any]) -> list[str]:
    """Return what a command says of its error; of a configuration each fault, which may be one of another file."""
    faults = error.get("faults", [])
    said = _join_missing_columns([_format_fault(fault) for fault in faults])
    more = error.get("fault_count", 0) - len(faults)
    return [*said, *([f"And {more} more."] if more > 0 else [])] or [str(error["message"])]


def _join_missing_columns(said: Sequence[str]) -> list[str]:
    """Join the missing columns of each table into one sentence; each message alone lists all columns of the table."""
    found = [_MISSING.fullmatch(sentence) for sentence in said]
    lacks: dict[tuple[str, str], list[str]] = {}
    for match in found:
        if match is not None:
            lacks.setdefault((match["table"], match["known"]), []).append(match["column"])
    together: dict[str, None] = {}
    for sentence, match in zip(said, found, strict=True):
        columns = [] if match is None else lacks[match["table"], match["known"]]
        if match is None or len(columns) == 1:
            together[sentence] = None
        else:
            together[f"{match['table']} lacks the columns {', '.join(columns)}.{match['known']}"] = None
    return list(together)


def _format_fault(fault: Mapping[str, Any]) -> str:
    where = f"{fault['file']}, line {fault['line']}: " if fault["file"] else ""
    return where + f"{fault['found']} {fault['remedy']}".strip()


def _parse_document(answer: bytes) -> dict[str, Any]:
    with suppress(ValueError):
        found = json.loads(answer)
        if isinstance(found, dict):
            return found
    return {}
