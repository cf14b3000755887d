"""The combinations of a table as arrays, of which `toolbox.methods.lattice.counting` counts the classes of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sqlalchemy import Integer, cast, func, select

from toolbox.methods.arrays.codes import codes_of
from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.types import Codes, Numbers, Whole
from toolbox.queries.query import Table
from toolbox.store.tables import QuasiIdentifierTables, Tables


class Histogram(NamedTuple):
    """How often each sensitive value occurs in each class of a node."""

    classes: Numbers
    """Which class, from 0."""
    values: Numbers
    """Which value, by its number."""
    records: Numbers


class Column(NamedTuple):
    """One quasi-identifier of all combinations."""

    values: Whole
    """Its ground value in each combination."""
    generalised: tuple[Numbers, ...]
    """For each level, the code of every ground value; codes count from 0."""


@dataclass(frozen=True)
class Frequencies:
    """The initial combinations, or each of them once for each of its sensitive values."""

    columns: tuple[Column, ...]
    records: Numbers
    sensitive: Codes | None = None
    """The number of the sensitive value, if there is one."""


def without_sensitive_values(tables: Tables) -> Frequencies:
    """Fetch the initial combinations."""
    _, sizes, values = combinations_of(tables)
    return Frequencies(_columns(tables, values), sizes.astype(np.int64, copy=False))


def with_sensitive_values(tables: Tables, attribute: str) -> tuple[Frequencies, Table]:
    """Fetch the initial combinations with their sensitive values; number these in a table, ``number, value``."""
    store, combination = tables.store, tables.combinations
    held, overall = tables.sensitive[attribute].histogram, tables.sensitive[attribute].overall
    code = cast(func.row_number().over(order_by=overall.c.value) - 1, Integer).label("number")
    values = store.create("values", select(code, overall.c.value))
    columns = [combination.c[name] for name in tables.interval_names]
    fetched = store.to_arrays(
        select(*columns, values.c.number, held.c.records)
        .join_from(held, values, values.c.value == held.c.value)
        .join(combination, combination.c.combination_id == held.c.combination_id)
    )
    ranks = [fetched[name] for name in tables.interval_names]
    return Frequencies(_columns(tables, ranks), fetched["records"], fetched["number"]), values


_RECORD, _PERSON = 0, 1


def with_people(tables: Tables) -> Frequencies:
    """Fetch the initial combinations and those of the population; what stands for a value tells them apart."""
    assert tables.population is not None, "the caller knows that there is one"
    sides = [combinations_of(tables), combinations_of(tables, tables.population)]
    records = np.concatenate([sizes.astype(np.int64, copy=False) for _, sizes, _ in sides])
    values = [np.concatenate(both) for both in zip(*(values for *_, values in sides), strict=True)]
    origin = np.repeat(np.array([_RECORD, _PERSON], np.int32), [len(sizes) for _, sizes, _ in sides])
    return Frequencies(_columns(tables, values), records, origin)


def people_of(histogram: Histogram) -> Numbers:
    """Return the people of each class that has records, from a histogram of what `with_people` has fetched."""
    people = np.zeros(int(histogram.classes.max()) + 1, np.int64)
    is_person = histogram.values == _PERSON
    people[histogram.classes[is_person]] = histogram.records[is_person]
    covered: Numbers = people[histogram.classes[~is_person]]
    return covered


def _columns(tables: Tables, values: Sequence[Whole]) -> tuple[Column, ...]:
    each = zip(tables.quasi_identifiers, values, strict=True)
    return tuple(Column(ranks, _numbered_codes(tables, column)) for column, ranks in each)


def _numbered_codes(tables: Tables, column: QuasiIdentifierTables) -> tuple[Numbers, ...]:
    """Return the codes of the values at each level, numbered from 0: a small radix leaves room for more columns."""
    codes = codes_of(tables, column)
    return tuple(np.unique(code, return_inverse=True)[1].astype(np.int64) for code in codes)
