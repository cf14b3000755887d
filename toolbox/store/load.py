"""Reading: from the input to the initial AnonRecordTable and EquivalenceTable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import randbits
from types import MappingProxyType
from typing import Any

from sqlalchemy import FromClause, case, exists, func, literal, null, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Config
from toolbox.errors import InputError
from toolbox.queries.dialect import hashed, row_place
from toolbox.queries.query import Query, Table
from toolbox.steps import Steps
from toolbox.store.combinations import count_texts, injective_salt, text_hash
from toolbox.store.connection import SHARE_OF_SCAN
from toolbox.store.learning import WORTH_LEARNING, Row, learn
from toolbox.store.loading import Loading
from toolbox.store.problems import refuse_missing
from toolbox.store.sensitive import Held
from toolbox.store.source import Source, column_text
from toolbox.store.store import Store
from toolbox.store.tables import Identified


class Loader(Loading):
    """Reads the records of one input into one store.

    The input is read twice: the first time to count each distinct combination of quasi-identifier texts, the second
    time to keep the records, each with the key of its combination. Everything between works on the combinations. Of a
    large text both are done in one reading, where the first records show the values of all.
    """

    _salt = 0
    """With which no two combinations have one key."""
    _read: Table | None = None
    """The records, if one reading has both counted and kept them."""

    def __init__(
        self,
        config: Config,
        source: Source,
        store: Store,
        judged: Mapping[str, bool] = MappingProxyType({}),
        steps: Steps | None = None,
    ) -> None:
        super().__init__(config, source, store, judged, steps)
        # What nobody has declared is left out as well, but names nobody.
        declared = self._layout.identifiers[: len(config.identifiers)]
        self._people = () if config.rows_are_people else declared
        self._secret = randbits(63)

    def _count(self) -> Table:
        """Count the records of each combination of texts, in a first reading, which may be the only one."""
        relation = self._source.relation()
        if (counted := self._counted_at_once(relation)) is not None:
            return counted
        texts = self._texts(relation)
        with self._steps.reading("count", self._store.share, until=SHARE_OF_SCAN):
            return self._store.create("counted", self._counting(relation, texts))

    def _counted_at_once(self, relation: FromClause) -> Table | None:
        """Read all records once, if their values can be learned from the first ones; None if they cannot."""
        records = self._source.expected_records
        if records is None or records < WORTH_LEARNING or not self._may_learn:
            return None
        passed = self._layout.passed_through
        learned = learn(self._store, relation, self._layout.quasi_identifiers, passed)
        if learned is None:
            return None
        columns = {position: relation.c[f"c{position}"] for position in passed}
        row = Row(self._texts(relation), self._lacks_another(relation), columns, self._hashes(relation))
        with self._steps.reading("read", self._store.share):
            read = self._store.create("records", learned.keyed(row))
        counted = learned.counted(read, row) if learned.keeps_all(read) else None
        if counted is None:
            self._store.drop(read)
        else:
            self._read = read
        return counted

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
        if self._read is not None:
            return usable.c.key
        self._salt = injective_salt(self._store, usable, texts)
        return text_hash(texts, self._salt)

    def _keep(self, usable: Table, *, expected: int, skips: bool) -> FromClause | None:
        """Create the table of records with their keys, in a second reading if there was not only one."""
        if self._read is not None:
            records = self._without_skipped(self._read, usable) if skips else self._read
        else:
            with self._steps.reading("keep", self._store.share):
                records = self._store.create("records", self._second_reading(skips=skips), lasting=True)
        # A record with an unknown key would be found by the proof, which looks every key up.
        if self._store.count(records) != expected:
            # The first reading does not decode the columns that pass through; the second one may have refused some.
            self._source.require_encoding()
            raise InputError(f"{self._source.name} changed while it was read. Run again when nothing writes to it.")
        hashes = {f"id_{position}": self._layout.names[position] for position in self._people}
        if hashes:
            self._identified = Identified(records, MappingProxyType(hashes))
        shown = [column for column in records.c if column.name not in hashes]
        return self._store.create_view("record", select(row_place(records).label("record_id"), *shown))

    def _hashes(self, relation: FromClause) -> list[ColumnElement[Any]]:
        """Hash the identifiers, with a secret that nobody keeps; a missing value stays missing."""
        hashes = []
        for column, position in zip(self._config.identifiers, self._people, strict=False):
            text = column_text(relation, position)
            is_missing = self._missing.test(Attribute(column=column, kind=None), text)
            hashed_text = case((is_missing, null()), else_=hashed(text, literal(self._secret)))
            hashes.append(hashed_text.label(f"id_{position}"))
        return hashes

    def _without_skipped(self, read: Table, usable: Table) -> Table:
        place = row_place(read)
        kept = select(read).where(exists().where(usable.c.key == read.c.key)).order_by(place)
        records = self._store.create("records", kept)
        self._store.drop(read)
        return records

    def _second_reading(self, *, skips: bool) -> Query:
        """Select the records with their keys, without a join, which would lose their order."""
        relation = self._source.relation()
        texts = self._texts(relation)
        passed = [relation.c[f"c{position}"] for position in self._layout.passed_through]
        kept = select(text_hash(texts, self._salt).label("key"), *passed, *self._hashes(relation))
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
