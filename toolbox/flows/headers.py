"""The names of the columns of a table, for whoever does not know them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolbox.config.model import Limits
from toolbox.errors import ToolboxError
from toolbox.flows.text_input import text_input
from toolbox.store.inputs import InputFiles
from toolbox.store.separators import guessed_input
from toolbox.store.store import Store

_NO_NAME = re.compile(r"\s*|.*@.*|[\s\d.,:/+-]+", re.DOTALL)
"""What is a value rather than the name of a column: nothing, an address, a number or a date."""


def header_of(paths: Sequence[Path], *, separator: str | None = None, encoding: str | None = None) -> tuple[str, ...]:
    """Return the header of a table; nothing if it cannot be read, or its first line may hold values.

    Parameters
    ----------
    separator, encoding : str, optional
        Of text; guessed, and UTF-8.
    """
    if not paths:
        return ()
    try:
        reading = replace(text_input(separator, encoding), path=paths[0], more=tuple(paths[1:]))
        known = guessed_input(reading, ()) if reading.guesses_separator else reading
        with Store(None, Limits()) as store:
            names = InputFiles(known).source(store).headers or ()
    except (ToolboxError, OSError, ValueError):
        return ()
    # Values of people are shown to nobody, and here nobody has said that it is a header.
    may_be_values = len(set(names)) < len(names) or any(_NO_NAME.fullmatch(name) for name in names)
    return () if may_be_values else tuple(names)
