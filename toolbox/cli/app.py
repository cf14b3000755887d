"""The command `app`: the application, in a browser of this machine."""

from __future__ import annotations

import argparse
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from toolbox.cli.failures import Failures
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.streams import print_out
from toolbox.config import values
from toolbox.errors import UsageError

_NEEDED = {"starlette": "starlette", "uvicorn": "uvicorn", "jinja2": "jinja2", "python_multipart": "python-multipart"}
"""What the extra ``app`` installs, by the names of the modules."""


def app(options: argparse.Namespace) -> int:
    """Run ``app`` and return its exit status."""
    reader = OptionReader(options)
    port = reader.read("port", partial(values.integer, minimum=0, maximum=65535))
    root = reader.read("root", partial(values.path, folder=Path()))
    reader.require_none_wrong()
    _require_installed()
    source = _source(options.source)
    folder = _folder(root, source)
    from toolbox.app.server import serve

    failures = Failures(as_json=False, debug=options.debug)
    serve(
        source,
        root=folder,
        port=port or 0,
        opens_browser=not options.no_browser,
        tell=print_out,
        trace=failures.trace,
    )
    return 0


def _require_installed() -> None:
    lacking = [package for module, package in _NEEDED.items() if find_spec(module) is None]
    if lacking:
        raise UsageError(
            f"The application needs {', '.join(lacking)}. Install the extra: pip install 'anonymisation-toolbox[app]'"
        )


def _folder(root: Path | None, source: Path | None) -> Path:
    """Return the folder below which files are looked for: here, or where the source is.

    Raises
    ------
    UsageError
        If it is none, or the source is not below it.
    """
    folder = (Path() if root is None else root).resolve()
    if not folder.is_dir():
        raise UsageError(f"--root is {str(root)!r}, which is no folder. Name the folder in which the tables are.")
    if source is None or source.is_relative_to(folder):
        return folder
    if root is not None:
        raise UsageError(f"{source} is not below --root, which is {folder}. Name a folder that holds it.")
    return source.parent


def _source(name: str | None) -> Path | None:
    if name is None:
        return None
    if not Path(name).is_file():
        found = "is a folder" if Path(name).is_dir() else "is no file that there is"
        raise UsageError(f"{name!r} {found}. Write toolbox app CONFIG, or toolbox app TABLE.")
    return Path(name).resolve()
