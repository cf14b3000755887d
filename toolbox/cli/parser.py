"""The parser of the command line, and its help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from rich_argparse import RawDescriptionRichHelpFormatter

from toolbox.cli.options import ANONYMIZE, COMMON, REPEATABLE, Option
from toolbox.errors import UsageError, did_you_mean

_GROUPS = {
    "original": "what to do (each overrides the configuration)",
    "release": "the release",
    "method": "settings of methods",
    "machine": "the machine",
    "output": "what to print",
}
_USAGE = "toolbox [-config FILE] [options]\n       toolbox methods [--json]"
_DESCRIPTION = """\
Publish personal data safely: read a table, generalise its quasi-identifiers until every record hides among k,
prove it, and write the release.

  toolbox -config census.xml                            run a configuration
  toolbox -method Datafly -config census.xml -k 5       the same with another method and another k
  toolbox methods                                       list what is installed
"""
_EPILOG = """\
Exit status: 0 done; 2 the command line or the configuration is wrong; 3 the requirement cannot be met;
4 the input data is wrong or unreadable; 130 interrupted. On any other status than 0 no file is written.
"""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of leaving, and suggests the option that was meant."""

    def error(self, message: str) -> NoReturn:
        """Raise what argparse found wrong.

        Raises
        ------
        UsageError
        """
        raise UsageError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


class _HelpFormatter(RawDescriptionRichHelpFormatter):
    """The help with room for the longest option before its text."""

    def __init__(self, prog: str, **kwargs: Any) -> None:
        super().__init__(prog, **{"max_help_position": 40, "width": 110} | kwargs)


def build_parser(command: str) -> Parser:
    """Make the parser of one command."""
    is_anonymize = command == "anonymize"
    parser = Parser(
        prog="toolbox" if is_anonymize else f"toolbox {command}",
        usage=_USAGE if is_anonymize else None,
        description=_DESCRIPTION if is_anonymize else "List the installed methods and privacy models.",
        epilog=_EPILOG if is_anonymize else None,
        formatter_class=_HelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    options: Sequence[Option] = (*(ANONYMIZE if is_anonymize else ()), *COMMON)
    for group, title in _GROUPS.items():
        members = [option for option in options if option.group == group]
        if not members:
            continue
        section = parser.add_argument_group(title)
        for option in members:
            _add(section, option)
        if group == "output":
            section.add_argument("-h", "--help", action="help", help="show this and leave")
            section.add_argument("--version", action="store_true", help="show the version and leave")
    return parser


def _add(section: argparse._ArgumentGroup, option: Option) -> None:
    text = option.help.replace("%", "%%")
    if option.metavar is None:
        section.add_argument(*option.flags, dest=option.field, action="store_true", help=text)
    elif option.name in REPEATABLE:
        section.add_argument(*option.flags, dest=option.field, metavar=option.metavar, action="append", help=text)
    else:
        section.add_argument(*option.flags, dest=option.field, metavar=option.metavar, help=text)


def parse(command: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse normalised arguments.

    Raises
    ------
    UsageError
        Naming the option that is unknown or lacks its value.
    """
    parser = build_parser(command)
    namespace, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = (*(ANONYMIZE if command == "anonymize" else ()), *COMMON)
        names = [flag for option in known for flag in option.flags]
        hint = did_you_mean(unknown[0].partition("=")[0], names)
        raise UsageError(f"Unknown argument {unknown[0]!r}.{hint} See {parser.prog} --help.")
    return namespace
