"""The output of the command line for an error, foreseen or not."""

from __future__ import annotations

import json
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolbox.cli.output.streams import print_out
from toolbox.errors import ConfigurationError, OutputError, ToolboxError, UsageError, format_debug_hint
from toolbox.messages import SELDOM_NEEDED, print_note


class FaultError(ToolboxError):
    """The toolbox itself failed; the message names the place in it, and not the error's text, which may quote cells."""

    exit_status = 3


@dataclass(frozen=True)
class Failures:
    """Says what is wrong.

    Parameters
    ----------
    as_json : bool
        Whether to print a document on standard output as well.
    debug : bool
        Whether to print the traceback, with the words of other libraries, which may quote cells.
    """

    as_json: bool
    debug: bool

    def tell(self, error: Exception) -> int:
        """Print what is wrong; return the exit status."""
        shown = _convert_error(error)
        self.trace(error)
        print_note(str(shown))
        if self.as_json:
            with suppress(OutputError):
                print_out(json.dumps({"error": _list_faults(shown)}, indent=2))
        return shown.exit_status

    def trace(self, error: Exception) -> None:
        """Print the traceback, if that is wanted."""
        if self.debug:
            print_note("".join(traceback.format_exception(error)))


def _list_faults(error: ToolboxError) -> dict[str, Any]:
    """List the faults of a configuration, of many of a kind the first, and say how many there are."""
    details = {"kind": type(error).__name__, "message": str(error), "status": error.exit_status}
    if not isinstance(error, ConfigurationError):
        return {**details, "faults": [], "fault_count": 0}
    return {**details, "faults": [fault.document() for fault, _ in error.shown()], "fault_count": len(error.faults)}


def _convert_error(error: Exception) -> ToolboxError:
    match error:
        case ToolboxError():
            return error
        case MemoryError():
            return UsageError(
                "The machine has no more memory. Lower --memory-limit and --threads, or end other programs."
            )
        case OSError():
            from toolbox.store.disk.folders import make_file_error

            return make_file_error(error)
        case ModuleNotFoundError(name=str(name)) if name in SELDOM_NEEDED:
            return UsageError(f"This needs {name}, which is not installed. Write: pip install {name}.")
    package = Path(__file__).parents[2]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(package)]
    where = f", {ours[-1].filename}, line {ours[-1].lineno}" if ours else ""
    step = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
    return FaultError(
        f"This is a fault of the toolbox: {type(error).__name__}{where}.{step} Nothing was released. "
        f"{format_debug_hint()}"
    )
