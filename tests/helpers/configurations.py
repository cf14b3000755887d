"""Configuration files as tests need them: columns named by the header, hierarchies from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr


@dataclass(frozen=True)
class Qid:
    """One quasi-identifier of a configuration."""

    name: str
    hierarchy: Path | None = None
    kind: str | None = None

    def __str__(self) -> str:
        kind = f" type={quoteattr(self.kind)}" if self.kind else ""
        vgh = f"<vgh file={quoteattr(str(self.hierarchy))}/>" if self.hierarchy else ""
        return f"<att name={quoteattr(self.name)}{kind}>{vgh}</att>"


def write_configuration(path: Path, *, source: Path, separator: str, qids: Sequence[Qid]) -> Path:
    """Write a configuration of a file with a header; the command line adds the method, k and the output."""
    path.write_text(
        f"<config><input filename={quoteattr(str(source))} separator={quoteattr(separator)} header='true'/>"
        f"<output order='input'/><qid>{''.join(map(str, qids))}</qid></config>",
        encoding="utf-8",
    )
    return path
