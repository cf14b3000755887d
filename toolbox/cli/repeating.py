"""The command line as somebody writes it to have the same once more."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from toolbox.cli.spellings import key_of
from toolbox.messages import without_password

_HOW_IT_IS_TOLD = {"json", "progressjson", "quiet", "verbose", "debug"}
"""Options that change what is said, and nothing that is made."""


def repeated(words: Sequence[str]) -> str:
    """Write a command line without what only programs ask for, with short names of the files below this folder.

    Parameters
    ----------
    words : sequence of str
        Those behind the name of the program.

    Examples
    --------
    >>> repeated(["-config", "c.xml", "--progress-json", "--json"])
    'toolbox -config c.xml'
    """
    here = _here()
    asked = [word for word in words if not (word.startswith("-") and key_of(word) in _HOW_IT_IS_TOLD)]
    return without_password(shlex.join(["toolbox", *(_short(word, here) for word in asked)]))


def _here() -> str:
    """Return how the files below this folder begin; nothing begins so where the folder is gone."""
    try:
        return f"{Path.cwd()}/"
    except OSError:
        return "\0"


def _short(word: str, here: str) -> str:
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    return option + equals + value.removeprefix(here) if value != here else word
