"""Names of a hierarchy that no record has: often a value that is written differently in the data."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import exists, select, union
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import QuasiIdentifier
from toolbox.errors import quote
from toolbox.messages import counted
from toolbox.queries.labels import within_bounds
from toolbox.store.store import Store
from toolbox.store.tables import QuasiIdentifierTables

_SHOWN = 3


def unused_note(store: Store, attribute: QuasiIdentifier, tables: QuasiIdentifierTables) -> str | None:
    """Return a note that names the nodes and listed values of a hierarchy that never occur; None if all occur.

    The names are those of the hierarchy, and no cell is quoted.
    """
    if attribute.hierarchy is None:
        return None
    nodes, values = _nodes(store, tables), _values(store, attribute, tables)
    parts = [
        f"{counted(len(names), what)} ({', '.join(map(quote, names[:_SHOWN]))}{', ...' if len(names) > _SHOWN else ''})"
        for what, names in (("node", nodes), ("value", values))
        if names
    ]
    verb = "occurs" if len(nodes) + len(values) == 1 else "occur"
    return f"{tables.name}: {' and '.join(parts)} of its hierarchy never {verb} in the data." if parts else None


def _nodes(store: Store, tables: QuasiIdentifierTables) -> Sequence[str]:
    """List the labels of the nodes that have no value below them."""
    intervals, ground = tables.intervals, tables.ground
    if tables.height:
        used = union(*(select(tables.level(level)) for level in range(1, tables.height + 1)))
        is_unused: ColumnElement[bool] = intervals.c.interval_id.not_in(used)
    else:
        is_unused = ~exists().where(within_bounds(intervals, ground.c.value))
    is_node = (intervals.c.interval_id > tables.root) & intervals.c.level.is_not(None)
    rows = select(intervals.c.label).where(is_node, is_unused).order_by(intervals.c.interval_id)
    return [label for (label,) in store.rows(rows)]


def _values(store: Store, attribute: QuasiIdentifier, tables: QuasiIdentifierTables) -> Sequence[str]:
    """List the categories that no record has, if rows of the hierarchy name them; a map lists codes, not rows."""
    assert attribute.hierarchy is not None, "there is a hierarchy"
    if attribute.categories is None or attribute.hierarchy.root.text:
        return ()
    occurring = {value for (value,) in store.rows(select(tables.ground.c.value))}
    return [text for text, code in attribute.categories.items() if code not in occurring]
