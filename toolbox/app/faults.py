"""What people are told of an error that nobody foresaw."""

from __future__ import annotations

import traceback
from pathlib import Path

from toolbox.errors import ConfigurationError, ToolboxError

_PACKAGE = Path(__file__).parents[1]


class FaultError(ToolboxError):
    """The toolbox itself failed; the message names the place in it, and not the error's text, which may quote cells."""

    exit_status = 3


def sentences_of(error: ToolboxError) -> list[str]:
    """Return what an error says: of a configuration each fault by itself, without its name, as there is but one."""
    if not isinstance(error, ConfigurationError):
        return [str(error)]
    return [" ".join(f"{fault.found} {fault.remedy}".split()) for fault in error.faults]


def in_our_terms(error: Exception) -> ToolboxError:
    """Return an error whose words may be shown: those of libraries may quote cells."""
    if isinstance(error, ToolboxError):
        return error
    if isinstance(error, MemoryError):
        return FaultError("The machine has no more memory. End other programs, or take a smaller table.")
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    where = f" in {Path(frames[-1].filename).relative_to(_PACKAGE)}, line {frames[-1].lineno}" if frames else ""
    return FaultError(
        f"This is a fault of the toolbox: {type(error).__name__}{where}. Nothing was released, and the project is "
        "as it was."
    )
