"""Mondrian: cut the records in two at a median, all partitions at once, until no cut is allowable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    Table,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    union,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.anonymizer import Anonymizer, setting
from toolbox.methods.local_names import name_classes
from toolbox.methods.regions import cut_regions, half_width, name_regions, whole_region
from toolbox.privacy.classes import Classes
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.query import Query
from toolbox.store.statements import Replace, append
from toolbox.store.tables import Tables

_WHOLE = 0
"""The partition of all records."""


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
        regions = tables.store.create("regions", whole_region(tables, part=_WHOLE)) if needs_regions else None
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
        store, names = tables.store, _value_names(tables)
        scale = store.create("scale", _scale(tables, regions))
        first = store.create("partitions", _one_partition(tables))
        second = store.create("partitions", select(first).limit(0))
        finished = store.create("finished", _uncut(first, None).limit(0))
        candidates = store.create("candidates", self._candidates(first, scale, names, regions).limit(0))
        cuts = store.create("cuts", _chosen(first, candidates).limit(0))
        growth = [] if regions is None else [store.prepared(append(regions, cut_regions(regions, cuts)))]
        turns = [
            [
                store.prepared(Replace(candidates, self._candidates(current, scale, names, regions))),
                store.prepared(Replace(cuts, _chosen(current, candidates, self._refused(tables, current, candidates)))),
                store.prepared(append(finished, _uncut(current, cuts))),
                store.prepared(Replace(following, _sides(current, cuts, names))),
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
        store.drop(scale, first, second, candidates, cuts)
        return finished

    def _candidates(self, current: Table, scale: Table, names: Sequence[str], regions: Table | None) -> Query:
        """List the cuts of every partition whose sides have enough records.

        Returns
        -------
        Select, one row per cut
            ``candidate, part, dimension, median, inclusive, left_size, right_size, width``: values up to the median,
            or only those below it, go to the left.
        """
        medians = _medians(current, names, at_least=2 * self._least).subquery()
        measured: FromClause = medians.join(scale, scale.c.dimension == medians.c.dimension)
        if regions is not None:
            same = and_(regions.c.part == medians.c.part, regions.c.dimension == medians.c.dimension)
            measured = measured.join(regions, same)
        ways = [(True, medians.c.up_to_median)]
        if self.cut == "fallback":
            ways.append((False, medians.c.below_median))
        each = union_all(
            *(
                select(
                    medians.c.part,
                    medians.c.dimension,
                    medians.c.median,
                    literal(inclusive).label("inclusive"),
                    left.label("left_size"),
                    (medians.c.size - left).label("right_size"),
                    self._width(medians, scale, regions).label("width"),
                )
                .select_from(measured)
                .where(left >= self._least, medians.c.size - left >= self._least)
                for inclusive, left in ways
            )
        ).subquery()
        return select(func.row_number().over().label("candidate"), *each.c)

    def _refused(self, tables: Tables, current: Table, candidates: Table) -> Query | None:
        """Find the cuts of which a side does not satisfy a model; None if the number of records says it all."""
        judges = [model for model in self.models if not isinstance(model, KAnonymity)]
        if not judges:
            return None
        sizes = _side_sizes(candidates).subquery()
        violating = []
        for model in judges:
            classes = Classes(sizes)
            if model.attribute is not None:
                sensitive = tables.sensitive[model.attribute]
                sides = _side_values(current, candidates, sensitive.histogram, _value_names(tables)).subquery()
                classes = Classes(sizes, sides, sensitive.overall, sensitive.kind)
            violating.append(select(model.violations(classes).subquery().c.equivalence_id))
        side = union(*violating).subquery().c.equivalence_id
        return select(side.op("//")(2).label("candidate"))

    def _width(self, medians: FromClause, scale: FromClause, regions: FromClause | None) -> ColumnElement[Any]:
        """Measure how wide a partition is in a dimension, as a share of the whole table, or of the declared domain."""
        if regions is not None and self.dimension == "interval":
            return half_width(regions) / scale.c.half_domain
        if self.dimension == "distinct":
            return medians.c.distinct_values / cast(scale.c.distinct_values, Double)
        # Halves, because the difference of two large numbers may be beyond the largest.
        return (medians.c.highest / 2 - medians.c.lowest / 2) / scale.c.half_range


def _scale(tables: Tables, regions: Table | None) -> Query:
    """Measure the whole table in each dimension: ``dimension, half_range, distinct_values``, and ``half_domain``."""
    measured = (
        select(
            literal(number).label("dimension"),
            (func.max(one.ground.c.value) / 2 - func.min(one.ground.c.value) / 2).label("half_range"),
            func.count().label("distinct_values"),
        )
        for number, one in enumerate(tables.quasi_identifiers)
    )
    scale = union_all(*measured).subquery()
    if regions is None:
        return select(scale)
    half_domain = half_width(regions).label("half_domain")
    return select(*scale.c, half_domain).join_from(scale, regions, regions.c.dimension == scale.c.dimension)


def _value_names(tables: Tables) -> list[str]:
    return [f"value_{number}" for number, _ in enumerate(tables.quasi_identifiers, start=1)]


def _one_partition(tables: Tables) -> Query:
    """Put all combinations into one partition: ``combination_id, size, part, part_size, value_1 ..``."""
    combinations = tables.combinations
    joined: FromClause = combinations
    values = []
    for one, interval, name in zip(tables.quasi_identifiers, tables.interval_names, _value_names(tables), strict=True):
        joined = joined.join(one.ground, one.ground.c.level_0 == combinations.c[interval])
        values.append(one.ground.c.value.label(name))
    return select(
        combinations.c.combination_id,
        combinations.c.size,
        cast(literal(_WHOLE), BigInteger).label("part"),
        cast(literal(tables.record_count), BigInteger).label("part_size"),
        *values,
    ).select_from(joined)


def _medians(current: Table, names: Sequence[str], *, at_least: int) -> Query:
    """Find the median of every partition in every dimension.

    Returns
    -------
    Select, one row per partition and dimension
        ``part, dimension, size, lowest, highest, distinct_values, median, up_to_median, below_median``: the last two
        as numbers of records. The median is the first value with half of the records up to it.
    """
    histograms = union_all(
        *(
            select(
                current.c.part,
                literal(number).label("dimension"),
                current.c.part_size.label("size"),
                current.c[name].label("value"),
                func.sum(current.c.size).label("records"),
            )
            .where(current.c.part_size >= at_least)
            .group_by(current.c.part, current.c.part_size, current.c[name])
            for number, name in enumerate(names)
        )
    ).subquery()
    up_to = func.sum(histograms.c.records).over(
        partition_by=(histograms.c.part, histograms.c.dimension), order_by=histograms.c.value
    )
    columns = (histograms.c.part, histograms.c.dimension, histograms.c.size, histograms.c.value)
    running = select(*columns, cast(up_to, BigInteger).label("up_to")).subquery()
    upper_half = 2 * running.c.up_to >= running.c.size
    keys = (running.c.part, running.c.dimension, running.c.size)
    return select(
        *keys,
        func.min(running.c.value).label("lowest"),
        func.max(running.c.value).label("highest"),
        func.count().label("distinct_values"),
        func.min(running.c.value).filter(upper_half).label("median"),
        func.min(running.c.up_to).filter(upper_half).label("up_to_median"),
        func.coalesce(func.max(running.c.up_to).filter(~upper_half), 0).label("below_median"),
    ).group_by(*keys)


def _chosen(current: Table, candidates: Table, refused: Query | None = None) -> Query:
    """Choose the cut of every partition: on its widest dimension, at best with the median to the left.

    Returns
    -------
    Select, one row per partition that is cut
        ``part, dimension, median, inclusive, left_size, right_size, left_part, right_part``.
    """
    order = (candidates.c.width.desc(), candidates.c.dimension, candidates.c.inclusive.desc())
    allowed = select(candidates, func.row_number().over(partition_by=candidates.c.part, order_by=order).label("rank"))
    if refused is not None:
        allowed = allowed.where(candidates.c.candidate.not_in(refused))
    ranked = allowed.subquery()
    names = ("part", "dimension", "median", "inclusive", "left_size", "right_size")
    # New parts are numbered above all of this round, so that finished ones of different rounds never meet.
    right = select(func.max(current.c.part)).scalar_subquery() + 2 * func.row_number().over()
    parts = ((right - 1).label("left_part"), right.label("right_part"))
    return select(*(ranked.c[name] for name in names), *parts).where(ranked.c.rank == 1)


def _side_sizes(candidates: Table) -> Query:
    """Count the records on both sides of every cut: ``equivalence_id, size``."""
    left = select((2 * candidates.c.candidate + 1).label("equivalence_id"), candidates.c.left_size.label("size"))
    right = select((2 * candidates.c.candidate).label("equivalence_id"), candidates.c.right_size.label("size"))
    return select(union_all(left, right).subquery())


def _side_values(current: Table, candidates: Table, held: Table, names: Sequence[str]) -> Query:
    """Count the sensitive values on both sides of every cut: ``equivalence_id, value, records``."""
    is_left = _is_left(current, candidates, names)
    side = (2 * candidates.c.candidate + case((is_left, 1), else_=0)).label("equivalence_id")
    records = cast(func.sum(held.c.records), BigInteger).label("records")
    return (
        select(side, held.c.value, records)
        .join_from(current, candidates, candidates.c.part == current.c.part)
        .join(held, held.c.combination_id == current.c.combination_id)
        .group_by(side, held.c.value)
    )


def _is_left(current: FromClause, cuts: FromClause, names: Sequence[str]) -> ColumnElement[bool]:
    """Test whether a combination goes to the left of a cut."""
    value = case(*((cuts.c.dimension == number, current.c[name]) for number, name in enumerate(names)))
    return or_(value < cuts.c.median, and_(cuts.c.inclusive, value == cuts.c.median))


def _sides(current: Table, cuts: Table, names: Sequence[str]) -> Query:
    """Send every combination of a partition that is cut to its side, a partition of the next round."""
    is_left = _is_left(current, cuts, names)
    return select(
        current.c.combination_id,
        current.c.size,
        case((is_left, cuts.c.left_part), else_=cuts.c.right_part).label("part"),
        case((is_left, cuts.c.left_size), else_=cuts.c.right_size).label("part_size"),
        *(current.c[name] for name in names),
    ).join_from(current, cuts, current.c.part == cuts.c.part)


def _uncut(current: Table, cuts: Table | None) -> Query:
    """Take the combinations of the partitions that stay as they are."""
    finished = select(current.c.combination_id, current.c.part)
    return finished if cuts is None else finished.where(current.c.part.not_in(select(cuts.c.part)))
