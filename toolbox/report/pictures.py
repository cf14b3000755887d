"""Pictures of a report: whether they can be drawn, and writing them at once or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toolbox.config.outputs import obstacle
from toolbox.errors import OutputError, UsageError
from toolbox.store.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS = (".png", ".svg", ".pdf")


def require_plotting(path: Path) -> None:
    """Stop where no picture can be drawn, before any other work.

    Raises
    ------
    UsageError
        If matplotlib is not installed, or the name of the file says no format.
    """
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"--plot is {str(path)!r}. Write a name that ends in {', '.join(_FORMATS)}.")
    if fault := obstacle(path):
        raise OutputError(f"--plot is {str(path)!r}, which is {fault}. Write the path of a file.")
    if not path.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {str(path.parent)!r}. Make it, or write another name.")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise UsageError("--plot needs matplotlib. Run: pip install 'anonymisation-toolbox[plot]'") from error


def save(figure: Figure, path: Path) -> None:
    """Write a picture to a file, in the format of its extension.

    Raises
    ------
    OutputError
        If it cannot be written; an older picture is then untouched.
    """
    try:
        # In a folder of its own: what others have put beside the picture is not written to.
        with Workspace(path.parent) as workspace:
            drawn = workspace.folder / f"picture{path.suffix}"
            figure.savefig(drawn)
            if fault := obstacle(path):
                raise OutputError(f"{path}: the picture cannot be written, as there is {fault}.")
            drawn.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: the picture cannot be written ({error.strerror}).") from error
