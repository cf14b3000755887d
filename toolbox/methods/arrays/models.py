"""Asking the privacy models about classes that a search may form: in SQL, and for the number of persons on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.combinations import Flags, Numbers, PersonPairs, Whole, find_pairs
from toolbox.methods.full_domain import violating
from toolbox.privacy.classes import Classes, members_of
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables


class Covered(NamedTuple):
    """The people of a population beside classes."""

    people: Numbers
    """Whom each class covers by its generalised values."""
    outside: Numbers
    """For each class, whom no class of its release covers, or who would be covered no more."""


def find_judge(tables: Tables, models: Sequence[PrivacyModel]) -> ClassJudge | None:
    """Return who is asked about classes beside their sizes; None where these say it all."""
    asked = [model for model in models if tables.person_pairs is not None or not isinstance(model, KAnonymity)]
    return ClassJudge(tables, asked) if asked else None


@dataclass(frozen=True)
class ClassJudge:
    """The privacy models that every class must satisfy."""

    tables: Tables
    models: Sequence[PrivacyModel]

    @cached_property
    def _pairs(self) -> PersonPairs | None:
        return find_pairs(self.tables)

    @property
    def may_refuse_unions(self) -> bool:
        """Whether classes that satisfy the models may be none together: of persons who are in several."""
        return self.tables.person_pairs is not None and not all(model.holds_with_others for model in self.models)

    @property
    def asks_people(self) -> bool:
        """Whether a model compares classes with a population."""
        return any(model.needs_population for model in self.models)

    @property
    def counts_outside(self) -> bool:
        """Whether a model asks whom no class covers."""
        return any(model.counts_outside for model in self.models)

    def mark_refused(
        self, combination_ids: Whole, sizes: Whole, classes: Whole, count: int, covered: Covered | None = None
    ) -> Flags:
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
        covered : Covered, optional
            The people of each class, where a model asks for them.
        """
        if self._pairs is None:
            return self._ask(self.models, combination_ids, sizes, classes, count, covered)
        least = max(model.least_records for model in self.models)
        marked = self._pairs.mark_few(combination_ids, classes, count, least)
        others = [model for model in self.models if not isinstance(model, KAnonymity)]
        if others:
            marked |= self._ask(others, combination_ids, sizes, classes, count, covered)
        return marked

    def _ask(
        self,
        models: Sequence[PrivacyModel],
        combination_ids: Whole,
        sizes: Whole,
        classes: Whole,
        count: int,
        covered: Covered | None,
    ) -> Flags:
        """Ask models in SQL."""
        store = self.tables.store
        columns = {"combination_id": combination_ids, "equivalence_id": classes, "size": sizes}
        members = store.from_arrays("members", columns)
        people = None
        if covered is not None:
            columns = {"equivalence_id": np.arange(count), "size": covered.people, "outside": covered.outside}
            people = store.from_arrays("people", columns)

        def shown(attribute: str | None) -> Classes:
            return replace(members_of(self.tables, members, attribute), population=people)

        marked = mark_refused_classes(store, models, shown, count)
        store.drop(members, *([] if people is None else [people]))
        return marked


def mark_refused_classes(
    store: Store, models: Sequence[PrivacyModel], shown: Callable[[str | None], Classes], count: int
) -> Flags:
    """Mark the classes, numbered from 0, that do not satisfy every model; see `toolbox.methods.full_domain`."""
    marked = np.zeros(count, np.bool_)
    marked[store.to_arrays(violating(models, shown))["equivalence_id"]] = True
    return marked
