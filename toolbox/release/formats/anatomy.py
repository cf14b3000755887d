"""anatomy: values as they are, in two tables that only the class connects."""

from __future__ import annotations

from itertools import chain, count
from typing import Any, NamedTuple

from sqlalchemy import FromClause, Integer, String, and_, case, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.queries.dialect import FEW_IN_GROUP, Query, Table, choose_any_value, join_block_secrets, make_block_keys
from toolbox.release.files.part import Notation, Part, prepare_shared_texts, restore_texts
from toolbox.store.input.layout import Layout
from toolbox.store.tables import Tables
from toolbox.treatments.treatment import ReleasedColumn

_HIDDEN = -1
"""Stands for the combination of a suppressed record."""


def build_anatomy(tables: Tables, layout: Layout, config: Config, notation: Notation | None = None) -> list[Part]:
    """Return the table of the original quasi-identifiers and that of all other columns.

    Both are ordered by class and shuffled within, each in its own way, so that they cannot be joined by line. A seed
    makes the order reproducible, and thereby the lines joinable by whoever knows it. A suppressed record shows its
    roots here too; its original values beside a class of its own would undo suppression. Only a release in
    compatibility with 2010 shows them.

    References
    ----------
    Xiao and Tao (2006). Anatomy: simple and effective privacy preservation. VLDB, 139-150.
    """
    records = _create_records(tables)
    group = next(name for name in chain(["group"], map("group_{}".format, count(2))) if name not in layout.names)
    return [
        _build_quasi_identifier_table(tables, layout, config, notation, records, group),
        _build_passing_table(tables, layout, config, notation, records, group),
    ]


class _Records(NamedTuple):
    """The records, joined to the suppressed classes if there are any."""

    record: FromClause
    joined: FromClause
    is_hidden: ColumnElement[bool]
    """Whether a record is in a suppressed class."""

    @property
    def group(self) -> ColumnElement[int]:
        """The number of the class."""
        return self.record.c.equivalence_id

    def kept(self, rows: Query, config: Config) -> Query:
        """Return rows without the suppressed records, if the configuration drops them."""
        return rows.where(~self.is_hidden) if config.output.suppressed == "drop" else rows


def _create_records(tables: Tables) -> _Records:
    record, equivalence = tables.anon_record.alias("record"), tables.equivalence
    suppressed = tables.store.create("suppressed", select(equivalence.c.equivalence_id).where(equivalence.c.suppressed))
    if not tables.store.count(suppressed):
        return _Records(record, record, literal(False))
    same = suppressed.c.equivalence_id == record.c.equivalence_id
    return _Records(record, record.join(suppressed, same, isouter=True), suppressed.c.equivalence_id.is_not(None))


def _build_quasi_identifier_table(
    tables: Tables, layout: Layout, config: Config, notation: Notation | None, records: _Records, group: str
) -> Part:
    """Return the table of the quasi-identifiers; ``group`` is the header of its last column."""
    labels = [f"label_{index}" for index, _ in enumerate(tables.quasi_identifiers, start=1)]
    pieces = [labels] if notation else [[label] for label in labels]
    ground = prepare_shared_texts(
        tables.store, _create_ground_labels(tables), pieces, notation, records=tables.record_count
    )
    combination = records.record.c.combination_id
    shows_suppressed = config.compatibility.shows_suppressed
    shows = combination if shows_suppressed else case((records.is_hidden, literal(_HIDDEN)), else_=combination)
    joined = records.joined.join(ground, ground.c.combination_id == shows)
    values = [column for column in ground.c if column.name != "combination_id"]
    rows = records.kept(
        _order_by_group(tables, records, joined, config.seed, "QIT", select(*values, records.group)), config
    )
    headers = [layout.names[attribute.position] for attribute in tables.quasi_identifiers]
    above = [headers] if notation else [[header] for header in headers]
    texts = _create_texts(tables, shows_suppressed=shows_suppressed)
    return Part(
        suffix=config.output.format.suffixes[0],
        headers=(*headers, group),
        # Without a notation all become texts: an enumeration would hold also what suppressed records hide.
        rows=restore_texts(rows, notation, [*above, [group]], range(len(pieces) + 1) if notation else ()),
        texts=dict(zip(headers, texts, strict=True)),
        notation=notation,
    )


def _build_passing_table(
    tables: Tables, layout: Layout, config: Config, notation: Notation | None, records: _Records, group: str
) -> Part:
    """Return the table of all columns that pass through; ``group`` is the header of its first column."""
    columns = (ReleasedColumn(group, text="equivalence_id"), *layout.treated.values())
    values = [column.select_from_records(records.record) for column in columns if column.is_of_record]
    rows = _order_by_group(
        tables, records, records.joined, config.seed, "ST", select(records.group.label("h0"), *values)
    )
    headers = tuple(column.header for column in columns)
    above = [[header] for header in headers]
    return Part(
        suffix=config.output.format.suffixes[1],
        headers=headers,
        rows=restore_texts(records.kept(rows, config), notation, above, [0] if notation else ()),
        columns=columns,
        notation=notation,
    )


def _order_by_group(
    tables: Tables, records: _Records, joined: FromClause, seed: int | None, purpose: str, shown: Query
) -> Query:
    """Order what is shown of records by their groups, and at random within."""
    keys = tables.store.create("turns", make_block_keys(tables.record_count, seed, purpose))
    largest = tables.store.scalar(select(func.max(tables.equivalence.c.size)))
    joined, turns = join_block_secrets(joined, records.record, keys, seed, in_groups=largest <= FEW_IN_GROUP)
    return shown.select_from(joined).order_by(records.group, *turns)


def _create_texts(tables: Tables, *, shows_suppressed: bool) -> list[Query]:
    """Return, for each quasi-identifier, its texts and how many records show each: ``size, suppressed, text``."""
    equivalence, combination = tables.equivalence, tables.combinations
    placed = tables.placed().subquery()
    hides = tables.store.scalar(select(func.count()).where(equivalence.c.suppressed)) > 0
    texts = []
    for index, attribute in enumerate(tables.quasi_identifiers, start=1):
        value = attribute.ground.alias()
        same = value.c.level_0 == combination.c[f"interval_{index}"]
        if not hides:
            rows = select(combination.c.size, literal(False).label("suppressed"), value.c.label.label("text"))
            texts.append(rows.join_from(combination, value, same))
            continue
        root = cast(_label_of(attribute.intervals, attribute.root), String)
        is_hidden = and_(equivalence.c.suppressed, literal(not shows_suppressed))
        text = case((is_hidden, root), else_=value.c.label)
        joined = placed.join(combination, combination.c.combination_id == placed.c.combination_id).join(value, same)
        joined = joined.join(equivalence, equivalence.c.equivalence_id == placed.c.equivalence_id)
        texts.append(select(placed.c.size, equivalence.c.suppressed, text.label("text")).select_from(joined))
    return texts


def _create_ground_labels(tables: Tables) -> Query:
    """Write every combination as it was read, and one as the roots: ``combination_id, label_1 ..``."""
    combination = tables.combinations
    joined: FromClause = combination
    labels: list[ColumnElement[Any]] = []
    roots: list[ColumnElement[Any]] = []
    for index, attribute in enumerate(tables.quasi_identifiers, start=1):
        value = attribute.ground.alias()
        joined = joined.join(value, value.c.level_0 == combination.c[f"interval_{index}"])
        labels.append(value.c.label.label(f"label_{index}"))
        roots.append(_label_of(attribute.intervals, attribute.root).label(f"label_{index}"))
    hidden = select(cast(literal(_HIDDEN), Integer).label("combination_id"), *roots)
    return select(union_all(select(combination.c.combination_id, *labels).select_from(joined), hidden).subquery())


def _label_of(intervals: Table, interval_id: int) -> ColumnElement[Any]:
    return select(choose_any_value(intervals.c.label)).where(intervals.c.interval_id == interval_id).scalar_subquery()
