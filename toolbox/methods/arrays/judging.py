"""Asking the privacy models, in SQL, about classes that a search may form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.types import Flags, Whole
from toolbox.methods.violations import violating
from toolbox.privacy.classes import Classes, members_of
from toolbox.privacy.model import PrivacyModel
from toolbox.store.store import Store
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Judge:
    """The privacy models that every class must satisfy."""

    tables: Tables
    models: Sequence[PrivacyModel]

    def refused(self, combination_ids: Whole, sizes: Whole, classes: Whole, count: int) -> Flags:
        """Mark the classes that do not satisfy every model.

        Parameters
        ----------
        combination_ids : array
            The members of all classes; a combination may be in several.
        sizes : array
            The records of each.
        classes : array
            The class of each, numbered from 0.
        count : int
            Number of classes.
        """
        store = self.tables.store
        columns = {"combination_id": combination_ids, "equivalence_id": classes, "size": sizes}
        members = store.from_arrays("members", columns)
        marked = refused(store, self.models, lambda attribute: members_of(self.tables, members, attribute), count)
        store.drop(members)
        return marked


def refused(store: Store, models: Sequence[PrivacyModel], shown: Callable[[str | None], Classes], count: int) -> Flags:
    """Mark the classes, numbered from 0, that do not satisfy every model; see `toolbox.methods.violations`."""
    marked = np.zeros(count, np.bool_)
    marked[store.to_arrays(violating(models, shown))["equivalence_id"]] = True
    return marked
