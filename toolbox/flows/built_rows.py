"""The rows that a builder makes of the values of a column, as a hierarchy file has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, repeat

from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.hierarchy.builders.builder import Builder, Kind
from toolbox.hierarchy.builders.words import NAMES, attributes_of, builder_of
from toolbox.hierarchy.coverage import number_of
from toolbox.hierarchy.date_formats import are_dates
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


def built_rows(builder: Builder, counts: Mapping[str, int]) -> list[Row]:
    """Build the hierarchy of a column.

    Parameters
    ----------
    counts : mapping of str to int
        Its values, each with its records.

    Raises
    ------
    BuilderError
        If a value does not fit.
    """
    fitting = builder.of(kind_of(counts))
    weighted = chain.from_iterable(map(repeat, counts.keys(), counts.values()))
    rows = fitting.rows(weighted if fitting.counts_records else counts)
    width = max(map(len, rows))
    # A value without a place goes to the root at once.
    return [Row(0, fields + (builder.root,) * (width - len(fields))) for fields in rows]


def kind_of(texts: Mapping[str, int]) -> Kind:
    """Return what texts look like: numbers if all do, and none begins with a zero as codes do.

    Examples
    --------
    >>> kind_of({"1": 1, "2.5": 1}), kind_of({"01067": 1, "80331": 1}), kind_of({"1971-03-05": 1})
    ('number', 'category', 'date')
    """
    if all(_is_number(text) for text in texts):
        return "number"
    sample = list(_first(texts))
    return "date" if any(are_dates(sample, with_time=with_time) for with_time in (False, True)) else "category"


def _is_number(text: str) -> bool:
    plain = text.strip().lstrip("+-")
    return number_of(text) is not None and not (len(plain) > 1 and plain[0] == "0" and plain[1].isdigit())


def _first(texts: Mapping[str, int]) -> Iterator[str]:
    for text, _ in zip(texts, range(_SAMPLE), strict=False):
        yield text
