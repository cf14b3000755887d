"""What one quasi-identifier can be generalised to: its ground values, and the levels above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ARRAY,
    Boolean,
    FromClause,
    Integer,
    String,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    null,
    select,
    union,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import QuasiIdentifier
from toolbox.errors import quote
from toolbox.hierarchy.hierarchy import ROOT, Hierarchy, Interval, Node
from toolbox.messages import format_count
from toolbox.queries.cells import format_java_number
from toolbox.queries.dialect import Query, Table, collect_sorted, count_where, find_first_by, list_of
from toolbox.queries.labels import is_within_bounds
from toolbox.queries.scales import Calendar, Scale
from toolbox.store.engine.store import Store
from toolbox.store.tables import QuasiIdentifierTables
from toolbox.store.values.column_type import TextDomain
from toolbox.store.values.dates import build_calendar_hierarchy

# Which levels the toolbox of 2010 saw in a hierarchy: none in leaves that have the names of values.


def remove_single_leaves(hierarchy: Hierarchy) -> Hierarchy:
    """Remove the leaves if each is a single value, ``[1.0]``: to the original, leaf and value were the same.

    The result of a search differs in one case only: Incognito prefers the lower of two nodes.
    """
    leaves = [node for node, _ in hierarchy.root.walk() if not node.children]
    are_values = all(node.text == f"[{node.interval.low!r}]" for node in leaves)
    if leaves == [hierarchy.root] or not are_values or not hierarchy.is_uniform:
        return hierarchy
    return Hierarchy(_remove_leaves(hierarchy.root))


def _remove_leaves(node: Node) -> Node:
    """Make the parents of the leaves the leaves, in a tree whose leaves are all at one depth."""
    if not node.children[0].children:
        return replace(node, children=())
    return replace(node, children=tuple(map(_remove_leaves, node.children)))


# What one quasi-identifier can be generalised to: its ground values, the levels above them, and their intervals.


def create_quasi_identifier_tables(
    store: Store, domain: TextDomain, *, names_by_code: bool = False
) -> QuasiIdentifierTables:
    """Make the tables of one quasi-identifier from its coded texts, which have no problems any more.

    Parameters
    ----------
    names_by_code : bool
        Whether values are named as the toolbox of 2010 did: a number or the code of a category ``58.0``, as a class of
        its own ``[58.0]``, and a node of the hierarchy as its author wrote it.
    """
    attribute = domain.attribute
    assert isinstance(attribute, QuasiIdentifier)
    values = store.create("values", _rank_ground_values(domain, names_by_code=names_by_code))
    count = store.count(values)
    declared = attribute.hierarchy
    if declared is None and isinstance(domain.scale, Calendar):
        declared = build_calendar_hierarchy(store, values, domain.scale, attribute.date_periods)
    hierarchy = declared or (_create_original_root(store, values) if names_by_code else None)
    if hierarchy is None:
        nodes, height = _select_root(values, interval_id=count), 1
    else:
        hierarchy = remove_single_leaves(hierarchy) if names_by_code else hierarchy
        nodes = _create_nodes(store, hierarchy, first_id=count, names_by_code=names_by_code)
        height = hierarchy.height if hierarchy.is_uniform else 0
    is_known = _find_listed_values(store, attribute, values)
    levels = _select_levels(
        values, nodes, height, root=count, unknown=_find_unknown_node(domain, values, count), is_known=is_known
    )
    ground = store.create("ground", levels, lasting=True)
    intervals = _list_intervals(values, nodes, names_by_code=names_by_code)
    if height > 1 and store.scalar(select(count_where(~is_known)).select_from(values)):
        intervals = _list_members(intervals.subquery(), ground, height, root=count)
    intervals = store.create("intervals", intervals, lasting=True)
    store.drop(values, *([nodes] if isinstance(nodes, Table) else []))
    return QuasiIdentifierTables(
        name=domain.name,
        position=domain.position,
        kind=domain.kind,
        ground=ground,
        intervals=intervals,
        height=height,
        root=count,
        values=count,
        codes=_list_codes(store, domain, ground),
        has_hierarchy=declared is not None,
        scale=domain.scale,
        is_ordered=attribute.ordered,
        codes_are_known=names_by_code or domain.kind == "number",
        attribute=attribute,
        priority=attribute.priority,
        weight=attribute.weight,
        listed=attribute.listed or (),
        missing_value=_find_missing_value(domain),
    )


def _select_root(values: Table, *, interval_id: int) -> FromClause:
    """Select the root above the values of a column that has no hierarchy, as a row of nodes."""
    true = literal(True, Boolean)
    return select(
        literal(interval_id).label("interval_id"),
        literal(1).label("level"),
        literal(ROOT).label("label"),
        func.min(values.c.value).label("low"),
        func.max(values.c.value).label("high"),
        true.label("low_closed"),
        true.label("high_closed"),
    ).subquery()


def _create_original_root(store: Store, values: Table) -> Hierarchy:
    """Create the root that the toolbox of 2010 saw above the values of a column that has no hierarchy."""
    low, high = func.min(values.c.value), func.max(values.c.value)
    whole = func.concat("[", format_java_number(low), ":", format_java_number(high), "]")
    first, last, label = store.row(select(low, high, whole))
    return Hierarchy(Node(Interval(first, last), label))


def _list_codes(store: Store, domain: TextDomain, ground: Table) -> Table:
    """List the codes of all categories: the declared codes, otherwise those that occur."""
    if domain.kind == "number":
        return store.create("codes", select(ground.c.value).limit(0))
    if domain.attribute.categories is None:
        return ground
    return store.create_constant("codes", {"value": (float, list(map(float, domain.attribute.categories.values())))})


def _rank_ground_values(domain: TextDomain, *, names_by_code: bool) -> Query:
    """Rank the values, and name each."""
    texts = domain.texts
    level_0 = cast(func.row_number().over(order_by=texts.c.value) - 1, Integer).label("level_0")
    if names_by_code:
        return select(level_0, texts.c.value, format_java_number(texts.c.value).label("label")).group_by(texts.c.value)
    label = label_of(domain.scale, texts.c.value, texts.c.text)
    return select(level_0, texts.c.value, label.label("label")).group_by(texts.c.value)


def label_of(scale: Scale, value: ColumnElement[float], text: ColumnElement[str]) -> ColumnElement[str]:
    """Name a value, in a query that is grouped by it: a date in the one way, all else by the shortest of its texts."""
    if isinstance(scale, Calendar):
        return scale.text(value)
    return find_first_by(text, func.lpad(cast(func.length(text), String), 9, "0") + text)


def _create_nodes(store: Store, hierarchy: Hierarchy, first_id: int, *, names_by_code: bool) -> Table:
    """Create a table of the nodes of a hierarchy, numbered from the root, each with its parent."""
    rows = list(_number_nodes(hierarchy.root, first_id, parent=None))
    levels = [level for _, level in hierarchy.nodes()]
    intervals = [node.interval for node, _, _ in rows]
    return store.create_constant(
        "nodes",
        {
            "interval_id": (int, [interval_id for _, interval_id, _ in rows]),
            "parent": (int, [parent for _, _, parent in rows]),
            "level": (int, levels),
            # A hierarchy file writes no intervals, so that its labels are all there is.
            "label": (str, [(names_by_code and node.text) or node.label for node, _, _ in rows]),
            "low": (float, [interval.low for interval in intervals]),
            "high": (float, [interval.high for interval in intervals]),
            "low_closed": (bool, [interval.low_closed for interval in intervals]),
            "high_closed": (bool, [interval.high_closed for interval in intervals]),
            "is_leaf": (bool, [not node.children for node, _, _ in rows]),
        },
    )


def _number_nodes(node: Node, first_id: int, parent: int | None) -> Iterator[tuple[Node, int, int | None]]:
    """Yield each node with its number and that of its parent, in the order of `Hierarchy.nodes`."""
    yield node, first_id, parent
    following = first_id + 1
    for child in node.children:
        for numbered in _number_nodes(child, following, first_id):
            yield numbered
            following = numbered[1] + 1


def _find_listed_values(store: Store, attribute: QuasiIdentifier, values: Table) -> ColumnElement[bool]:
    """Test whether a hierarchy knows a number that is within one of its leaves: a file knows those that it lists."""
    if attribute.listed is None:
        return literal(True, Boolean)
    listed = store.create_constant("listed", {"value": (float, attribute.listed)})
    return values.c.value.in_(select(listed.c.value))


def _find_unknown_node(domain: TextDomain, values: Table, root: int) -> ColumnElement[int]:
    """Return what stands below the root for a value that no leaf takes in.

    It is a missing one that is kept, and stays as it is; or the hierarchy does not know it, and it goes to the root at
    once.
    """
    if domain.attribute.other == "error":
        return values.c.level_0
    kept, to_root = _find_missing_value(domain), literal(root, Integer)
    return to_root if kept is None else case((values.c.value == kept, values.c.level_0), else_=to_root)


def _find_missing_value(domain: TextDomain) -> float | None:
    """Return the value of missing ones that are kept, where it is a category."""
    kept = None if domain.kept_missing is None else (domain.attribute.categories or {}).get(domain.kept_missing)
    return None if kept is None else float(kept)


def _select_levels(
    values: Table,
    nodes: FromClause,
    height: int,
    root: int,
    unknown: ColumnElement[int],
    is_known: ColumnElement[bool],
) -> Query:
    """Select each value beside the interval that generalises it at each level.

    Of leaves that share a boundary the first takes the value there.

    Parameters
    ----------
    unknown : ColumnElement
        What stands below the root for a value that no leaf takes in.
    is_known : ColumnElement
        Whether a leaf may take a value in.
    """
    if not height:
        return select(values)
    if height == 1:
        # Whatever takes a value in, above it there is only the root.
        return select(*values.c, cast(literal(root), Integer).label("level_1"))
    leaf = func.min(nodes.c.interval_id)
    first = select(values.c.level_0, leaf.label("interval_id")).join_from(
        values, nodes, and_(nodes.c.is_leaf, is_within_bounds(nodes, values.c.value), is_known)
    )
    leaves = first.group_by(values.c.level_0).subquery()
    joined = values.outerjoin(leaves, leaves.c.level_0 == values.c.level_0)
    levels: list[ColumnElement[Any]] = [leaves.c.interval_id]
    for _ in range(height - 1):
        above = nodes.alias()
        joined = joined.outerjoin(above, above.c.interval_id == levels[-1])
        levels.append(above.c.parent)
    defaults = [unknown] * (height - 1) + [literal(root)]
    columns = [
        cast(func.coalesce(node, default), Integer).label(f"level_{level}")
        for level, (node, default) in enumerate(zip(levels, defaults, strict=True), start=1)
    ]
    return select(*values.c, *columns).select_from(joined)


def _list_intervals(values: Table, nodes: FromClause, *, names_by_code: bool) -> Any:
    """List every interval: the ground values, then the nodes of the hierarchy."""
    true, no_members = literal(True, Boolean), cast(null(), ARRAY(Integer))
    ground = select(
        values.c.level_0.label("interval_id"),
        literal(0).label("level"),
        (func.concat("[", values.c.label, "]") if names_by_code else values.c.label).label("label"),
        values.c.value.label("low"),
        values.c.value.label("high"),
        true.label("low_closed"),
        true.label("high_closed"),
        no_members.label("members"),
    )
    above = select(
        cast(nodes.c.interval_id, Integer),
        cast(nodes.c.level, Integer),
        *(nodes.c[name] for name in ("label", "low", "high", "low_closed", "high_closed")),
        no_members,
    )
    intervals = union_all(ground, above).subquery()
    return select(intervals)


def _list_members(intervals: FromClause, ground: Table, height: int, root: int) -> Query:
    """List the members of all nodes below the root, whose bounds take in more than they stand for."""
    below = [select(ground.c[f"level_{level}"].label("node_id"), ground.c.level_0) for level in range(1, height)]
    placed = union(*below).subquery()
    grouped = select(placed.c.node_id, collect_sorted(placed.c.level_0).label("members")).group_by(placed.c.node_id)
    found = grouped.subquery()
    nobody = cast(list_of(()), ARRAY(Integer))
    members = case((intervals.c.interval_id > root, func.coalesce(found.c.members, nobody))).label("members")
    columns = (column for column in intervals.c if column.name != "members")
    return select(*columns, members).join_from(
        intervals, found, found.c.node_id == intervals.c.interval_id, isouter=True
    )


# Names of a hierarchy that no record has: often a value that is written differently in the data.

_SHOWN = 3


def format_unused_note(store: Store, attribute: QuasiIdentifier, tables: QuasiIdentifierTables) -> str | None:
    """Return a note that names the nodes and listed values of a hierarchy that never occur; None if all occur.

    The names are those of the hierarchy, and no cell is quoted.
    """
    if attribute.hierarchy is None:
        return None
    nodes, values = _list_empty_nodes(store, tables), _list_unused_values(store, attribute, tables)
    parts = [
        f"{format_count(len(names), what)} "
        f"({', '.join(map(quote, names[:_SHOWN]))}{', ...' if len(names) > _SHOWN else ''})"
        for what, names in (("node", nodes), ("value", values))
        if names
    ]
    verb = "occurs" if len(nodes) + len(values) == 1 else "occur"
    return f"{tables.name}: {' and '.join(parts)} of its hierarchy never {verb} in the data." if parts else None


def _list_empty_nodes(store: Store, tables: QuasiIdentifierTables) -> Sequence[str]:
    """List the labels of the nodes that have no value below them."""
    intervals, ground = tables.intervals, tables.ground
    if tables.height:
        used = union(*(select(tables.level(level)) for level in range(1, tables.height + 1)))
        is_unused: ColumnElement[bool] = intervals.c.interval_id.not_in(used)
    else:
        is_unused = ~exists().where(is_within_bounds(intervals, ground.c.value))
    is_node = (intervals.c.interval_id > tables.root) & intervals.c.level.is_not(None)
    rows = select(intervals.c.label).where(is_node, is_unused).order_by(intervals.c.interval_id)
    return [label for (label,) in store.rows(rows)]


def _list_unused_values(store: Store, attribute: QuasiIdentifier, tables: QuasiIdentifierTables) -> Sequence[str]:
    """List the categories that no record has, if rows of the hierarchy name them; a map lists codes, not rows."""
    assert attribute.hierarchy is not None, "there is a hierarchy"
    if attribute.categories is None or attribute.hierarchy.root.text:
        return ()
    occurring = {value for (value,) in store.rows(select(tables.ground.c.value))}
    return [text for text, code in attribute.categories.items() if code not in occurring]
