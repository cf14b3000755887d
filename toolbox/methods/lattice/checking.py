"""Checking lattice nodes: their classes, the privacy models' verdicts in SQL, and what must be suppressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from toolbox.methods.arrays.combinations import Flags, Numbers
from toolbox.methods.arrays.few_columns import FewColumnsChecker
from toolbox.methods.arrays.models import PersonsLeft, mark_refused_classes
from toolbox.methods.lattice.nodes import (
    FrequencySet,
    FrequencySource,
    Levels,
    NodeClasses,
    NodeCounter,
    fetch_frequencies,
)
from toolbox.privacy.classes import Classes, describe_classes
from toolbox.privacy.model import PrivacyModel, ReleaseModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.queries.dialect import Table
from toolbox.store.tables import LatticeNode, Tables

# Asking the privacy models, in SQL, about the classes of many lattice nodes at once.


class Violations(NamedTuple):
    """What must be suppressed at each node."""

    classes: Numbers
    """How many classes violate a model."""
    records: Numbers
    """How many records are in them."""


@dataclass(frozen=True)
class ModelChecker:
    """The models that every class must satisfy."""

    tables: Tables
    models: Sequence[PrivacyModel]
    values: Mapping[str, Table]
    """For each sensitive attribute that is judged, in the order of the histograms, ``number, value``."""
    limit: int = 0
    """Most records that may be suppressed."""

    def violations(self, nodes: Sequence[FrequencySet]) -> Violations:
        """Count the classes of each node that violate a model, and their records."""
        sizes = np.concatenate([node.sizes for node in nodes])
        starts = np.cumsum([0, *(len(node.sizes) for node in nodes[:-1])])
        is_violating = self.mark_refused(nodes)
        classes: Numbers = np.add.reduceat(is_violating.astype(np.int64), starts)
        records: Numbers = np.add.reduceat(np.where(is_violating, sizes, 0), starts)
        return Violations(classes, records)

    def mark_refused(self, nodes: Sequence[FrequencySet]) -> Flags:
        """Mark the classes that violate a model, those of one node after the other."""
        marked = np.zeros(sum(len(node.sizes) for node in nodes), np.bool_)
        if models := self._models_of_classes:
            marked = self._mark_by_themselves(nodes, models)
        return self._mark_releases(nodes, self._mark_rare(nodes, marked))

    def _mark_releases(self, nodes: Sequence[FrequencySet], marked: Flags) -> Flags:
        """Mark all classes of a node, too, whose other classes violate a model of the whole release."""
        models = [model for model in self.models if isinstance(model, ReleaseModel)]
        if not models:
            return marked
        ends = np.cumsum([len(node.sizes) for node in nodes])[:-1]
        for node, own in zip(nodes, np.split(marked, ends), strict=True):
            sizes, counts = np.unique(node.judged_sizes[~own], return_counts=True)
            histogram = list(zip(sizes.tolist(), counts.tolist(), strict=True))
            if histogram and not all(model.judge(histogram)[1] for model in models):
                own[:] = True
        return marked

    def _mark_rare(self, nodes: Sequence[FrequencySet], marked: Flags) -> Flags:
        """Mark the classes, too, that look like too few records that are left, in some columns."""
        if not any(model.needs_columns for model in self.models):
            return marked
        ends = np.cumsum([len(node.sizes) for node in nodes])[:-1]
        each = zip(nodes, np.split(marked, ends), strict=True)
        return np.concatenate(
            [self._few.mark(node.shown, node.sizes, own) for node, own in each if node.shown is not None]
        )

    @cached_property
    def _models_of_classes(self) -> list[PrivacyModel]:
        """The models that judge each class by itself."""
        return [model for model in self.models if not (model.needs_columns or model.of_release)]

    @cached_property
    def _few(self) -> FewColumnsChecker:
        return FewColumnsChecker(self.models, [column.name for column in self.tables.quasi_identifiers], self.limit)

    def _mark_by_themselves(self, nodes: Sequence[FrequencySet], models: Sequence[PrivacyModel]) -> Flags:
        sizes = np.concatenate([node.judged_sizes for node in nodes])
        # What is too small for a model need not be shown to any.
        is_small = sizes < max(model.least_records for model in models)
        asked = np.flatnonzero(~is_small)
        if not len(asked):
            return is_small
        shown, marked = self._shown(nodes, sizes, asked), is_small
        while True:
            again = is_small.copy()
            again[asked] = self._refused(shown, len(asked), self._people(nodes, marked, asked))
            # The people of a class that is suppressed are covered by no class any more, which others may not bear.
            is_settled = (again == marked).all() or not any(model.counts_outside for model in models)
            marked = again
            if is_settled:
                break
        self.tables.store.drop(*shown.values())
        return marked

    def _refused(self, shown: Mapping[str | None, Table], count: int, people: Table | None) -> Flags:
        """Ask the models about some of the classes of all nodes."""
        sensitive, store = self.tables.sensitive, self.tables.store

        persons = None if self.tables.persons is None else shown[None]

        def described(attribute: str | None) -> Classes:
            classes = describe_classes(None if attribute is None else sensitive[attribute], shown[attribute], persons)
            return classes.add_people(people, self.tables)

        marked = mark_refused_classes(store, self._models_of_classes, described, count)
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
        if self.tables.persons is not None or any(model.attribute is None for model in self.models):
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


def _are_monotone(tables: Tables, models: Sequence[PrivacyModel]) -> bool:
    """Return whether merging classes that satisfy the models gives one that does, also if they share persons."""
    if tables.person_pairs is None:
        return all(model.monotone for model in models)
    return all(model.holds_with_others for model in models)


# Checking lattice nodes: their classes, and which of them must be suppressed.

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
        Most records that may be suppressed; or persons, where these are suppressed with all of their records.
    """

    tables: Tables
    models: Sequence[PrivacyModel]
    limit: int
    suppresses_persons: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self.frequencies = fetch_frequencies(self.tables)
        self.counter = NodeCounter(self.frequencies)
        self._source = FrequencySource(self.tables, self.models)
        self._judge = ModelChecker(self.tables, self.models, self._source.values, self.limit)
        self.least = max(model.least_records for model in self.models)
        self.asks_sizes_only = all(type(model) is KAnonymity for model in self.models)
        """Whether a node is judged by the sizes of its classes, which takes no statement."""

    @staticmethod
    def of(tables: Tables, models: Sequence[PrivacyModel], limit: int) -> Checker:
        """Return who checks the nodes of a table: by persons, where these are suppressed with all of their records."""
        return (_PersonChecker if tables.suppresses_persons else Checker)(tables, models, limit)

    @property
    def is_monotone(self) -> bool:
        """Whether a node above a satisfying one satisfies the models, too."""
        helps = not self.limit or all(model.suppression_helps for model in self.models)
        return helps and _are_monotone(self.tables, self.models)

    def check(self, nodes: Sequence[Levels]) -> Iterator[Checked]:
        """Check nodes, in their order."""
        if self.asks_sizes_only:
            for levels in nodes:
                classes = self.counter.classes(levels)
                # Where too many records are in too small classes, no person need be counted.
                is_hopeless = self.is_hopeless(classes)
                persons = None if is_hopeless else self._source.count_persons(levels, classes.sizes)
                yield make_checked_node(levels, classes, (classes.sizes if persons is None else persons) < self.least)
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
        self.tables.store.drop(*self._source.values.values())

    def _described(self, levels: Levels, classes: NodeClasses) -> FrequencySet | None:
        """Count what the models must be asked about; None where the sizes of the classes are enough to fail."""
        if self.is_hopeless(classes):
            return None
        return self._source.describe(levels, self.counter, classes)

    def _judged(
        self, batch: Sequence[tuple[Levels, NodeClasses]], described: Sequence[FrequencySet | None]
    ) -> Iterator[Checked]:
        """Judge nodes together; judge hopeless nodes by their sizes alone, which is enough to fail."""
        hopeful = [node for node in described if node is not None]
        refused = self._judge.mark_refused(hopeful) if hopeful else np.zeros(0, np.bool_)
        start = 0
        for (levels, classes), node in zip(batch, described, strict=True):
            if node is None:
                yield make_checked_node(levels, classes, classes.sizes < self.least)
                continue
            end = start + len(classes.sizes)
            yield make_checked_node(levels, classes, refused[start:end])
            start = end


class _PersonChecker(Checker):
    """Checks nodes of a table whose persons are suppressed with all of their rows, and counts suppressed persons.

    So of one class some records may be suppressed, and others not: such a class stands twice among those of a node.
    Whoever is in a class that holds, or looks like others, is so at every node above it.
    """

    suppresses_persons: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.asks_sizes_only = False
        self._persons = PersonsLeft.of(self.tables)

    @property
    def is_monotone(self) -> bool:
        """Whether a node above a satisfying one satisfies the models, too: profiles merge as classes of records do."""
        if not self.tables.joins_rows:
            return super().is_monotone
        helps = not self.limit or all(model.suppression_helps for model in self.models)
        return helps and all(model.monotone for model in self.models)

    def is_hopeless(self, classes: NodeClasses) -> bool:
        """Return False: sizes of classes say little about persons."""
        return False

    def check(self, nodes: Sequence[Levels]) -> Iterator[Checked]:
        """Check nodes, in their order."""
        for levels in nodes:
            numbers, first, classes = np.unique(
                self.counter.number_rows(self.counter.base.values, levels)[0], True, True
            )
            rare = self._persons.mark_rare(classes.astype(np.int64), self.models, self.limit)
            hidden = self._persons.count_records(rare)
            count = len(numbers)
            lost = np.bincount(classes, weights=hidden, minlength=count).astype(np.int64)
            sizes = np.bincount(classes, weights=self.frequencies.records, minlength=count).astype(np.int64) - lost
            kept, gone = np.flatnonzero(sizes), np.flatnonzero(lost)
            shown = np.concatenate([kept, gone])
            order = np.argsort(shown, kind="stable")
            shown, records = shown[order], np.concatenate([sizes[kept], lost[gone]])[order]
            parts = NodeClasses(
                tuple(values[first[shown]] for values in self.counter.base.values), records, numbers[shown]
            )
            violating = np.repeat([False, True], [len(kept), len(gone)])[order]
            node = LatticeNode(levels, count, len(kept), int(rare.sum()))
            yield Checked(node, parts, violating)


def make_checked_node(levels: Levels, classes: NodeClasses, violating: Flags) -> Checked:
    """Return a node with what becomes of its classes."""
    count, refused = len(classes.sizes), int(violating.sum())
    suppressed = int(classes.sizes[violating].sum()) if refused else 0
    return Checked(LatticeNode(levels, count, count - refused, suppressed), classes, violating)
