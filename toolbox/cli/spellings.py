"""The spellings of options: one dash or two, ``suppThreshold`` or ``supp-threshold``; all are one option."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.cli.options import ANONYMIZE, Option
from toolbox.errors import UsageError, did_you_mean, quote

_HELP = Option("help", "show this and leave", group="output")
_VERSION = Option("version", "show the version and leave", group="output")


def key_of(name: str) -> str:
    """Return what all spellings of an option have in common."""
    return name.lstrip("-").replace("-", "").replace("_", "").lower()


def normalised(arguments: Sequence[str], options: Sequence[Option], command: str = "anonymize") -> list[str]:
    """Rewrite every known option with two dashes and its value after an equals sign.

    So a value may begin with a dash, and ``-suppThreshold 0``, ``-SUPPTHRESHOLD 0`` and ``--supp-threshold=0`` are one.

    Examples
    --------
    >>> from toolbox.cli.options import COMMON
    >>> normalised(["-suppThreshold", "0", "-SEPARATOR", "-", "--json"], (*ANONYMIZE, *COMMON))
    ['--supp-threshold=0', '--separator=-', '--json']

    Raises
    ------
    UsageError
        If there is no such option.
    """
    short = {key_of(option.original): option for option in options if option.original}
    known = (
        short | {key_of(option.name): option for option in options} | {"h": _HELP, "help": _HELP, "version": _VERSION}
    )
    result: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if "\0" in argument:
            raise UsageError(f"{quote(argument)} holds the control character U+0000. Remove it.")
        if not argument.startswith("-") or argument == "-":
            result.append(argument)
            continue
        name, equals, value = argument.partition("=")
        option = known.get(key_of(name))
        if option is None:
            raise _unknown(name, options, command)
        if option.metavar is None or not (equals or (following := next(waiting, None)) is not None):
            result.append(f"--{option.name}{equals}{value}")
        else:
            result.append(f"--{option.name}={value if equals else following}")
    return result


def _unknown(name: str, options: Sequence[Option], command: str) -> UsageError:
    """Return what somebody is told who writes an option that a command does not have."""
    program = "toolbox" if command == "anonymize" else f"toolbox {command}"
    key = key_of(name)
    if any(key in (key_of(option.name), key_of(option.original or "")) for option in ANONYMIZE):
        problem = f"{program} has no option {quote(name)}, which says how a release is made."
        return UsageError(f"{problem} Write it after toolbox anonymize. See {program} --help.")
    flags = [flag for option in options for flag in option.flags]
    return UsageError(f"There is no option {quote(name)}.{did_you_mean(name, flags)} See {program} --help.")
