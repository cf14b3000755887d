"""What was found out of the table before any session, and what speaks for and against its columns."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from toolbox import suggest
from toolbox.app.children.protocol import ChildProcess, NotStartedError, WorkerGoneError
from toolbox.messages import Phrase, mark

if TYPE_CHECKING:
    from toolbox import Project


# What can be found out of the columns of a table before anybody says anything.

# As of the notes of a run.
_FEWEST, _NEARLY_ALL = 10, 0.9
ColumnRole = Literal["identifier", "quasi-identifier", "sensitive", "other"]


@dataclass(frozen=True)
class ColumnProfile:
    """What was found out of one column."""

    role: ColumnRole
    """What it may be: a role of a project."""
    why: str
    evidence: str
    sureness: str
    kind: str
    """With the format of dates."""
    hierarchy: str
    """The words of a builder for a quasi-identifier, also where something else is suggested; empty for none."""
    values: int
    missing: int
    alone: int
    """Records with a value that no other has."""
    there: int = 0
    """Records with a value."""
    kind_generalised: str = ""
    """What it holds as a quasi-identifier, with the format of dates; empty: the same."""
    tells_persons: bool = False
    """Whether it seems to tell persons apart, of whom some have several records."""

    @property
    def nearly_all_differ(self) -> bool:
        """Whether nearly each record has a value of its own; of few records that may be chance."""
        return self.there >= _FEWEST and self.values >= _NEARLY_ALL * self.there


def profile_columns(path: Path, **reading: Any) -> tuple[ColumnProfile, ...]:
    """Look at each column of a table, in their order.

    Raises
    ------
    ToolboxError
        If it cannot be read.
    """
    suggestion = suggest(path, **reading)
    plan = suggestion.plan
    return tuple(
        ColumnProfile(
            # What is released as it is has to be declared, since undeclared columns are left out.
            role="sensitive" if column.role == "as it is" else column.role,
            why=column.why.swap(_SCREEN_WORDS) if isinstance(column.why, Phrase) else column.why,
            evidence=plan.evidence(column),
            sureness=column.sureness,
            # As long as records that lack a value are left out, it need not be taken for words.
            kind=_find_kind(column, column.generalisation.attributes if column.role == "quasi-identifier" else {}),
            hierarchy=column.generalisation.words,
            kind_generalised=_find_kind(column, column.generalisation.attributes),
            values=column.profile.different,
            missing=column.profile.missing,
            alone=column.profile.alone,
            there=column.profile.there,
            tells_persons=column is plan.person,
        )
        for column in suggestion.columns
    )


def _find_kind(column: Any, said: Mapping[str, str]) -> str:
    """Return what a suggested column holds, with the format of its dates."""
    return f"{said.get('type', column.profile.kind)} {said.get('format', '')}".strip()


_SCREEN_WORDS: Final = {
    "move it to sens": mark("make it sensitive"),
    "move it to qid": mark("make it a quasi-identifier"),
}
"""What sections of a configuration are called on screens."""


# What was found out of the table before any session: asked once, in a process of its own, and kept.

_PATIENCE: Final = 0.4
"""Seconds that a page waits for an answer before it is shown without."""
_MOST_KEPT: Final = 8


class Looks:
    """Asks about tables; an answer is kept as long as the table and how it is read stay the same."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    async def ask(self, question: str, path: Path, reading: Mapping[str, Any]) -> Any:
        """Return the answer; None if it takes longer than a page waits, then ask again.

        Parameters
        ----------
        question : str
            ``sniff`` or ``look``.
        path : path
        reading : mapping of str to object
            How the table is read.

        Raises
        ------
        ToolboxError
            If the table cannot be read.
        """
        key = (question, path, _find_stamp(path), *sorted(reading.items()))
        task = self._tasks.get(key)
        if task is None:
            while len(self._tasks) >= _MOST_KEPT:
                self._tasks.pop(next(iter(self._tasks))).cancel()
            task = self._tasks[key] = asyncio.create_task(_answer(question, {"path": path, **reading}))
            task.add_done_callback(_retrieve_exception)  # perhaps nobody asks again
        done, _ = await asyncio.wait([task], timeout=_PATIENCE)
        try:
            return task.result() if done else None
        except (WorkerGoneError, NotStartedError):
            self._tasks.pop(key, None)  # that may have been an accident
            raise

    async def close(self) -> None:
        """End all that is being looked at."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()


def find_reading_arguments(settings: Mapping[str, str]) -> dict[str, Any]:
    """Return what a project says of how its table is read, as `toolbox.sniff` takes it."""
    reading: dict[str, Any] = {name: settings[name] for name in ("encoding", "table") if name in settings}
    if "separator" in settings:
        reading["separator"] = settings["separator"].replace("\\t", "\t")
    # A configuration that says nothing means that there is none.
    has_header = settings.get("header", "false").strip().lower() in ("true", "yes", "1")
    line = settings.get("header_line", "")
    # What is no number is a fault of the project, which screens tell.
    reading["header"] = int(line) if has_header and line.isdecimal() and int(line) > 1 else has_header
    return reading


def _retrieve_exception(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


async def _answer(question: str, arguments: Mapping[str, Any]) -> Any:
    process = ChildProcess("look")
    try:
        return await process.call(question, arguments)
    finally:
        await process.kill()


def _find_stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


# What speaks for and against the columns of the table, before any method looks at them.


async def find_column_profiles(looks: Looks, project: Project) -> Sequence[ColumnProfile] | None:
    """Return what is known of each column of the table; None as long as that takes.

    Raises
    ------
    ToolboxError
        If the table cannot be read.
    """
    if not project.source:
        return ()
    found: Sequence[ColumnProfile] | None = await looks.ask(
        "look", project.source[0].resolve(), find_reading_arguments(project.input)
    )
    return found
