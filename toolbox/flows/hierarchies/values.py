"""The values of one column, each with its records, and the rows that a builder makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from toolbox.config.model import Attribute, Config, Input, Limits
from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.hierarchy.builders.builder import Builder, Kind
from toolbox.hierarchy.builders.numbers import NumberBuilder
from toolbox.hierarchy.builders.texts import TextBuilder
from toolbox.hierarchy.builders.words import BUILDERS, make_builder, parse_builder_words
from toolbox.hierarchy.checking import number_of
from toolbox.hierarchy.date_formats import find_fitting_formats as fitting_formats
from toolbox.hierarchy.date_formats import has_only_dates, list_usual_formats
from toolbox.hierarchy.hierarchy import format_number
from toolbox.hierarchy.rows import Row
from toolbox.messages import format_count
from toolbox.published.tables import Records
from toolbox.steps import Steps
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import find_columns, make_column_error
from toolbox.store.input.source import Source, open_arrow_source
from toolbox.store.input.text_file import guess_input
from toolbox.suggestions.texts import has_codes

if TYPE_CHECKING:
    import pyarrow as pa


# The values of one column of a table, each with its records.


def count_by_name(
    table: Path | pa.Table, reading: Input, column: str, limits: Limits, steps: Steps | None = None
) -> dict[str, int]:
    """Count the records of each value of a column; an empty field has none.

    Parameters
    ----------
    table : Path or pyarrow.Table
        A file has a header.
    reading : Input
        How text is read.
    column : str
        Its name.
    steps : Steps, optional
        Is told that the table is read.

    Raises
    ------
    ToolboxError
        If the table cannot be read, or has no such column.
    """

    def position(source: Source) -> int:
        names = list(source.headers or ())
        if column not in names:
            raise make_column_error(column, source, names, [column])
        return names.index(column)

    if not isinstance(table, Path):
        with Store(limits.temp_dir, limits) as store, (steps or Steps()).step("read"):
            return _count_values(store, open_arrow_source(store, table), position)
    declared = replace(reading, path=table)
    if declared.guesses_separator:
        declared = guess_input(declared, [column])
    return _count_file_values(declared, limits, position, steps)


def count_by_configuration(
    config: Config, attribute: Attribute, declared: Input, steps: Steps | None = None
) -> dict[str, int]:
    """Count the records of each value of a column that a configuration declares; an empty field has none.

    Raises
    ------
    ToolboxError
        If the table cannot be read, or lacks a column.
    """
    columns = [other.column for other in (*config.quasi_identifiers, *config.sensitive)]

    def position(source: Source) -> int:
        layout = find_columns(config, source)
        return (*layout.quasi_identifiers, *layout.sensitive)[columns.index(attribute.column)]

    return _count_file_values(declared, config.limits, position, steps, tolerant=True)


def _count_file_values(
    declared: Input,
    limits: Limits,
    position: Callable[[Source], int],
    steps: Steps | None,
    *,
    tolerant: bool = False,
) -> dict[str, int]:
    files = InputFiles(declared)
    step = (steps or Steps()).step("read")
    with Store(limits.temp_dir, limits) as store, translate_file_errors(store.folder), step, files.watch_reading():
        return _count_values(store, files.source(store), position, tolerant=tolerant)


def _count_values(
    store: Store, source: Source, position: Callable[[Source], int], *, tolerant: bool = False
) -> dict[str, int]:
    counted = Records(store, source, [position(source)], tolerant=tolerant).counted
    rows = store.rows(select(counted.c.text_1, counted.c.size))
    return {text: int(size) for text, size in rows if text is not None}


# The rows that a builder makes of the values of a column, as a hierarchy file has them.

_SAMPLE = 1000
"""Values by which dates are recognised."""
_REMEDY = "Correct them, or choose a builder of texts."


def make_named_builder(text: str) -> Builder:
    """Return the builder that the command line writes as ``prefix:3,1``.

    Raises
    ------
    UsageError
        If it is none, or its settings are wrong.
    """
    attributes = parse_builder_words(text)
    if attributes is None:
        name = text.partition(":")[0]
        raise UsageError(
            f"There is no builder {quote(name)}.{did_you_mean(name, BUILDERS.names)} "
            f"Write one of {', '.join(BUILDERS.names)}, with its values: prefix:3,1."
        )
    return make_builder(attributes)


def build_rows(
    builder: Builder,
    counts: Mapping[str, int],
    date_format: str | None = None,
    figures: tuple[str, str] = (".", ""),
) -> list[Row]:
    """Build the hierarchy of a column.

    Parameters
    ----------
    counts : mapping of str to int
        Its values, each with its records.
    date_format : str, optional
        How dates are written, such as ``%d.%m.%Y``; None: the only usual way in which all of them fit.
    figures : (str, str)
        What stands before the decimals of numbers, and between their thousands.

    Raises
    ------
    UsageError
        If a value does not fit.
    """
    fitting = builder.of(find_kind(counts, figures))
    if isinstance(fitting, NumberBuilder):
        rows = _build_number_rows(fitting, counts, figures)
    elif isinstance(fitting, TextBuilder) and fitting.counts_records:
        rows = [(text, *labels) for text, labels in fitting.paths(counts).items()]
    elif fitting.takes == "dates":
        texts = _group_by_iso_date(counts, date_format)
        rows = [(text, *labels) for iso, *labels in fitting.rows(texts) for text in texts[iso]]
    else:
        rows = fitting.rows(counts)
    width = max(map(len, rows))
    # A value without a place goes to the root at once.
    return [Row(0, (*fields, *[builder.root] * (width - len(fields)))) for fields in rows]


def _build_number_rows(
    builder: NumberBuilder, counts: Mapping[str, int], figures: tuple[str, str]
) -> list[tuple[str, ...]]:
    """Return the rows of numbers, ascending; their labels are written as they are."""
    numbers = {text: number_of(text, *figures) for text in counts}
    if strange := sum(number is None for number in numbers.values()):
        raise UsageError(
            f"{builder.name}: {format_count(strange, 'value is no number', 'values are no numbers')}. {_REMEDY}"
        )
    records: Counter[float] = Counter()
    texts: dict[float, str] = {}
    for text, number in numbers.items():
        if number is not None:
            records[number] += counts[text]
            texts[number] = min(texts.get(number, text), text, key=lambda written: (len(written), written))
    decimal = figures[0]
    ascending = {number: records[number] for number in sorted(records)}
    named = builder.bands(ascending, lambda number: format_number(number).replace(".", decimal))
    bands = {number: named(number) for number in ascending}
    outside = sum(found is None for found in bands.values())
    if outside and builder.other == "error":
        values = format_count(outside, "value is", "values are")
        raise UsageError(f"{builder.name}: {values} outside the hierarchy. {builder.hint} Or write other=root.")
    return [
        (texts[number], *(band.label for band in reversed(found or ())), builder.root)
        for number, found in bands.items()
    ]


def _group_by_iso_date(counts: Mapping[str, int], date_format: str | None) -> dict[str, list[str]]:
    """Return each date as ISO 8601 writes it, with its texts.

    Raises
    ------
    UsageError
        If the texts are no dates, or could be read in several ways.
    """
    sample = list(islice(counts, _SAMPLE))
    usual = [form for with_time in (True, False) for form in list_usual_formats(with_time=with_time)]
    forms: list[str | None] = [date_format] if date_format else [None, *fitting_formats(sample, usual)]
    for place, form in enumerate(forms, start=1):
        if any(_format_iso_date(text, form) is None for text in counts):
            continue
        if form is not None and any(all(_format_iso_date(text, other) for text in counts) for other in forms[place:]):
            raise UsageError(f"The dates can be read as {form} and otherwise. Write them as 1971-03-05.")
        read: dict[str, list[str]] = {}
        for text in counts:
            read.setdefault(_format_iso_date(text, form) or "", []).append(text)
        return read
    written = f"as {date_format}" if date_format else "in one way"
    raise UsageError(f"Not all values are dates that are written {written}. Write them as 1971-03-05.")


def _format_iso_date(text: str, form: str | None) -> str | None:
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text.strip()) if form is None else datetime.strptime(text.strip(), form)
        # The clock of a run is UTC where texts have offsets.
        return (moment.astimezone(UTC) if moment.tzinfo else moment).replace(tzinfo=None).isoformat()
    return None


def find_kind(texts: Mapping[str, int], figures: tuple[str, str] = (".", "")) -> Kind:
    """Return what texts look like, as a run decides it: numbers if all do, and none has the leading zero of codes.

    Examples
    --------
    >>> find_kind({"1": 1, "2.5": 1}), find_kind({"01067": 1, "80331": 1}), find_kind({"1971-03-05": 1})
    ('number', 'category', 'date')
    """
    if not has_codes(texts) and all(number_of(text, *figures) is not None for text in texts):
        return "number"
    sample = list(islice(texts, _SAMPLE))
    return "date" if any(has_only_dates(sample, with_time=with_time) for with_time in (False, True)) else "category"
