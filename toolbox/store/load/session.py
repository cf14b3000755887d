"""The combinations of all columns of a session, kept: an input that is read once, and loaded again and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import BigInteger, Float, FromClause, Select, String, cast, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.config.settings import SETTINGS, SUPPRESS_BY, value_of
from toolbox.errors import InputError, ToolboxError, UsageError
from toolbox.messages import choose_setting_name
from toolbox.queries.dialect import Query, Table, find_row_place, nth_column
from toolbox.steps import Steps
from toolbox.store.engine.connection import SHARE_OF_SCAN
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout, MissingValues
from toolbox.store.input.source import Account, RecordPlace, Source, column_text
from toolbox.store.load.combinations import PERSON, PersonReader, find_injective_salt, hash_texts
from toolbox.store.load.counted import WeightedLoader
from toolbox.store.tables import Identified, PersonTables, SensitiveTables

_UNUSABLE = "unusable"
_PLACE = "place"
"""The number that a row of a sample has in the table."""


class KeptSource(Source):
    """The texts of some columns of an input, each combination once, with the number of its records.

    Its columns stand where they do in the input; those that were not kept are not there.

    Parameters
    ----------
    origin : Source
        The input, which is read again only to tell where a wrong value stands.
    kept : Table
        ``c<position> .., unusable, c<width>``: the last one counts records.
    account : Account
        What is left of the input.
    records : Table, optional
        ``key`` of each record, in their order, if records are kept, too; then each row of ``kept`` has its key.
    persons : PersonReader, optional
        Has numbered the ``person`` of each row.
    """

    def __init__(
        self,
        origin: Source,
        kept: Table,
        account: Account,
        records: Table | None = None,
        persons: PersonReader | None = None,
    ) -> None:
        super().__init__(origin.name, origin.headers, origin.kinds)
        self.zones, self.orders, self.added, self.place = origin.zones, origin.orders, origin.added, origin.place
        self._origin = origin
        self._kept = kept
        self._account = account
        self.records = records
        self.persons = persons

    def relation(self) -> FromClause:
        return self._kept

    def row_number(self) -> ColumnElement[int]:
        """Return the number of a row of the relation, which stays the same, and is the same in a sample of it."""
        return self._kept.c[_PLACE] if _PLACE in self._kept.c else find_row_place(self._kept)

    def count_different(self, store: Store, positions: Sequence[int]) -> tuple[int, int]:
        """Count the records, and the different combinations of texts that they have in some of the columns."""
        texts = [column_text(self._kept, position) for position in positions]
        size, different = self._kept.c[f"c{self.width}"], hash_texts(texts, 0).distinct()
        records, combinations = store.row(select(func.coalesce(func.sum(size), 0), func.count(different)))
        return int(records), int(combinations)

    def draw_sample(self, store: Store, share: float) -> KeptSource:
        """Draw a share of the records, by a lot that follows from their texts: the same table has the same sample.

        Of the records in one row as many are drawn as the share says, and the lot decides on one more.
        """
        size = self._kept.c[f"c{self.width}"]
        no_texts = (PERSON, _UNUSABLE, "key", size.name)
        texts = [column for column in self._kept.c if column.name not in no_texts]
        lot = cast(hash_texts(_list_row_texts(texts, self._kept.c[_UNUSABLE]), 0), Float) / 2**64
        drawn = cast(func.floor(size * share + lot), BigInteger)
        others = [column for column in self._kept.c if column.name != size.name]
        rows = select(*others, drawn.label(size.name), self.row_number().label(_PLACE)).where(drawn > 0)
        return KeptSource(self._origin, store.create("sample", rows), self._account, self.records, self.persons)

    def input(self) -> FromClause:
        """Return the input itself, with its records in their order; reading it takes as long as before."""
        return self._origin.relation()

    def has(self, position: int) -> bool:
        """Return whether a column was kept."""
        return f"c{position}" in self._kept.c

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        return self._account

    def places(self, position: int, known: Select[str]) -> list[RecordPlace]:
        try:
            return self._origin.places(position, known)
        except ToolboxError:
            # The file may be gone by now; the fault is told without its place.
            return []


def keep(
    store: Store,
    source: Source,
    layout: Layout,
    missing: MissingValues,
    steps: Steps,
    *,
    config: Config | None = None,
    with_records: bool = False,
) -> KeptSource:
    """Read an input, and keep the combinations of its quasi-identifiers and sensitive attributes.

    Parameters
    ----------
    layout : Layout
        Says where they are.
    config : Config, optional
        May say who the records are about: then those of different persons are different rows.
    with_records : bool
        Whether to keep which record has which combination, too: a number of 64 bits for each, of a second reading.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    relation = source.relation()
    persons = None if config is None else _read_persons(config, layout, store)
    positions = (*layout.quasi_identifiers, *layout.sensitive)
    others = [column_text(relation, position) for position in range(source.width) if position not in positions]
    texts: list[ColumnElement[Any]] = [column_text(relation, position).label(f"c{position}") for position in positions]
    texts += [] if persons is None else [persons.code(relation, missing)]
    marked = missing.marked(others)
    size = func.count().label(f"c{source.width}")
    rows = select(*texts, marked.label(_UNUSABLE), size).group_by(*map(nth_column, range(1, len(texts) + 2)))
    with steps.reading("count", store.share, until=SHARE_OF_SCAN):
        kept = store.create("kept", rows)
    read = int(store.scalar(select(func.coalesce(func.sum(kept.c[size.name]), 0))))
    account = source.account(read)
    steps.records = read
    if not with_records:
        return KeptSource(source, kept, account, persons=persons)
    names = [text.name for text in texts]
    salt = find_injective_salt(store, kept, _list_row_texts([kept.c[name] for name in names], kept.c[_UNUSABLE]))
    keyed = store.create(
        "kept", select(*kept.c, _build_row_key([kept.c[name] for name in names], kept.c[_UNUSABLE], salt))
    )
    store.drop(kept)
    with steps.reading("keep", store.share):
        records = store.create("places", select(_build_row_key(texts, marked, salt)))
    # A record with another key, or one more, would be shown as nobody's.
    known = select(func.count()).where(records.c.key.in_(select(keyed.c.key)))
    if not read == store.count(records) == store.scalar(known):
        raise InputError(f"{source.name} changed while it was read. Open it again when nothing writes to it.")
    return KeptSource(source, keyed, account, records, persons)


def _read_persons(config: Config, layout: Layout, store: Store) -> PersonReader | None:
    """Return the reader of persons, whose rows are judged one by one: a session keeps no single record.

    Raises
    ------
    UsageError
        If the rows of each person are to be judged together, or suppressed together.
    """
    whole = (
        (config.attacker == "profile", "attacker", "profile", "judges all rows of a person together"),
        (value_of(config, SUPPRESS_BY) == "person", "suppress-by", "person", "leaves out all rows of a person"),
    )
    for is_asked, name, word, does in whole:
        if is_asked:
            attribute = SETTINGS[name.replace("-", "_")].attribute
            setting = choose_setting_name(f"{attribute}='{word}'", options=f"--{name} {word}")
            raise UsageError(
                f"{setting} {does}, and a session keeps no single rows. Use toolbox anonymize or toolbox.anonymize, or "
                "leave it out here."
            )
    persons = PersonReader.of(config, layout, store)
    return None if persons is None else replace(persons, joined=False)


def _list_row_texts(texts: Sequence[ColumnElement[Any]], unusable: ColumnElement[bool]) -> list[ColumnElement[str]]:
    """Return the texts that tell a row from all others: whether it is unusable is one of them."""
    return [*(cast(text, String) if text.name == PERSON else text for text in texts), cast(unusable, String)]


def _build_row_key(texts: Sequence[ColumnElement[Any]], unusable: ColumnElement[bool], salt: int) -> ColumnElement[int]:
    key: ColumnElement[int] = hash_texts(_list_row_texts(texts, unusable), salt).label("key")
    return key


class KeptLoader(WeightedLoader):
    """Loads some of the columns that were kept; there are no records.

    Parameters
    ----------
    config : Config
        Declares columns that were kept, and no others.
    """

    def __init__(
        self,
        config: Config,
        source: KeptSource,
        store: Store,
        judged: Mapping[str, bool] = MappingProxyType({}),
        steps: Steps | None = None,
    ) -> None:
        super().__init__(config, source, store, source.width, judged, steps)
        self._kept = source
        self.persons = source.persons

    def _count_persons(
        self, keys: Table, combinations: Table, sensitive: Mapping[str, SensitiveTables]
    ) -> tuple[PersonTables | None, Mapping[str, SensitiveTables]]:
        if self.persons is not None:
            relation = self._source.relation()
            texts, held = self._texts(relation), {each.position for each in sensitive.values()}
            values = [column_text(relation, position).label(f"c{position}") for position in held]
            key, size = hash_texts(texts, self._salt).label("key"), self._size(relation).label("size")
            rows = select(key, relation.c[PERSON], size, *values).where(~self._has_any_missing(relation, texts))
            self._identified = Identified(self._store.create("identified", rows), {PERSON: self.persons.name})
        return super()._count_persons(keys, combinations, sensitive)

    def _has_other_missing(self, relation: FromClause) -> ColumnElement[bool]:
        sensitive = [(attribute, column_text(relation, position)) for attribute, position in self._sensitive]
        declared = {*self._layout.quasi_identifiers, *self._layout.sensitive}
        positions = (position for position in range(self._source.width) if self._kept.has(position))
        others = [column_text(relation, position) for position in positions if position not in declared]
        return or_(relation.c[_UNUSABLE], self._missing.is_disqualifying(sensitive), self._missing.marked(others))

    def select_usable_texts(self) -> Query:
        """Select the combinations of texts that are not skipped: ``key, text_1 .., size``, each once."""
        relation = self._source.relation()
        texts = self._texts(relation)
        labelled = [text.label(f"text_{index}") for index, text in enumerate(texts, start=1)]
        keyed = select(
            hash_texts(texts, self._salt).label("key"), *labelled, func.sum(self._size(relation)).label("size")
        )
        kept = keyed.where(~self._has_any_missing(relation, texts))
        return kept.group_by(*map(nth_column, range(1, len(labelled) + 2)))

    def select_numbered_rows(self) -> Query:
        """Select the usable rows: ``row, key, size``, with the number of each row and the key of its combination."""
        relation = self._source.relation()
        texts = self._texts(relation)
        row, key = self._kept.row_number().label("row"), hash_texts(texts, self._salt).label("key")
        return select(row, key, self._size(relation).label("size")).where(~self._has_any_missing(relation, texts))
