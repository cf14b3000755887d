"""t-closeness: the sensitive values of a class are distributed almost as in the whole table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    CompoundSelect,
    Double,
    FromClause,
    case,
    cast,
    func,
    literal,
    null,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError, UsageError
from toolbox.messages import choose_setting_name
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_number
from toolbox.queries.dialect import Query, choose_any_value

# The earth mover's distance over a tree, of the sensitive values of a class from those of the whole table.


def select_hierarchical_distance(classes: Classes) -> Query:
    """Measure what it costs to turn the shares of a class into those of the table.

    To move a share from one value to another costs the level at which they first have a generalisation in common, over
    the height of the tree. On a tree nothing is gained by detours, so that the least cost is the sum, over all nodes,
    of what must go through the edge above them, ``|q - p|`` of all values below, times the cost of that edge.

    A node without a value of the class differs by its p; all of these together by what is left of their sum.

    Returns
    -------
    Select, one row per class
        ``equivalence_id, achieved``.

    Raises
    ------
    UsageError
        If the sensitive attribute has no hierarchy.
    """
    histogram, overall = classes.judged
    tree, sizes = classes.tree, classes.weights
    if tree is None:
        remedy = choose_setting_name(
            "Write a <vgh> into its <att> in <sens>",
            python="Name it in hierarchies=",
            options="Write --hierarchy NAME=FILE",
        )
        raise UsageError(
            "t-closeness with distance='hierarchical' needs a hierarchy of the sensitive attribute. "
            f"{remedy}, or choose another distance."
        )
    total = select(cast(func.sum(overall.c.records), Double)).scalar_subquery()
    share = (func.sum(overall.c.records) / total).label("share")
    below = func.count().label("values"), choose_any_value(tree.c.value).label("value")
    in_table = (
        select(tree.c.node, choose_any_value(tree.c.cost).label("cost"), share, *below)
        .select_from(overall.join(tree, tree.c.value == overall.c.value))
        .group_by(tree.c.node)
        .subquery()
    )
    in_class = _count_records_below(histogram, tree, in_table).subquery()
    of_class = in_class.c.records / cast(sizes.c.size, Double)
    cost, of_table = in_table.c.cost, in_table.c.share
    everything = select(func.sum(cost * of_table)).scalar_subquery()
    distance = func.sum(cost * (func.abs(of_class - of_table) - of_table)) + everything
    joined = in_class.join(in_table, in_table.c.node == in_class.c.node).join(
        sizes, sizes.c.equivalence_id == in_class.c.equivalence_id
    )
    equivalence_id = in_class.c.equivalence_id
    return (
        select(equivalence_id, func.greatest(distance, 0.0).label("achieved"))
        .select_from(joined)
        .group_by(equivalence_id)
    )


def _count_records_below(histogram: FromClause, tree: FromClause, in_table: FromClause) -> CompoundSelect[Any]:
    """Count the records of each class below each node: ``equivalence_id, node, records``.

    Most nodes have one value, whose records are those of the histogram, and need no group.
    """
    key = histogram.c.equivalence_id
    alone, several = in_table.alias(), in_table.alias()
    has_one = (alone.c["values"] == 1) & (alone.c.value == histogram.c.value)
    one = select(key, alone.c.node, histogram.c.records).join_from(histogram, alone, has_one)
    joined = histogram.join(tree, tree.c.value == histogram.c.value)
    joined = joined.join(several, (several.c.node == tree.c.node) & (several.c["values"] > 1))
    summed = select(key, tree.c.node, func.sum(histogram.c.records).label("records")).select_from(joined)
    return union_all(one, summed.group_by(key, tree.c.node))


# The model.

_TOLERANCE = 1e-12
_DISTANCES = ("auto", "equal", "ordered", "hierarchical")


@dataclass(frozen=True, kw_only=True)
class TCloseness(PrivacyModel):
    """In every class, the sensitive values are at most t away from their distribution in the whole table.

    The distance is the earth mover's. Between categories every move costs 1, so that it is half the sum of the
    differences of their shares. Between numbers a move from one of the m values of the table to its neighbour costs
    1 / (m - 1): the sum of the absolute differences of the cumulative shares, over m - 1. Over a hierarchy a move costs
    the level at which two values first have a generalisation in common, over the height.

    It is monotone: the distance is convex, so that two classes together are no farther away than the farther of them.
    Suppression does not help.

    Parameters
    ----------
    t : float, between 0 and 1
        Largest distance, compared with a tolerance of 1e-12.
    distance : {'auto', 'equal', 'ordered', 'hierarchical'}
        ``auto`` takes the ordered distance for numbers and the equal one for categories. The ordered distance of
        categories goes by the order that the input or a map gives them; by number or date if a hierarchy lists such;
        and otherwise by the order of the hierarchy. The hierarchical one needs a hierarchy of the sensitive attribute.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If t or the distance is none of these.

    References
    ----------
    Li, Li and Venkatasubramanian (2007). t-closeness: privacy beyond k-anonymity and l-diversity.
    doi:10.1109/ICDE.2007.367856

    Examples
    --------
    >>> str(TCloseness(t=0.2, attribute="salary"))
    't-closeness (t=0.2) of salary'
    """

    name: ClassVar[str] = "t-closeness"
    summary: ClassVar[str] = (
        "The sensitive values of a class are nearly those of the whole table; t says how far off they may be, from 0 "
        "to 1."
    )
    meaning: ClassVar[str] = "No class differs from the whole table in {of} by more than {value}, of at most 1."
    rank: ClassVar[int] = 90
    empty_at: ClassVar[float | None] = 1
    told_apart_by: ClassVar[tuple[str, ...]] = ("distance",)
    reference: ClassVar[str] = "Li, Li and Venkatasubramanian 2007, doi:10.1109/ICDE.2007.367856"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = False
    needs_attribute: ClassVar[bool] = True
    needs_kind: ClassVar[bool] = True

    t: float = field(kw_only=False)
    distance: str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.t) or not 0 < self.t < 1:
            raise SettingError("t", self.t, "a number above 0 and below 1, such as 0.2")
        if self.distance not in _DISTANCES:
            raise SettingError("distance", self.distance, "one of " + ", ".join(_DISTANCES))

    @classmethod
    def variants(cls, classes: Classes, achieved: Mapping[str, float | None]) -> Iterator[Mapping[str, Any]]:
        """Yield each distance that is defined for the values."""
        yield {"distance": "equal"}
        if classes.kind == "number" or classes.tree is not None or classes.is_ordered:
            yield {"distance": "ordered"}
        if classes.tree is not None:
            yield {"distance": "hierarchical"}

    @property
    def required(self) -> float:
        return self.t

    @property
    def least_records(self) -> int:
        return 1

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved <= float(self.t) * (1 + _TOLERANCE) + _TOLERANCE

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.max(achieved)

    @property
    def needs_hierarchy(self) -> bool:
        return self.distance == "hierarchical"

    @property
    def needs_order(self) -> bool:
        return self.distance == "ordered"

    def achieved(self, classes: Classes) -> Query:
        if self.distance == "hierarchical":
            return select_hierarchical_distance(classes)
        is_ordered = self.distance == "ordered" or (self.distance == "auto" and classes.kind == "number")
        return (_select_ordered_distance if is_ordered else _select_equal_distance)(classes)


def _select_equal_distance(classes: Classes) -> Query:
    """Measure half the sum of the differences of shares.

    A value that the class lacks differs by its share in the table; all of them together by what is left of 1.
    """
    histogram, overall = classes.judged
    sizes = classes.weights
    total = select(cast(func.sum(overall.c.records), Double)).scalar_subquery()
    of_class = histogram.c.records / cast(sizes.c.size, Double)
    joined = histogram.join(sizes, sizes.c.equivalence_id == histogram.c.equivalence_id).join(
        overall, overall.c.value == histogram.c.value
    )
    shares = of_class.label("of_class"), (overall.c.records / total).label("of_table")
    # Some databases sum up no expression that holds a select.
    share = select(histogram.c.equivalence_id, *shares).select_from(joined).subquery()
    differing = func.abs(share.c.of_class - share.c.of_table)
    distance = (func.sum(differing) + 1 - func.sum(share.c.of_table)) / 2
    key = share.c.equivalence_id
    return select(key, func.greatest(distance, 0.0).label("achieved")).group_by(key)


def _select_ordered_distance(classes: Classes) -> Query:
    """Measure the sum of the differences of cumulative shares, over the number of steps between the values.

    The cumulative share of a class, F, is constant from each of its values up to the next; that of the table, Q, rises
    at every value. Where between them Q passes F is looked up; before, the differences are F - Q, behind it Q - F, and
    sums of Q over a range of values are differences of running sums. So the work grows with the rows of the histogram,
    not with classes times values.
    """
    _, overall = classes.judged
    scale = _scale(overall).subquery()
    piece = _find_crossings(_cut_classes(classes, scale).subquery(), scale).subquery()
    first, last = piece.c.first, piece.c.following
    middle = func.greatest(first, func.least(last, piece.c.crossing))
    sum_to_middle = case(
        (middle == first, piece.c.sum_first),
        (middle == last, piece.c.sum_following),
        else_=piece.c.sum_crossing,
    )
    rising = piece.c.share * (middle - first) - (sum_to_middle - piece.c.sum_first)
    falling = (piece.c.sum_following - sum_to_middle) - piece.c.share * (last - middle)
    # Below its first value the share of a class is 0, so that the differences there are the running sum itself.
    total = func.sum(rising + falling) + func.min(piece.c.sum_first)
    steps = func.greatest(select(func.count() - 1).select_from(overall).scalar_subquery(), 1)
    key = piece.c.equivalence_id
    return select(key, func.greatest(total / steps, 0.0).label("achieved")).group_by(key)


def _scale(overall: FromClause) -> Query:
    """Rank the values of the table: ``value, rank, share, sum_before``.

    ``share`` is the cumulative share up to a value, ``sum_before`` the sum of those of all smaller values.
    """
    up_to = func.sum(overall.c.records).over(order_by=overall.c.value)
    share = cast(up_to, Double) / cast(func.sum(overall.c.records).over(), Double)
    rank = cast(func.row_number().over(order_by=overall.c.value) - 1, BigInteger)
    ranked = select(overall.c.value, rank.label("rank"), share.label("share")).subquery()
    sum_before = func.sum(ranked.c.share).over(order_by=ranked.c.rank) - ranked.c.share
    return select(*ranked.c, sum_before.label("sum_before"))


def _find_crossings(piece: FromClause, scale: FromClause) -> Query:
    """Find, for each piece, the first value of the table whose cumulative share reaches that of the piece.

    In descending order of their shares, the last value of the table before a piece is that value. Ranks fall in this
    order, so the last one is the least one so far. (A join by inequality would compare all pieces with all values.)

    Returns
    -------
    Select, one row per piece
        All columns of the piece, ``crossing`` (a rank) and ``sum_crossing`` (the ``sum_before`` there).
    """
    nothing = [null().label(column.name) for column in piece.c if column.name != "share"]
    values = select(scale.c.share, literal(0).label("is_piece"), scale.c.rank, scale.c.sum_before, *nothing)
    own = [column for column in piece.c if column.name != "share"]
    pieces = select(piece.c.share, literal(1).label("is_piece"), null().label("rank"), null().label("sum_before"), *own)
    ranked = union_all(values, pieces).subquery()
    order = (ranked.c.share.desc(), ranked.c.is_piece)
    located = select(
        ranked,
        func.min(ranked.c.rank).over(order_by=order).label("crossing"),
        func.min(ranked.c.sum_before).over(order_by=order).label("sum_crossing"),
    ).subquery()
    return select(located).where(located.c.is_piece == 1)


def _cut_classes(classes: Classes, scale: FromClause) -> Query:
    """Cut each class where its cumulative share rises.

    Returns
    -------
    Select, one row per class and value
        ``equivalence_id, first, following, share, sum_first, sum_following``: the share holds from rank ``first`` up to
        but not including rank ``following``.
    """
    histogram, _ = classes.judged
    key = histogram.c.equivalence_id
    rank = scale.c.rank
    size = func.sum(histogram.c.records).over(partition_by=key)
    share = cast(func.sum(histogram.c.records).over(partition_by=key, order_by=rank), Double) / cast(size, Double)
    everything = select(func.count(), func.sum(scale.c.share)).select_from(scale).subquery()
    count, total = everything.c
    following = func.coalesce(func.lead(rank).over(partition_by=key, order_by=rank), count)
    sum_following = func.coalesce(func.lead(scale.c.sum_before).over(partition_by=key, order_by=rank), total)
    return select(
        key,
        rank.label("first"),
        following.label("following"),
        share.label("share"),
        scale.c.sum_before.label("sum_first"),
        sum_following.label("sum_following"),
    ).select_from(histogram.join(scale, scale.c.value == histogram.c.value).join(everything, true()))
