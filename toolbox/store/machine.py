"""Which machine this is, and since when it runs. Only on the same machine does a free lock mean a dead process."""

from __future__ import annotations

import hashlib
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Machine:
    """A machine and one start of it, each by eight hexadecimal digits."""

    host: str
    boot: str

    def __str__(self) -> str:
        return f"{self.host}-{self.boot}"

    def may_be(self, other: Machine) -> bool:
        """Return whether both may be one machine: a container changes its name, a power cut the start."""
        return self.host == other.host or self.boot == other.boot


@cache
def this_machine() -> Machine:
    """Return the name and the start of this machine."""
    host = socket.gethostname()
    try:
        boot = _BOOT_ID.read_text().strip()
    except OSError:
        boot = host
    return Machine(_digest(host), _digest(boot))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
