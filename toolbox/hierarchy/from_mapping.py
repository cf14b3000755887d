"""Hierarchies that a caller writes as a dict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from toolbox.errors import UsageError, quote

_FORMS = (
    "Write {value: its generalisation}, {value: [its generalisations, the narrowest first]}, or nest dicts from the "
    "root down to lists of values: {'Austria': {'Styria': ['Graz', 'Leoben']}}."
)


def rows_of(mapping: Mapping[Any, Any], name: str) -> list[tuple[object, ...]]:
    """Turn a dict into rows of a value and its generalisations, the narrowest first.

    Parameters
    ----------
    mapping : mapping
        From values to their generalisation, or to a list of them; or, where one of its values is a dict, the tree from
        the root down, which ends in lists of values.
    name : str
        Of the column, for messages.

    Raises
    ------
    UsageError
        If it mixes these forms.

    Examples
    --------
    >>> rows_of({"Graz": "Styria", "Wien": "Vienna"}, "town")
    [('Graz', 'Styria'), ('Wien', 'Vienna')]
    >>> rows_of({"Graz": ["Styria", "Austria"]}, "town")
    [('Graz', 'Styria', 'Austria')]
    >>> rows_of({"Austria": {"Styria": ["Graz", "Leoben"], "Vienna": ["Wien"]}}, "town")
    [('Graz', 'Styria', 'Austria'), ('Leoben', 'Styria', 'Austria'), ('Wien', 'Vienna', 'Austria')]
    """
    if any(isinstance(value, Mapping) for value in mapping.values()):
        return list(_leaves(mapping, (), name))
    lists = [_is_list(value) for value in mapping.values()]
    if any(lists) and not all(lists):
        raise UsageError(f"The hierarchy of {quote(name)} mixes texts and lists. {_FORMS}")
    return [(value, *above) if _is_list(above) else (value, above) for value, above in mapping.items()]


def _leaves(tree: Any, above: tuple[object, ...], name: str) -> Iterator[tuple[object, ...]]:
    if isinstance(tree, Mapping):
        for label, below in tree.items():
            yield from _leaves(below, (label, *above), name)
    elif _is_list(tree):
        yield from ((value, *above) for value in tree)
    else:
        raise UsageError(f"The hierarchy of {quote(name)} is a tree that does not end in a list of values. {_FORMS}")


def _is_list(value: object) -> bool:
    return isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes))
