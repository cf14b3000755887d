"""The earth mover's distance over a tree, of the sensitive values of a class from those of the whole table."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CompoundSelect, Double, FromClause, cast, func, select, union_all

from toolbox.errors import UsageError
from toolbox.messages import either
from toolbox.privacy.classes import Classes
from toolbox.queries.dialect import any_value
from toolbox.queries.query import Query


def hierarchical_distance(classes: Classes) -> Query:
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
    tree, sizes = classes.tree, classes.sizes
    if tree is None:
        remedy = either(
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
    below = func.count().label("values"), any_value(tree.c.value).label("value")
    in_table = (
        select(tree.c.node, any_value(tree.c.cost).label("cost"), share, *below)
        .select_from(overall.join(tree, tree.c.value == overall.c.value))
        .group_by(tree.c.node)
        .subquery()
    )
    in_class = _records_below(histogram, tree, in_table).subquery()
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


def _records_below(histogram: FromClause, tree: FromClause, in_table: FromClause) -> CompoundSelect[Any]:
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
