"""Whether two configurations say the same of a run, wherever they say it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from toolbox.config.model import Config

_OF_THE_FILE: Final = {
    "line",
    "file",
    "source",
    "warnings",
    "configuration",
    "rejects",
    "report",
    "html",
    "report_kind",
    "command",
    "lattice",
}
"""Where something is written, as what a file holds is compared itself, and what one run does beside its release."""


def differences(one: Config, other: Config) -> list[str]:
    """Return the names of the fields in which two configurations differ; not those of a single run.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from toolbox.config.model import Output
    >>> one = Config(source="a.xml", path=None, input=None, output=Output(path=None), quasi_identifiers=())
    >>> differences(one, replace(one, source="b.xml", k=5))
    ['k']
    """
    left_out = {"limits", "path", *_OF_THE_FILE}
    names = [field.name for field in fields(Config) if field.compare and field.name not in left_out]
    return [name for name in names if _plain(getattr(one, name)) != _plain(getattr(other, name))]


def _plain(value: Any) -> Any:
    """Return a value with all its parts, without their line numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {
            field.name: _plain(getattr(value, field.name))
            for field in fields(value)
            if field.compare and field.name not in _OF_THE_FILE
        }
        return type(value).__name__, parts
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return os.path.realpath(value) if isinstance(value, Path) else value
