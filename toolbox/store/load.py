"""Reading: from the input to the initial AnonRecordTable and EquivalenceTable."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import FromClause, Table, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute
from toolbox.errors import InputError
from toolbox.queries.dialect import row_place
from toolbox.queries.query import Query
from toolbox.store.combinations import count_texts, injective_salt, text_hash
from toolbox.store.connection import SHARE_OF_SCAN
from toolbox.store.loading import Loading
from toolbox.store.problems import refuse_missing
from toolbox.store.sensitive import Held
from toolbox.store.source import column_text


class Loader(Loading):
    """Reads the records of one input into one store.

    The input is read twice: the first time to count each distinct combination of quasi-identifier texts, the second
    time to keep the records, each with the number of its combination. Everything between works on the combinations.
    """

    _salt = 0
    """With which no two combinations have one key."""

    def _count(self) -> Table:
        """Count the records of each combination of texts, in a first reading."""
        relation = self._source.relation()
        texts = self._texts(relation)
        with self._steps.reading("count", self._store.share, until=SHARE_OF_SCAN):
            return self._store.create("counted", self._counting(relation, texts))

    def _counting(self, relation: FromClause, texts: Sequence[ColumnElement[str]]) -> Query:
        return count_texts(texts, self._lacks_another(relation))

    def _texts(self, relation: FromClause) -> list[ColumnElement[str]]:
        return [column_text(relation, position) for position in self._layout.quasi_identifiers]

    def _lacks_another(self, relation: FromClause) -> ColumnElement[bool]:
        """Test whether a record lacks a value in a column that is no quasi-identifier."""
        sensitive = [(attribute, column_text(relation, position)) for attribute, position in self._sensitive]
        declared = {*self._layout.quasi_identifiers, *self._layout.sensitive}
        texts = [column_text(relation, position) for position in range(self._source.width) if position not in declared]
        return or_(self._missing.disqualifies(sensitive), self._missing.marked(texts))

    def _key(self, usable: Table, texts: Sequence[ColumnElement[str]]) -> ColumnElement[int]:
        self._salt = injective_salt(self._store, usable, texts)
        return text_hash(texts, self._salt)

    def _keep(self, *, expected: int, skips: bool) -> FromClause | None:
        """Create the table of records with their keys, in a second reading."""
        with self._steps.reading("keep", self._store.share):
            records = self._store.create("records", self._second_reading(skips=skips), lasting=True)
        # A record with an unknown key would be found by the proof, which looks every key up.
        if self._store.count(records) != expected:
            # The first reading does not decode the columns that pass through; the second one may have refused some.
            self._source.require_encoding()
            raise InputError(f"{self._source.name} changed while it was read. Run again when nothing writes to it.")
        return self._store.create_view("record", select(row_place(records).label("record_id"), *records.c))

    def _second_reading(self, *, skips: bool) -> Query:
        """Select the records with their keys, without a join, which would lose their order."""
        relation = self._source.relation()
        texts = self._texts(relation)
        passed = [relation.c[f"c{position}"] for position in self._layout.passed_through]
        kept = select(text_hash(texts, self._salt).label("key"), *passed)
        if not skips:
            return kept
        return kept.where(~self._lacks_any(relation, texts))

    def _lacks_any(self, relation: FromClause, texts: Sequence[ColumnElement[str]]) -> ColumnElement[bool]:
        """Test whether a record is skipped."""
        values = [(attribute, text) for (attribute, _), text in zip(self._quasi_identifiers, texts, strict=True)]
        return or_(self._lacks_another(relation), self._missing.disqualifies(values))

    def _refuse_missing(self, skipped: int) -> None:
        refuse_missing(self._store, self._source, self._present_texts())

    def _present_texts(self) -> list[tuple[Attribute, int, Query]]:
        """List, for each declared column, its texts that are not missing."""
        relation = self._source.relation()
        columns: list[tuple[Attribute, int, Query]] = []
        for attribute, position in [*self._quasi_identifiers, *self._sensitive]:
            text = column_text(relation, position)
            present = select(text.label("text")).where(~self._missing.test(attribute, text)).distinct()
            columns.append((attribute, position, present))
        return columns

    def _held(self, records: FromClause | None, position: int) -> Held:
        assert records is not None, "they are kept"
        known = select(column_text(self._source.relation(), position).label("text"))
        return Held(records.c.key, column_text(records, position), func.count(), known)
