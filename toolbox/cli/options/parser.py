"""The parser of the command line, its help, and the spellings of options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

from rich_argparse import RawDescriptionRichHelpFormatter

from toolbox.cli.options.commands import COMMANDS, GROUPS, Command
from toolbox.cli.options.options import ANONYMIZE, REPEATABLE
from toolbox.config.values import Option
from toolbox.errors import UsageError, did_you_mean, quote

# The parser of the command line, and its help.


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
    return argparse.Namespace(**values, **_describe_files(asked, files, prog))


def _note(option: Option, value: str | None, values: dict[str, Any], prog: str) -> None:
    """Note what one option says; of an option that may not be repeated the last one counts."""
    flag = option.flags[0]
    if option.metavar is None and value is not None:
        raise UsageError(f"{flag} takes no value, and {quote(value)} is one. Write {flag} alone. See {prog} --help.")
    if option.metavar is not None and value is None:
        raise UsageError(f"{flag} lacks its value. Write {flag} {option.metavar}. See {prog} --help.")
    if option.metavar is not None and (option.name in REPEATABLE or option.takes_several):
        values[option.field] = [*(values[option.field] or ()), value]
    else:
        values[option.field] = True if option.metavar is None else value


def _describe_files(command: Command, named: Sequence[str], prog: str) -> dict[str, Any]:
    """Return what stands on the line without an option, by the names that the help shows."""
    places = [file.lower() for file in command.files]
    values: dict[str, Any] = {**dict.fromkeys(places), **dict(zip(places, named, strict=False))}
    if command.many is not None:
        values["data"] = list(named[len(places) :])
    elif len(named) > len(places):
        takes = f"takes {' and '.join(command.files)}" if places else "takes no file"
        raise UsageError(f"{quote(named[len(places)])} is one too many: {prog} {takes}. See {prog} --help.")
    return values


# The spellings of options: one dash or two, ``suppThreshold`` or ``supp-threshold``; all are one option.

_HELP = Option("help", "show this and leave", group="output")
_VERSION = Option("version", "show the version and leave", group="output")
_CUSTOMARY: Final = MappingProxyType(
    {
        "q": "quiet",
        "v": "verbose",
        "i": "input",
        "o": "output",
        "m": "method",
        "f": "force",
        "y": "yes",
        "s": "separator",
    }
)
"""What one letter means in other programs."""
_BARE_WORD: Final = re.compile(r"[^./\\:*?=\[\]]+")
"""What looks like no file: without an extension, a folder or a pattern."""


def find_option_key(name: str) -> str:
    """Return what all spellings of an option have in common."""
    return name.lstrip("-").replace("-", "").replace("_", "").lower()


def normalise_options(
    arguments: Sequence[str],
    options: Sequence[Option],
    command: str = "anonymize",
    typed: dict[str, str] | None = None,
) -> list[str]:
    """Rewrite every known option with two dashes and its value after an equals sign.

    So a value may begin with a dash, and ``-suppThreshold 0``, ``-SUPPTHRESHOLD 0`` and ``--supp-threshold=0`` are one.

    Parameters
    ----------
    typed : dict, optional
        Gets for the field of each option the spelling that was typed, for messages.

    Examples
    --------
    >>> from toolbox.cli.options.options import COMMON
    >>> normalise_options(["-suppThreshold", "0", "-SEPARATOR", "-", "--json"], (*ANONYMIZE, *COMMON))
    ['--supp-threshold=0', '--separator=-', '--json']

    Raises
    ------
    UsageError
        If there is no such option, or its value goes on after a blank.
    """
    short = {find_option_key(option.original): option for option in options if option.original}
    known = (
        short
        | {find_option_key(name): option for option in options for name in (option.also, option.name) if name}
        | {"h": _HELP, "help": _HELP, "version": _VERSION}
    )
    result: list[str] = []
    last: tuple[str, Option, str] | None = None
    """The option with its value that stands before, as it was typed."""
    waiting = iter(arguments)
    for argument in waiting:
        if "\0" in argument:
            raise UsageError(f"{quote(argument)} holds the control character U+0000. Remove it.")
        if not argument.startswith("-") or argument == "-":
            if last is not None and last[1].takes_several:
                result.append(f"--{last[1].name}={argument}")
                continue
            if last is not None and command != "hierarchy":
                _require_no_rest(argument, *last)
            result.append(argument)
            last = None
            continue
        name, equals, value = argument.partition("=")
        option = known.get(find_option_key(name))
        if option is None:
            raise _format_unknown_option(name, options, command)
        if typed is not None:
            typed[option.field] = name
        if option.metavar is None or not (equals or (following := next(waiting, None)) is not None):
            result.append(f"--{option.name}{equals}{value}")
            last = None
        else:
            said = value if equals else following or ""
            result.append(f"--{option.name}={said}")
            last = name, option, said
    return result


def _require_no_rest(word: str, name: str, option: Option, value: str) -> None:
    """Stop where a word behind the value of an option is no file, but looks as if it belonged to the value.

    Raises
    ------
    UsageError
    """
    if not _BARE_WORD.fullmatch(word) or Path(word).exists():
        return
    problem = f"{quote(word)} stands behind {name} {value}, and there is no file of this name."
    if option.metavar in ("NAMES", "K,..", "L,..", "T,.."):
        if word.endswith(","):  # more follows
            raise UsageError(f"{problem} Write commas without blanks: {name} {value.rstrip(',')},{word}..")
        raise UsageError(f"{problem} Write a comma between them: {name} {value.rstrip(',')},{word}.")
    raise UsageError(f"{problem} {name} takes one value. Put a value with blanks in quotes: {name} '{value} {word}'.")


def _format_unknown_option(name: str, options: Sequence[Option], command: str) -> UsageError:
    """Return what somebody is told who writes an option that a command does not have."""
    program = "toolbox" if command == "anonymize" else f"toolbox {command}"
    key = find_option_key(name)
    # Two hyphens alone name nothing, and neither does the older name of an option that has none.
    if key and any(
        key in (find_option_key(option.name), find_option_key(option.original or "")) for option in ANONYMIZE
    ):
        problem = f"{program} has no option {quote(name)}, which says how a release is made."
        return UsageError(f"{problem} Write it after toolbox anonymize. See {program} --help.")
    flags = [flag for option in options for flag in option.flags]
    # One letter is near every other letter.
    meant = [flag for flag in flags if flag == f"--{_CUSTOMARY.get(key)}"]
    hint = did_you_mean(name, flags) if len(key) > 1 else f" Did you mean {meant[0]!r}?" if meant else ""
    return UsageError(f"There is no option {quote(name)}.{hint} See {program} --help.")
