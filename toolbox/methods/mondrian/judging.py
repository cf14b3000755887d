"""The judges of cuts: both sides must satisfy every privacy model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select, union

from toolbox.methods.arrays.types import Flags
from toolbox.methods.mondrian.cuts import Cuts
from toolbox.methods.mondrian.partitions import Partitions
from toolbox.privacy.classes import members_of
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Judge:
    """Shows the sides of cuts to privacy models."""

    tables: Tables
    models: Sequence[PrivacyModel]

    def refused(self, parts: Partitions, cuts: Cuts) -> Flags:
        """Tell which of the cuts leave a side that does not satisfy a model."""
        store = self.tables.store
        order, rows = parts.sides(cuts)
        members = store.from_arrays(
            "members",
            {
                "combination_id": parts.combination_ids[order],
                "equivalence_id": np.repeat(np.arange(len(rows)), rows),
                "size": parts.sizes[order],
            },
        )
        violations = [model.violations(members_of(self.tables, members, model.attribute)) for model in self.models]
        violating = union(*(select(one.subquery().c.equivalence_id) for one in violations)).subquery()
        refused = np.zeros(len(cuts.made), np.bool_)
        refused[np.flatnonzero(cuts.made)[store.to_arrays(select(violating))["equivalence_id"] // 2]] = True
        store.drop(members)
        return refused
