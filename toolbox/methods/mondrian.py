"""Mondrian: cut the records in two at a median, all partitions at once, until no cut is allowable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import ClassVar

from sqlalchemy import (
    Table,
    select,
    union,
)

from toolbox.methods.anonymizer import Anonymizer, setting
from toolbox.methods.partitions.cuts import candidates, chosen, measured
from toolbox.methods.partitions.local_names import name_classes
from toolbox.methods.partitions.regions import cut_regions, name_regions, whole_region
from toolbox.methods.partitions.sides import WHOLE, one_partition, side_sizes, side_values, sides, uncut, value_names
from toolbox.privacy.classes import Classes
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.query import Query
from toolbox.store.statements import Replace, append
from toolbox.store.tables import Tables


@dataclass(frozen=True, kw_only=True)
class Mondrian(Anonymizer):
    """Strict multidimensional partitioning; hierarchies only give categories their order and sets their names.

    A partition is cut on one quasi-identifier, at the median: ``<= median`` to the left, the rest to the right. A cut
    is allowable if both sides satisfy the models. Each round cuts every partition that can be cut, with a fixed number
    of statements, so that the number of rounds is the depth of the deepest partition.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any monotone ones.
    dimension : {'range', 'distinct', 'interval'}
        Which column to cut: that with the widest range in the partition, as a share of its range in the table (the
        rule of the paper), that with the largest share of its distinct values, which loses less information on columns
        of words, or that whose region is the widest share of its declared domain (the rule of the original toolbox).
        Ties: the first in the configuration.
    cut : {'fallback', 'classic'}
        ``fallback`` also tries ``< median | >= median`` where ``<= median | > median`` is not allowable. Otherwise a
        column whose largest value is its median, such as a rare yes among many no, is never cut.
    naming : {'values', 'regions'}
        What a class is called: after the values that occur in it, or after the region that the cuts left of the
        declared domain (as by the original toolbox).

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan (2006). Mondrian multidimensional k-anonymity. doi:10.1109/ICDE.2006.101
    """

    name: ClassVar[str] = "Mondrian"
    reference: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2006, doi:10.1109/ICDE.2006.101"

    in_compatibility: ClassVar[Mapping[str, str]] = {"dimension": "interval", "cut": "classic", "naming": "regions"}

    dimension: str = setting("range", ("range", "distinct", "interval"))
    cut: str = setting("fallback", ("fallback", "classic"))
    naming: str = setting("values", ("values", "regions"))

    def anonymize(self, tables: Tables) -> Tables:
        needs_regions = self.dimension == "interval" or self.naming == "regions"
        regions = tables.store.create("regions", whole_region(tables, part=WHOLE)) if needs_regions else None
        partitions = self._partition(tables, regions)
        if regions is not None and self.naming == "regions":
            assignment, quasi_identifiers = name_regions(tables, partitions, regions)
        else:
            assignment, quasi_identifiers = name_classes(tables, partitions)
        recoded = tables.recoded(assignment, quasi_identifiers=quasi_identifiers)
        tables.store.drop(partitions, *([] if regions is None else [regions]))
        return recoded

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return model.monotone

    @property
    def _least(self) -> int:
        return max(model.least_records for model in self.models)

    def _partition(self, tables: Tables, regions: Table | None) -> Table:
        """Cut until nothing can be cut: ``(combination_id, part)``, each initial combination once.

        Two tables take turns: the partitions in one are cut into those in the other. So there are two sets of
        statements in all, written once, however many rounds there are. To the regions, where they are asked for, those
        of every new partition are added.
        """
        store, names = tables.store, value_names(tables)
        scale = store.create("scale", measured(tables, regions))
        first = store.create("partitions", one_partition(tables))
        second = store.create("partitions", select(first).limit(0))
        finished = store.create("finished", uncut(first, None).limit(0))
        proposed = store.create("candidates", self._candidates(first, scale, names, regions).limit(0))
        cuts = store.create("cuts", chosen(first, proposed).limit(0))
        growth = [] if regions is None else [store.prepared(append(regions, cut_regions(regions, cuts)))]
        turns = [
            [
                store.prepared(Replace(proposed, self._candidates(current, scale, names, regions))),
                store.prepared(Replace(cuts, chosen(current, proposed, self._refused(tables, current, proposed)))),
                store.prepared(append(finished, uncut(current, cuts))),
                store.prepared(Replace(following, sides(current, cuts, names))),
                *growth,
            ]
            for current, following in ((first, second), (second, first))
        ]
        cuts_made, rounds = 1, cycle(turns)
        while cuts_made:
            for statement in next(rounds):
                statement.run()
            cuts_made = store.count(cuts)
            tables.report(f"{cuts_made:,} cuts")
        store.drop(scale, first, second, proposed, cuts)
        return finished

    def _candidates(self, current: Table, scale: Table, names: Sequence[str], regions: Table | None) -> Query:
        tries_below = self.cut == "fallback"
        return candidates(
            current, scale, names, regions, dimension=self.dimension, tries_below=tries_below, least=self._least
        )

    def _refused(self, tables: Tables, current: Table, proposed: Table) -> Query | None:
        """Find the cuts of which a side does not satisfy a model; None if the number of records says it all."""
        judges = [model for model in self.models if not isinstance(model, KAnonymity)]
        if not judges:
            return None
        sizes = side_sizes(proposed).subquery()
        violating = []
        for model in judges:
            classes = Classes(sizes)
            if model.attribute is not None:
                sensitive = tables.sensitive[model.attribute]
                held = side_values(current, proposed, sensitive.histogram, value_names(tables)).subquery()
                classes = Classes(sizes, held, sensitive.overall, sensitive.kind)
            violating.append(select(model.violations(classes).subquery().c.equivalence_id))
        side = union(*violating).subquery().c.equivalence_id
        return select(side.op("//")(2).label("candidate"))
