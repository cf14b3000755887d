"""The flow of `toolbox.sniff`: how a table is read, its first records, and the lines of it that are none."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

from sqlalchemy import FromClause, String, cast, func, select

from toolbox.config.file_names import find_file_kind, has_types, list_input_files
from toolbox.config.model import Input, Limits, Portion
from toolbox.config.reading.overrides import parse_limits
from toolbox.errors import InputError
from toolbox.flows.arguments.checks import Reading, check_path, require_whole_number
from toolbox.flows.explore.suggest import guess_reading, name_columns
from toolbox.messages import format_count
from toolbox.report.explore.suggestion import Sniffed, Unreadable
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.source import Rejects, Source, column_text
from toolbox.store.input.text_file import split_first_records
from toolbox.suggestions.texts import TableNotation, count_texts, find_notation, guess_kinds
from toolbox.treatments.treatment import RunFacts, Treatment

_MOST_LISTED: Final = 1_000
"""Unreadable lines that are listed one by one."""
_MOST_TREATED, _MOST_READ = 10, 1_000
"""Values that are shown before and after a treatment, and records that are looked at for them."""
_ALL: Final = Portion(Decimal(100), is_percentage=True)


def sniff_table(
    path: str | Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    header: bool | int | None = None,
    table: str | None = None,
    rows: int = 50,
    limits: Limits | str | None = None,
) -> Sniffed:
    """Find out how a table is read; `toolbox.sniff` explains the arguments.

    Raises
    ------
    ToolboxError
    """
    require_whole_number("rows", rows, 0)
    rows = 50 if rows is None else rows
    path = check_path("path", path)
    given = Reading(separator=separator, header=header, encoding=encoding, table=table)
    reading = replace(given.input(), path=path)
    # Whoever looks wants to see all that is wrong.
    declared = replace(guess_reading(reading, is_encoded=encoding is not None, has_header=header), max_rejects=_ALL)
    files, bounds = InputFiles(declared), parse_limits(limits) or Limits()
    is_text = not has_types(files.paths[0])
    looked_at, notation = _read_first_texts(declared) if is_text else [], find_first_notation(declared)
    with Store(bounds.temp_dir, bounds) as store, translate_file_errors(store.folder), files.watch_reading():
        source = files.source(store)
        source.most_places = _MOST_LISTED
        relation, names = source.relation(), name_columns(source)
        records = int(store.scalar(select(func.count()).select_from(relation)))
        rejects = source.account(records).rejects
        if not records and rejects.count:
            raise InputError(f"{path}: no line has as many values as the first one. Are separator and header right?")
        return Sniffed(
            source=path,
            kind="text" if is_text else find_file_kind(files.paths[0]).words,
            separator=declared.separator if is_text else None,
            encoding=declared.encoding if is_text else None,
            header=declared.header if is_text else None,
            header_line=declared.header_line,
            missing=notation.mark,
            decimal=notation.decimal,
            thousands=notation.thousands,
            columns=tuple(names),
            kinds=guess_kinds(looked_at, len(names)) if is_text else source.said_kinds[: len(names)],
            records=records,
            rows=_read_first_rows(store, relation, len(names), min(rows, records), looked_at),
            rejected=rejects.count,
            unreadable=_list_unreadable_lines(store, source, rejects, declared.separator),
        )


def find_first_notation(declared: Input) -> TableNotation:
    """Return how the first records of a text write numbers and what is missing; of other files how that is usual."""
    records = [] if has_types(list_input_files(declared)[0]) else _read_first_texts(declared)
    return find_notation(count_texts(records, len(records[0]))) if records else TableNotation()


def _read_first_rows(
    store: Store, relation: FromClause, width: int, count: int, looked_at: Sequence[Sequence[str]]
) -> tuple[tuple[str | None, ...], ...]:
    """Return the first records; use the ones already read if they are enough, because wide records take long."""
    fitting = [tuple(record) for record in looked_at if len(record) == width][:count]
    if len(fitting) == count:
        return tuple(fitting)
    shown = select(*(cast(relation.c[f"c{index}"], String) for index in range(width))).limit(count)
    return tuple(tuple(row) for row in store.rows(shown))


def _read_first_texts(declared: Input) -> list[Sequence[str]]:
    """Return the first records of a text, without its header."""
    if len(declared.separator) > 1:
        return []
    return split_first_records(replace(declared, path=list_input_files(declared)[0], more=()))[declared.header :]


def _list_unreadable_lines(store: Store, source: Source, rejects: Rejects, separator: str) -> tuple[Unreadable, ...]:
    if rejects.lines is None or not rejects.first:
        return ()
    texts = [text for (text,) in store.rows(rejects.lines.limit(len(rejects.first)))]
    places = zip(rejects.first, texts, strict=True)
    return tuple(Unreadable(place.number, place.file, _find_reason(text, source, separator)) for place, text in places)


def _find_reason(line: str, source: Source, separator: str) -> str:
    """Return why a line is not a record, without quoting it."""
    expected = format_count(source.width, "column")
    try:
        values = next(csv.reader([line], delimiter=separator, strict=True), []) if len(separator) == 1 else []
    except csv.Error:
        return f"Its quotes are wrong; the table has {expected}."
    if not values or len(values) == source.width:
        return f"It does not fit the first line, which has {expected}."
    return f"It has {format_count(len(values), 'value')}, and the table has {expected}."


# What a treatment makes of a column, shown on its first values.


def treat_first_values(source: Input, position: int, treatment: Treatment) -> tuple[tuple[str, str | None], ...]:
    """Treat the first different values of a column.

    Returns
    -------
    tuple of (str, str or None)
        Each value with what becomes of it; None where it cannot be read. None at all where that depends on the record
        or on a key, so that each run makes something else of it.
    """
    if treatment.by_record or treatment.needs_key or not treatment.releases:
        return ()
    with Store(None, Limits()) as store:
        texts = _read_first_values(source, position, store)
        if not texts:
            return ()
        facts = RunFacts.of_notation(source.missing, source.decimal, source.thousands)
        numbered: dict[str, tuple[type, Sequence[object]]] = {"place": (int, range(len(texts))), "value": (str, texts)}
        values = store.create_constant("values", numbered)
        treated = cast(treatment.told(facts).treat_record(values.c.value, values), String)
        shown = select(values.c.value, treated.label("treated")).order_by(values.c.place)
        return tuple((value, made) for value, made in store.rows(shown))


def _read_first_values(source: Input, position: int, store: Store) -> list[str]:
    """Read the first different values of a column, as texts."""
    first = list_input_files(source)[0]
    if has_types(first) or len(source.separator) != 1:
        text = column_text(InputFiles(source).source(store).relation(), position)
        found = [value for (value,) in store.rows(select(text).where(text.is_not(None)).limit(_MOST_READ))]
    else:
        records = split_first_records(replace(source, path=first, more=()))[source.header :]
        found = [record[position] for record in records if position < len(record)]
    return list(dict.fromkeys(text for text in found if text not in ("", source.missing)))[:_MOST_TREATED]
