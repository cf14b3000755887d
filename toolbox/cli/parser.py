"""The parser of the command line, and its help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich_argparse import RawDescriptionRichHelpFormatter

from toolbox.cli.commands import COMMANDS, GROUPS, Command
from toolbox.cli.options import REPEATABLE, Option
from toolbox.errors import UsageError, did_you_mean, quote


class _HelpFormatter(RawDescriptionRichHelpFormatter):
    """The help with room for the longest option before its text, and titles that are sentences."""

    group_name_formatter: ClassVar[Callable[[str], str]] = staticmethod(lambda title: f"{title[:1].upper()}{title[1:]}")

    def __init__(self, prog: str, **kwargs: Any) -> None:
        super().__init__(prog, **{"max_help_position": 40, "width": 110} | kwargs)


def build_parser(name: str) -> argparse.ArgumentParser:
    """Make the parser of one command, which writes its help."""
    command = COMMANDS[name]
    parser = argparse.ArgumentParser(
        prog="toolbox" if name == "anonymize" else f"toolbox {name}",
        usage=command.usage,
        description=command.description,
        epilog=command.epilog or None,
        formatter_class=_HelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    for group, title in GROUPS.items():
        members = [option for option in command.options if option.group == group]
        if not members:
            continue
        section = parser.add_argument_group(title)
        for option in members:
            _add(section, option)
        if group == "output":
            section.add_argument("-h", "--help", action="store_true", help="show this and leave")
            section.add_argument("--version", action="store_true", help="show the version and leave")
    return parser


def _add(section: argparse._ArgumentGroup, option: Option) -> None:
    text = option.help.replace("%", "%%")
    if option.metavar is None:
        section.add_argument(*option.flags, dest=option.field, action="store_true", help=text)
    else:
        section.add_argument(*option.flags, dest=option.field, metavar=option.metavar, help=text)


def parse(command: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Read normalised arguments; argparse only writes the help, since it takes ``--`` out of the values of options.

    Raises
    ------
    UsageError
        Naming the option that is unknown or lacks its value.
    """
    asked, prog = COMMANDS[command], "toolbox" if command == "anonymize" else f"toolbox {command}"
    known = {option.name: option for option in asked.options}
    values: dict[str, Any] = {option.field: None if option.metavar else False for option in asked.options}
    values |= {"command_line": None, "help": False, "version": False}
    files: list[str] = []
    for argument in ["--help"] if "--help" in arguments else arguments:
        name, equals, value = argument.removeprefix("--").partition("=")
        if not argument.startswith("--"):
            files.append(argument)
        elif name in ("help", "version"):
            values[name] = True
        elif (option := known.get(name)) is None:
            flags = [flag for option in asked.options for flag in option.flags]
            hint = did_you_mean(argument.partition("=")[0], flags)
            raise UsageError(f"Unknown argument {argument!r}.{hint} See {prog} --help.")
        else:
            _note(option, value if equals else None, values, prog)
    return argparse.Namespace(**values, **_files(asked, files, prog))


def _note(option: Option, value: str | None, values: dict[str, Any], prog: str) -> None:
    """Note what one option says; of an option that may not be repeated the last one counts."""
    flag = option.flags[0]
    if option.metavar is None and value is not None:
        raise UsageError(f"{flag} takes no value, and {quote(value)} is one. Write {flag} alone. See {prog} --help.")
    if option.metavar is not None and value is None:
        raise UsageError(f"{flag} lacks its value. Write {flag} {option.metavar}. See {prog} --help.")
    if option.metavar is not None and option.name in REPEATABLE:
        values[option.field] = [*(values[option.field] or ()), value]
    else:
        values[option.field] = True if option.metavar is None else value


def _files(command: Command, named: Sequence[str], prog: str) -> dict[str, Any]:
    """Return what stands on the line without an option, by the names that the help shows."""
    places = [file.lower() for file in command.files]
    values: dict[str, Any] = {**dict.fromkeys(places), **dict(zip(places, named, strict=False))}
    if command.many is not None:
        values["data"] = list(named[len(places) :])
    elif len(named) > len(places):
        takes = f"takes {' and '.join(command.files)}" if places else "takes no file"
        raise UsageError(f"{quote(named[len(places)])} is one too many: {prog} {takes}. See {prog} --help.")
    return values
