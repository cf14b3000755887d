"""The format that keeps values as they are: two tables, which only the class connects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from typing import Any

from sqlalchemy import FromClause, Integer, String, Table, and_, case, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Output
from toolbox.queries.classes import placed_combinations
from toolbox.queries.dialect import any_value
from toolbox.queries.query import Query
from toolbox.queries.shuffle import shuffled
from toolbox.release.notation import Notation
from toolbox.release.part import Part, released, shown
from toolbox.store.layout import Layout
from toolbox.store.tables import Tables

_HIDDEN = -1
"""Stands for the combination of a suppressed record."""


def anatomy(
    tables: Tables,
    layout: Layout,
    output: Output,
    notation: Notation | None = None,
    *,
    seed: int | None,
    shows_suppressed: bool = False,
) -> list[Part]:
    """Anatomy: the original quasi-identifiers and all else in two tables, which only the class connects.

    Both are ordered by class and shuffled within, each in its own way, so that they cannot be joined by line. A
    suppressed record shows its roots here too; its original values beside a class of its own would undo suppression.

    Parameters
    ----------
    seed : int, optional
        Makes the order reproducible, and thereby the lines joinable by whoever knows it; None: from the system.
    shows_suppressed : bool
        Whether suppressed records show their values all the same, as in 2010.

    References
    ----------
    Xiao and Tao (2006). Anatomy: simple and effective privacy preservation. VLDB, 139-150.
    """
    record = tables.anon_record.alias("record")
    joined, is_hidden = _with_suppression(tables, record)
    group = record.c.equivalence_id
    others = [record.c[f"c{position}"] for position in layout.passed_through]
    st = select(group.label("h0"), *others).select_from(joined).order_by(group, shuffled(record, seed, "ST"))

    labels = [f"label_{number}" for number, _ in enumerate(tables.quasi_identifiers, start=1)]
    pieces = [labels] if notation else [[label] for label in labels]
    ground = shown(tables.store, _ground_labels(tables), pieces, notation, records=tables.record_count)
    combination = record.c.combination_id
    shows = combination if shows_suppressed else case((is_hidden, literal(_HIDDEN)), else_=combination)
    joined_ground = joined.join(ground, ground.c.combination_id == shows)
    values = [one for one in ground.c if one.name != "combination_id"]
    qit = select(*values, group).select_from(joined_ground).order_by(group, shuffled(record, seed, "QIT"))
    if output.suppressed == "drop":
        qit, st = (rows.where(~is_hidden) for rows in (qit, st))

    quasi_identifiers = [layout.names[one.position] for one in tables.quasi_identifiers]
    names = [layout.names[position] for position in layout.passed_through]
    group_name = next(name for name in chain(["group"], map("group_{}".format, count(2))) if name not in layout.names)
    qit_headers, st_headers = (*quasi_identifiers, group_name), (group_name, *names)
    passed = (None, *layout.passed_through)
    return [
        Part(
            suffix="_QIT",
            headers=qit_headers,
            rows=released(qit, notation, range(len(pieces) + 1)),
            texts=_texts(tables, quasi_identifiers, shows_suppressed=shows_suppressed),
            notation=notation,
        ),
        Part(
            suffix="_ST", headers=st_headers, rows=released(st, notation, [0]), passed_through=passed, notation=notation
        ),
    ]


def _texts(tables: Tables, headers: Sequence[str], *, shows_suppressed: bool) -> dict[str, Query]:
    """Put beside each text of a column how many records show it: ``size, suppressed, text``."""
    equivalence, found = tables.equivalence, {}
    placed = placed_combinations(tables.anon_record).subquery()
    hides = tables.store.scalar(select(func.count()).where(equivalence.c.suppressed)) > 0
    for number, (header, one) in enumerate(zip(headers, tables.quasi_identifiers, strict=True), start=1):
        combination, value = tables.combinations, one.ground.alias()
        same = value.c.level_0 == combination.c[f"interval_{number}"]
        if not hides:
            rows = select(combination.c.size, literal(False).label("suppressed"), value.c.label.label("text"))
            found[header] = rows.join_from(combination, value, same)
            continue
        root = cast(_label_of(one.intervals, one.root), String)
        is_hidden = and_(equivalence.c.suppressed, literal(not shows_suppressed))
        text = case((is_hidden, root), else_=value.c.label)
        joined = placed.join(combination, combination.c.combination_id == placed.c.combination_id).join(value, same)
        joined = joined.join(equivalence, equivalence.c.equivalence_id == placed.c.equivalence_id)
        found[header] = select(placed.c.size, equivalence.c.suppressed, text.label("text")).select_from(joined)
    return found


def _with_suppression(tables: Tables, record: FromClause) -> tuple[FromClause, ColumnElement[bool]]:
    """Join the records to the suppressed classes, if there are any; and test whether a record is in one."""
    equivalence = tables.equivalence
    suppressed = tables.store.create("suppressed", select(equivalence.c.equivalence_id).where(equivalence.c.suppressed))
    if not tables.store.count(suppressed):
        return record, literal(False)
    same = suppressed.c.equivalence_id == record.c.equivalence_id
    return record.join(suppressed, same, isouter=True), suppressed.c.equivalence_id.is_not(None)


def _ground_labels(tables: Tables) -> Query:
    """Write every combination as it was read, and one as the roots: ``combination_id, label_1 ..``."""
    combination = tables.combinations
    joined: FromClause = combination
    labels: list[ColumnElement[Any]] = []
    roots: list[ColumnElement[Any]] = []
    for number, one in enumerate(tables.quasi_identifiers, start=1):
        value = one.ground.alias()
        joined = joined.join(value, value.c.level_0 == combination.c[f"interval_{number}"])
        labels.append(value.c.label.label(f"label_{number}"))
        roots.append(_label_of(one.intervals, one.root).label(f"label_{number}"))
    hidden = select(cast(literal(_HIDDEN), Integer).label("combination_id"), *roots)
    return select(union_all(select(combination.c.combination_id, *labels).select_from(joined), hidden).subquery())


def _label_of(intervals: Table, interval_id: int) -> ColumnElement[Any]:
    return select(any_value(intervals.c.label)).where(intervals.c.interval_id == interval_id).scalar_subquery()
