"""The classes of a table as it is: a release, or any table with quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import BigInteger, Double, FromClause, String, and_, case, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute
from toolbox.privacy.classes import Classes
from toolbox.queries.dialect import any_value
from toolbox.queries.numbers import PLAIN, Figures
from toolbox.queries.query import Table
from toolbox.store.built import with_built_numbers, with_built_texts
from toolbox.store.nature import Clues, Nature, nature_of, own_scale
from toolbox.store.store import Store
from toolbox.store.trees import create_tree

_COUNT = "records"
_HIDDEN = "hidden"
_NO_ORDERS: Mapping[str, Sequence[str]] = MappingProxyType({})


def sizes_of(store: Store, relation: FromClause, quasi_identifiers: Sequence[str]) -> Classes:
    """Form the classes of a table, for models without a sensitive attribute; see `classes_of`."""
    columns = _distinct_names(quasi_identifiers)
    counted = _counted(store, relation, columns)
    classes = Classes(_numbered(store, counted, columns))
    store.drop(counted)
    return classes


def classes_of(
    store: Store,
    relation: FromClause,
    quasi_identifiers: Sequence[str],
    sensitive: Mapping[str, Attribute],
    *,
    harmonised: bool = False,
    records: str | None = None,
    hidden: str | None = None,
    figures: Figures = PLAIN,
    orders: Mapping[str, Sequence[str]] = _NO_ORDERS,
) -> Mapping[str, Classes]:
    """Form the classes of a table, and show each sensitive attribute in them.

    Records that agree in all quasi-identifiers are one class. A null is a value like any other.

    Parameters
    ----------
    relation : FromClause
        One row per record.
    quasi_identifiers : sequence of str, length >= 1
        Names of its columns; their values are compared as texts.
    sensitive : mapping of str to Attribute
        Names of columns, and what they hold. With a kind of None, an attribute is a number if all its texts are.
        Numbers are told apart and ordered as numbers, with texts that are none behind them; categories by the order
        that is given, as numbers or dates if a hierarchy lists such, by the codes that they have, or else
        alphabetically. In a hierarchy, a value that it lacks is as far as can be from all
        others.
    harmonised : bool
        Whether somebody who looks for one sensitive attribute knows the others: then these are quasi-identifiers too.
    records : str, optional
        The column that says for how many records a row stands; otherwise for one.
    hidden : str, optional
        The column that says whether records are suppressed: these are in no class, only in the table.
    figures : Figures
        How numbers are written.
    orders : mapping of str to sequence of str, optional
        The categories of a column in their order, where the table says it.

    Returns
    -------
    mapping of str to Classes
        By the names of the sensitive attributes. Behind ``equivalence_id, size`` their sizes have the texts of the
        quasi-identifiers, ``text_1 ..``.
    """
    columns = _distinct_names([*quasi_identifiers, *sensitive])
    counted = _counted(store, relation, columns, records, hidden)
    same = {name: columns[name] for name in quasi_identifiers}
    shared = None if harmonised else _numbered(store, counted, same)
    classes = {}
    for name, attribute in sensitive.items():
        rest = {other: columns[other] for other in sensitive if harmonised and other != name}
        known = {**same, **rest}
        numbered = _numbered(store, counted, known) if shared is None else shared
        classes[str(attribute.column)] = _shown(
            store, counted, numbered, known, columns[name], attribute, figures, orders.get(name)
        )
    store.drop(counted)
    return MappingProxyType(classes)


def _distinct_names(names: Sequence[str]) -> dict[str, str]:
    """Return our own names for columns: theirs may collide with the names of counts."""
    return {name: f"text_{index}" for index, name in enumerate(dict.fromkeys(names), start=1)}


def _counted(
    store: Store,
    relation: FromClause,
    columns: Mapping[str, str],
    records: str | None = None,
    hidden: str | None = None,
) -> Table:
    """Count the distinct rows of some columns: all later statements read these instead of the records."""
    count = func.count() if records is None else cast(func.sum(relation.c[records]), BigInteger)
    is_hidden: ColumnElement[bool] = literal(False) if hidden is None else relation.c[hidden]
    texts = [cast(relation.c[name], String) for name in columns]
    named = [text.label(label) for text, label in zip(texts, columns.values(), strict=True)]
    rows = select(*named, count.label(_COUNT), is_hidden.label(_HIDDEN))
    return store.create("counted", rows.group_by(*texts, is_hidden))


def _numbered(store: Store, counted: Table, columns: Mapping[str, str]) -> Table:
    """Assign numbers from 1 to the classes: ``equivalence_id, size``, and their texts."""
    texts = [counted.c[label] for label in columns.values()]
    size = cast(func.sum(counted.c[_COUNT]), BigInteger).label("size")
    equivalence_id = cast(func.row_number().over(), BigInteger).label("equivalence_id")
    grouped = select(size, *texts).where(~counted.c[_HIDDEN]).group_by(*texts).subquery()
    return store.create("classes", select(equivalence_id, grouped))


def _shown(
    store: Store,
    counted: Table,
    numbered: Table,
    columns: Mapping[str, str],
    held: str,
    attribute: Attribute,
    figures: Figures,
    order: Sequence[str] | None,
) -> Classes:
    """Show one sensitive attribute in the classes of some columns."""
    texts = select(counted.c[held].label("text")).distinct()
    nature = nature_of(store, attribute, texts.subquery(), Clues(figures=figures))
    weights = select(counted.c[held].label("text"), counted.c[_COUNT].label("records"))
    if nature.kind == "category":
        attribute = with_built_texts(store, attribute, texts.subquery(), weights)
    values = _values(store, counted.c[held], nature, attribute, figures, order)
    same = and_(*(counted.c[label].is_not_distinct_from(numbered.c[label]) for label in columns.values()))
    same_text = values.c.text.is_not_distinct_from(counted.c[held])
    joined = counted.join(numbered, and_(same, ~counted.c[_HIDDEN])).join(values, same_text)
    key, value = numbered.c.equivalence_id, values.c.value
    records = cast(func.sum(counted.c[_COUNT]), BigInteger).label(_COUNT)
    histogram = store.create("histogram", select(key, value, records).select_from(joined).group_by(key, value))
    in_all = select(value, records).select_from(counted.join(values, same_text)).group_by(value)
    overall = store.create("overall", in_all)
    if nature.kind == "number":
        numbers = select(values.c.place.label("value")).distinct().subquery()
        attribute, _ = with_built_numbers(store, attribute, numbers, nature.scale)
    tree = None
    if attribute.hierarchy is not None:
        places = select(values.c.value, any_value(values.c.place)).group_by(values.c.value)
        tree = create_tree(store, attribute.hierarchy, [(value, position) for value, position in store.rows(places)])
    store.drop(values)
    is_ordered = nature.kind == "category" and (order is not None or attribute.ordered)
    return Classes(numbered, histogram, overall, nature.kind, tree, is_ordered=is_ordered)


def _values(
    store: Store,
    text: ColumnElement[str],
    nature: Nature,
    attribute: Attribute,
    figures: Figures,
    order: Sequence[str] | None,
) -> Table:
    """Assign a value to each text, ``text, value, place``: its rank, and its position in the hierarchy."""
    texts = select(text.label("text")).distinct().subquery()
    if nature.kind == "number":
        position = nature.scale.value(texts.c.text)
        placed = select(texts.c.text, position.label("place"))
    else:
        categories = attribute.categories or {}
        codes = store.create_constant(
            "categories",
            {"text": (str, list(categories)), "code": (float, [float(code) for code in categories.values()])},
        )
        placed = select(texts.c.text, codes.c.code.label("place")).join_from(
            texts, codes, codes.c.text == texts.c.text, isouter=True
        )
    placed_texts = placed.subquery()
    # Texts without a place are different values, one behind the other.
    ranks: list[ColumnElement[Any]] = [
        placed_texts.c.place.nulls_last(),
        case((placed_texts.c.place.is_(None), placed_texts.c.text)).nulls_last(),
    ]
    if nature.kind == "category" and not attribute.ordered:
        ranks = [*_own_order(store, placed_texts, attribute, figures, order), *ranks]
    rank = cast(func.dense_rank().over(order_by=ranks), Double)
    return store.create("values", select(placed_texts.c.text, rank.label("value"), placed_texts.c.place))


def _own_order(
    store: Store, texts: FromClause, attribute: Attribute, figures: Figures, order: Sequence[str] | None
) -> list[ColumnElement[Any]]:
    """Return what categories are ordered by that are listed in an order, or are numbers or dates in a hierarchy."""
    if order is not None:
        listed = store.create_constant("listed", {"text": (str, order), "rank": (int, range(len(order)))})
        return [select(listed.c.rank).where(listed.c.text == texts.c.text).scalar_subquery().nulls_last()]
    scale = own_scale(store, attribute, texts, Clues(figures=figures))
    return [] if scale is None else [scale.value(texts.c.text).nulls_last()]
