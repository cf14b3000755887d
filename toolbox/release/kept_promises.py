"""What is counted of the cells of a release: formulas, and what the treatments of its columns have promised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    String,
    case,
    cast,
    exists,
    func,
    literal,
    select,
    union_all,
)

from toolbox.config.file_names import has_types
from toolbox.config.model import Config, Input
from toolbox.errors import ProofError, quote
from toolbox.messages import format_count
from toolbox.queries.cells import is_formula, match_formula, remove_escape
from toolbox.queries.dialect import Query, Table, count_where, list_cells
from toolbox.release.files.part import Part, decode_enumerations
from toolbox.release.release import Written
from toolbox.release.returned import ReleasedPart
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import Layout
from toolbox.store.input.source import column_text, open_arrow_source
from toolbox.store.tables import Tables
from toolbox.treatments.treatment import ESCAPE, PERSON_KEY, ReleasedColumn, Treatment

# How many cells a spreadsheet would run as formulas, counted on distinct values where possible.

_SIDE_BY_SIDE = 50
"""Columns that are counted in an expression each. The time to plan a statement grows with the square of these, so that
the cells of more columns are looked at one below the other."""


class Formulas(NamedTuple):
    """The formulas of one released column."""

    column: str
    cells: int
    """Cells that a spreadsheet would run."""
    header: bool
    """Whether it would run the name of the column too."""


def find_formula_columns(config: Config, tables: Tables, layout: Layout, parts: Iterable[Part]) -> tuple[Formulas, ...]:
    """List the columns with formulas of a release of delimited text, in their order."""
    if not _is_text(config):
        return ()
    passed = _count_passing_formulas(config, tables, layout)
    columns = []
    for part in parts:
        of_classes = _count_class_formulas(config, tables, part)
        for column in part.shown:
            header, position = column.header, column.position
            cells = of_classes.get(header, 0) if position is None else passed.get(position, 0)
            formulas = Formulas(_name_column(header, layout), cells, layout.has_header and is_formula(header))
            if formulas.cells or formulas.header:
                columns.append(formulas)
    return tuple(columns)


def _name_column(header: str, layout: Layout) -> str:
    """Return the name of a column, or its number if it has none: a name that we make up is in no file of the user."""
    return header if layout.has_header else re.sub(r"^column_(\d+)$", r"column \1", header)


def _count_class_formulas(config: Config, tables: Tables, part: Part) -> dict[str, int]:
    """Count the formulas in each column that belongs to the class."""
    headers = list(part.texts)
    counts = []
    for number, header in enumerate(headers):
        texts = part.texts[header].subquery()
        cells = func.coalesce(func.sum(cast(texts.c.size, BigInteger)), 0)
        rows = select(literal(number), cells).where(match_formula(texts.c.text))
        counts.append(rows.where(~texts.c.suppressed) if config.output.suppressed == "drop" else rows)
    if not counts:
        return {}
    return {headers[number]: int(cells) for number, cells in tables.store.rows(select(union_all(*counts).subquery()))}


def _count_passing_formulas(config: Config, tables: Tables, layout: Layout) -> dict[int | None, int]:
    """Count the formulas in each column that passes through, in one pass over the records."""
    columns = list(layout.treated.values())
    counts = _count_formulas(tables, columns, drops=False)
    if config.output.suppressed == "drop" and any(counts.values()):
        # Only now does it matter which records stay.
        columns = [column for column in columns if counts.get(column.position)]
        counts = _count_formulas(tables, columns, drops=True)
    return counts


def _count_formulas(tables: Tables, columns: Sequence[ReleasedColumn], *, drops: bool) -> dict[int | None, int]:
    columns = [column for column in columns if not _is_free_of_formulas(column.treatment)]
    if not columns:
        return {}
    records, rows = _find_released_records(tables, drops=drops)
    treated = [column for column in columns if column.treatment.is_costly and not column.treatment.by_record]
    if treated:
        dear: dict[int | None, int] = {
            column.position: _count_treated_formulas(tables, column, records, rows) for column in treated
        }
        return dear | _count_formulas(tables, [each for each in columns if each not in treated], drops=drops)
    positions = [column.position for column in columns]
    texts = [cast(column.select_from_records(records), String) for column in columns]
    if len(columns) <= _SIDE_BY_SIDE:
        counts = tables.store.row(select(*(count_where(match_formula(text)) for text in texts)).select_from(rows))
        # Of no record at all there is no sum.
        return {position: int(count or 0) for position, count in zip(positions, counts, strict=True)}
    place, text = list_cells(texts)
    cells = select(place.label("place"), text.label("text")).select_from(rows).subquery()
    counted = select(cells.c.place, count_where(match_formula(cells.c.text))).group_by(cells.c.place)
    found = {int(place): int(count) for place, count in tables.store.rows(counted)}
    return {position: found.get(place, 0) for place, position in enumerate(positions)}


def _is_free_of_formulas(treatment: Treatment) -> bool:
    """Return whether nobody need look for formulas: the treatment makes none, and no missing value is one."""
    return treatment.writes_no_formulas and not any(map(is_formula, treatment.facts.missing))


def _count_treated_formulas(tables: Tables, column: ReleasedColumn, records: FromClause, rows: FromClause) -> int:
    """Count the formulas of a column whose values cost much to treat: each different one is treated once."""
    value = column.find_value(records)
    if rows is records and (known := tables.values.get(value.name)) is not None:
        found = select(known.c.value.label(value.name), known.c.size).subquery()
    else:
        found = select(value, func.count().label("size")).select_from(rows).group_by(value).subquery()
    # The engine would treat a value anew wherever the test names it.
    shown = select(cast(column.select_from_records(found), String).label("text"), found.c.size).subquery()
    texts = select(shown.c.text, func.sum(shown.c.size).label("size")).group_by(shown.c.text).subquery()
    return int(tables.store.scalar(select(func.coalesce(func.sum(texts.c.size), 0)).where(match_formula(texts.c.text))))


def _find_released_records(tables: Tables, *, drops: bool) -> tuple[FromClause, FromClause]:
    """Return the records, and the same joined to what leaves the suppressed ones out, if they are dropped."""
    if not drops:
        return tables.kept_records, tables.kept_records
    records, classes = tables.anon_record, tables.equivalence
    is_kept = (classes.c.equivalence_id == records.c.equivalence_id) & ~classes.c.suppressed
    return records, records.join(classes, is_kept)


# The promises of the treatments, counted again on the finished release before anything is placed.


class _Promise(NamedTuple):
    """What is recounted of one column of a part."""

    place: int
    """Of the column in its part."""
    column: ReleasedColumn
    treatment: Treatment
    read: Query
    """``value, size``: what was read, or what the classes show."""


def require_promises(
    config: Config,
    tables: Tables,
    layout: Layout,
    parts: Sequence[Part],
    written: Written,
    returned: Sequence[ReleasedPart],
) -> Mapping[str, Mapping[str, float]]:
    """Stop a release that does not keep what a treatment promises; nothing is asked where all columns pass.

    Parameters
    ----------
    written : Written
        The finished files.
    returned : sequence of ReleasedPart
        The finished tables instead, of a release that is no file.

    Returns
    -------
    mapping
        For each column whose treatment measures what was lost, the figure by its name.

    Raises
    ------
    ProofError
        If a cell of the finished release breaks a promise, or a column is there that is to be left out.
    """
    measured: dict[str, Mapping[str, float]] = {}
    for number, part in enumerate(parts):
        _require_dropped(layout, part)
        promises = _list_promises(config, tables, layout, part)
        if not promises:
            continue
        if returned:
            shown = _show_returned(tables, part, returned[number], promises)
        else:
            files = [finished for finished, final in written.files.items() if final in written.tables[number]]
            shown = _show_files(config, tables, files, promises, has_header=layout.has_header)
        for promise, texts in zip(promises, shown, strict=True):
            with _counted_once(tables, promise, texts) as (read, found):
                figure = _recount(tables, promise, read, found)
            if figure is not None:
                measured[promise.column.header] = {promise.treatment.measures: figure}
    return measured


@contextmanager
def _counted_once(tables: Tables, promise: _Promise, texts: FromClause) -> Iterator[tuple[FromClause, FromClause]]:
    """Hold in tables what costs much to count, as a recount looks at it several times."""
    read = promise.read.subquery()
    if not promise.treatment.is_costly:
        yield read, texts
        return
    held = [tables.store.create(name, select(rows)) for name, rows in (("counted", read), ("found", texts))]
    yield held[0], held[1]
    for table in held:
        tables.store.drop(table)


def _recount(tables: Tables, promise: _Promise, read: FromClause, found: FromClause) -> float | None:
    """Stop if a promise is broken; return the figure of what was lost, if the treatment measures it."""
    treatment, header, store = promise.treatment, promise.column.header, tables.store
    if broken := int(store.scalar(treatment.count_broken(read, found))):
        treatment.require_no_cause(header, read, store.scalar)
    treatment.require_kept(header, broken)
    figure = treatment.measure(read)
    return None if figure is None else float(store.scalar(figure) or 0)


def _require_dropped(layout: Layout, part: Part) -> None:
    for column in part.shown:
        if column.position is not None and not layout.find_treatment_of(column.position).releases:
            raise ProofError(f"The release would show {quote(column.header)}, which is dropped. Nothing was released.")


def _list_promises(config: Config, tables: Tables, layout: Layout, part: Part) -> list[_Promise]:
    """List what is recounted of a part; of escaped texts only in columns that have formulas."""
    drops = config.output.suppressed == "drop"
    promises = []
    for place, column in enumerate(part.shown):
        if column.is_of_record and column.treatment.changes:
            records, rows = _find_released_records(tables, drops=drops)
            read = _read_values(column, records).select_from(rows)
            is_alone = len(read.selected_columns) == 1
            # A value that costs much is treated once; otherwise rows are only counted by what becomes of them.
            values = _count_values(read) if column.treatment.is_costly else _count_each(read)
            known = tables.values.get(f"c{column.position}")
            if known is not None and is_alone and not drops:
                values = select(*decode_enumerations(known.c))
            promises.append(_Promise(place, column, column.treatment, values))
    if not (config.output.escapes_formulas and _is_text(config)):
        return promises
    of_records = _count_passing_formulas(config, tables, layout)
    of_classes = _count_class_formulas(config, tables, part)
    for place, column in enumerate(part.shown):
        if column.is_of_record and of_records.get(column.position):
            records, rows = _find_released_records(tables, drops=drops)
            read = select(column.select_from_records(records).label("value")).select_from(rows)
            promises.append(_Promise(place, column, ESCAPE, _count_values(read)))
        elif not column.is_of_record and of_classes.get(column.header):
            texts = part.texts[column.header].subquery()
            of_class = select(texts.c.text.label("value"), texts.c.size)
            read = of_class.where(~texts.c.suppressed) if drops else of_class
            promises.append(_Promise(place, column, ESCAPE, read))
    return promises


def _read_values(column: ReleasedColumn, records: FromClause) -> Query:
    """Select the values of a column, with what its treatment must know beside them."""
    treatment = column.treatment
    beside = [records.c[name] for name in treatment.beside]
    if treatment.needs_persons and treatment.facts.persons:
        beside.append(records.c[PERSON_KEY])
    return select(column.find_value(records).label("value"), *beside)


def _count_each(values: Query) -> Query:
    found = values.subquery()
    return select(*decode_enumerations(found.c), literal(1).label("size"))


def _count_values(values: Query) -> Query:
    """Count each value; an enumeration becomes its texts afterwards, which are fewer then."""
    found = values.subquery()
    counted = select(*found.c, func.count().label("size")).group_by(*found.c).subquery()
    return select(*decode_enumerations(counted.c))


def _show_returned(
    tables: Tables, part: Part, returned: ReleasedPart, promises: Sequence[_Promise]
) -> Iterator[FromClause]:
    """Count the texts of columns that a caller or a database gets: ``text, size``."""
    # A table for a database has all columns, one for a caller those that were made.
    places = [
        place for place, column in enumerate(part.shown) if not returned.headers or column.unmodified_position is None
    ]
    for promise in promises:
        made = returned.made.select([places.index(promise.place)]).rename_columns(["c0"])
        yield _count_texts(column_text(open_arrow_source(tables.store, made).relation(), 0))


def _show_files(
    config: Config, tables: Tables, files: Sequence[Path], promises: Sequence[_Promise], *, has_header: bool
) -> Iterator[FromClause]:
    """Read the finished files of a part back, and count their texts: ``text, size``."""
    relation = _read_back(config, tables, files, has_header=has_header)
    texts = {promise.place: column_text(relation, promise.place).label(f"text_{promise.place}") for promise in promises}
    # The files are read once, however many columns are counted: each row of the result is of one of them.
    shown = select(*texts.values()).subquery()
    columns = list(zip(texts, shown.c, strict=True))
    place = case(*((func.grouping(each) == 0, literal(place)) for place, each in columns)).label("place")
    counted = case(*((func.grouping(each) == 0, each) for _, each in columns)).label("text")
    counts = select(place, counted, func.count().label("size")).group_by(func.grouping_sets(*shown.c))
    finished = tables.store.create("finished", counts)
    for promise in promises:
        is_escaped = config.output.escapes_formulas and _is_text(config) and promise.treatment is not ESCAPE
        text: ColumnElement[str] = remove_escape(finished.c.text) if is_escaped else finished.c.text
        own = select(text.label("text"), finished.c.size).where(finished.c.place == promise.place).subquery()
        yield select(own.c.text, func.sum(own.c.size).label("size")).group_by(own.c.text).subquery()
    tables.store.drop(finished)


def _read_back(config: Config, tables: Tables, files: Sequence[Path], *, has_header: bool) -> FromClause:
    """Return the records of finished files."""
    first, *more = files
    file = Input(path=first, more=tuple(more), separator=config.release_separator, header=has_header)
    return InputFiles(file).source(tables.store).relation()


def _count_texts(text: ColumnElement[str]) -> FromClause:
    shown = text.label("text")
    return select(shown, func.count().label("size")).group_by(shown).subquery()


def _is_text(config: Config) -> bool:
    """Return whether the release is delimited text."""
    return config.output.path is not None and not has_types(config.output.path)


# Whether the rows of a child table have their persons in the release.


def count_keys(
    config: Config, tables: Tables, layout: Layout, part: Part, written: Written, returned: Sequence[ReleasedPart]
) -> Table | None:
    """Count the keys of persons in a finished table: ``text, size``; None where the release has none.

    Parameters
    ----------
    written : Written
        The finished files of this part alone.
    returned : sequence of ReleasedPart
        The finished table instead, of a release that is no file.
    """
    (position,) = layout.find_persons(config)
    places = [place for place, column in enumerate(part.shown) if column.position == position]
    if not places:
        return None
    if returned:
        made = [place for place, column in enumerate(part.shown) if column.unmodified_position is None]
        keys = returned[0].made.select([made.index(places[0])]).rename_columns(["c0"])
        text = column_text(open_arrow_source(tables.store, keys).relation(), 0)
    else:
        text = column_text(_read_back(config, tables, list(written.files), has_header=layout.has_header), places[0])
    return tables.store.create("keys_shown", select(_count_texts(text)))


def require_persons(name: str, keys: FromClause, of_persons: FromClause, expected: int, tables: Tables) -> None:
    """Stop where a row of a finished child table has no person in the finished main table, or where rows are lacking.

    Parameters
    ----------
    keys, of_persons : FromClause
        Of `count_keys`, for both.
    expected : int
        Rows of the child table whose persons are released.

    Raises
    ------
    ProofError
    """
    total = func.coalesce(func.sum(keys.c.size), 0)
    alone = func.coalesce(func.sum(keys.c.size).filter(~exists().where(of_persons.c.text == keys.c.text)), 0)
    rows, orphans = map(int, tables.store.row(select(total, alone).select_from(keys)))
    if orphans or rows != expected:
        found = f"{format_count(orphans, 'record')} without a person, and {rows:,} records instead of {expected:,}"
        raise ProofError(f"The table {name} would have {found}. Nothing was released.")
