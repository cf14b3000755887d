"""Columns that are completed once their values are known: what builders make of them, and missing values kept."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeVar

from toolbox.config.model import Attribute, Kind
from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.builders.texts import TextBuilder
from toolbox.hierarchy.hierarchy import CodeBook, Hierarchy, Interval, Node, format_category_set

# Columns with builders: what these make of the values, once they are known, becomes the declared hierarchy.

_Attribute = TypeVar("_Attribute", bound=Attribute)
_KINDS: Final[Mapping[str, tuple[Kind, ...]]] = MappingProxyType(
    {
        "numbers": ("number",),
        "texts": ("category",),
        "dates": ("date", "timestamp"),
        "anything": ("number", "category", "date", "timestamp"),
    }
)
"""The kinds of columns for what a builder takes."""


def find_unfit_kind(builder: Builder, kind: Kind | None) -> str | None:
    """Return how to declare the kind that a builder needs, if the column has another one; otherwise None."""
    fitting = _KINDS[builder.takes]
    return None if kind is None or kind in fitting else f"type={fitting[0]!r}"


def declare_builder(attribute: _Attribute, builder: Builder) -> _Attribute:
    """Declare what makes the hierarchy of a column; it also says what the column holds, unless these are dates."""
    kind = attribute.kind
    if kind is None and builder.takes in ("numbers", "texts"):
        kind = _KINDS[builder.takes][0]
    return replace(attribute, builder=builder, other=builder.other, kind=kind)


def assign_category_codes(attribute: _Attribute, counts: Mapping[str, int], missing: str | None = None) -> _Attribute:
    """Assign codes to the categories of a column by its hierarchy, which is made of them if it has a builder.

    Parameters
    ----------
    counts : mapping of str to int
        The texts that occur, each with the number of its records.
    missing : str, optional
        The text of missing values that are kept, which have no place in a hierarchy unless it lists them.

    Returns
    -------
    Attribute
        Texts that the hierarchy does not know go to its root, if that is asked for: their codes are behind all others.
    """
    builder = attribute.builder and attribute.builder.of("category")
    if isinstance(builder, TextBuilder):
        present = {text: count for text, count in counts.items() if text != missing or text in builder.listed}
        tree = builder.hierarchy(present)
        nothing: Mapping[str, int] = MappingProxyType({})
        attribute = replace(
            attribute,
            hierarchy=Hierarchy(Node(Interval(-1.0, -1.0), builder.root)) if tree is None else tree.hierarchy,
            categories=nothing if tree is None else tree.categories,
            ordered=builder.is_ordered,
        )
    if attribute.other == "error" or attribute.categories is None:
        return attribute
    return _add_other_categories(
        attribute, [text for text in counts if text not in attribute.categories and text != missing]
    )


def _add_other_categories(attribute: _Attribute, texts: Collection[str]) -> _Attribute:
    """Add categories that no node but the root takes in."""
    categories = attribute.categories
    if not texts or categories is None or attribute.hierarchy is None:
        return attribute
    first = max(categories.values(), default=-1) + 1
    codes = {text: code for code, text in enumerate(sorted(texts), start=first)}
    root = attribute.hierarchy.root
    lowest = min([*categories.values(), first])
    widened = replace(root, interval=Interval(float(lowest), float(max(codes.values()))))
    return replace(
        attribute,
        categories=MappingProxyType({**categories, **codes}),
        hierarchy=Hierarchy(_cut_nodes_below(widened, float(first))),
        ordered=False,
        known=Interval(float(lowest), float(first), high_closed=False),
    )


def _cut_nodes_below(root: Node, first: float) -> Node:
    """Cut the nodes below a root before its other categories: written intervals may reach beyond."""
    children = tuple(_end_node_before(first, child) for child in root.children)
    return replace(root, children=children)


def _end_node_before(first: float, node: Node) -> Node:
    interval = node.interval
    if interval.high >= first:
        interval = replace(interval, high=first, high_closed=False)
    return replace(node, interval=interval, children=tuple(_end_node_before(first, child) for child in node.children))


def extend_root(attribute: _Attribute, low: float, high: float) -> _Attribute:
    """Extend the root of numbers to all values that occur, if outside values go to the root."""
    tree = attribute.hierarchy
    if attribute.other == "error" or tree is None or attribute.builder is not None:
        return attribute
    interval = tree.root.interval
    whole = Interval(
        min(interval.low, low),
        max(interval.high, high),
        interval.low_closed or low <= interval.low,
        interval.high_closed or high >= interval.high,
    )
    return replace(attribute, hierarchy=Hierarchy(replace(tree.root, interval=whole)), known=interval)


# The category of missing values that are kept: its code is behind all declared ones, and only the root is above it.


def add_missing_category(attribute: _Attribute, name: str, *, occurs: bool = True) -> _Attribute:
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
    >>> dict(add_missing_category(sex, "?").categories)
    {'f': 0, 'm': 1, '?': 2}
    """
    categories = attribute.categories
    if categories is None or name in categories:
        return attribute
    last = float(max(categories.values(), default=-1))
    code = int(max(last + 1, math.nextafter(last, math.inf)))
    tree = attribute.hierarchy
    if tree is not None:
        label = _build_root_label(tree.root, CodeBook.of(categories), name) if occurs else tree.root.label
        children = tuple(_end_node_at(last, child) for child in tree.root.children)
        widened = Interval(tree.root.interval.low, float(code), tree.root.interval.low_closed)
        tree = Hierarchy(replace(tree.root, interval=widened, label=label, children=children))
    # Missing is neither less nor more than another category, so that ends say nothing of what is between them.
    return replace(
        attribute,
        categories=MappingProxyType({**categories, name: code}),
        hierarchy=tree,
        ordered=attribute.ordered and not occurs,
    )


def _build_root_label(root: Node, book: CodeBook, name: str) -> str:
    """Add a category to the label of a root that lists them all; another label is the author's own, and stays."""
    listed = book.names(book.within(root.interval))
    return format_category_set([*listed, name]) if root.label == format_category_set(listed) else root.label


def _end_node_at(last: float, node: Node) -> Node:
    interval = node.interval
    if interval.high > last:
        interval = replace(interval, high=last, high_closed=True)
    return replace(node, interval=interval, children=tuple(_end_node_at(last, child) for child in node.children))
