"""The options of a command, as its module is given them."""

from __future__ import annotations

from argparse import Namespace

from toolbox.cli.options.commands import COMMANDS
from toolbox.cli.options.parser import normalise_options, parse


def parsed(command: str, *words: object) -> Namespace:
    """Parse what stands behind the name of a command."""
    return parse(command, normalise_options([str(word) for word in words], COMMANDS[command].options))
