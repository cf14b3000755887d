"""Evidence against releasing a column as it is: counts on the records, never a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import case, func, select

from toolbox.knowledge.checksums import is_iban
from toolbox.knowledge.contents import CONTACTS, compact, is_date, is_prose, may_be_iban, year_of
from toolbox.knowledge.meanings import MEANINGS
from toolbox.knowledge.names import meaning_of_name
from toolbox.knowledge.thresholds import (
    CONSTANT,
    DETERMINES,
    FEWEST,
    IBANS,
    MOST_ARE,
    NEARLY_UNIQUE,
    PROSE,
    YEARS_OF_BIRTH,
)
from toolbox.queries.dialect import cells_in, quantile
from toolbox.queries.query import Table
from toolbox.risks.passing.sample import Sample

NEARLY_ALL_DIFFER = "values that nearly all differ"
"""The kind of evidence of a column that has nearly one value of its own for each record."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One reason not to release a column as it is."""

    kind: str
    """What it looks like, as a note says it."""
    count: int
    """Of the values that were looked at, those that look so."""
    looked_at: int
    is_sample: bool = False
    """Whether only some records were looked at."""
    is_estimate: bool = False
    """Whether the count was made on a part of all values."""


class Look(NamedTuple):
    """A column that is looked at."""

    position: int
    """In the input."""
    name: str
    """Which may tell dates of birth from others."""
    is_declared: bool
    """Whether it is a sensitive attribute, of which contacts, accounts and values that nearly all differ are said."""


def evidence_on(sample: Sample, looks: Sequence[Look], quasi_identifiers: Sequence[str]) -> list[tuple[Evidence, ...]]:
    """List the evidence against releasing columns as they are, for each column; all are looked at together.

    Parameters
    ----------
    sample : Sample
    looks : sequence of Look
        Columns that the sample has.
    quasi_identifiers : sequence of str
        Names, for the reader.
    """
    texts = _Texts(sample, [look.position for look in looks], len(quasi_identifiers))
    found = []
    for place, look in enumerate(looks):
        column = texts.column(place)
        found.append(() if column is None else tuple(_evidence_on(column, look, quasi_identifiers)))
    texts.drop()
    return found


def _evidence_on(column: _Column, look: Look, quasi_identifiers: Sequence[str]) -> Iterator[Evidence]:
    yield from column.contacts()
    if not look.is_declared:
        yield from column.dates_of_birth(look.name)
        yield from column.prose()
    yield from column.nearly_unique()
    if not look.is_declared:
        yield from column.determined(quasi_identifiers)


class _Texts:
    """The different texts of all columns, in one table, and what is counted of them, in one statement."""

    def __init__(self, sample: Sample, positions: Sequence[int], codes: int) -> None:
        self.sample, self.store, self.positions = sample, sample.store, positions
        self.codes = [sample.table.c[f"interval_{index}"] for index in range(1, codes + 1)]
        self.table = self._distinct()
        text, of = self.table.c.text, self.table.c.records
        tests = [*(look.test(text) for look in CONTACTS), may_be_iban(text), is_date(text), is_prose(text)]
        # Values that several records have, and of these the ones that go with one value of a quasi-identifier.
        tests += [of > 1, *((of > 1) & self.table.c[f"alone_{index}"] for index in range(1, codes + 1))]
        counts = [func.coalesce(func.sum(of).filter(test), 0) for test in tests]
        place = self.table.c.place
        rows = self.store.rows(select(place, func.sum(of), func.count(), *counts).group_by(place))
        self._counts = {place: list(map(int, counted)) for place, *counted in rows}
        self._varying: dict[int, bool] = {}

    def _distinct(self) -> Table:
        place, text = cells_in(self.sample.table.c.texts, len(self.positions))
        names = [code.name for code in self.codes]
        cells = select(*self.codes, place.label("place"), text.label("text")).subquery()
        alone = [
            (func.min(cells.c[name]) == func.max(cells.c[name])).label(f"alone_{index}")
            for index, name in enumerate(names, start=1)
        ]
        keys = cells.c.place, cells.c.text
        rows = select(*keys, func.count().label("records"), *alone).where(cells.c.text.is_not(None)).group_by(*keys)
        return self.store.create("texts", rows)

    def column(self, place: int) -> _Column | None:
        """Return what was counted of a column; None if it has no value."""
        return _Column(self, place, self._counts[place]) if place in self._counts else None

    def varies(self, index: int) -> bool:
        """Return whether a quasi-identifier, from 0, has no value that nearly everybody has."""
        if index not in self._varying:
            code = self.codes[index]
            sizes = select(func.count().label("records")).select_from(self.sample.table).group_by(code).subquery()
            most, total = self.store.row(select(func.max(sizes.c.records), func.sum(sizes.c.records)))
            self._varying[index] = bool(most <= CONSTANT * total)
        return self._varying[index]

    def drop(self) -> None:
        """Drop the table."""
        self.store.drop(self.table)


class _Column:
    """What was counted of one column; few need another statement."""

    def __init__(self, texts: _Texts, place: int, counts: Sequence[int]) -> None:
        self._of_all = texts
        self._sample, self._store = texts.sample, texts.store
        self._position = texts.positions[place]
        of_place = select(texts.table.c.text, texts.table.c.records).where(texts.table.c.place == place)
        self._texts = of_place.subquery()
        self.values, self._different, *rest = counts
        self._contacts, rest = rest[: len(CONTACTS)], rest[len(CONTACTS) :]
        self._ibans, self._dates, self._prose, self._repeated, *self._alone = rest

    def _evidence(self, kind: str, count: int) -> Evidence:
        return Evidence(kind=kind, count=count, looked_at=self.values, is_sample=not self._sample.is_whole)

    def contacts(self) -> Iterator[Evidence]:
        for look, count in zip(CONTACTS, self._contacts, strict=True):
            if count and count >= look.least * self.values:
                yield self._evidence(look.name, count)
        if self._ibans >= IBANS * self.values:
            text, of = self._texts.c.text, self._texts.c.records
            rows = self._store.rows(select(compact(text), of).where(may_be_iban(text)))
            count = sum(records for account, records in rows if is_iban(account))
            if count >= IBANS * self.values:
                yield self._evidence(MEANINGS["iban"].words, count)

    def dates_of_birth(self, name: str) -> Iterator[Evidence]:
        if self._dates < MOST_ARE * self.values:
            return
        text = self._texts.c.text
        years = select(case((is_date(text), year_of(text))).label("year")).subquery()
        first, last = self._store.row(
            select(*(func.coalesce(quantile(years.c.year, share), 0) for share in (0.05, 0.95)))
        )
        if last - first >= YEARS_OF_BIRTH or meaning_of_name(name) is MEANINGS["birth"]:
            yield self._evidence(MEANINGS["birth"].words, self._dates)

    def prose(self) -> Iterator[Evidence]:
        is_varied = self._different >= MOST_ARE * self.values
        if is_varied and self._prose >= PROSE * self.values:
            yield self._evidence(MEANINGS["text"].words, self._prose)

    def nearly_unique(self) -> Iterator[Evidence]:
        # Among fewer records values differ more, so that a sample that repeats them says it for all.
        if self.values < FEWEST or self._different < NEARLY_UNIQUE * self.values:
            return
        different, there = self._sample.distinct(self._position)
        if different >= NEARLY_UNIQUE * there:
            yield Evidence(
                kind=NEARLY_ALL_DIFFER,
                count=different,
                looked_at=there,
                is_estimate=self._sample.is_estimated,
            )

    def determined(self, quasi_identifiers: Sequence[str]) -> Iterator[Evidence]:
        """Find the quasi-identifiers that follow from this column: nearly every value of it goes with one of theirs."""
        repeated = self._repeated
        if repeated < max(FEWEST, 0.1 * self.values):
            return
        for index, (name, count) in enumerate(zip(quasi_identifiers, self._alone, strict=True)):
            if count >= DETERMINES * repeated and self._of_all.varies(index):
                yield Evidence(
                    kind=f"values that give {name} away",
                    count=count,
                    looked_at=repeated,
                    is_sample=not self._sample.is_whole,
                )
