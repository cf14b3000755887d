"""Reading a table that is judged: its distinct records with their counts, or each record with the key of its texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import FromClause, String, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError
from toolbox.queries.query import Query, Table
from toolbox.store.combinations import injective_salt, text_hash
from toolbox.store.source import Source
from toolbox.store.store import Store


@dataclass
class Records:
    """The records of one source, by their texts in some columns.

    Parameters
    ----------
    store : Store
    source : Source
    positions : sequence of int
        The columns, whose texts are called ``text_1``, ``text_2``, ...
    is_left_out : callable
        From the relation to a condition: records that play no part.
    value : callable
        From the place of a column among the positions, and its text, to what the text says.
    tolerant : bool
        Whether lines that are no records are left out as well, as they are when a table is anonymised; otherwise they
        are an error.
    """

    store: Store
    source: Source
    positions: Sequence[int]
    is_left_out: Callable[[FromClause], ColumnElement[bool]] | None = None
    value: Callable[[int, ColumnElement[str]], ColumnElement[str]] = lambda _, text: text
    tolerant: bool = False
    counted: Table = field(init=False)
    """``counted(text_1 .., size)``: each distinct combination of texts, null included, and its records."""

    def __post_init__(self) -> None:
        self.counted = self._count()
        if not self.store.count(self.counted):
            raise InputError(f"{self.source.name} holds no record. A table needs at least one.")

    def keyed(self) -> tuple[Table, Table]:
        """Read the table again, record by record.

        Returns
        -------
        keys : Table
            ``key``: one row per record, in their order.
        counted : Table
            `counted` with its ``key``.
        """
        salt = injective_salt(self.store, self.counted, self._counted_texts())
        relation, texts = self._relation()
        keys = self.store.create("keys", self._kept(select(text_hash(texts, salt).label("key")), relation))
        if self.store.count(keys) != self.store.scalar(select(func.coalesce(func.sum(self.counted.c.size), 0))):
            raise InputError(f"{self.source.name} changed while it was read. Run again when nothing writes to it.")
        key = text_hash(self._counted_texts(), salt).label("key")
        return keys, self.store.create("counted", select(self.counted, key))

    def _count(self) -> Table:
        relation, texts = self._relation()
        labelled = [text.label(f"text_{index}") for index, text in enumerate(texts, start=1)]
        records = func.count()
        kept = records if self.is_left_out is None else records.filter(~self.is_left_out(relation))
        rows = select(*labelled, kept.label("size"), records.label("records")).group_by(*texts)
        every = self.store.create("counted", rows)
        read = int(self.store.scalar(select(func.coalesce(func.sum(every.c.records), 0))))
        account = self.source.account(read, is_strict=not self.tolerant)
        if account.rejects.count and not read:
            misfit = f"none of {account.rejects.count:,} lines has as many values as the first one"
            raise InputError(f"{self.source.name}: {misfit}. Are separator and header right?")
        columns = [column for column in every.c if column.name != "records"]
        return self.store.create_view("counted", select(*columns).where(every.c.size > 0))

    def _relation(self) -> tuple[FromClause, list[ColumnElement[str]]]:
        relation = self.source.relation()
        # An empty field and an empty text in quotes say the same: nothing.
        texts = [cast(relation.c[f"c{position}"], String) for position in self.positions]
        return relation, [func.nullif(self.value(index, text), "") for index, text in enumerate(texts)]

    def _kept(self, rows: Query, relation: FromClause) -> Query:
        return rows if self.is_left_out is None else rows.where(~self.is_left_out(relation))

    def _counted_texts(self) -> list[ColumnElement[str]]:
        return [self.counted.c[f"text_{index}"] for index, _ in enumerate(self.positions, start=1)]
