"""Names of runs on a cluster, and which of them are surely dead.

A name says on which machine the run was started, since when that machine runs, and which process it is. On the same
machine a process that is gone is a dead run. Of one that was started elsewhere nobody knows; it counts as dead when
nothing in its folder has changed for a day, by the clock of the file system.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from toolbox.store.machine import this_machine

PREFIX: Final = ".toolbox-"
SILENCE: Final = 24 * 60 * 60.0
"""Seconds without a change, after which a run that was started elsewhere counts as dead."""
_NAME: Final = re.compile(
    r"(?P<machine>[0-9a-f]{8}-[0-9a-f]{8})-(?P<space>[0-9]+)-(?P<process>[0-9]+)-(?P<since>[0-9]+)-[0-9a-f]{16}"
)


@dataclass(frozen=True)
class Run:
    """A run, by its name."""

    name: str
    machine: str
    space: int
    """The space in which numbers of processes count: each container has its own."""
    process: int
    since: int

    @classmethod
    def new(cls) -> Self:
        machine, space, process = str(this_machine()), _space(), os.getpid()
        since = _since(process) or 0
        return cls(f"{machine}-{space}-{process}-{since}-{secrets.token_hex(8)}", machine, space, process, since)

    @classmethod
    def named(cls, name: str) -> Self | None:
        """Return the run of a name; None if it is the name of none."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        return cls(name, found["machine"], int(found["space"]), int(found["process"]), int(found["since"]))

    def is_dead(self, silence: float) -> bool:
        """Return whether the run has surely ended.

        Parameters
        ----------
        silence : float
            Seconds since anything has changed in its folder.
        """
        if (self.machine, self.space) == (str(this_machine()), _space()):
            return not _lives(self.process, self.since)
        return silence > SILENCE


def _lives(process: int, since: int) -> bool:
    if since:
        return _since(process) == since
    # Only Linux tells since when a process runs. Elsewhere a number that was given anew is taken for a living run.
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _since(process: int) -> int | None:
    """Return when a process began, in ticks since the machine did; None if there is none, or nobody tells."""
    with suppress(OSError, ValueError, IndexError):
        # The name of the program, in brackets, may hold blanks and brackets.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else int(fields[19])
    return None


def _space() -> int:
    with suppress(OSError):
        return Path("/proc/self/ns/pid").stat().st_ino
    return 0
