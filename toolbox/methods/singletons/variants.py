"""Variants: which columns are generalised, how, for whom and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Literal

from toolbox.methods.singletons.columns import Column

Scope = Literal["local", "global"]

_MOST_ORDERED = 3
"""Most local changes that are made in every order."""


@dataclass(frozen=True)
class Change:
    """One column generalised."""

    column: int
    generalisation: int
    """Which of its column's."""
    scope: Scope
    """Whether in all records, or only in those that stand out when its step begins."""


@dataclass(frozen=True)
class Variant:
    """Steps one after the other, each of changes that are made at once."""

    steps: tuple[tuple[Change, ...], ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """All of them, in their order."""
        return tuple(change for step in self.steps for change in step)

    def name(self, columns: Sequence[Column]) -> str:
        """Return what is changed, in words.

        For example ``sex any (local), town parent`` of one step, ``sex any (local); town parent (local)`` of two.
        """
        return "; ".join(", ".join(_name(change, columns) for change in step) for step in self.steps) or "as it is"


def _name(change: Change, columns: Sequence[Column]) -> str:
    column = columns[change.column]
    rule = column.generalisations[change.generalisation].rule
    return f"{column.name} {rule}{' (local)' if change.scope == 'local' else ''}"


def changes_of(index: int, column: Column, scopes: Sequence[Scope], *, covering: bool) -> list[Change]:
    """List the ways to generalise one column.

    Parameters
    ----------
    index : int
        Of the column.
    scopes : sequence of {'local', 'global'}
    covering : bool
        Whether to leave out those whose labels do not cover the values that they stand for.
    """
    allowed = [
        position
        for position, generalisation in enumerate(column.generalisations)
        if generalisation.covers or not covering
    ]
    return [Change(index, position, scope) for position in allowed for scope in scopes]


def all_variants(choices: Sequence[Sequence[Change]]) -> Iterator[Variant]:
    """Yield every combination of changes, at most one for each column; first the combination without changes.

    Where some are local, they are made at once, or one after the other with who stands out determined anew, those for
    all records first; up to three of them in every order.

    Parameters
    ----------
    choices : sequence of sequence of Change
        The ways to generalise each column.
    """
    for chosen in product(*([None, *changes] for changes in choices)):
        yield from _orders([change for change in chosen if change is not None])


def _orders(changes: Sequence[Change]) -> Iterator[Variant]:
    """Make all changes at once, or those for all records first and the local ones after."""
    if not changes:
        yield Variant()
        return
    yield Variant((tuple(changes),))
    everywhere = tuple(change for change in changes if change.scope == "global")
    local = [change for change in changes if change.scope == "local"]
    first = (everywhere,) if everywhere else ()
    if everywhere and local:
        yield Variant((everywhere, tuple(local)))
    if 1 < len(local) <= _MOST_ORDERED:
        for order in permutations(local):
            yield Variant((*first, *((change,) for change in order)))
