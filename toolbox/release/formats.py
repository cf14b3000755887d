"""The three output formats as queries over the finished tables; nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count

from sqlalchemy import FromClause, String, Table, case, cast, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Output
from toolbox.queries.labels import class_labels
from toolbox.queries.query import Query
from toolbox.queries.shuffle import shuffled
from toolbox.release.original_order import original_turns
from toolbox.release.statistics import class_statistics
from toolbox.store.layout import Layout
from toolbox.store.statements import Enumeration
from toolbox.store.tables import Tables


@dataclass(frozen=True, kw_only=True)
class Part:
    """One file of a release."""

    suffix: str
    """What is put behind the stem of the file name; empty for the only file of a release."""
    headers: tuple[str, ...]
    rows: Query
    """One column for each header, in release order."""
    passed_through: tuple[int | None, ...] = ()
    """For each column, the column of the input whose values it shows as they were read, or None; empty if none does."""


def general_values(tables: Tables, layout: Layout, output: Output) -> list[Part]:
    """genVals: the input with every quasi-identifier replaced by its generalised value, in the order of the input."""
    return [_records(tables, layout, output, _labels(tables), shown=("label",))]


def general_values_with_statistics(tables: Tables, layout: Layout, output: Output, *, k: int) -> list[Part]:
    """genValsDist: genVals with the statistics of the class behind each quasi-identifier.

    Parameters
    ----------
    k : int
        Statistics of suppressed records are left empty when there are fewer: they would tell their very values.

    References
    ----------
    Inan, Kantarcioglu and Bertino (2009). Using anonymized data for classification. doi:10.1109/ICDE.2009.19
    """
    classes = _described_classes(tables, class_statistics(tables, least_suppressed=k))
    return [_records(tables, layout, output, classes, shown=("label", "statistics"))]


def statistics_for_values(tables: Tables, layout: Layout, output: Output, *, stepwise: bool) -> list[Part]:
    """Statistics of the class in the place of each quasi-identifier, as genValsDist of the toolbox of 2010 had them.

    Parameters
    ----------
    stepwise : bool
        Whether whole columns were generalised step by step, on which the last digits depend.
    """
    turns = original_turns(tables, stepwise=stepwise)
    classes = _described_classes(tables, class_statistics(tables, least_suppressed=0, turns=turns))
    tables.store.drop(turns)
    return [_records(tables, layout, output, classes, shown=("statistics",))]


def _records(tables: Tables, layout: Layout, output: Output, classes: Table, *, shown: Sequence[str]) -> Part:
    """Put the records into one table.

    Parameters
    ----------
    classes : Table
        ``equivalence_id, suppressed`` and what is shown of each class, as ``label_1 ..`` or ``statistics_1 ..``.
    shown : sequence of {'label', 'statistics'}
        What takes the place of a quasi-identifier, and what stands behind it.
    """
    records = tables.records_with(classes)
    numbers = {one.position: number for number, one in enumerate(tables.quasi_identifiers, start=1)}
    headers: list[str] = []
    passed: list[int | None] = []
    columns: list[ColumnElement[object]] = []
    for position in layout.released:
        name, number = layout.names[position], numbers.get(position)
        if number is None:
            headers.append(name)
            passed.append(position)
            columns.append(records.record.c[f"c{position}"])
            continue
        for place, what in enumerate(shown):
            headers.append(f"{name}_{_statistics_name(tables, number)}" if place else name)
            passed.append(None)
            columns.append(records.classes.c[f"{what}_{number}"])
    coded = select(*(column.label(f"h{number}") for number, column in enumerate(columns)))
    coded = coded.select_from(records.joined).order_by(records.record.c.record_id)
    if output.suppressed == "drop":
        coded = coded.where(~records.classes.c.suppressed)
    return Part(suffix="", headers=tuple(headers), rows=_as_text(coded), passed_through=tuple(passed))


def _as_text(coded: Query) -> Query:
    """Turn enumerations into their texts, behind the sort that moved them as numbers."""
    given = coded.subquery()
    return select(*(cast(one, String) if isinstance(one.type, Enumeration) else one for one in given.c))


def _described_classes(tables: Tables, described: Table) -> Table:
    """Put the statistics of each class beside its labels."""
    labels = _labels(tables)
    statistics = [column for column in described.c if column.name != "equivalence_id"]
    same = described.c.equivalence_id == labels.c.equivalence_id
    rows = select(*labels.c, *statistics).join_from(labels, described, same)
    joined = tables.store.create("described", rows)
    return tables.store.enumerated(joined, [one.name for one in statistics])


def _statistics_name(tables: Tables, number: int) -> str:
    return "mean:variance" if tables.quasi_identifiers[number - 1].kind == "number" else "distribution"


def anatomy(
    tables: Tables, layout: Layout, output: Output, *, seed: int | None, shows_suppressed: bool = False
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
    records = tables.records_with(_labels(tables))
    record, group = records.record, records.classes.c.equivalence_id
    others = [record.c[f"c{position}"] for position in layout.passed_through]
    names = [layout.names[position] for position in layout.passed_through]
    st = select(group, *others).select_from(records.joined).order_by(group, shuffled(record, seed, "ST"))

    ground = _ground_labels(tables)
    hidden = literal(False) if shows_suppressed else records.classes.c.suppressed
    shown = [
        case(
            (hidden, cast(records.classes.c[f"label_{number}"], String)),
            else_=ground.c[f"label_{number}"],
        )
        for number, _ in enumerate(tables.quasi_identifiers, start=1)
    ]
    joined = records.joined.join(ground, ground.c.combination_id == records.combination_id)
    qit = select(*shown, group).select_from(joined).order_by(group, shuffled(record, seed, "QIT"))
    if output.suppressed == "drop":
        qit, st = (rows.where(~records.classes.c.suppressed) for rows in (qit, st))
    quasi_identifiers = [layout.names[one.position] for one in tables.quasi_identifiers]
    group_name = next(name for name in chain(["group"], map("group_{}".format, count(2))) if name not in layout.names)
    return [
        Part(suffix="_QIT", headers=(*quasi_identifiers, group_name), rows=qit),
        Part(suffix="_ST", headers=(group_name, *names), rows=st, passed_through=(None, *layout.passed_through)),
    ]


def _labels(tables: Tables) -> Table:
    labels = class_labels(tables.equivalence, [one.intervals for one in tables.quasi_identifiers])
    texts = tables.store.create("labels", labels)
    return tables.store.enumerated(texts, [column.name for column in texts.c if column.name.startswith("label_")])


def _ground_labels(tables: Tables) -> Table:
    """Write every combination as it was read: ``combination_id, label_1 ..``."""
    combination = tables.combinations
    joined: FromClause = combination
    labels = []
    for number, one in enumerate(tables.quasi_identifiers, start=1):
        value = one.ground.alias()
        joined = joined.join(value, value.c.level_0 == combination.c[f"interval_{number}"])
        labels.append(value.c.label.label(f"label_{number}"))
    return tables.store.create("ground_labels", select(combination.c.combination_id, *labels).select_from(joined))
