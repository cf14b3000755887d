"""The last release of a project: what it is, and whether the project still says the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from toolbox.app.documents import OF_MODEL, read_document, write_document

_DOCUMENT = {
    "method": str,
    "records_read": int,
    "records_skipped": int,
    "records_released": int,
    "records_suppressed": int,
    "classes": int,
    "models": [OF_MODEL],
    "timings": {"total": float},
    "sha256": {"release": {str: str}},
    "release": [str],
    "notes": [str],
}
_RELEASED = {"fingerprint": str, "document": _DOCUMENT, "folder": str, "report": str}


@dataclass(frozen=True)
class Released:
    """A finished release."""

    fingerprint: str
    """Of the project that made it."""
    document: Mapping[str, Any]
    """The summary of the run."""
    folder: str
    """In which relative names of files are."""
    report: str = ""
    """The page for people beside it, if there is one."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Those of the release."""
        return tuple(Path(self.folder, name) for name in self.document["release"])

    @property
    def checksums(self) -> list[tuple[str, str]]:
        """The SHA-256 of each file."""
        return list(self.document["sha256"]["release"].items())

    def write(self, path: Path) -> None:
        """Remember it, for whoever owns the project alone."""
        write_document(path, asdict(self))

    @classmethod
    def read(cls, path: Path) -> Released | None:
        """Return what was remembered; None if there is nothing.

        Raises
        ------
        UnreadableError
            If it is not what was remembered.
        """
        found = read_document(path, _RELEASED)
        return None if found is None else cls(**{name: found[name] for name in _RELEASED})
