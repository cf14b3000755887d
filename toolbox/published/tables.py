"""The tables of a judgement: a release as classes of cells, the meanings of cells, and the people behind it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from sqlalchemy import func, select

from toolbox.queries.query import Table
from toolbox.queries.scales import PLAIN, Scale
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class Release:
    """A table that somebody has released, as equivalence classes: records that agree in all quasi-identifiers.

    A missing value is a value like any other. Nothing is known yet of what a value stands for.
    """

    store: Store
    name: str
    """What messages call it."""
    quasi_identifiers: tuple[str, ...]
    """Their names, in the order in which they were declared."""
    cells: tuple[Table, ...]
    """For each quasi-identifier ``cells(cell_id, text, records)``: its distinct texts, null included."""
    classes: Table
    """``classes(equivalence_id, size, suppressed, cell_1 .. cell_q)``. Where every cell is a root, all of the class is
    suppressed."""
    held: Table
    """``held(equivalence_id, text_1 .., records)``: the texts of the sensitive attributes in each class."""
    sensitive: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The column of `held` that holds a sensitive attribute, by its name."""
    orders: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """The categories of sensitive attributes in their order, where the table says it, by the column of `held`."""
    records: int
    persons: Table | None = None
    """``persons(equivalence_id, text_1 .., person)``, each row once, where the persons of its records are known: then
    sizes of classes, and what `held` counts, are different persons."""

    @property
    def cell_names(self) -> list[str]:
        """Names of the columns of `classes` that name cells."""
        return [f"cell_{index}" for index, _ in enumerate(self.cells, start=1)]


@dataclass(frozen=True, kw_only=True)
class Domain:
    """The domain of one quasi-identifier: its values in their order, and the nodes of its hierarchy above them.

    Every set of values that a hierarchy or an interval stands for is a range of ``value_id``. So a comparison shows
    whether a cell covers a value, and the number of records it covers is the difference of two running sums.
    """

    name: str
    kind: Literal["number", "category"]
    """Dates are numbers."""
    spellings: Table
    """``spellings(text, value_id)``: the value of each text, null included; one number may be written in many ways."""
    values: Table
    """``values(value_id, label, number, records, before)``: ids from 0, numbers in their order, categories in that of
    their hierarchy, a missing value last. ``number`` is the number, or the declared code of a category, else null.
    ``records`` counts the people with the value, 0 where only the hierarchy lists it; ``before`` those of smaller
    ids."""
    nodes: Table
    """``nodes(node_id, level, label, first, last, low, high)``: the range of values below every node, and its bounds
    where it is an interval of numbers. The leaves have level 1."""
    size: int
    """Number of values."""
    height: int
    """Level of the root; 1 where no hierarchy is declared, whose root is called ``*``."""
    has_hierarchy: bool
    low: float | None
    """The smallest number; None for categories."""
    high: float | None
    weight: float = 1.0
    """Share in weighted measures."""
    scale: Scale = PLAIN
    """How its numbers are written; dates are numbers, too."""
    is_ordered: bool = False
    """Whether the order of its categories means something, so that a range of them is a value: ``low..mid``."""


def fetch_numbers(store: Store, values: Table) -> Sequence[float]:
    """Fetch the numbers of the values of a column, in their order."""
    number = values.c.number
    rows = store.stream(select(number).where(number.is_not(None)).order_by(values.c.value_id))
    # As small as an array of numpy, which takes longer to import than most columns take to be read.
    return array("d", (value for (value,) in rows))


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The meanings of the distinct texts of one released column."""

    meanings: Table
    """``meanings(cell_id, form, level, low, high, values, people)``, one row per text. ``form`` is ``value``, ``node``,
    ``root``, ``range`` or ``set``. ``level`` is that of the lowest node with these values, and null where there is
    none. ``low`` and ``high`` bound the numbers, null for categories; ``values`` counts the values that it covers,
    ``people`` those who have one of them."""
    spans: Table
    """``spans(cell_id, first, last)``: the values of a cell, as ranges that do not touch."""
    ambiguous: int = 0
    """Number of texts that name several things at once."""


@dataclass(frozen=True, kw_only=True)
class People:
    """The records that a release was made from, or those of a population: what an attacker may know of somebody."""

    name: str
    domains: tuple[Domain, ...]
    combinations: Table
    """``combinations(combination_id, size, value_1 .. value_q)``."""
    records: int

    @property
    def value_names(self) -> list[str]:
        """Names of the columns of `combinations` that name values."""
        return [f"value_{index}" for index, _ in enumerate(self.domains, start=1)]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A release beside the people whom it is about."""

    release: Release
    people: People
    cells: tuple[Cells, ...]
    pairs: Table | None
    """``pairs(combination_id, equivalence_id, records)``: who became what, where each released record can be told to be
    a certain original one; otherwise None."""
    changes: tuple[Table, ...] = ()
    """For each quasi-identifier ``changes(value_id, cell_id, records)``, where there are pairs."""
    unpaired: str = ""
    """Why there are no pairs."""

    read_widely: bool = False
    """Whether a text that names several things was taken for all of them."""
    known: dict[object, object] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What has been asked of these tables so far."""

    @property
    def store(self) -> Store:
        """Where all tables are."""
        return self.release.store

    @cached_property
    def without_level(self) -> tuple[int, ...]:
        """Number of texts that stand for no node of the hierarchy, by quasi-identifier."""
        levels = (cells.meanings.c.level for cells in self.cells)
        return tuple(map(int, self.store.each(select(func.count()).where(level.is_(None)) for level in levels)))

    @property
    def ambiguous(self) -> dict[str, int]:
        """Number of texts with several meanings, by quasi-identifier; only those that have such texts."""
        counts = zip(self.release.quasi_identifiers, self.cells, strict=True)
        return {name: cells.ambiguous for name, cells in counts if cells.ambiguous}
