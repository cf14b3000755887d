"""The parser of the command line, and its help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

from rich_argparse import RawDescriptionRichHelpFormatter

from toolbox.cli.commands import COMMANDS, GROUPS
from toolbox.cli.options import REPEATABLE, Option
from toolbox.errors import UsageError, did_you_mean


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of exiting, and suggests the option that was meant."""

    def error(self, message: str) -> NoReturn:
        """Raise an error with the message of argparse.

        Raises
        ------
        UsageError
        """
        raise UsageError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


class _HelpFormatter(RawDescriptionRichHelpFormatter):
    """The help with room for the longest option before its text, and titles that are sentences."""

    group_name_formatter: ClassVar[Callable[[str], str]] = staticmethod(lambda title: f"{title[:1].upper()}{title[1:]}")

    def __init__(self, prog: str, **kwargs: Any) -> None:
        super().__init__(prog, **{"max_help_position": 40, "width": 110} | kwargs)


def build_parser(name: str) -> Parser:
    """Make the parser of one command."""
    command = COMMANDS[name]
    parser = Parser(
        prog="toolbox" if name == "anonymize" else f"toolbox {name}",
        usage=command.usage,
        description=command.description,
        epilog=command.epilog or None,
        formatter_class=_HelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    parser.set_defaults(command_line=None)
    for file in command.files:
        parser.add_argument(file.lower(), nargs="?", metavar=file, help=argparse.SUPPRESS)
    if command.many is not None:
        parser.add_argument("data", nargs="*", metavar=command.many, help=argparse.SUPPRESS)
    for group, title in GROUPS.items():
        members = [option for option in command.options if option.group == group]
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
    # Files may stand among the options, which argparse understands only in front of them.
    files = [argument for argument in arguments if not argument.startswith("--")]
    namespace, unknown = parser.parse_known_args([*files, *(word for word in arguments if word.startswith("--"))])
    if unknown:
        names = [flag for option in COMMANDS[command].options for flag in option.flags]
        hint = did_you_mean(unknown[0].partition("=")[0], names)
        raise UsageError(f"Unknown argument {unknown[0]!r}.{hint} See {parser.prog} --help.")
    return namespace
