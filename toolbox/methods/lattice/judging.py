"""Asking the privacy models, in SQL, about the classes of many lattice nodes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sqlalchemy import Table, select

from toolbox.methods.arrays.judging import refused
from toolbox.methods.arrays.types import Flags, Numbers
from toolbox.methods.lattice.frequency_sets import Histogram
from toolbox.privacy.classes import Classes, described_by
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables


class FrequencySet(NamedTuple):
    """What the models see of a node."""

    sizes: Numbers
    """The records of each class."""
    histograms: Sequence[Histogram]
    """One for each sensitive attribute that is judged."""
    people: Numbers | None = None
    """The people of the population whom each class covers; None if no model asks for them."""


class Violations(NamedTuple):
    """What must be suppressed at each node."""

    classes: Numbers
    """How many classes violate a model."""
    records: Numbers
    """How many records are in them."""


@dataclass(frozen=True)
class Judge:
    """The models that every class must satisfy."""

    tables: Tables
    models: Sequence[PrivacyModel]
    values: Mapping[str, Table]
    """For each sensitive attribute that is judged, in the order of the histograms, ``number, value``."""

    def violations(self, nodes: Sequence[FrequencySet]) -> Violations:
        """Count the classes of each node that violate a model, and their records."""
        sizes = np.concatenate([node.sizes for node in nodes])
        starts = np.cumsum([0, *(len(node.sizes) for node in nodes[:-1])])
        is_violating = self.refused(nodes)
        classes: Numbers = np.add.reduceat(is_violating.astype(np.int64), starts)
        records: Numbers = np.add.reduceat(np.where(is_violating, sizes, 0), starts)
        return Violations(classes, records)

    def refused(self, nodes: Sequence[FrequencySet]) -> Flags:
        """Mark the classes that violate a model, those of one node after the other."""
        sizes = np.concatenate([node.sizes for node in nodes])
        starts = np.cumsum([0, *(len(node.sizes) for node in nodes[:-1])])
        shown = self._shown(nodes, sizes, starts)
        marked = self._refused(shown, len(sizes), self._people(nodes, starts, np.zeros(len(sizes), np.bool_)))
        while any(model.counts_outside for model in self.models) and marked.any():
            # The people of a class that is suppressed are covered by no class any more.
            again = self._refused(shown, len(sizes), self._people(nodes, starts, marked))
            if (again == marked).all():
                break
            marked = again
        self.tables.store.drop(*shown.values())
        return marked

    def _refused(self, shown: Mapping[str | None, Table], count: int, people: Table | None) -> Flags:
        sensitive, store = self.tables.sensitive, self.tables.store

        def described(attribute: str | None) -> Classes:
            classes = described_by(None if attribute is None else sensitive[attribute], shown[attribute])
            return replace(classes, population=people)

        marked = refused(store, self.models, described, count)
        if people is not None:
            store.drop(people)
        return marked

    def _people(self, nodes: Sequence[FrequencySet], starts: Numbers, suppressed: Flags) -> Table | None:
        """Return the people of all classes, and those whom none of the same node covers that is not suppressed."""
        if nodes[0].people is None:
            return None
        assert self.tables.population is not None
        people = np.concatenate([node.people for node in nodes if node.people is not None])
        inside = np.add.reduceat(np.where(suppressed, 0, people), starts)
        outside = np.repeat(self.tables.population.people - inside, [len(node.sizes) for node in nodes])
        columns = {"equivalence_id": np.arange(len(people)), "size": people, "outside": outside}
        return self.tables.store.from_arrays("people", columns)

    def _shown(self, nodes: Sequence[FrequencySet], sizes: Numbers, starts: Numbers) -> dict[str | None, Table]:
        """Return the classes of all nodes, numbered from 0, in one table for each attribute; None stands for sizes."""
        store, shown = self.tables.store, dict[str | None, Table]()
        if any(model.attribute is None for model in self.models):
            columns = {"equivalence_id": np.arange(len(sizes)), "size": sizes}
            shown[None] = store.from_arrays("frequencies", columns)
        for position, (attribute, values) in enumerate(self.values.items()):
            each = [node.histograms[position] for node in nodes]
            classes = [histogram.classes + start for histogram, start in zip(each, starts, strict=True)]
            listed = store.from_arrays(
                "frequencies",
                {
                    "equivalence_id": np.concatenate(classes),
                    "number": np.concatenate([histogram.values for histogram in each]),
                    "records": np.concatenate([histogram.records for histogram in each]),
                },
            )
            rows = select(listed.c.equivalence_id, values.c.value, listed.c.records)
            shown[attribute] = store.create(
                "frequencies", rows.join_from(listed, values, values.c.number == listed.c.number)
            )
            store.drop(listed)
        return shown
