"""Files that somebody imports: their rows, or all that is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from toolbox import hierarchies
from toolbox.errors import ConfigurationError, ToolboxError, UsageError

MOST_BYTES = 16_000_000
"""Of all files together."""


@dataclass(frozen=True)
class Upload:
    """A file as it came."""

    name: str
    """What its owner calls it; never a path of ours."""
    content: bytes


class ImportRefusedError(UsageError):
    """The files are no hierarchy: all that is wrong with them."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is wrong, one by one."""
        found: tuple[str, ...] = self.args
        return found

    def __str__(self) -> str:
        return " ".join(self.sentences)


def rows_of_uploads(uploads: Sequence[Upload], column: str) -> list[tuple[str, ...]]:
    """Read a hierarchy in any notation; several files are rules, with a level each.

    Raises
    ------
    ImportRefusedError
        With all that is wrong with them.
    """
    if not uploads:
        raise ImportRefusedError("No file is chosen.")
    if sum(len(upload.content) for upload in uploads) > MOST_BYTES:
        raise ImportRefusedError(f"The file is too large: more than {MOST_BYTES // 1_000_000} MB.")
    try:
        if len(uploads) > 1:
            return hierarchies.rules_to_rows([_text(upload) for upload in uploads])
        return _read(uploads[0], column)
    except ConfigurationError as error:
        raise ImportRefusedError(*(" ".join(str(fault).split()) for fault in error.faults)) from None
    except ImportRefusedError:
        raise
    except ToolboxError as error:
        raise ImportRefusedError(str(error)) from None


def _read(upload: Upload, column: str) -> list[tuple[str, ...]]:
    # Only files are read in every notation; nobody else may see it, and its name is ours.
    with TemporaryDirectory(prefix="toolbox-app-") as folder:
        path = Path(folder, "imported")
        path.write_bytes(upload.content)
        return hierarchies.read(path, column=None if upload.content.lstrip()[:1] == b"<" else column)


def _text(upload: Upload) -> str:
    try:
        return upload.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportRefusedError(f"{upload.name} is not UTF-8. Save it in that encoding.") from None
