"""What the options of `anonymize` declare: the columns, and the models that protect them."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolbox.cli.commands import DEFAULT_CONFIG
from toolbox.cli.names import names_in
from toolbox.cli.option_reader import OptionReader
from toolbox.config.declarations import Declarations
from toolbox.config.file_kinds import has_types
from toolbox.config.given import BadValueError
from toolbox.errors import UsageError

_DECLARING = ("id", "qi", "sensitive", "hierarchy", "kind", "ordered", "priority", "weight", "model")


def configuration_of(options: argparse.Namespace) -> Path | None:
    """Return the configuration to run; None where the options say everything themselves.

    Raises
    ------
    UsageError
        If a configuration stands where records belong.
    """
    for name in options.data:
        if Path(name).suffix.lower() == ".xml":
            raise UsageError(f"{name} is a configuration, as its name says. Write -config {name}.")
    if options.config is not None:
        if has_types(given := Path(options.config)) or given.suffix.lower() in (".csv", ".tsv"):
            raise UsageError(
                f"{given} is a table, as its name says. toolbox init {given} writes a configuration for it."
            )
        return given
    if options.data or any(getattr(options, name) for name in _DECLARING):
        return None
    default = Path(DEFAULT_CONFIG)
    return None if options.input and not default.exists() else default


def input_of(options: argparse.Namespace) -> list[str] | None:
    """Return the names of the records: those behind the command, or those of ``-input``.

    Raises
    ------
    UsageError
        If both name some.
    """
    if options.data and options.input:
        raise UsageError(f"{options.data[0]} and -input {options.input[0]} both name the records. Write one of them.")
    named: list[str] | None = options.data or options.input
    return named


def declarations_of(reader: OptionReader) -> Declarations:
    """Return the declarations of the options; faults go to the reader."""
    return Declarations(
        identifiers=reader.names("id"),
        quasi_identifiers=reader.names("qi"),
        sensitive=reader.names("sensitive"),
        hierarchies=reader.pairs("hierarchy", str),
        kinds=reader.pairs("kind", str),
        priorities=reader.pairs("priority", str),
        weights=reader.pairs("weight", str),
        ordered=reader.pairs("ordered", _categories),
        models=reader.texts("model"),
    )


def _categories(text: str) -> list[str]:
    names = names_in(text)
    if names is None:
        raise BadValueError("is no list of categories", "Put one with a comma in double quotes.")
    return names
