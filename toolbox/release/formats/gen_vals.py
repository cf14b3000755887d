"""genVals: the input with every quasi-identifier replaced by its generalised value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, FromClause, select

from toolbox.config.model import Config, Output
from toolbox.queries.dialect import Query, Table, join_block_secrets, make_block_keys
from toolbox.queries.labels import build_class_labels
from toolbox.release.files.part import (
    Notation,
    Part,
    decode_enumerations,
    join_record_pieces,
    prepare_shared_texts,
    restore_texts,
)
from toolbox.store.input.layout import Layout
from toolbox.store.tables import QuasiIdentifierTables, Tables
from toolbox.treatments.treatment import ReleasedColumn

# What the formats of a single table have in common: its records, as queries over the finished tables.

Shown = Literal["label", "statistics"]

_SLICE = 2_000_000
"""Fewest records that are sorted at once."""
_RECORDS_PER_JOINED = 16
"""Fewest records of a slice for each row that it is joined to, because every slice hashes these rows anew."""


class _ClassedRecords(NamedTuple):
    """The records, joined to the rows of their classes."""

    record: FromClause
    """``record_id, c<position> ..``."""
    classes: FromClause
    """The row of the class."""
    joined: FromClause
    """Both. A join loses the order of the records: order what is to be in order by ``record_id``."""


def build_records_part(
    tables: Tables, layout: Layout, config: Config, notation: Notation | None, texts: Query, *, shows: Sequence[Shown]
) -> Part:
    """Return the only table of a release.

    Parameters
    ----------
    notation : Notation, optional
        That of delimited text; None: the columns stay apart.
    texts : Select
        ``equivalence_id, suppressed`` and what is shown of each class, as ``label_1 ..`` or ``statistics_1 ..``.
    shows : sequence of {'label', 'statistics'}
        What takes the place of a quasi-identifier, and what stands behind it.
    """
    output = config.output
    shown = list_released_columns(layout, tables.quasi_identifiers, shows)
    pieces = _collect_pieces(shown, notation)
    of_classes = [[str(column.text) for column in piece] for piece in pieces if not piece[0].is_of_record]
    names = ["equivalence_id", "suppressed", *(name for piece in of_classes for name in piece)]
    needed = texts.with_only_columns(*(texts.selected_columns[name] for name in names), maintain_column_froms=True)
    if output.suppressed == "drop":
        # What no record shows must not be among the texts of a file either.
        needed = needed.where(~needed.selected_columns.suppressed)
    classes = prepare_shared_texts(tables.store, needed, of_classes, notation, records=tables.record_count)
    records = _join_classes(tables, classes, _select_records(tables, config))
    of_class = (column for column in records.classes.c if column.name.startswith("piece_"))
    columns = [
        piece[0].select_from_records(records.record) if piece[0].is_of_record else next(of_class) for piece in pieces
    ]
    rows = select(*(column.label(f"h{index}") for index, column in enumerate(columns)))
    if output.suppressed == "drop":
        rows = rows.where(~records.classes.c.suppressed)
    ready = {position for position, piece in enumerate(pieces) if not piece[0].is_of_record}
    ordered = _order_records(tables, rows, records, config)
    slices = _cut_slices(tables, ordered, records) if notation and output.order == "input" else []
    headers = [[column.header for column in piece] for piece in pieces]
    finished = restore_texts(ordered, notation, headers, ready)
    return Part(
        suffix="",
        headers=tuple(column.header for column in shown),
        rows=_sort_records(finished, notation) if _is_sorted_here(output) else finished,
        is_sorted=not _is_shuffled_first(config),
        columns=shown,
        texts=_create_class_texts(tables, shown, texts),
        notation=notation,
        slices=tuple(restore_texts(part, notation, headers, ready) for part in slices) if len(slices) > 1 else (),
    )


def _join_classes(tables: Tables, classes: Table, records: FromClause) -> _ClassedRecords:
    """Join every record to the row of its class.

    Where the class follows from the key, the two small tables are joined first, so that a record meets one of them,
    not two; unless there are so many keys that their classes are better not written out for each.

    Parameters
    ----------
    classes : Table
        ``equivalence_id`` and other columns, one row per class.
    records : FromClause
        The columns of `Tables.kept_records` by which the class is found, and others.
    """
    keys = tables.keys
    if keys is None:
        joined = records.join(classes, classes.c.equivalence_id == records.c.equivalence_id)
        return _ClassedRecords(records, classes, joined)
    same = keys.c.equivalence_id == classes.c.equivalence_id
    if tables.hardly_shares_keys:
        return _ClassedRecords(records, classes, records.join(keys, keys.c.key == records.c.key).join(classes, same))
    merged = tables.store.create("classes", select(keys.c.key, *classes.c).join_from(keys, classes, same))
    return _ClassedRecords(records, merged, records.join(merged, merged.c.key == records.c.key))


def _select_records(tables: Tables, config: Config) -> FromClause:
    """Return the records, shuffled already if no order is to be kept."""
    records = tables.kept_records
    if not _is_shuffled_first(config):
        return records
    # A sort of records that show nothing yet moves a few bytes of each. The join that follows may change their order
    # again, but into none that tells more of that of the input.
    joined, turns = _assign_turns(tables, records, records, config)
    return select(*records.c).select_from(joined).order_by(*turns).subquery("shuffled")


def _order_records(tables: Tables, rows: Query, records: _ClassedRecords, config: Config) -> Query:
    """Sort records as in the input, or shuffle them as the seed says. Others have their order, or will be sorted."""
    if config.output.order == "input":
        return rows.select_from(records.joined).order_by(records.record.c.record_id)
    if _is_sorted_here(config.output) or _is_shuffled_first(config):
        return rows.select_from(records.joined)
    joined, turns = _assign_turns(tables, records.joined, records.record, config)
    return rows.select_from(joined).order_by(*turns)


def _assign_turns(
    tables: Tables, joined: FromClause, record: FromClause, config: Config
) -> tuple[FromClause, Sequence[ColumnElement[int]]]:
    keys = tables.store.create("turns", make_block_keys(tables.record_count, config.seed, "order"))
    return join_block_secrets(joined, record, keys, config.seed)


def _is_shuffled_first(config: Config) -> bool:
    """Return whether records are shuffled before anything is joined to them: nobody asks for the same order again."""
    return config.seed is None and config.output.order != "input" and not _is_sorted_here(config.output)


def _is_sorted_here(output: Output) -> bool:
    """Return whether the engine sorts records by what they show; it does not know all columns of a caller's table."""
    return output.order == "sorted" and output.path is not None


def _sort_records(rows: Query, notation: Notation | None) -> Query:
    """Sort records by all shown values, from left to right; in a notation, as lines."""
    columns = (join_record_pieces(notation, rows) if notation else rows).subquery().c
    # Enumerations have an order of their own.
    return select(*columns).order_by(*decode_enumerations(columns))


def _cut_slices(tables: Tables, ordered: Query, records: _ClassedRecords) -> list[Query]:
    record_id = records.record.c.record_id
    return [ordered.where(record_id >= first, record_id < last) for first, last in pairwise(_find_slice_bounds(tables))]


def _create_class_texts(tables: Tables, columns: Sequence[ReleasedColumn], texts: Query) -> dict[str, Query]:
    """Return the texts of each column that belongs to the class: ``size, suppressed, text``."""
    equivalence, texts_of = tables.equivalence, {}
    texts_table = texts.subquery()
    for column in columns:
        what, _, index = (column.text or "").partition("_")
        if what == "label":
            named = tables.quasi_identifiers[int(index) - 1].intervals
            same = named.c.interval_id == equivalence.c[f"interval_{index}"]
            rows = select(equivalence.c.size, equivalence.c.suppressed, named.c.label.label("text"))
            texts_of[column.header] = rows.join_from(equivalence, named, same)
        elif what:
            same = texts_table.c.equivalence_id == equivalence.c.equivalence_id
            rows = select(equivalence.c.size, equivalence.c.suppressed, texts_table.c[str(column.text)].label("text"))
            texts_of[column.header] = rows.join_from(equivalence, texts_table, same)
    return texts_of


def _find_slice_bounds(tables: Tables) -> list[int]:
    """Divide the records into slices, which are large beside the classes that each of them is joined to."""
    joined = tables.store.count(tables.equivalence if tables.keys is None else tables.keys)
    size = max(_SLICE, _RECORDS_PER_JOINED * joined)
    return [*range(0, tables.record_count, size), tables.record_count]


def list_released_columns(
    layout: Layout, quasi_identifiers: Sequence[QuasiIdentifierTables], shows: Sequence[Shown]
) -> tuple[ReleasedColumn, ...]:
    """List the columns of the only table of a release, in the order of the input."""
    numbers = {position: number for number, position in enumerate(layout.quasi_identifiers, start=1)}
    treated, columns = layout.treated, list[ReleasedColumn]()
    for position in layout.released:
        if position in treated:
            columns.append(treated[position])
            continue
        name, number = layout.names[position], numbers[position]
        for index, what in enumerate(shows):
            header = format_statistics_header(name, quasi_identifiers[number - 1]) if index else name
            columns.append(ReleasedColumn(header, text=f"{what}_{number}"))
    return tuple(columns)


def _collect_pieces(columns: Sequence[ReleasedColumn], notation: Notation | None) -> list[list[ReleasedColumn]]:
    """Group the columns of the class that stand side by side, where they are written out."""
    if notation is None:
        return [[column] for column in columns]
    pieces = []
    for is_of_record, neighbours in groupby(columns, key=lambda column: column.is_of_record):
        run = list(neighbours)
        pieces += [[column] for column in run] if is_of_record else [run]
    return pieces


def format_statistics_header(name: str, quasi_identifier: QuasiIdentifierTables) -> str:
    """Return what the column with the statistics of a quasi-identifier of this name is called."""
    return f"{name}_{'mean:variance' if quasi_identifier.kind == 'number' else 'distribution'}"


def create_class_labels(tables: Tables) -> Query:
    """Return the generalised values of each class: ``equivalence_id, suppressed, label_1 ..``."""
    return build_class_labels(tables.equivalence, [attribute.intervals for attribute in tables.quasi_identifiers])


# genVals: the input with every quasi-identifier replaced by its generalised value.


def build_general_values(
    tables: Tables, layout: Layout, config: Config, notation: Notation | None = None
) -> list[Part]:
    """Return the only table of the format."""
    return [build_records_part(tables, layout, config, notation, create_class_labels(tables), shows=("label",))]
