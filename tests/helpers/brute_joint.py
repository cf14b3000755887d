"""What several releases tell together of each person, counted person by person in plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import pandas as pd


class Shown(NamedTuple):
    """A row of a release, and whose it is."""

    person: str | None
    label: tuple[str, ...]
    """What it shows in each quasi-identifier; nothing where all is suppressed."""
    value: str = ""
    """Its sensitive value."""


Rows: TypeAlias = Sequence[Shown]


@dataclass(frozen=True)
class Exposed:
    """What somebody finds who holds all releases, and can tell which rows are one person's."""

    fewest: Mapping[str, int]
    """For each person who is in the new release and an earlier one, how many could be the same."""
    left: Mapping[str, set[int]]
    """For each of them how many sensitive values all of their classes hold, by each of their rows."""
    changed: frozenset[str]
    """Persons one of whose classes has other values than another."""

    def below(self, k: int) -> int:
        return sum(size < k for size in self.fewest.values())


def place_persons(rows: Rows) -> dict[str, set[tuple[str, ...]]]:
    """Find the classes of each person; a row that shows nothing is in none."""
    placed: dict[str, set[tuple[str, ...]]] = {}
    for row in rows:
        if row.person and row.label:
            placed.setdefault(row.person, set()).add(row.label)
    return placed


def _list_values(rows: Rows) -> dict[tuple[str, ...], set[str]]:
    held: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        held.setdefault(row.label, set()).add(row.value)
    return held


def _list_links(person: str, placed: Sequence[Mapping[str, set[tuple[str, ...]]]]) -> Iterator[Any]:
    """List each combination of classes of a person; None for a release that the person is not in."""
    yield from product(*(sorted(each[person]) if person in each else [None] for each in placed))


def expose(new: Rows, *earlier: Rows) -> Exposed:
    """Look for each person of the new release in all releases."""
    placed, held = [place_persons(rows) for rows in (new, *earlier)], [_list_values(rows) for rows in (new, *earlier)]
    fewest: dict[str, int] = {}
    left: dict[str, set[int]] = {}
    changed: set[str] = set()
    for person in placed[0]:
        if not any(person in each for each in placed[1:]):
            continue
        for link in _list_links(person, placed):
            alike = sum(
                all(label is None or label in each.get(other, ()) for label, each in zip(link, placed, strict=True))
                for other in placed[0]
            )
            values = [each[label] for label, each in zip(link, held, strict=True) if label is not None]
            fewest[person] = min(alike, fewest.get(person, alike))
            left.setdefault(person, set()).add(len(set.intersection(*values)))
            if any(each != values[0] for each in values):
                changed.add(person)
    return Exposed(fewest, left, frozenset(changed))


def read_shown(
    release: pd.DataFrame, persons: Sequence[str | None], quasi_identifiers: Sequence[str], value: str
) -> list[Shown]:
    """Read a release whose rows are in the order of these persons."""
    labels = release[list(quasi_identifiers)].astype(str).to_numpy().tolist()
    shown = [() if set(label) == {"*"} else tuple(label) for label in labels]
    return [Shown(*row) for row in zip(persons, shown, release[value].astype(str), strict=True)]
