"""The command line: arguments in, one call, a summary or an error out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

from toolbox.cli.commands import COMMANDS, DEFAULT_CONFIG, SHORT_HELP
from toolbox.cli.failures import Failures
from toolbox.cli.interrupts import INTERRUPTED
from toolbox.cli.options import METHOD_SETTINGS, normalised
from toolbox.cli.streams import flush_out, open_closed_streams, print_out
from toolbox.errors import OutputError, ToolboxError, UsageError, did_you_mean
from toolbox.notices import tell


def main(arguments: Sequence[str] | None = None, *, placed: Callable[[], None] = lambda: None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those behind the name of the program; None: those of this process.
    placed : callable, optional
        Is called at once when a release is in place.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    switches = {argument.lower().lstrip("-") for argument in given if argument.startswith("-")}
    open_closed_streams()
    try:
        try:
            return _dispatch(given, placed)
        finally:
            flush_out()
    except BaseException as error:
        # A library may wrap the interrupt that it met in an error of its own.
        if not isinstance(error, ToolboxError) and _is_interrupt(error):
            tell("interrupted; nothing was released.")
            return INTERRUPTED
        if not isinstance(error, Exception):
            raise
        return Failures(as_json="json" in switches, debug="debug" in switches).tell(error)


def _is_interrupt(error: BaseException | None) -> bool:
    """Look for an interrupt behind an error."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _dispatch(given: list[str], placed: Callable[[], None]) -> int:
    command = "anonymize"
    if given and not given[0].startswith("-"):
        command, given = given[0].lower(), given[1:]
        if command not in COMMANDS:
            hint = did_you_mean(command, list(COMMANDS))
            raise UsageError(
                f"There is no command {command!r}.{hint} Commands: {', '.join(COMMANDS)}. See toolbox --help."
            )
    if not given and command == "anonymize" and not Path(DEFAULT_CONFIG).exists():
        raise UsageError(f"There is no {DEFAULT_CONFIG} here, and nothing else says what to do.\n\n{SHORT_HELP}")
    from toolbox.cli.parser import parse

    options = parse(command, normalised(given, COMMANDS[command].options))
    if options.version:
        from importlib.metadata import version

        print_out(f"toolbox {version('anonymisation-toolbox')}")
        return 0
    if command in ("check", "measure", "risk"):
        from toolbox.cli.judge import judge

        return judge(command, options)
    if command == "detect":
        from toolbox.cli.detect import detect

        return detect(options)
    if command == "singletons":
        from toolbox.cli.singletons import singletons

        return singletons(options)
    return _methods(options) if command == "methods" else _anonymize(options, placed)


def _anonymize(options: argparse.Namespace, placed: Callable[[], None]) -> int:
    from toolbox.cli.progress import progress
    from toolbox.config.overrides import Overrides
    from toolbox.config.reader import read_config
    from toolbox.flows.anonymize import run
    from toolbox.methods.registry import method_facts
    from toolbox.privacy.requirements import model_facts

    names = [name for name in Overrides.__dataclass_fields__ if name != "settings"]
    overrides = Overrides(settings=_settings(options), **{name: _as_text(getattr(options, name)) for name in names})
    path = Path(options.config or DEFAULT_CONFIG)
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other. Write one of them.")
    # A method by other people may print; standard output is for our document alone.
    with redirect_stdout(sys.stderr), progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        config = read_config(path, overrides=overrides, methods=method_facts(), models=model_facts())
        summary = run(config, watcher=watcher, placed=placed).summary
    try:
        if options.json:
            _print_document(summary.document())
        elif not options.quiet:
            from toolbox.report.console.summary import print_summary

            print_summary(summary)
    except (Exception, SystemExit) as error:
        # The release stands, so the status is 0; rich leaves where nobody reads standard error any more.
        reason = error if isinstance(error, (OSError, OutputError, SystemExit)) else type(error).__name__
        tell(f"the release is complete, but its summary could not be printed. {reason}")
    return 0


def _as_text(given: Any) -> Any:
    """Return what a switch says in the words of the configuration; other options as they are."""
    if isinstance(given, bool):
        return "true" if given else None
    return given


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
        with suppress(SystemExit):  # with which rich leaves where nobody reads any more
            print_installed(document)
    return 0


def _print_document(document: dict[str, Any]) -> None:
    print_out(json.dumps(document, indent=2))
