"""The command line: arguments in, one call, a summary or an error out."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any

from toolbox.cli.options import ANONYMIZE, COMMON, METHOD_SETTINGS, normalised
from toolbox.errors import ConfigurationError, ToolboxError, UsageError

INTERRUPTED = 130
_COMMANDS = ("anonymize", "methods")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    wants_json = any(argument.lower().lstrip("-") == "json" for argument in given if argument.startswith("-"))
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, _interrupt)
    try:
        return _dispatch(given)
    except ToolboxError as error:
        _print_error(error, as_json=wants_json)
        return error.exit_status
    except BrokenPipeError:
        # Whoever reads our output has left, as `head` does; the interpreter must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BaseException as error:
        # A library may wrap the interrupt that it met in an error of its own.
        if not _is_interrupt(error):
            raise
        print("toolbox: interrupted; nothing was released.", file=sys.stderr)
        return INTERRUPTED


def _is_interrupt(error: BaseException | None) -> bool:
    """Look for an interrupt behind an error."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that temporary files go in the same orderly way."""
    raise KeyboardInterrupt


def _dispatch(given: list[str]) -> int:
    command = "anonymize"
    if given and not given[0].startswith("-"):
        command, given = given[0].lower(), given[1:]
        if command not in _COMMANDS:
            raise UsageError(f"There is no command {command!r}. Commands: {', '.join(_COMMANDS)}. See toolbox --help.")
    from toolbox.cli.parser import parse

    options = parse(command, normalised(given, (*ANONYMIZE, *COMMON)))
    if options.version:
        from importlib.metadata import version

        print(f"toolbox {version('anonymisation-toolbox')}")
        return 0
    run: Callable[[argparse.Namespace], int] = _methods if command == "methods" else _anonymize
    return run(options)


def _anonymize(options: argparse.Namespace) -> int:
    from toolbox.cli.progress import progress
    from toolbox.config.overrides import Overrides
    from toolbox.config.reader import read_config
    from toolbox.methods.registry import method_facts
    from toolbox.privacy.requirements import model_facts
    from toolbox.run import run

    names = [name for name in Overrides.__dataclass_fields__ if name != "settings"]
    overrides = Overrides(settings=_settings(options), **{name: getattr(options, name) for name in names})
    path = Path(options.config or "config.xml")
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other. Write one of them.")
    # A method by other people may print; standard output is for our document alone.
    with redirect_stdout(sys.stderr), progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        config = read_config(path, overrides=overrides, methods=method_facts(), models=model_facts())
        summary = run(config, watcher=watcher).summary
    if options.json:
        _print_document(summary.document())
    elif not options.quiet:
        from toolbox.report.console import print_summary

        print_summary(summary)
    return 0


def _settings(options: argparse.Namespace) -> dict[str, str]:
    """Collect the settings of the method: those with an option of their own, and ``--set NAME=VALUE``."""
    settings = {name: getattr(options, name) for name in METHOD_SETTINGS if getattr(options, name) is not None}
    for pair in options.set or ():
        name, equals, value = pair.partition("=")
        if not (equals and name):
            raise UsageError(f"--set is {pair!r}. Write --set NAME=VALUE, such as --set dimension=distinct.")
        settings[name] = value
    return settings


def _methods(options: argparse.Namespace) -> int:
    from toolbox.report.installed import installed_document, print_installed

    document = installed_document()
    if options.json:
        _print_document(document)
    else:
        print_installed(document)
    return 0


def _print_document(document: dict[str, Any]) -> None:
    print(json.dumps(document, indent=2), flush=True)


def _print_error(error: ToolboxError, *, as_json: bool) -> None:
    print(f"toolbox: {error}", file=sys.stderr)
    if as_json:
        faults = [vars(fault) for fault in error.faults] if isinstance(error, ConfigurationError) else []
        details = {"kind": type(error).__name__, "message": str(error), "faults": faults, "status": error.exit_status}
        _print_document({"error": details})
