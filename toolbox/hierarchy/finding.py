"""What a check of a hierarchy finds, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from toolbox.errors import Fault

FindingKind = Literal[
    "notation",
    "table",
    "header",
    "value twice",
    "two parents",
    "interval",
    "gap",
    "depth",
    "level",
    "root",
    "label",
    "order",
    "blank",
    "uncovered",
    "unused",
]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a hierarchy, or worth knowing."""

    kind: FindingKind
    line: int
    """Of the file, from 1; 0 if the finding is about all of it."""
    text: str
    """What was found, and what to write instead."""
    is_fault: bool
    """Whether a run would refuse it or release something untrue; otherwise it is a remark."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


def fault(kind: FindingKind, line: int, text: str) -> Finding:
    """Make a finding that is a fault."""
    return Finding(kind, line, text, is_fault=True)


def remark(kind: FindingKind, line: int, text: str) -> Finding:
    """Make a finding that is worth knowing."""
    return Finding(kind, line, text, is_fault=False)


def faults_as(kind: FindingKind, faults: Iterable[Fault]) -> list[Finding]:
    """Turn the faults of a reader into findings of one kind."""
    return [fault(kind, found.line, f"{found.found} {found.remedy}".rstrip()) for found in faults]
