"""The command `anonymize`, which is run where no command is named: options in, a release and a summary out."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

from toolbox.cli.options.commands import DEFAULT_CONFIG
from toolbox.cli.options.options import ANONYMIZE, METHOD_SETTINGS
from toolbox.cli.options.reader import OptionReader, format_switch, parse_names
from toolbox.cli.output.progress import show_progress
from toolbox.cli.output.streams import print_report, require_no_contradiction
from toolbox.config.file_names import has_types
from toolbox.config.model import Config
from toolbox.config.reading.declarations import Declarations
from toolbox.config.reading.overrides import Overrides
from toolbox.engines.objects import LocalCopies
from toolbox.errors import BadValueError, OutputError, UsageError
from toolbox.flows.arguments.configuration import read_command_configuration
from toolbox.flows.release import anonymize as flow
from toolbox.messages import name_command_options, print_note
from toolbox.report.runs.summary import Summary

# What the options of `anonymize` declare: the columns, and the models that protect them.

_DECLARING = (
    "person",
    "id",
    "qi",
    "sensitive",
    "hierarchy",
    "kind",
    "ordered",
    "priority",
    "weight",
    "treat",
    "table",
    "model",
)


def find_configuration(options: argparse.Namespace) -> Path | None:
    """Return the configuration to run; None where the options say everything themselves.

    Raises
    ------
    UsageError
        If a configuration stands where records belong.
    """
    for name in options.data:
        if Path(name).suffix.lower() == ".xml":
            raise UsageError(f"{name} is a configuration, as its name says. Write -config {name}.")
    if options.config is not None:
        if has_types(given := Path(options.config)) or given.suffix.lower() in (".csv", ".tsv"):
            raise UsageError(
                f"{given} is a table, as its name says. toolbox init {given} writes a configuration for it."
            )
        return given
    if options.data or options.recoding is not None or any(getattr(options, name) for name in _DECLARING):
        return None
    default = Path(DEFAULT_CONFIG)
    return None if options.input and not default.exists() else default


def find_input(options: argparse.Namespace) -> list[str] | None:
    """Return the names of the records: those behind the command, or those of ``-input``.

    Raises
    ------
    UsageError
        If both name some, or if the last one looks like the output.
    """
    if options.data and options.input:
        raise UsageError(f"{options.data[0]} and -input {options.input[0]} both name the records. Write one of them.")
    if len(options.data) > 1 and options.output is None and options.config is None:
        # Several tables may be read as one; other commands take the release as their second name.
        first, last = options.data[0], options.data[-1]
        if Path(first).exists() and not Path(last).exists():
            raise UsageError(f"{last} is no file, and nothing names the output. Write -output {last}.")
    named: list[str] | None = options.data or options.input
    return named


def read_declarations(reader: OptionReader) -> Declarations:
    """Return the declarations of the options; faults go to the reader."""
    return Declarations(
        person=reader.names("person"),
        identifiers=reader.names("id"),
        quasi_identifiers=reader.names("qi"),
        sensitive=reader.names("sensitive"),
        hierarchies=reader.pairs("hierarchy", str),
        kinds=reader.pairs("kind", str),
        priorities=reader.pairs("priority", str),
        weights=reader.pairs("weight", str),
        ordered=reader.pairs("ordered", _parse_categories),
        treatments=reader.pairs("treat", str),
        tables=reader.pairs("table", str),
        models=reader.texts("model"),
    )


def _parse_categories(text: str) -> list[str]:
    names = parse_names(text)
    if names is None:
        raise BadValueError("is no list of categories", "Put one with a comma in double quotes.")
    return names


# The command `anonymize`, which is run where no command is named: options in, a release and its summary out.

_GROUPS = ("input", "settings", "engine_settings")
"""What several options say together."""


def anonymize(options: argparse.Namespace, placed: Callable[[], None]) -> int:
    """Run ``anonymize`` and return its exit status.

    Parameters
    ----------
    placed : callable
        Is called at once when the release is in place.
    """
    path, named = find_configuration(options), find_input(options)
    texts = {
        name: format_switch(getattr(options, name)) for name in Overrides.__dataclass_fields__ if name not in _GROUPS
    }
    reader = OptionReader(options)
    engine_settings = reader.pairs("engine_set", str)
    overrides = Overrides(
        **{**texts, "input": named}, settings=_read_settings(options), engine_settings=engine_settings
    )
    declarations = read_declarations(reader)
    require_no_contradiction(options)
    with name_command_options(path is None):
        # A method by other people may print; standard output is for our document alone.
        with (
            LocalCopies.kept(),
            redirect_stdout(sys.stderr),
            show_progress(quiet=options.quiet, verbose=options.verbose, as_json=options.progress_json) as watcher,
        ):
            config = read_command_configuration(path, overrides, declarations, reader.faults)
            config = replace(config, output=replace(config.output, command=options.command_line))
            summary = flow.run(config, watcher=watcher, placed=placed).summary
        try:
            _print_summary(options, summary)
            _tell_saved(options, config)
        except (Exception, SystemExit) as error:
            # The release stands, so the status is 0; rich leaves where nobody reads standard error any more.
            reason = error if isinstance(error, (OSError, OutputError, SystemExit)) else type(error).__name__
            print_note(f"the release is complete, but its summary could not be printed. {reason}")
    return 0


def apply(options: argparse.Namespace, placed: Callable[[], None]) -> int:
    """Run ``apply``, which is `anonymize` with a saved recoding, and return its exit status.

    Raises
    ------
    UsageError
        If nothing names the recoding or the records.
    """
    if options.recoding is None or not options.data:
        lacks = "the recoding" if options.recoding is None else "the records"
        raise UsageError(f"Nothing names {lacks}. Write toolbox apply RECODING FILE -output FILE.")
    silent = {option.field: None if option.metavar else False for option in ANONYMIZE}
    return anonymize(argparse.Namespace(**{**silent, **vars(options)}), placed)


def _tell_saved(options: argparse.Namespace, config: Config) -> None:
    """Print how to repeat the run."""
    if config.saved is not None and not options.quiet and not options.json:
        saved = str(config.output.configuration)
        print_note(f"saved {saved}. Run it: toolbox -config {shlex.quote(saved)}")


def _print_summary(options: argparse.Namespace, summary: Summary) -> None:
    """Print the document or the tables, on standard output as all results."""
    print_report(options, summary.document, summary.show_on)


def _read_settings(options: argparse.Namespace) -> dict[str, str]:
    """Collect the settings of the method: those with an option of their own, and ``--set NAME=VALUE``."""
    settings = {name: getattr(options, name) for name in METHOD_SETTINGS if getattr(options, name) is not None}
    for pair in options.set or ():
        name, equals, value = pair.partition("=")
        if not (equals and name):
            raise UsageError(f"--set is {pair!r}. Write --set NAME=VALUE, such as --set dimension=distinct.")
        settings[name] = value
    return settings
