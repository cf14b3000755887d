"""The values of the options of a command, read one by one."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.config import values
from toolbox.config.given import Findings, Given
from toolbox.config.model import Limits
from toolbox.errors import ConfigurationError, quote


class OptionReader:
    """Reads options one by one; all faults of a command line are listed together.

    Parameters
    ----------
    options : argparse.Namespace
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._findings = Findings()

    def read(self, name: str, parse: Callable[[str], Any]) -> Any:
        """Read an option; return None if it is absent or wrong."""
        text = getattr(self._options, name, None)
        option = None if text is None else Given(f"--{name.replace('_', '-')}", text)
        return self._findings.read(option, parse, None)

    def names(self, name: str) -> list[str]:
        """Read names, several in one option between commas; a name with a comma stands in quotes.

        Raises
        ------
        ConfigurationError
            With all faults so far, if the names cannot be told apart.
        """
        texts: Sequence[str] = getattr(self._options, name, None) or ()
        try:
            return [name.strip() for row in csv.reader(texts, skipinitialspace=True) for name in row if name.strip()]
        except csv.Error:
            fault = f"--{name} {quote(' '.join(texts))} is no list of names."
            self._findings.fault(0, fault, "Put a name with a line break in double quotes.")
            raise ConfigurationError("the command line", self._findings.faults) from None

    def pairs(self, name: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        """Read options such as ``zip=zip.csv``."""
        values_by_name = {}
        for text in getattr(self._options, name, None) or ():
            key, equals, value = text.partition("=")
            if not (equals and key):
                self._findings.fault(0, f"--{name} is {text!r}.", f"Write --{name} NAME=VALUE.")
                continue
            values_by_name[key] = self._findings.read(Given(f"--{name} {key}", value), parse, None)
        return values_by_name

    def limits(self) -> Limits:
        """Read the limits of memory and threads, and the folder for temporary files."""
        return Limits(
            memory=self.read("memory_limit", values.memory),
            threads=self.read("threads", partial(values.integer, minimum=1, maximum=512)),
            temp_dir=self.read("temp_dir", partial(values.path, folder=Path())),
        )

    def require_none_wrong(self) -> None:
        """Stop if any of them was wrong.

        Raises
        ------
        ConfigurationError
        """
        if self._findings.faults:
            raise ConfigurationError("the command line", self._findings.faults)
