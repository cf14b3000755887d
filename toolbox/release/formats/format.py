"""What becomes of each combination, as two tables: for whoever holds the records and writes the release."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import BigInteger, Integer, cast, func, select

from toolbox.config.model import Config
from toolbox.queries.dialect import Table, choose_any_value
from toolbox.release.files.part import Solved
from toolbox.release.formats.gen_vals import create_class_labels
from toolbox.release.formats.gen_vals_dist import describe_class_labels
from toolbox.store.tables import Tables

_NOT_SHOWN = ("equivalence_id", "size", "suppressed")


class MappingTables(NamedTuple):
    """A release without its records."""

    keys: Table
    """``key, class_id``: each key of the combinations that are released."""
    classes: Table
    """``class_id, size, suppressed, label_1 ..`` and, with statistics, ``statistics_1 ..``: one row for all classes
    that show the same, numbered from 0 in the order of their texts."""
    shown: tuple[str, ...]
    """The columns of texts, by which readers tell classes apart."""
    solved: tuple[Solved, ...] = ()
    """For each column of numbers with statistics, how many classes give their values back."""


def build_mapping(tables: Tables, config: Config) -> MappingTables:
    """Return what becomes of each combination.

    Suppressed classes are a row of their own, or none where suppressed records are dropped.

    Parameters
    ----------
    tables : Tables
        Proved, and with keys.
    """
    store, keys = tables.store, tables.keys
    assert keys is not None, "the class of a record follows from its combination"
    if config.output.format.has_statistics:
        texts, solved = describe_class_labels(tables, config)
    else:
        texts, solved = create_class_labels(tables), ()
    labels = texts.subquery()
    shown = [column for column in labels.c if column.name not in _NOT_SHOWN]
    place = func.dense_rank().over(order_by=[labels.c.suppressed, *shown])
    rows = select(*labels.c, cast(place - 1, Integer).label("class_id"))
    if config.output.suppressed == "drop":
        rows = rows.where(~labels.c.suppressed)
    numbered = store.create("numbered", rows)
    same = numbered.c.equivalence_id == keys.c.equivalence_id
    mapped = store.create("mapping", select(keys.c.key, numbered.c.class_id).join_from(keys, numbered, same))
    size = cast(func.sum(numbered.c.size), BigInteger).label("size")
    alike = [
        choose_any_value(numbered.c[name]).label(name) for name in ("suppressed", *(column.name for column in shown))
    ]
    classes = select(numbered.c.class_id, size, *alike).group_by(numbered.c.class_id).order_by(numbered.c.class_id)
    created = store.create("classes", classes)
    store.drop(numbered)
    return MappingTables(mapped, created, tuple(column.name for column in shown), solved)
