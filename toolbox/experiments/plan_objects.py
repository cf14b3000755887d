"""A plan of Python objects, as the words of a file: paths as texts, ranges and arrays as lists, hierarchies as rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import Any

from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.builders.words import words_of


class Foreign:
    """An object that no file could hold. Messages tell its type alone, since a table would show its cells."""

    def __init__(self, found: object) -> None:
        self._type = type(found).__name__

    def __str__(self) -> str:
        return f"an object of type {self._type}"

    __repr__ = __str__


def in_words(plan: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a plan without objects that a file could not hold.

    Examples
    --------
    >>> in_words({"parameters": {"k": range(2, 5)}, "data": [{"table": Path("people.csv"), "label": object()}]})
    {'parameters': {'k': [2, 3, 4]}, 'data': [{'table': 'people.csv', 'label': an object of type object}]}
    """
    return {name: _trees(value) if name == "hierarchies" else _plain(value) for name, value in plan.items()}


def _plain(value: Any) -> Any:
    match value:
        case str() | int() | float() | date() | time() | None:
            return value
        case Path():
            return str(value)
        case Mapping():
            return in_words(value)
        case list() | tuple() | range():
            return [_plain(each) for each in value]
    # Numbers and arrays of numpy, and columns of pandas.
    is_of_numpy = hasattr(value, "dtype") and getattr(value, "ndim", 2) < 2
    return _plain(value.tolist()) if is_of_numpy else Foreign(value)


def _trees(value: Any) -> Any:
    """Return hierarchies in words; that of a column may be a builder, rows in a table, or a dict."""
    return {name: _tree(tree) for name, tree in value.items()} if isinstance(value, Mapping) else _plain(value)


def _tree(tree: Any) -> Any:
    if isinstance(tree, Builder):
        return words_of(tree.attributes())
    rows = tree.to_numpy() if hasattr(tree, "to_numpy") else tree
    return rows.tolist() if getattr(rows, "ndim", None) == 2 else _plain(rows)
