"""The rows that a builder makes of the values of a column, as a hierarchy file has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from itertools import islice

from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.hierarchy.builders.bands import NumberBuilder
from toolbox.hierarchy.builders.builder import Builder, Kind
from toolbox.hierarchy.builders.texts import TextBuilder
from toolbox.hierarchy.builders.words import NAMES, attributes_of, builder_of
from toolbox.hierarchy.coverage import number_of
from toolbox.hierarchy.date_formats import are_dates, usual_formats
from toolbox.hierarchy.date_formats import fitting as fitting_formats
from toolbox.hierarchy.interval import format_number
from toolbox.hierarchy.rows import Row

_SAMPLE = 1000
"""Values by which dates are recognised."""


def builder_named(text: str) -> Builder:
    """Return the builder that the command line writes as ``prefix:3,1``.

    Raises
    ------
    UsageError
        If it is none, or its settings are wrong.
    """
    attributes = attributes_of(text)
    if attributes is None:
        name = text.partition(":")[0]
        raise UsageError(
            f"There is no builder {quote(name)}.{did_you_mean(name, NAMES)} "
            f"Write one of {', '.join(NAMES)}, with its values: prefix:3,1."
        )
    return builder_of(attributes)


def built_rows(builder: Builder, counts: Mapping[str, int], date_format: str | None = None) -> list[Row]:
    """Build the hierarchy of a column.

    Parameters
    ----------
    counts : mapping of str to int
        Its values, each with its records.
    date_format : str, optional
        How dates are written, such as ``%d.%m.%Y``; None: the only usual way in which all of them fit.

    Raises
    ------
    UsageError
        If a value does not fit.
    """
    fitting = builder.of(kind_of(counts))
    texts = _iso_dates(counts, date_format) if fitting.takes == "dates" else {}
    rows = _rows(fitting, dict.fromkeys(texts, 1) or counts)
    width = max(map(len, rows))
    # A value without a place goes to the root at once.
    return [
        Row(0, (text, *labels, *[builder.root] * (width - 1 - len(labels))))
        for value, *labels in rows
        for text in texts.get(value, [value])
    ]


def _rows(builder: Builder, counts: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Return the rows of a builder; records are counted, and not listed."""
    if builder.counts_records and isinstance(builder, TextBuilder):
        return [(text, *labels) for text, labels in builder.paths(counts).items()]
    if not builder.counts_records or not isinstance(builder, NumberBuilder):
        return builder.rows(counts)
    texts = {number_of(row[0]): row[0] for row in builder.rows(counts)}
    records: Counter[float] = Counter()
    for text, count in counts.items():
        records[number_of(text) or 0.0] += count
    bands = builder.bands({number: records[number] for number in sorted(records)}, format_number)
    return [
        (texts[number], *(band.label for band in reversed(bands(number) or ())), builder.root)
        for number in sorted(records)
    ]


def _iso_dates(counts: Mapping[str, int], date_format: str | None) -> dict[str, list[str]]:
    """Return each date as ISO 8601 writes it, with its texts.

    Raises
    ------
    UsageError
        If the texts are no dates, or could be read in several ways.
    """
    sample = list(islice(counts, _SAMPLE))
    usual = [form for with_time in (True, False) for form in usual_formats(with_time=with_time)]
    forms: list[str | None] = [date_format] if date_format else [None, *fitting_formats(sample, usual)]
    for place, form in enumerate(forms, start=1):
        if any(_iso(text, form) is None for text in counts):
            continue
        if form is not None and any(all(_iso(text, other) for text in counts) for other in forms[place:]):
            raise UsageError(f"The dates can be read as {form} and otherwise. Write them as 1971-03-05.")
        read: dict[str, list[str]] = {}
        for text in counts:
            read.setdefault(_iso(text, form) or "", []).append(text)
        return read
    written = f"as {date_format}" if date_format else "in one way"
    raise UsageError(f"Not all values are dates that are written {written}. Write them as 1971-03-05.")


def _iso(text: str, form: str | None) -> str | None:
    with suppress(ValueError):
        moment = datetime.fromisoformat(text.strip()) if form is None else datetime.strptime(text.strip(), form)
        return moment.replace(tzinfo=None).isoformat()
    return None


def kind_of(texts: Mapping[str, int]) -> Kind:
    """Return what texts look like: numbers if all do, and none begins with a zero as codes do.

    Examples
    --------
    >>> kind_of({"1": 1, "2.5": 1}), kind_of({"01067": 1, "80331": 1}), kind_of({"1971-03-05": 1})
    ('number', 'category', 'date')
    """
    if all(_is_number(text) for text in texts):
        return "number"
    sample = list(islice(texts, _SAMPLE))
    return "date" if any(are_dates(sample, with_time=with_time) for with_time in (False, True)) else "category"


def _is_number(text: str) -> bool:
    plain = text.strip().lstrip("+-")
    return number_of(text) is not None and not (len(plain) > 1 and plain[0] == "0" and plain[1].isdigit())
