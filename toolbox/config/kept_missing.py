"""The category of missing values that are kept: its code is behind all declared ones, and only the root is above it."""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from toolbox.config.model import Attribute
from toolbox.hierarchy.codebook import CodeBook
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval
from toolbox.hierarchy.labels import category_set_label

_Attribute = TypeVar("_Attribute", bound=Attribute)


def with_missing(attribute: _Attribute, name: str, *, occurs: bool = True) -> _Attribute:
    """Add a category for missing values to the declared categories of a column.

    The nodes of a hierarchy written as intervals may reach beyond the last declared code. They end there, so that the
    new code lies in none of them, and the root is widened to it.

    Parameters
    ----------
    attribute : Attribute
    name : str
        The name of missing values. If a category has this name, they are that category.
    occurs : bool
        Whether there are missing values, so that the label of a root that lists its categories lists this one too.

    Returns
    -------
    Attribute
        The same one if no categories are declared.

    Examples
    --------
    >>> from toolbox.config.model import Column
    >>> sex = Attribute(column=Column(index=0, name="sex"), kind="category", categories={"f": 0, "m": 1})
    >>> dict(with_missing(sex, "?").categories)
    {'f': 0, 'm': 1, '?': 2}
    """
    categories = attribute.categories
    if categories is None or name in categories:
        return attribute
    last = float(max(categories.values(), default=-1))
    code = int(max(last + 1, math.nextafter(last, math.inf)))
    tree = attribute.hierarchy
    if tree is not None:
        label = _root_label(tree.root, CodeBook.of(categories), name) if occurs else tree.root.label
        children = tuple(_ending_at(last, child) for child in tree.root.children)
        widened = Interval(tree.root.interval.low, float(code), tree.root.interval.low_closed)
        tree = Hierarchy(replace(tree.root, interval=widened, label=label, children=children))
    # Missing is neither less nor more than another category, so that ends say nothing of what is between them.
    return replace(
        attribute,
        categories=MappingProxyType({**categories, name: code}),
        hierarchy=tree,
        ordered=attribute.ordered and not occurs,
    )


def _root_label(root: Node, book: CodeBook, name: str) -> str:
    """Add a category to the label of a root that lists them all; another label is the author's own, and stays."""
    listed = book.names(book.within(root.interval))
    return category_set_label([*listed, name]) if root.label == category_set_label(listed) else root.label


def _ending_at(last: float, node: Node) -> Node:
    interval = node.interval
    if interval.high > last:
        interval = replace(interval, high=last, high_closed=True)
    return replace(node, interval=interval, children=tuple(_ending_at(last, child) for child in node.children))
