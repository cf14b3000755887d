"""The records of a session and of its variants, for people who look at them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import UsageError
from toolbox.flows.combinations import Combinations
from toolbox.flows.distributions import Distributions
from toolbox.flows.listings import Filter, Listings, Look
from toolbox.queries.query import Table
from toolbox.report.records import ClassColumn, RecordClass, RecordsPage
from toolbox.store.source import column_text

_MOST_VALUES = 10
"""Values of a class that are listed for each column."""


@dataclass(eq=False)
class Paging:
    """Shows records, and the class of one.

    Parameters
    ----------
    positions : mapping of str to int
        Of all columns that were kept, by their names.
    """

    combinations: Combinations
    positions: Mapping[str, int]
    distributions: Distributions
    listings: Listings = field(init=False)

    def __post_init__(self) -> None:
        self.listings = Listings(self.combinations, self.positions, self.distributions.axis)

    def require_records(self) -> None:
        """Stop where only combinations were kept.

        Raises
        ------
        UsageError
        """
        if self.combinations.source.records is None:
            raise UsageError("The session keeps no records. Open the table with records=True to look at them.")

    def page(self, look: Look, asked: Filter, offset: int, limit: int, *, descending: bool) -> RecordsPage:
        """Return some records; `Session.page` explains the arguments."""
        found = self.listings.page(look, asked, offset, limit, descending=descending)
        return RecordsPage(columns=tuple(self.positions), total=found.total, offset=offset, records=found.records)

    def class_of(self, look: Look, record: int) -> RecordClass:
        """Return the class of a record, numbered from 1; `Session.class_of` explains the arguments.

        Raises
        ------
        UsageError
            If there is no such record, or it lacks a value, so that it is in no class.
        """
        store, rows = self.combinations.store, look.rows
        row = self.listings.row_of(record - 1)
        if row is None:
            total = store.count(self.listings.records)
            raise UsageError(f"There is no record {record:,}. The session has {total:,}, numbered from 1.")
        found = store.rows(select(rows.c.class_id).where(rows.c.row == row))
        if not found:
            raise UsageError(f"Record {record:,} lacks a value, so that it is in no class and no release.")
        return self._class(look, record, int(found[0][0]))

    def _class(self, look: Look, record: int, class_id: int) -> RecordClass:
        store, rows = self.combinations.store, look.rows
        members = rows.c.class_id == class_id
        size = int(store.scalar(select(func.sum(rows.c.records)).where(members)))
        texts: list[str | None] = [None] * len(look.names)
        suppressed = False
        if (classes := look.classes) is not None:
            shown = [classes.c[f"text_{index}"] for index, _ in enumerate(look.names, start=1)]
            suppressed, *texts = store.row(select(classes.c.suppressed, *shown).where(classes.c.key == class_id))
        columns = tuple(self._column(name, text, rows, members) for name, text in zip(look.names, texts, strict=True))
        return RecordClass(record=record, size=size, suppressed=bool(suppressed), columns=columns)

    def _column(self, name: str, released: str | None, rows: Table, members: ColumnElement[bool]) -> ClassColumn:
        """List the most frequent values of a column in a class."""
        source = self.combinations.source
        kept = source.relation()
        text, records = column_text(kept, self.positions[name]), func.sum(rows.c.records)
        counted = select(text.label("text"), records.label("records")).group_by(text).where(members)
        counted = counted.join_from(rows, kept, source.row_number() == rows.c.row)
        values = counted.subquery()
        ordered = select(*values.c, func.count().over()).order_by(values.c.records.desc(), values.c.text)
        found = self.combinations.store.rows(ordered.limit(_MOST_VALUES))
        listed = tuple((value, int(count)) for value, count, _ in found)
        return ClassColumn(name, released, listed, int(found[0][2]) - len(listed))
