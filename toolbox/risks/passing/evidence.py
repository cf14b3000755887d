"""Evidence against releasing a column as it is: counts on the records, never a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import case, func, select
from sqlalchemy.sql.elements import ColumnElement

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
from toolbox.queries.dialect import quantile
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


def evidence_on(
    sample: Sample, position: int, name: str, quasi_identifiers: Sequence[str], *, is_declared: bool
) -> Iterator[Evidence]:
    """List the evidence against releasing a column as it is.

    Parameters
    ----------
    sample : Sample
    position : int
        The column of the input.
    name : str
        Its name, which may tell dates of birth from others.
    quasi_identifiers : sequence of str
        Names, for the reader.
    is_declared : bool
        Whether it is a sensitive column, of which contacts, accounts and values that nearly all differ are said.
    """
    looks = _Looks(sample, position)
    if not looks.values:
        return
    yield from looks.contacts()
    if not is_declared:
        yield from looks.dates_of_birth(name)
        yield from looks.prose()
    yield from looks.nearly_unique()
    if not is_declared:
        yield from looks.determined(quasi_identifiers)


class _Looks:
    """Looks at one column; the texts that differ are counted in one statement."""

    def __init__(self, sample: Sample, position: int) -> None:
        self._sample = sample
        self._store = sample.store
        self._position = position
        self._text: ColumnElement[str] = sample.table.c[f"c{position}"]
        records = func.count().label("records")
        grouped = select(self._text.label("text"), records).where(self._text.is_not(None)).group_by(self._text)
        self._texts = grouped.subquery()
        text, of = self._texts.c.text, self._texts.c.records
        total = func.coalesce(func.sum(of), 0)
        tests = [*(look.test(text) for look in CONTACTS), may_be_iban(text), is_date(text), is_prose(text)]
        counts = [func.coalesce(func.sum(of).filter(test), 0) for test in tests]
        self.values, self._different, *rest = map(int, self._store.row(select(total, func.count(), *counts)))
        *self._contacts, self._ibans, self._dates, self._prose = rest

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
        table = self._sample.table
        codes = [table.c[f"interval_{index}"] for index, _ in enumerate(quasi_identifiers, start=1)]
        ends = [(func.min(code) == func.max(code)).label(f"alone_{index}") for index, code in enumerate(codes, start=1)]
        records = func.count().label("records")
        groups = select(records, *ends).where(self._text.is_not(None)).group_by(self._text).having(records > 1)
        by_value = groups.subquery()
        sums = [func.coalesce(func.sum(by_value.c.records).filter(by_value.c[end.name]), 0) for end in ends]
        repeated, *alone = self._store.row(select(func.coalesce(func.sum(by_value.c.records), 0), *sums))
        if repeated < max(FEWEST, 0.1 * self.values):
            return
        for code, name, count in zip(codes, quasi_identifiers, alone, strict=True):
            if count >= DETERMINES * repeated and self._varies(code):
                yield Evidence(
                    kind=f"values that give {name} away",
                    count=int(count),
                    looked_at=int(repeated),
                    is_sample=not self._sample.is_whole,
                )

    def _varies(self, code: ColumnElement[int]) -> bool:
        """Return whether a quasi-identifier has no value that nearly everybody has."""
        sizes = select(func.count().label("records")).select_from(self._sample.table).group_by(code).subquery()
        most, total = self._store.row(select(func.max(sizes.c.records), func.sum(sizes.c.records)))
        return bool(most <= CONSTANT * total)
