"""A population: the people who could be in a table, reduced to combinations of the values that both have.

It is read as the table is: the same columns, the same missing values, the same hierarchies. A value that only the
population has becomes a ground value like all others, so that whatever covers it covers these people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import BigInteger, Select, and_, cast, exists, false, func, select

from toolbox.config.model import Config, QuasiIdentifier
from toolbox.errors import InputError
from toolbox.messages import format_count as number_of
from toolbox.queries.dialect import find_row_place
from toolbox.queries.query import Table
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import MissingValues, find_columns
from toolbox.store.input.source import Source, column_text
from toolbox.store.load.combinations import count_texts, number_combinations
from toolbox.store.tables import PopulationFigures, PopulationTables, QuasiIdentifierTables
from toolbox.store.values.column_type import NO_CATEGORY, OUTSIDE, TextDomain


@dataclass(frozen=True)
class CountedPeople:
    """The people of a population, by the texts of their quasi-identifiers."""

    store: Store
    name: str
    counted: Table
    """``text_1 .., size``: the people of each combination; nobody who lacks a value."""
    left_out: int
    """People who lack a value."""
    rejected: int
    """Lines that could not be read."""

    def texts(self, index: int) -> Select[str]:
        """Select the texts of a quasi-identifier, counted from 0."""
        return select(self.counted.c[f"text_{index + 1}"].label("text")).distinct()

    def require_known(self, domains: Sequence[TextDomain]) -> None:
        """Stop where people have values that the column cannot have.

        Raises
        ------
        InputError
            With every problem of every column.
        """
        problems = [
            problem for index, domain in enumerate(domains) for problem in self._list_unknown_problems(index, domain)
        ]
        if problems:
            what = "values of the population that do not fit their column"
            raise InputError("\n".join([f"{self.name}: {what}", *(f"  {problem}" for problem in problems)]))

    def _list_unknown_problems(self, index: int, domain: TextDomain) -> list[str]:
        own, texts = self.texts(index).subquery(), domain.texts
        found = (
            select(texts.c.problem, func.count())
            .join_from(own, texts, own.c.text == texts.c.text)
            .where(texts.c.problem.is_not(None))
            .group_by(texts.c.problem)
            .order_by(texts.c.problem)
        )
        outside = "Add them to the hierarchy, or take these people out of the population."
        return [
            f"{domain.name}: {number_of(count, 'value')}, {problem}. "
            f"{outside if problem in (NO_CATEGORY, OUTSIDE) else 'Correct them.'}"
            for problem, count in self.store.rows(found)
        ]

    def tables(
        self, domains: Sequence[TextDomain], quasi_identifiers: Sequence[QuasiIdentifierTables], records: Table
    ) -> PopulationTables:
        """Turn combinations of texts into combinations of values.

        Parameters
        ----------
        records : Table
            The combinations of the table, ``size, interval_1 ..``.
        """
        texts = [self.counted.c[f"text_{index}"] for index, _ in enumerate(domains, start=1)]
        place = cast(find_row_place(self.counted), BigInteger).label("key")
        keyed = select(place, self.counted.c.size, *texts)
        combinations, keys = number_combinations(self.store, keyed, domains, quasi_identifiers, rewritten=True)
        people = int(self.store.scalar(select(func.sum(combinations.c.size))))
        names = [f"interval_{index}" for index, _ in enumerate(domains, start=1)]
        same = and_(*(combinations.c[name] == records.c[name] for name in names))
        unknown = select(func.coalesce(func.sum(records.c.size), 0)).where(~exists().where(same))
        outside = int(self.store.scalar(unknown))
        self.store.drop(keys, self.counted)
        figures = PopulationFigures(name=self.name, people=people, left_out=self.left_out, records_outside=outside)
        return PopulationTables(figures=figures, combinations=combinations)

    def notes(self, figures: PopulationFigures) -> list[str]:
        """Return what a publisher should know of the population."""
        notes = []
        if self.rejected:
            notes.append(f"{self.name}: {number_of(self.rejected, 'line')} could not be read, and nobody is in them.")
        if self.left_out:
            who = number_of(self.left_out, "person lacks", "people lack")
            notes.append(f"{self.name}: {who} a value, and nobody who does is counted.")
        if figures.records_outside:
            have = "record has" if figures.records_outside == 1 else "records have"
            notes.append(
                f"{figures.records_outside:,} {have} values that nobody in {self.name} has: the population should hold "
                "everybody who could be in the table. Only its own people count."
            )
        return notes


def read_people(store: Store, config: Config, source: Source, missing: MissingValues) -> CountedPeople:
    """Count the people of each combination of texts.

    A register knows neither what is sensitive nor, perhaps, what identifies people; it has the quasi-identifiers.

    Raises
    ------
    ConfigurationError
        If it lacks one of them.
    InputError
        If it cannot be read, or nobody is in it.
    """
    layout = find_columns(replace(config, identifiers=(), sensitive=()), source)
    relation = source.relation()
    texts = [column_text(relation, position) for position in layout.quasi_identifiers]
    counted = store.create("people", count_texts(texts, false()))
    attributes: Sequence[QuasiIdentifier] = config.quasi_identifiers
    columns = [(attribute, counted.c[f"text_{index}"]) for index, attribute in enumerate(attributes, start=1)]
    lacks = missing.is_disqualifying(columns)
    amounts = func.sum(counted.c.size), func.sum(counted.c.size).filter(lacks)
    total, left_out = map(int, store.row(select(*(func.coalesce(amount, 0) for amount in amounts))))
    account = source.account(total)
    if total == left_out:
        problem = "nobody is in it" if not total else "everybody in it lacks a value of a quasi-identifier"
        raise InputError(f"{source.name}: {problem}. A population holds all people who could be in the table.")
    values = [missing.value(attribute, text).label(text.name) for attribute, text in columns]
    size = cast(func.sum(counted.c.size), BigInteger).label("size")
    kept = store.create("people", select(*values, size).where(~lacks).group_by(*values))
    store.drop(counted)
    return CountedPeople(store, source.name, kept, left_out, account.rejects.count)
