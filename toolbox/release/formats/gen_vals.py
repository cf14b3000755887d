"""The formats that put all columns into one table, as queries over the finished tables; nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from sqlalchemy import Table, select

from toolbox.config.model import Output
from toolbox.queries.labels import class_labels
from toolbox.queries.query import Query
from toolbox.queries.shuffle import block_keys, block_of, turn
from toolbox.release.notation import Notation
from toolbox.release.original_order import original_turns
from toolbox.release.part import Part, released, shown
from toolbox.release.statistics import class_statistics
from toolbox.store.layout import Layout
from toolbox.store.tables import ClassedRecords, Tables

_SLICE = 2_000_000
"""Fewest records that are sorted at once."""
_RECORDS_PER_JOINED = 16
"""Fewest records of a slice for each row that it is joined to, because every slice hashes these rows anew."""


def general_values(
    tables: Tables, layout: Layout, output: Output, notation: Notation | None = None, *, seed: int | None = None
) -> list[Part]:
    """genVals: the input with every quasi-identifier replaced by its generalised value.

    Parameters
    ----------
    seed : int, optional
        Makes a random order reproducible; None: from the operating system.
    """
    return [_records(tables, layout, output, notation, _labels(tables), shows=("label",), seed=seed)]


def general_values_with_statistics(
    tables: Tables, layout: Layout, output: Output, notation: Notation | None = None, *, k: int, seed: int | None = None
) -> list[Part]:
    """genValsDist: genVals with the statistics of the class behind each quasi-identifier.

    Parameters
    ----------
    k : int
        Statistics of suppressed records are left empty when there are fewer: they would tell their very values.
    seed : int, optional
        As in `general_values`.

    References
    ----------
    Inan, Kantarcioglu and Bertino (2009). Using anonymized data for classification. doi:10.1109/ICDE.2009.19
    """
    rounds_for = k if output.statistics == "rounded" else None
    described = class_statistics(tables, least_suppressed=k, rounds_for=rounds_for)
    texts = _beside_labels(tables, described.table)
    part = _records(tables, layout, output, notation, texts, shows=("label", "statistics"), seed=seed)
    return [replace(part, solved=described.solved)]


def statistics_for_values(
    tables: Tables,
    layout: Layout,
    output: Output,
    notation: Notation | None = None,
    *,
    stepwise: bool,
    seed: int | None = None,
) -> list[Part]:
    """Statistics of the class in the place of each quasi-identifier, as genValsDist of the toolbox of 2010 had them.

    Parameters
    ----------
    stepwise : bool
        Whether whole columns were generalised step by step, on which the last digits depend.
    seed : int, optional
        As in `general_values`.
    """
    turns = original_turns(tables, stepwise=stepwise)
    texts = _beside_labels(tables, class_statistics(tables, least_suppressed=0, turns=turns).table)
    tables.store.drop(turns)
    return [_records(tables, layout, output, notation, texts, shows=("statistics",), seed=seed)]


class _Cell(NamedTuple):
    """One column of the release."""

    header: str
    passed: int | None
    """The column of the input that it shows as it was read."""
    text: str
    """The text of the class that it shows otherwise."""


def _records(
    tables: Tables,
    layout: Layout,
    output: Output,
    notation: Notation | None,
    texts: Query,
    *,
    shows: Sequence[str],
    seed: int | None,
) -> Part:
    """Put the records into one table.

    Parameters
    ----------
    texts : Select
        ``equivalence_id, suppressed`` and what is shown of each class, as ``label_1 ..`` or ``statistics_1 ..``.
    shows : sequence of {'label', 'statistics'}
        What takes the place of a quasi-identifier, and what stands behind it.
    """
    cells = _cells(tables, layout, shows)
    pieces = _pieces(cells, notation)
    of_classes = [[cell.text for cell in piece] for piece in pieces if piece[0].passed is None]
    names = ["equivalence_id", "suppressed", *(name for piece in of_classes for name in piece)]
    needed = texts.with_only_columns(*(texts.selected_columns[name] for name in names), maintain_column_froms=True)
    count = tables.record_count
    records = tables.records_with(shown(tables.store, needed, of_classes, notation, records=count))
    of_class = (one for one in records.classes.c if one.name.startswith("piece_"))
    columns = [
        next(of_class) if piece[0].passed is None else records.record.c[f"c{piece[0].passed}"] for piece in pieces
    ]
    rows = select(*(column.label(f"h{number}") for number, column in enumerate(columns)))
    if output.suppressed == "drop":
        rows = rows.where(~records.classes.c.suppressed)
    ready = {place for place, piece in enumerate(pieces) if piece[0].passed is None}
    ordered = _ordered(tables, rows, records, output, seed)
    slices = _slices(tables, ordered, records) if notation and output.order == "input" else []
    finished = released(ordered, notation, ready)
    return Part(
        suffix="",
        headers=tuple(cell.header for cell in cells),
        rows=_sorted(finished) if _is_sorted_here(output) else finished,
        passed_through=tuple(cell.passed for cell in cells),
        texts=_class_texts(tables, cells, texts),
        notation=notation,
        slices=tuple(released(one, notation, ready) for one in slices) if len(slices) > 1 else (),
    )


def _ordered(tables: Tables, rows: Query, records: ClassedRecords, output: Output, seed: int | None) -> Query:
    """Put records into the order of the input, or into a random one; those of a file that is sorted have none yet."""
    if output.order == "input":
        return rows.select_from(records.joined).order_by(records.record.c.record_id)
    if _is_sorted_here(output):
        return rows.select_from(records.joined)
    keys = tables.store.create("turns", block_keys(tables.record_count, seed))
    joined = records.joined.join(keys, keys.c.block == block_of(records.record))
    return rows.select_from(joined).order_by(turn(records.record, keys))


def _is_sorted_here(output: Output) -> bool:
    """Tell whether the engine sorts records by what they show; it does not know all columns of a caller's table."""
    return output.order == "sorted" and output.path is not None


def _sorted(rows: Query) -> Query:
    """Sort records by all that they show, from left to right."""
    given = rows.subquery().c
    return select(*given).order_by(*given)


def _slices(tables: Tables, ordered: Query, records: ClassedRecords) -> list[Query]:
    number = records.record.c.record_id
    return [ordered.where(number >= first, number < last) for first, last in pairwise(_bounds(tables))]


def _class_texts(tables: Tables, cells: Sequence[_Cell], texts: Query) -> dict[str, Query]:
    """Put beside each text of a class how many records show it: of labels the few texts that they are."""
    equivalence, found = tables.equivalence, {}
    given = texts.subquery()
    for cell in cells:
        what, _, number = cell.text.partition("_")
        if what == "label":
            named = tables.quasi_identifiers[int(number) - 1].intervals
            same = named.c.interval_id == equivalence.c[f"interval_{number}"]
            rows = select(equivalence.c.size, equivalence.c.suppressed, named.c.label.label("text"))
            found[cell.header] = rows.join_from(equivalence, named, same)
        elif what:
            same = given.c.equivalence_id == equivalence.c.equivalence_id
            rows = select(equivalence.c.size, equivalence.c.suppressed, given.c[cell.text].label("text"))
            found[cell.header] = rows.join_from(equivalence, given, same)
    return found


def _bounds(tables: Tables) -> list[int]:
    """Divide the records into slices, which are large beside the classes that each of them is joined to."""
    joined = tables.store.count(tables.equivalence if tables.keys is None else tables.keys)
    size = max(_SLICE, _RECORDS_PER_JOINED * joined)
    return [*range(0, tables.record_count, size), tables.record_count]


def _cells(tables: Tables, layout: Layout, shows: Sequence[str]) -> list[_Cell]:
    """List the columns of the release in the order of the input."""
    numbers = {one.position: number for number, one in enumerate(tables.quasi_identifiers, start=1)}
    cells = []
    for position in layout.released:
        name, number = layout.names[position], numbers.get(position)
        if number is None:
            cells.append(_Cell(name, position, ""))
            continue
        for place, what in enumerate(shows):
            header = f"{name}_{_statistics_name(tables, number)}" if place else name
            cells.append(_Cell(header, None, f"{what}_{number}"))
    return cells


def _pieces(cells: Sequence[_Cell], notation: Notation | None) -> list[list[_Cell]]:
    """Put columns of the class together where they stand side by side and are written out."""
    if notation is None:
        return [[cell] for cell in cells]
    pieces = []
    for is_passed, neighbours in groupby(cells, key=lambda cell: cell.passed is not None):
        run = list(neighbours)
        pieces += [[cell] for cell in run] if is_passed else [run]
    return pieces


def _statistics_name(tables: Tables, number: int) -> str:
    return "mean:variance" if tables.quasi_identifiers[number - 1].kind == "number" else "distribution"


def _labels(tables: Tables) -> Query:
    return class_labels(tables.equivalence, [one.intervals for one in tables.quasi_identifiers])


def _beside_labels(tables: Tables, statistics: Table) -> Query:
    """Put the statistics of each class beside its labels."""
    labels = _labels(tables).subquery()
    others = [column for column in statistics.c if column.name != "equivalence_id"]
    same = statistics.c.equivalence_id == labels.c.equivalence_id
    return select(*labels.c, *others).join_from(labels, statistics, same)
