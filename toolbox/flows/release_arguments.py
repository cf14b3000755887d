"""How a variant becomes a release: the arguments of `toolbox.anonymize` that make it anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from toolbox.flows.description import AnonymizeArguments
from toolbox.flows.variant_config import Asked, Declared


def release_arguments(
    declared: Declared, read: Mapping[str, Any], opened: AnonymizeArguments, run: AnonymizeArguments, asked: Asked
) -> Mapping[str, Any]:
    """Return the arguments of `toolbox.anonymize` that make the release of a run.

    Parameters
    ----------
    read : mapping of str to object
        The arguments ``source`` and ``table``, which say what the session has read.
    opened, run : AnonymizeArguments
        What was said when it was opened, and of the run.
    asked : Asked
        What became of both.
    """
    if declared.asks:
        return MappingProxyType({"source": asked.config})
    names = [str(attribute.column) for attribute in asked.config.quasi_identifiers]
    columns, known = opened.columns, {*names, *map(str, opened.columns.sensitive)}
    trees = {**_by_text(columns.hierarchies), **_by_text(run.columns.hierarchies)}
    levels = {**_by_text(columns.levels), **_by_text(run.columns.levels)}
    described: dict[str, Any] = {
        **read,
        "quasi_identifiers": names,
        "sensitive": list(columns.sensitive),
        "identifiers": list(columns.identifiers),
        "hierarchies": {name: tree for name, tree in trees.items() if tree is not None and name in known},
        "kinds": {name: kind for name, kind in _by_text(columns.kinds).items() if name in known},
        "priorities": {name: rank for name, rank in _by_text(columns.priorities).items() if name in names},
        "weights": {name: weight for name, weight in _by_text(columns.weights).items() if name in names},
        "levels": {name: pair for name, pair in levels.items() if name in names},
        "on_missing": opened.on_missing,
        "limits": opened.limits,
        "population": opened.population,
    }
    apart = {"columns", "settings", "call", *described}
    described |= {field.name: getattr(run, field.name) for field in fields(run) if field.name not in apart}
    needed = {"source", "quasi_identifiers"}
    said = {name: value for name, value in described.items() if name in needed or not _is_nothing(value)}
    return MappingProxyType({**said, **run.settings})


def _by_text(described: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in described.items()}


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, (list, tuple, dict)) and not value)
