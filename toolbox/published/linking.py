"""Two releases of the same people: which classes the rows of one person are in, where rows can be told to be one's."""

from __future__ import annotations

from sqlalchemy import BigInteger, FromClause, cast, func, select

from toolbox.errors import InputError
from toolbox.messages import counted as amount
from toolbox.messages import either
from toolbox.published.comparing import class_keys
from toolbox.published.records import Records
from toolbox.published.tables import Release
from toolbox.queries.dialect import row_place
from toolbox.queries.query import Table


def linked_by_order(release: Release, records: Records, earlier: Release, earlier_records: Records) -> Table:
    """Link the rows of two releases that have the same place.

    Returns
    -------
    Table
        ``class_id, earlier_id, records``: classes of both, and the rows that are in both of them.

    Raises
    ------
    InputError
        If one has more rows than the other.
    """
    if release.records != earlier.records:
        counts = f"{release.name} has {release.records:,} records, {earlier.name} {earlier.records:,}"
        remedy = either("--key NAME, or --key none", python="key='name', or key='none'")
        raise InputError(f"{counts}: their order links nobody. Name the column that does, {remedy}.")
    store = release.store
    (rows, counted), (earlier_rows, earlier_counted) = records.keyed(), earlier_records.keyed()
    facing = rows.join(earlier_rows, row_place(rows) == row_place(earlier_rows))
    links = select(rows.c.key.label("key"), earlier_rows.c.key.label("earlier_key")).select_from(facing)
    linked = _classes(
        release, class_keys(release, counted), earlier, class_keys(earlier, earlier_counted), links.subquery()
    )
    store.drop(rows, counted, earlier_rows, earlier_counted)
    return linked


def linked_by_key(release: Release, records: Records, earlier: Release, earlier_records: Records) -> Table:
    """Link the rows of two releases that have the same key, the last of the columns that were read.

    Returns
    -------
    Table
        As `linked_by_order`; rows without a partner are left out.

    Raises
    ------
    InputError
        If a key is missing or not unique, or links nobody.
    """
    keys, earlier_keys = _key_of(release, records), _key_of(earlier, earlier_records)
    links = select(keys.c.key.label("key"), earlier_keys.c.key.label("earlier_key"))
    links = links.select_from(keys.join(earlier_keys, keys.c.key == earlier_keys.c.key))
    linked = _classes(release, class_keys(release, keys), earlier, class_keys(earlier, earlier_keys), links.subquery())
    if not release.store.count(linked):
        raise InputError(f"No key of {release.name} is in {earlier.name}. Are these the same people?")
    return linked


def _key_of(release: Release, records: Records) -> Table:
    """Return the counted records, with the text of their last column as ``key``."""
    store, counted = records.store, records.counted
    key = counted.c[f"text_{len(records.positions)}"]
    keys = store.create("keyed", select(counted, key.label("key")))
    repeated = select(func.coalesce(func.sum(keys.c.size), 0) - func.count(keys.c.key.distinct()))
    if wrong := int(store.scalar(repeated)):
        raise InputError(
            f"{release.name}: the key of {amount(wrong, 'record')} is missing or that of another. Name a unique one."
        )
    return keys


def _classes(
    release: Release, classes: FromClause, earlier: Release, earlier_classes: FromClause, links: FromClause
) -> Table:
    joined = links.join(classes, classes.c.key == links.c.key)
    joined = joined.join(earlier_classes, earlier_classes.c.key == links.c.earlier_key)
    ids = classes.c.equivalence_id.label("class_id"), earlier_classes.c.equivalence_id.label("earlier_id")
    records = cast(func.count(), BigInteger).label("records")
    return release.store.create("linked", select(*ids, records).select_from(joined).group_by(*ids))
