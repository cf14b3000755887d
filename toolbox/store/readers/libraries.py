"""The libraries that only some files need: imported where one is read or written, with a message where one lacks."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

from toolbox.errors import UsageError

_PACKAGES: Final = {"python_calamine": "python-calamine", "pyreadstat": "pyreadstat"}


def library(module: str, path: Path) -> Any:
    """Import a library that the extra ``files`` installs.

    Parameters
    ----------
    path : Path
        The file that needs it.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        lacks = f"{path}: a file that ends in {path.suffix} needs {_PACKAGES[module]}, which is not installed."
        raise UsageError(f"{lacks} Write: pip install 'anonymisation-toolbox[files]'.") from None
