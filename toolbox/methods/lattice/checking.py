"""Checking lattice nodes: their classes, and which of them must be suppressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.types import Flags
from toolbox.methods.lattice.counting import Counter, NodeClasses
from toolbox.methods.lattice.frequency_sets import (
    people_of,
    with_people,
    with_sensitive_values,
    without_sensitive_values,
)
from toolbox.methods.lattice.judging import FrequencySet, Judge
from toolbox.methods.lattice.nodes import Levels
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import LatticeNode, Tables

_ROWS = 1_000_000
"""Rows of frequency sets that are judged together; bounds the memory of a search."""


class Checked(NamedTuple):
    """A node that was checked."""

    node: LatticeNode
    classes: NodeClasses
    violating: Flags
    """Which of the classes."""


@dataclass
class Checker:
    """Checks nodes of one table.

    Parameters
    ----------
    tables : Tables
    models : sequence of PrivacyModel
    limit : int
        Most records that may be suppressed.
    """

    tables: Tables
    models: Sequence[PrivacyModel]
    limit: int

    def __post_init__(self) -> None:
        judged = dict.fromkeys(model.attribute for model in self.models if model.attribute is not None)
        fetched = {attribute: with_sensitive_values(self.tables, attribute) for attribute in judged}
        self.frequencies = without_sensitive_values(self.tables)
        self.counter = Counter(self.frequencies)
        self._with_values = [Counter(frequencies) for frequencies, _ in fetched.values()]
        self._values = {attribute: values for attribute, (_, values) in fetched.items()}
        asks_people = any(model.needs_population for model in self.models)
        self._with_people = Counter(with_people(self.tables)) if asks_people else None
        self._judge = Judge(self.tables, self.models, self._values)
        self.least = max(model.least_records for model in self.models)
        self.asks_sizes_only = all(type(model) is KAnonymity for model in self.models)
        """Whether a node is judged by the sizes of its classes, which takes no statement."""

    @property
    def is_monotone(self) -> bool:
        """Whether a node above a satisfying one satisfies the models, too."""
        helps = not self.limit or all(model.suppression_helps for model in self.models)
        return helps and all(model.monotone for model in self.models)

    def check(self, nodes: Sequence[Levels]) -> Iterator[Checked]:
        """Check nodes, in their order."""
        if self.asks_sizes_only:
            for levels in nodes:
                classes = self.counter.classes(levels)
                yield checked(levels, classes, classes.sizes < self.least)
            return
        batch: list[tuple[Levels, NodeClasses]] = []
        described: list[FrequencySet | None] = []
        rows = 0
        for levels in nodes:
            classes = self.counter.classes(levels)
            batch.append((levels, classes))
            described.append(self._described(levels, classes))
            held = described[-1].histograms if described[-1] else ()
            rows += len(classes.sizes) + sum(len(histogram.records) for histogram in held)
            if rows >= _ROWS:
                yield from self._judged(batch, described)
                batch, described, rows = [], [], 0
        yield from self._judged(batch, described)

    def is_hopeless(self, classes: NodeClasses) -> bool:
        """Return whether too many records are in classes that are too small for any of the models.

        Then they are in such classes at every lower node, too.
        """
        return int(classes.sizes[classes.sizes < self.least].sum()) > self.limit

    def close(self) -> None:
        """Drop the tables of the search."""
        self.tables.store.drop(*self._values.values())

    def _described(self, levels: Levels, classes: NodeClasses) -> FrequencySet | None:
        """Count what the models must be asked about; None where the sizes of the classes are enough to fail."""
        if self.is_hopeless(classes):
            return None
        histograms = [counter.histogram(levels) for counter in self._with_values]
        people = None if self._with_people is None else people_of(self._with_people.histogram(levels))
        return FrequencySet(classes.sizes, histograms, people)

    def _judged(
        self, batch: Sequence[tuple[Levels, NodeClasses]], described: Sequence[FrequencySet | None]
    ) -> Iterator[Checked]:
        """Judge nodes together; judge hopeless nodes by their sizes alone, which is enough to fail."""
        hopeful = [node for node in described if node is not None]
        refused = self._judge.refused(hopeful) if hopeful else np.zeros(0, np.bool_)
        start = 0
        for (levels, classes), node in zip(batch, described, strict=True):
            if node is None:
                yield checked(levels, classes, classes.sizes < self.least)
                continue
            end = start + len(classes.sizes)
            yield checked(levels, classes, refused[start:end])
            start = end


def checked(levels: Levels, classes: NodeClasses, violating: Flags) -> Checked:
    """Return a node with what becomes of its classes."""
    count, refused = len(classes.sizes), int(violating.sum())
    suppressed = int(classes.sizes[violating].sum()) if refused else 0
    return Checked(LatticeNode(levels, count, count - refused, suppressed), classes, violating)
