"""What is found out of a table before anybody says anything: how it is read, its first records, what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolbox.messages import counted
from toolbox.report.notebook import Shown


@dataclass(frozen=True)
class Unreadable:
    """A line that is no record of the table."""

    number: int
    """Where it begins, from 1."""
    file: Path | None
    """None where there is only one."""
    reason: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Sniffed(Shown):
    """How a table is read, as far as it could be guessed, and what that gives."""

    source: Path
    kind: str
    """What it is, such as ``text``, ``Parquet`` or ``a workbook``."""
    separator: str | None
    """None, as the encoding and the header, for a file that has types."""
    encoding: str | None
    header: bool | None
    missing: str | None
    """What stands for a missing value in its first records, besides nothing."""
    decimal: str
    """What stands before the decimals of its numbers."""
    thousands: str
    """What stands between their thousands; empty: nothing."""
    columns: tuple[str, ...]
    """Their names, or ``column 0`` and so on."""
    kinds: tuple[str | None, ...]
    """What each holds, or in a text what its first records look like."""
    records: int
    rows: tuple[tuple[str | None, ...], ...]
    """The first records, as texts."""
    rejected: int
    """Lines that are no records."""
    unreadable: tuple[Unreadable, ...]
    """The first of these."""

    def headline(self) -> str:
        """Return the most important facts in one line."""
        lost = f", {counted(self.rejected, 'line')} that cannot be read" if self.rejected else ""
        return f"{self.kind}, {counted(self.records, 'record')}, {counted(len(self.columns), 'column')}{lost}"

    def show_on(self, console: Any) -> None:
        """Print the headline, and what cannot be read, on a console of rich."""
        console.print(self.headline())
        for line in self.unreadable:
            console.print(f"line {line.number}: {line.reason}")

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read; the records are not in it."""
        return {
            "input": str(self.source),
            "kind": self.kind,
            "separator": self.separator,
            "encoding": self.encoding,
            "header": self.header,
            "missing": self.missing,
            "decimal": self.decimal,
            "thousands": self.thousands,
            "columns": [{"column": name, "type": kind} for name, kind in zip(self.columns, self.kinds, strict=True)],
            "records": self.records,
            "rejected": self.rejected,
            "unreadable": [
                {"line": line.number, "file": None if line.file is None else str(line.file), "reason": line.reason}
                for line in self.unreadable
            ],
        }
