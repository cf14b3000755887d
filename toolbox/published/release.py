"""From the records of a release to its equivalence classes, before anything is known of what its values mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sqlalchemy import BigInteger, FromClause, Integer, and_, cast, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.published.tables import Release
from toolbox.queries.formulas import escaped_name
from toolbox.queries.query import Query, Table
from toolbox.store.store import Store

ROOT = "*"
"""What a suppressed value is called where nothing else is said."""


def classes_of(
    store: Store,
    counted: Table,
    *,
    name: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    roots: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Release:
    """Form the classes of a release.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: the texts of the quasi-identifiers, then those of the sensitive attributes.
    name : str
        What messages call the release.
    roots : mapping of quasi-identifier to texts, optional
        What the root of its hierarchy may be called, which stands for a suppressed value as ``*`` does.
    """
    numbers = range(1, len(quasi_identifiers) + 1)
    cells = tuple(store.create("cells", _cells(counted, index)) for index in numbers)
    coded = store.create("coded", _coded(counted, cells, len(sensitive)))
    names = [f"cell_{index}" for index in numbers]
    hidden = [_is_root(column, roots.get(label, ())) for column, label in zip(cells, quasi_identifiers, strict=True)]
    classes = store.create("classes", _classes(store, coded, names, hidden))
    same = and_(*(coded.c[name] == classes.c[name] for name in names))
    texts = {label: f"text_{index}" for index, label in enumerate(sensitive, start=1)}
    keys = [classes.c.equivalence_id, *(coded.c[text] for text in texts.values())]
    records = cast(func.sum(coded.c.size), BigInteger).label("records")
    held = store.create("held", select(*keys, records).select_from(coded.join(classes, same)).group_by(*keys))
    store.drop(coded)
    return Release(
        store=store,
        name=name,
        quasi_identifiers=tuple(quasi_identifiers),
        cells=cells,
        classes=classes,
        held=held,
        sensitive=MappingProxyType(texts),
        records=int(store.scalar(select(func.sum(classes.c.size)))),
    )


def _cells(counted: Table, index: int) -> Query:
    """Assign numbers from 0 to the distinct texts of a column: ``cell_id, text, records``."""
    text = counted.c[f"text_{index}"]
    records = cast(func.sum(counted.c.size), BigInteger).label("records")
    distinct = select(text.label("text"), records).group_by(text).subquery()
    cell_id = cast(func.row_number().over(order_by=distinct.c.text) - 1, Integer).label("cell_id")
    return select(cell_id, distinct.c.text, distinct.c.records)


def _coded(counted: Table, cells: Sequence[Table], sensitive: int) -> Query:
    """Replace texts by their cells: ``cell_1 .., text_1 .. (of the sensitive attributes), size``."""
    joined: FromClause = counted
    codes: list[ColumnElement[int]] = []
    for index, column in enumerate(cells, start=1):
        joined = joined.join(column, column.c.text.is_not_distinct_from(counted.c[f"text_{index}"]))
        codes.append(column.c.cell_id.label(f"cell_{index}"))
    texts = [counted.c[f"text_{len(cells) + index}"].label(f"text_{index}") for index in range(1, sensitive + 1)]
    return select(*codes, *texts, counted.c.size).select_from(joined)


def _is_root(cells: Table, roots: Sequence[str]) -> Query:
    """Select the cells that stand for a suppressed value."""
    called = [ROOT, *roots, *map(escaped_name, roots)]
    return select(cells.c.cell_id).where(cells.c.text.in_(called))


def _classes(store: Store, coded: Table, names: Sequence[str], hidden: Sequence[Query]) -> Query:
    columns = [coded.c[name] for name in names]
    roots = [[int(cell) for (cell,) in store.rows(cells)] for cells in hidden]
    is_suppressed: ColumnElement[bool] = and_(
        literal(True),
        *(
            or_(literal(False), *(column == cell for cell in cells))
            for column, cells in zip(columns, roots, strict=True)
        ),
    )
    equivalence_id = cast(func.row_number().over(order_by=columns) - 1, Integer).label("equivalence_id")
    size = cast(func.sum(coded.c.size), BigInteger).label("size")
    return select(equivalence_id, size, is_suppressed.label("suppressed"), *columns).group_by(*columns)
