"""The commands `app`, `experiment`, `key`, `methods` and `recoding`."""

from __future__ import annotations

import argparse
import os
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from toolbox.cli.options.reader import OptionReader
from toolbox.cli.output.progress import show_progress
from toolbox.cli.output.streams import (
    Failures,
    print_document,
    print_out,
    print_report,
    print_tables,
    require_no_contradiction,
)
from toolbox.config import values
from toolbox.config.reading.recoding import read_recoding
from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.experiments.plan.reader import read_plan
from toolbox.experiments.study import run_study
from toolbox.flows.session.next_table import preview_file
from toolbox.messages import name_command_options
from toolbox.report.explore.recoding import compare_recodings, describe_recoding
from toolbox.report.runs.installed import build_installed_document, print_installed

# The command `app`: the application, in a browser of this machine.

_NEEDED = {"starlette": "starlette", "uvicorn": "uvicorn", "jinja2": "jinja2", "python_multipart": "python-multipart"}
"""What the extra ``app`` installs, by the names of the modules."""


def app(options: argparse.Namespace) -> int:
    """Run ``app`` and return its exit status."""
    reader = OptionReader(options)
    port = reader.read("port", partial(values.parse_integer, minimum=0, maximum=65535))
    root = reader.read("root", partial(values.parse_path, folder=Path()))
    reader.require_none_wrong()
    _require_installed()
    source = _find_source(options.source)
    folder = _find_root_folder(root, source)
    from toolbox.app.server.server import serve

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


def _find_root_folder(root: Path | None, source: Path | None) -> Path:
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


def _find_source(name: str | None) -> Path | None:
    if name is None:
        return None
    if not Path(name).is_file():
        found = "is a folder" if Path(name).is_dir() else "is no file that there is"
        raise UsageError(f"{name!r} {found}. Write toolbox app CONFIG, or toolbox app TABLE.")
    return Path(name).resolve()


# The command `experiment`: a plan in, one call, a report or an error out.


def experiment(options: argparse.Namespace) -> int:
    """Run ``experiment`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    jobs = reader.read("jobs", partial(values.parse_integer, minimum=1, maximum=512))
    folder = reader.read("output", partial(values.parse_path, folder=Path()))
    limits = reader.limits()
    reader.require_none_wrong()
    if options.plan is None:
        raise UsageError("Nothing names the plan. Write toolbox experiment PLAN.toml; docs/experiments.md shows one.")
    plan = read_plan(options.plan, allow_code=options.allow_code)
    folder = folder or Path(f"{Path(options.plan).stem}-results")
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = run_study(plan, folder, jobs=jobs or os.cpu_count() or 1, limits=limits, watcher=watcher)
    print_report(options, report.document, report.show_on)
    if report.is_done:
        return 0
    if options.quiet and report.failed:
        raise UnsatisfiableError(f"Nothing could be measured. {report.failed[0]['reason']}")
    return UnsatisfiableError.exit_status


# The command `key`: a file for pseudonyms.


def key(options: argparse.Namespace) -> int:
    """Run ``key`` and return its exit status."""
    if options.action != "new" or options.file is None:
        raise UsageError("toolbox key makes a key file for pseudonyms. Write toolbox key new FILE.")
    from toolbox.treatments.pseudonym import make_key_file

    fingerprint = make_key_file(Path(options.file))
    if not options.quiet:
        print_out(f"made {options.file}, the key {fingerprint}; only you may read it")
    return 0


# The command `methods`: the list of what is installed.


def methods(options: argparse.Namespace) -> int:
    """Run ``methods`` and return its exit status."""
    document = build_installed_document()
    if options.json:
        print_document(document)
    else:
        print_tables(partial(print_installed, document))
    return 0


# The command `recoding`: what a saved recoding says, or how two differ.


def recoding(options: argparse.Namespace) -> int:
    """Run ``recoding`` and return its exit status."""
    require_no_contradiction(options)
    action, old, new = options.action, options.recoding, options.new
    if action not in ("show", "diff", "preview") or old is None or (new is None) == (action != "show"):
        raise UsageError(
            "Write toolbox recoding show RECODING, toolbox recoding diff OLD NEW, or toolbox recoding preview RECODING "
            "FILE."
        )
    if action == "preview":
        kept = None if options.save_recoding is None else Path(options.save_recoding)
        with name_command_options():
            preview = preview_file(Path(old), Path(new), kept)
        print_report(options, preview.document, preview.show_on)
        return 0
    if options.save_recoding is not None:
        raise UsageError(f"--save-recoding means nothing for {action}. Leave it out.")
    first = describe_recoding(read_recoding(Path(old)))
    report = first if new is None else compare_recodings(first, describe_recoding(read_recoding(Path(new))))
    print_report(options, report.document, report.show_on)
    return 0
