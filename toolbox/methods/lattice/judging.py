"""Asking the privacy models, in SQL, about the classes of many lattice nodes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from toolbox.methods.arrays.judging import refused
from toolbox.methods.arrays.types import Flags, Numbers
from toolbox.methods.lattice.frequency_sets import Histogram
from toolbox.privacy.classes import Classes, described_by
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.query import Table
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
        # What is too small for a model need not be shown to any.
        is_small = sizes < max(model.least_records for model in self.models)
        asked = np.flatnonzero(~is_small)
        if not len(asked):
            return is_small
        shown, marked = self._shown(nodes, sizes, asked), is_small
        while True:
            again = is_small.copy()
            again[asked] = self._refused(shown, len(asked), self._people(nodes, marked, asked))
            # The people of a class that is suppressed are covered by no class any more, which others may not bear.
            is_settled = (again == marked).all() or not any(model.counts_outside for model in self.models)
            marked = again
            if is_settled:
                break
        self.tables.store.drop(*shown.values())
        return marked

    def _refused(self, shown: Mapping[str | None, Table], count: int, people: Table | None) -> Flags:
        """Ask the models about some of the classes of all nodes."""
        sensitive, store = self.tables.sensitive, self.tables.store

        def described(attribute: str | None) -> Classes:
            classes = described_by(None if attribute is None else sensitive[attribute], shown[attribute])
            return replace(classes, population=people)

        marked = refused(store, self.models, described, count)
        if people is not None:
            store.drop(people)
        return marked

    def _people(self, nodes: Sequence[FrequencySet], suppressed: Flags, asked: Numbers) -> Table | None:
        """Return the people of some classes, and those whom none of the same node covers that is not suppressed."""
        if nodes[0].people is None:
            return None
        assert self.tables.population is not None
        lengths = [len(node.sizes) for node in nodes]
        people = np.concatenate([node.people for node in nodes if node.people is not None])
        inside = np.add.reduceat(np.where(suppressed, 0, people), np.cumsum([0, *lengths[:-1]]))
        outside = np.repeat(self.tables.population.figures.people - inside, lengths)
        columns = {"equivalence_id": np.arange(len(asked)), "size": people[asked], "outside": outside[asked]}
        return self.tables.store.from_arrays("people", columns)

    def _shown(self, nodes: Sequence[FrequencySet], sizes: Numbers, asked: Numbers) -> dict[str | None, Table]:
        """Return some classes of all nodes, numbered from 0, in one table for each attribute; None stands for sizes."""
        store, shown = self.tables.store, dict[str | None, Table]()
        if any(model.attribute is None for model in self.models):
            columns = {"equivalence_id": np.arange(len(asked)), "size": sizes[asked]}
            shown[None] = store.from_arrays("frequencies", columns)
        starts = np.cumsum([0, *(len(node.sizes) for node in nodes[:-1])])
        number = np.full(len(sizes), -1)
        number[asked] = np.arange(len(asked))
        for position, (attribute, values) in enumerate(self._values.items()):
            each = [node.histograms[position] for node in nodes]
            classes = np.concatenate([one.classes + start for one, start in zip(each, starts, strict=True)])
            held, is_asked = np.concatenate([one.values for one in each]), number[classes] >= 0
            rows = {
                "equivalence_id": number[classes[is_asked]],
                "value": values[held[is_asked]],
                "records": np.concatenate([one.records for one in each])[is_asked],
            }
            shown[attribute] = store.from_arrays("frequencies", rows)
        return shown

    @cached_property
    def _values(self) -> dict[str, NDArray[Any]]:
        """The values of each sensitive attribute in the order of their numbers."""
        fetched = (select(values.c.value).order_by(values.c.number) for values in self.values.values())
        return {
            name: self.tables.store.to_arrays(rows)["value"] for name, rows in zip(self.values, fetched, strict=True)
        }
