"""A saved recoding: its document, read and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, Final

from toolbox.errors import ConfigurationError, Fault, quote

VERSION: Final = 1
"""Of the format that is written, and the only one that is read."""
SHAPES: Final = ("levels", "cells", "regions")
"""The parts of a document of which it has one: how values were generalised."""
OF_INPUT: Final = ("header", "header_line", "encoding", "decimal", "thousands", "missing", "on_missing")
"""Settings of the input that hold for the next table, too; the separator is found anew."""
OF_RELEASE: Final = ("output_format", "order", "statistics", "escape_formulas")
"""Settings of the output that a recoding says; it names no file."""
OF_RUN: Final = ("supp_threshold", "undeclared", "rows_are_people", "attacker", "suppress_by", "suppressed")
"""Settings of the run that a recoding says."""
_LARGEST: Final = 2**30
"""Bytes of the largest document that is read."""
HOW: Final = "Write it anew: toolbox anonymize .. --save-recoding FILE."
"""What to do about a damaged one."""


@dataclass(frozen=True)
class SavedRecoding:
    """How an earlier run has generalised each column: a document that `schemas/recoding.json` describes."""

    document: Mapping[str, Any] = field(repr=False)
    source: str
    """What messages call it: the path of its file, or the call that made it."""

    @property
    def shape(self) -> str:
        """Which of `SHAPES` it has."""
        return next(name for name in SHAPES if name in self.document)

    @property
    def configuration(self) -> str:
        """What it declares, as the text of a configuration without input and output."""
        return "\n".join(self.document["configuration"]) + "\n"

    @property
    def columns(self) -> list[str]:
        """The names of the quasi-identifiers."""
        return list(self.document["columns"])

    @property
    def digest(self) -> str:
        """SHA-256 of the document, whatever blanks its file has."""
        return hashlib.sha256(self.text(indent=None).encode()).hexdigest()

    def text(self, indent: int | None = 1) -> str:
        """Write the document; the same recoding gives the same text."""
        if indent is None:
            return json.dumps(self.document, sort_keys=True, ensure_ascii=False, allow_nan=False)
        # A line for each part that people may read, and one for each long list.
        parts = (f"  {json.dumps(name)}: {_format_part(name, part)}" for name, part in self.document.items())
        return "{\n" + ",\n".join(parts) + "\n}\n"

    def __str__(self) -> str:
        return self.source


def _format_part(name: str, part: Any) -> str:
    lines = name in ("configuration", "made", "valuesOfData")
    text = json.dumps(part, indent=2 if lines else None, ensure_ascii=False, allow_nan=False)
    return text.replace("\n", "\n  ")


@cache
def _compile_schema() -> Any:
    # Nothing else needs it.
    import fastjsonschema

    text = (files("toolbox") / "schemas" / "recoding.json").read_text(encoding="utf-8")
    return fastjsonschema.compile(json.loads(text))


def read_recoding(path: Path) -> SavedRecoding:
    """Read a recoding.

    Raises
    ------
    ConfigurationError
        If there is none, or it is damaged.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise _refuse(str(path), "The file is larger than 1 GB.", "Write the path of a saved recoding.")
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise _refuse(str(path), "There is no such file.", "Write the path of a saved recoding.") from None
    except IsADirectoryError:
        raise _refuse(str(path), "This is a folder, not a file.", "Write the path of a saved recoding.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise _refuse(str(path), f"The file cannot be read ({reason}).", "Write another path.") from None
    return parse_recoding(data, str(path))


def parse_recoding(text: str | bytes, source: str) -> SavedRecoding:
    """Read the text of a recoding.

    Parameters
    ----------
    source : str
        What messages call it.

    Raises
    ------
    ConfigurationError
        If it is none, with the place of the first fault.
    """
    import fastjsonschema

    try:
        document = json.loads(text, parse_constant=_refuse_number, parse_float=_read_number)
    except json.JSONDecodeError as error:
        fault = Fault(error.lineno, f"This is no JSON: {error.msg}.", HOW)
        raise ConfigurationError(source, [fault]) from None
    except RecursionError:
        raise _refuse(source, "This is no JSON: it is nested too deeply.", HOW) from None
    except UnicodeDecodeError:
        raise _refuse(source, "This is no JSON: it is no text in UTF-8.", HOW) from None
    except ValueError as error:  # of a number that no machine holds
        raise _refuse(source, f"This is no JSON: {quote(str(error))[1:-1]}.", HOW) from None
    if not isinstance(document, dict) or "recoding" not in document:
        raise _refuse(source, "This is JSON, and no saved recoding.", HOW)
    version = document["recoding"]
    if version != VERSION or isinstance(version, (bool, float)):
        problem = f"The recoding is of version {quote(str(version))[1:-1]}; this program reads version {VERSION}."
        raise _refuse(source, problem, "Take the program that wrote it, or write it anew.")
    try:
        _compile_schema()(document)
    except fastjsonschema.JsonSchemaValueException as error:
        name = str(error.name)
        place = name.removeprefix("data").lstrip(".") or "the document"
        rule = error.message.removeprefix(name).strip()
        raise _refuse(source, f"{quote(place)[1:-1]} {rule}.", HOW) from None
    return SavedRecoding(document, source)


def _refuse_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _read_number(text: str) -> float:
    """Read a number; JSON has no infinite ones, and Python makes some of 1e999."""
    return float(text) if isfinite(float(text)) else _refuse_number(text)


def _refuse(source: str, found: str, remedy: str) -> ConfigurationError:
    return ConfigurationError(source, [Fault(0, found, remedy)])
