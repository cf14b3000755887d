"""The judges of classes: each must satisfy every privacy model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select, union

from toolbox.methods.arrays.types import Flags, Numbers
from toolbox.methods.local_recoding.columns import Rows
from toolbox.privacy.classes import members_of
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Judge:
    """Shows possible classes to privacy models."""

    tables: Tables
    rows: Rows
    models: Sequence[PrivacyModel]

    def refused(self, members: Numbers, classes: Numbers) -> Flags:
        """Tell which classes do not satisfy a model.

        Parameters
        ----------
        members : array
            Row numbers; one row may be in several classes.
        classes : array
            The class of each, numbered from 0.
        """
        store = self.tables.store
        shown = store.from_arrays(
            "members",
            {
                "combination_id": self.rows.combination_ids[members],
                "equivalence_id": classes,
                "size": self.rows.sizes[members],
            },
        )
        violations = [model.violations(members_of(self.tables, shown, model.attribute)) for model in self.models]
        violating = union(*(select(one.subquery().c.equivalence_id) for one in violations)).subquery()
        refused = np.zeros(int(classes.max(initial=-1)) + 1, np.bool_)
        refused[store.to_arrays(select(violating))["equivalence_id"]] = True
        store.drop(shown)
        return refused
