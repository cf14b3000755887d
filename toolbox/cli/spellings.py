"""The spellings of options: one dash or two, ``suppThreshold`` or ``supp-threshold``; all are one option."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from toolbox.cli.options import ANONYMIZE, Option
from toolbox.errors import UsageError, did_you_mean, quote

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


def key_of(name: str) -> str:
    """Return what all spellings of an option have in common."""
    return name.lstrip("-").replace("-", "").replace("_", "").lower()


def normalised(
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
    >>> from toolbox.cli.options import COMMON
    >>> normalised(["-suppThreshold", "0", "-SEPARATOR", "-", "--json"], (*ANONYMIZE, *COMMON))
    ['--supp-threshold=0', '--separator=-', '--json']

    Raises
    ------
    UsageError
        If there is no such option, or its value goes on after a blank.
    """
    short = {key_of(option.original): option for option in options if option.original}
    known = (
        short | {key_of(option.name): option for option in options} | {"h": _HELP, "help": _HELP, "version": _VERSION}
    )
    result: list[str] = []
    last: tuple[str, Option, str] | None = None
    """The option with its value that stands before, as it was typed."""
    waiting = iter(arguments)
    for argument in waiting:
        if "\0" in argument:
            raise UsageError(f"{quote(argument)} holds the control character U+0000. Remove it.")
        if not argument.startswith("-") or argument == "-":
            if last is not None and command != "hierarchy":
                _require_no_rest(argument, *last)
            result.append(argument)
            last = None
            continue
        name, equals, value = argument.partition("=")
        option = known.get(key_of(name))
        if option is None:
            raise _unknown(name, options, command)
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
        raise UsageError(f"{problem} Write a comma between them: {name} {value.rstrip(',')},{word}.")
    raise UsageError(f"{problem} {name} takes one value. Put a value with blanks in quotes: {name} '{value} {word}'.")


def _unknown(name: str, options: Sequence[Option], command: str) -> UsageError:
    """Return what somebody is told who writes an option that a command does not have."""
    program = "toolbox" if command == "anonymize" else f"toolbox {command}"
    key = key_of(name)
    if any(key in (key_of(option.name), key_of(option.original or "")) for option in ANONYMIZE):
        problem = f"{program} has no option {quote(name)}, which says how a release is made."
        return UsageError(f"{problem} Write it after toolbox anonymize. See {program} --help.")
    flags = [flag for option in options for flag in option.flags]
    # One letter is near every other letter.
    meant = [flag for flag in flags if flag == f"--{_CUSTOMARY.get(key)}"]
    hint = did_you_mean(name, flags) if len(key) > 1 else f" Did you mean {meant[0]!r}?" if meant else ""
    return UsageError(f"There is no option {quote(name)}.{hint} See {program} --help.")
