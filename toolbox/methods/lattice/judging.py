"""Asking the privacy models, in SQL, about the classes of many lattice nodes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sqlalchemy import Table, select

from toolbox.methods.arrays.judging import refused
from toolbox.methods.arrays.types import Flags, Numbers
from toolbox.methods.lattice.frequency_sets import Histogram
from toolbox.privacy.classes import described_by
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables


class FrequencySet(NamedTuple):
    """What the models see of a node."""

    sizes: Numbers
    """The records of each class."""
    histograms: Sequence[Histogram]
    """One for each sensitive attribute that is judged."""


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
        store = self.tables.store
        sensitive = self.tables.sensitive
        is_violating = refused(
            store,
            self.models,
            lambda attribute: described_by(None if attribute is None else sensitive[attribute], shown[attribute]),
            len(sizes),
        )
        store.drop(*shown.values())
        return is_violating

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
