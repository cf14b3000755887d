"""Documents beside a project, read with suspicion, and the last release of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any

from toolbox.errors import OutputError

# Documents beside a project: written as a whole, and read with suspicion, since the project may be anybody's.

_MOST = 2**63
"""Of a number; larger ones are none of ours, and no figure shows them."""

Shape = Any
"""A type, a word or None; a tuple of what it may be; a list with what each item is; a mapping with what each name has.

Where the name is ``str`` itself, all names have it. A float is any number that is finite.
"""
OF_SNAPSHOT = {"xml": str, "hierarchies": {str: str}}
OF_NUMBER = (float, None, "infinity")
OF_MODEL = {
    **{"name": str, "attribute": (str, None), "holds": (bool, None)},
    **{"required": OF_NUMBER, "achieved": OF_NUMBER},
}
OF_METRIC = {"name": str, "attribute": (str, None), "value": (float, None)}
OF_ATTACKER = {"highest": (float, None), "average": (float, None), "records_at_risk": int}
OF_SIZE = {"size": int, "classes": int}


class UnreadableError(ValueError):
    """A document is there, and is not what the application writes."""


def open_file_safely(path: Path, flags: int) -> int:
    """Open a file that is no link and no device, without waiting for anybody.

    Raises
    ------
    OSError
        If it is none.
    """
    if path.parent.is_symlink():
        raise OSError(f"{path.parent} is a link")
    # A pipe would wait until somebody reads it. Windows has neither of the two.
    careful = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags | careful, 0o600)
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is no file")
    return descriptor


def read_document(path: Path, shape: Shape) -> Any:
    """Return a document; None if there is none.

    Raises
    ------
    UnreadableError
        If it has another shape, or cannot be read.
    """
    try:
        with os.fdopen(open_file_safely(path, os.O_RDONLY), encoding="utf-8") as stream:
            document = json.load(stream)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        raise UnreadableError(path.name) from None
    if not has_shape(document, shape):
        raise UnreadableError(path.name)
    return document


def has_shape(value: object, shape: Shape) -> bool:
    """Return whether a value of JSON has a shape; what a shape does not name may be anything.

    Examples
    --------
    >>> has_shape({"k": 5, "words": None}, {"k": int, "words": (str, None)}), has_shape({"k": True}, {"k": int})
    (True, False)
    """
    if isinstance(shape, tuple):
        return any(has_shape(value, each) for each in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(has_shape(item, shape[0]) for item in value)
    if isinstance(shape, Mapping):
        return isinstance(value, dict) and _has_named_shapes(value, shape)
    if shape in (int, float):
        return type(value) in {int, shape} and abs(value) < _MOST  # type: ignore[arg-type]
    return value == shape if shape is None or isinstance(shape, str) else isinstance(value, shape)


def _has_named_shapes(value: Mapping[str, object], shape: Mapping[Any, Shape]) -> bool:
    if str in shape:
        return all(has_shape(item, shape[str]) for item in value.values())
    return all(name in value and has_shape(value[name], each) for name, each in shape.items())


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document that only its owner may read, as a whole or not at all.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    make_folder(path.parent)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.unlink(missing_ok=True)
        descriptor = open_file_safely(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(document, stream)
        unfinished.replace(path)
    except OSError as error:
        raise _make_write_error(path, error) from None


def make_folder(folder: Path) -> None:
    """Make a folder for its owner alone, if it is not there.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _make_write_error(folder, error) from None


def _make_write_error(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{path} cannot be written: {error.strerror or error}. The application keeps there what can be undone. "
        "Make the folder of the project writable, or copy the project to another one."
    )


# The last release of a project: what it is, and whether the project still says the same.

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
_OF_REMEDY = {"setting": str, "value": (str, None), "columns": [str]}
_OF_REMEDIED = {"note": str, "finding": str, "remedies": [_OF_REMEDY]}
_RELEASED = {"fingerprint": str, "document": _DOCUMENT, "folder": str, "report": str}


@dataclass(frozen=True)
class FinishedRelease:
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

    @property
    def notes(self) -> list[tuple[str, list[Mapping[str, Any]]]]:
        """What is to be known of it, each with the settings that answer it; a release before 1.0 has none of these."""
        remedied = {one["note"]: one for one in self.document.get("remedies", ()) if has_shape(one, _OF_REMEDIED)}
        plain: Mapping[str, Any] = {"remedies": []}
        found = [(note, remedied.get(note, plain)) for note in self.document["notes"]]
        return [(one.get("finding", note), one["remedies"]) for note, one in found]

    def write(self, path: Path) -> None:
        """Remember it, for whoever owns the project alone."""
        write_document(path, asdict(self))

    @classmethod
    def read(cls, path: Path) -> FinishedRelease | None:
        """Return what was remembered; None if there is nothing.

        Raises
        ------
        UnreadableError
            If it is not what was remembered.
        """
        found = read_document(path, _RELEASED)
        return None if found is None else cls(**{name: found[name] for name in _RELEASED})
