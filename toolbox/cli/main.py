"""The command line: arguments in, one call, a summary or an error out."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from toolbox.cli.interrupts import INTERRUPTED
from toolbox.cli.options.commands import COMMANDS, DEFAULT_CONFIG, SHORT_HELP
from toolbox.cli.options.parser import find_option_key, normalise_options
from toolbox.cli.output.streams import Failures, flush_out, open_closed_streams, print_out
from toolbox.errors import EngineError, InputError, ToolboxError, UsageError, did_you_mean
from toolbox.messages import hide_passwords, name_command_options, print_note

# The command line as somebody writes it to have the same once more.

_HOW_IT_IS_TOLD = {"json", "progressjson", "quiet", "verbose", "debug"}
"""Options that change what is said, and nothing that is made."""

_HOMES = {
    "commands.judges": ("check", "measure", "risk", "singletons", "report"),
    "commands.explore": ("detect", "init"),
    "commands.others": ("app", "experiment", "key", "methods", "recoding"),
    "options.candidates": ("completion",),
}
"""The modules of commands that share one; all others have one of their own."""


def format_command_line(words: Sequence[str]) -> str:
    """Write a command line without what only programs ask for, with short names of the files below this folder.

    Parameters
    ----------
    words : sequence of str
        Those behind the name of the program.

    Examples
    --------
    >>> format_command_line(["-config", "c.xml", "--progress-json", "--json"])
    'toolbox -config c.xml'
    """
    here = _find_folder_prefix()
    asked = [word for word in words if not (word.startswith("-") and find_option_key(word) in _HOW_IT_IS_TOLD)]
    return hide_passwords(shlex.join(["toolbox", *(_shorten_path(word, here) for word in asked)]))


def _find_folder_prefix() -> str:
    """Return how the files below this folder begin; nothing begins so where the folder is gone."""
    try:
        return f"{Path.cwd()}/"
    except OSError:
        return "\0"


def _shorten_path(word: str, here: str) -> str:
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    return option + equals + value.removeprefix(here) if value != here else word


# The command line: arguments in, one call, a summary or an error out.


def main(
    arguments: Sequence[str] | None = None,
    *,
    placed: Callable[[], None] = lambda: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those behind the name of the program; None: those of this process.
    placed : callable, optional
        Is called at once when a release is in place.
    interrupted : callable, optional
        Says whether an interrupt has arrived.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    switches = {word.lower().lstrip("-") for word in words if word.startswith("-")}
    open_closed_streams()
    release = _Release(placed)
    try:
        try:
            return _dispatch(words, release)
        finally:
            flush_out()
    except BaseException as error:
        if release.is_placed and isinstance(error, (KeyboardInterrupt, OSError, ToolboxError)):
            reason = "an interrupt" if _is_interrupt(error) else str(error) or type(error).__name__
            print_note(f"the release is complete, but what follows it was cut off: {reason}")
            return 0
        # A library may wrap the interrupt that it met in an error of its own, or raise another in its place.
        # What else cannot be read any more, after an interrupt, was interrupted, too.
        is_ours = isinstance(error, ToolboxError) and not isinstance(error, (EngineError, InputError))
        if not is_ours and (_is_interrupt(error) or interrupted()):
            print_note(f"interrupted; {_describe_leftovers(words)}")
            return INTERRUPTED
        if not isinstance(error, Exception):
            raise
        return Failures(as_json="json" in switches, debug="debug" in switches).tell(error)


class _Release:
    """Notes when a release is in place: from then on the status is 0, whatever becomes of the rest.

    Parameters
    ----------
    placed : callable
        Is called at that moment, too.
    """

    def __init__(self, placed: Callable[[], None]) -> None:
        self._placed = placed
        self.is_placed = False

    def __call__(self) -> None:
        self.is_placed = True
        self._placed()


def _describe_leftovers(words: Sequence[str]) -> str:
    """Return what an interrupted command leaves."""
    if words and words[0].lower() == "experiment":
        return "what was measured so far is kept, and the same command goes on from there."
    return "nothing was released."


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether an interrupt is behind an error."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _dispatch(words: list[str], placed: Callable[[], None]) -> int:
    command, typed = "anonymize", words
    if words and words[0].lower() == "help":
        # As many programs have it: toolbox help check is toolbox check --help.
        words = [*(word for word in words[1:2] if not word.startswith("-")), "--help"]
    if words and not words[0].startswith("-"):
        named, words = words[0], words[1:]
        command = named.lower()
        if command not in COMMANDS:
            hint = did_you_mean(command, list(COMMANDS))
            if not hint and Path(named).exists():
                is_configuration = named.lower().endswith(".xml")
                line = f"-config {named}" if is_configuration else f"anonymize {named} --qi NAMES -output FILE"
                hint = f" Write toolbox {line}."
            raise UsageError(
                f"There is no command {command!r}.{hint} Commands: {', '.join(COMMANDS)}. See toolbox --help."
            )
    if not words and command == "anonymize" and not Path(DEFAULT_CONFIG).exists():
        raise UsageError(f"There is no {DEFAULT_CONFIG} here, and nothing else says what to do.\n\n{SHORT_HELP}")
    if command == "completion" and words[:1] == ["answer"]:
        # What is being typed is no command line yet.
        from toolbox.cli.options.candidates import answer_for

        shell, *begun = words[1:] if len(words) > 2 else ["bash", ""]
        print_out("\n".join(answer_for(shell, begun)))
        return 0
    from toolbox.cli.options.parser import build_parser, parse

    spelled: dict[str, str] = {}
    options = parse(command, normalise_options(words, COMMANDS[command].options, command, spelled))
    options.typed = spelled
    if options.help:
        print_out(build_parser(command).format_help().rstrip())
        return 0
    if options.version:
        from importlib.metadata import version

        print_out(f"toolbox {version('anonymisation-toolbox')}")
        return 0
    options.command_line = format_command_line(typed)
    return _run(command, options, placed)


def _run(command: str, options: argparse.Namespace, placed: Callable[[], None]) -> int:
    """Run a command; only its own module is imported, so that every command starts at once."""
    try:
        if command in ("anonymize", "apply"):
            from toolbox.cli.commands.anonymize import anonymize, apply

            return (anonymize if command == "anonymize" else apply)(options, placed)
        run: Callable[[argparse.Namespace], int] = getattr(_import_command(command), command)
        # Where nothing names a configuration, messages name options; a comparison finds out what its source is.
        with name_command_options(command != "compare" and getattr(options, "config", None) is None):
            return run(options)
    finally:
        if not options.quiet and command != "methods":
            _tell_broken_plug_ins()


def _import_command(command: str) -> ModuleType:
    """Import the module of a command."""
    home = next((home for home, names in _HOMES.items() if command in names), f"commands.{command}")
    return import_module(f"toolbox.cli.{home}")


def _tell_broken_plug_ins() -> None:
    """Name the plug-ins that were left out, in one line."""
    # Who has loaded none has not imported this either.
    broken = extensions.list_broken_plug_ins() if (extensions := sys.modules.get("toolbox.extensions")) else ()
    if broken:
        named = ", ".join(each.called for each in broken[:3]) + (", .." if len(broken) > 3 else "")
        print_note(f"left out, since it cannot be used: the {named}. `toolbox methods` says why.")
