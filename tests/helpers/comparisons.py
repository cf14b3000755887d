"""Small releases beside their originals, written out by a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import pyarrow as pa

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.hierarchy.outline import read_hierarchy_rows
from toolbox.loss.metric import LossMetric, measure_all
from toolbox.published.comparing import compare_release, pair_records
from toolbox.published.domains import build_people
from toolbox.published.tables import Comparison, Records, build_release_classes
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source

Row = Sequence[str | None]


def records(store: Store, rows: Sequence[Row]) -> Records:
    """Read rows of texts as a file would be read; None is an empty field."""
    columns = {str(number): list(values) for number, values in enumerate(zip(*rows, strict=True))}
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    return Records(store, open_arrow_source(store, table), range(len(columns)))


def lines(text: str) -> list[tuple[str | None, ...]]:
    """Cut a text into rows, one per line, with blanks between the values; ``-`` is an empty field."""
    return [tuple(None if value == "-" else value for value in line.split()) for line in text.strip().splitlines()]


def with_hierarchy(name: str, rows: Iterable[Sequence[str]], weight: float | None = None) -> QuasiIdentifier:
    """Declare a column by the rows of its hierarchy file."""
    found = read_hierarchy_rows(rows, name)
    return QuasiIdentifier(
        column=Column(index=None, name=name),
        kind=found.kind,
        hierarchy=found.hierarchy,
        categories=found.categories,
        listed=found.listed,
        weight=weight,
    )


def comparison(
    store: Store,
    original: str | Sequence[Row],
    released: str | Sequence[Row],
    attributes: Sequence[QuasiIdentifier],
    *,
    sensitive: Sequence[str] = (),
    roots: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Comparison:
    """Put a release beside its original, record by record where they are as many.

    Parameters
    ----------
    original, released : str or sequence of rows
        The quasi-identifiers; of the release, the sensitive attributes behind them.
    """
    before, after = (_read(store, one) for one in (original, released))
    return pair_records(_beside(before, after, attributes, sensitive, roots), before, after)


def unpaired(
    store: Store,
    original: str | Sequence[Row],
    released: str | Sequence[Row],
    attributes: Sequence[QuasiIdentifier],
    *,
    sensitive: Sequence[str] = (),
    roots: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Comparison:
    """Put a release beside its original, as `comparison` does, for metrics that do not ask whose row is whose."""
    return _beside(_read(store, original), _read(store, released), attributes, sensitive, roots)


def _read(store: Store, rows: str | Sequence[Row]) -> Records:
    return records(store, lines(rows) if isinstance(rows, str) else rows)


def _beside(
    before: Records,
    after: Records,
    attributes: Sequence[QuasiIdentifier],
    sensitive: Sequence[str],
    roots: Mapping[str, tuple[str, ...]],
) -> Comparison:
    names = [str(one.column) for one in attributes]
    release = build_release_classes(
        after.store, after.counted, name="the release", quasi_identifiers=names, sensitive=sensitive, roots=roots
    )
    people = build_people(before.store, before.counted, attributes, [None] * len(names), "the original")
    return compare_release(release, people)


def measured(metric: LossMetric, beside: Comparison, label: str | None = None) -> dict[str | None, float]:
    """Return the values of one metric by column; that of the table is under None."""
    return {one.attribute: one.value for one in measure_all(beside, [metric], label).measures}


def reasons(metric: LossMetric, beside: Comparison, label: str | None = None) -> list[str]:
    """Return why a metric has left values out."""
    return [reason for _, reason in measure_all(beside, [metric], label).left_out]
