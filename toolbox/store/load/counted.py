"""Loading what was counted elsewhere, instead of records: combinations, or rows that stand for several records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, FromClause, Select, and_, cast, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.errors import InputError
from toolbox.messages import choose_setting_name, format_count
from toolbox.queries.dialect import Query, Table, round_to_whole
from toolbox.steps import Steps
from toolbox.store.engine.store import Store
from toolbox.store.input.source import (
    FIRST_PLACES,
    Account,
    RecordPlace,
    Source,
    TableSource,
    column_text,
    find_kinds,
    find_zones,
    format_places,
)
from toolbox.store.load.beside import CountedPeople
from toolbox.store.load.combinations import PersonReader, count_texts, hash_texts
from toolbox.store.load.loading import Loader, Loading
from toolbox.store.load.sensitive import SensitiveTexts
from toolbox.store.tables import PersonTables, SensitiveTables

if TYPE_CHECKING:
    import pyarrow as pa


# Loading combinations that were counted elsewhere, instead of records.


class CountedSource(Source):
    """A table whose records stay elsewhere: only its columns are known.

    Parameters
    ----------
    name : str
        What messages call it.
    schema : pyarrow.Schema
    """

    place = "record"

    def __init__(self, name: str, schema: pa.Schema) -> None:
        super().__init__(name, schema.names, find_kinds(schema))
        self.zones = find_zones(schema)

    def relation(self) -> FromClause:
        raise ValueError("the records stay where they are, and only their combinations were counted")

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        # Whoever has counted the records is asked again when the release is written.
        return Account()

    def places(self, position: int, known: Select[str]) -> list[RecordPlace]:
        """Return nothing: where a record stands, only its engine knows."""
        return []


@dataclass(frozen=True)
class CountedTables:
    """Combinations that were counted elsewhere, with their texts as the store writes them."""

    combinations: Table
    """``key, text_1 .., unusable, size``: several rows may hold the same texts; a key is of one combination only. With
    persons also ``persons``, the different ones of usable records."""
    held: Mapping[int, Table] = field(default_factory=lambda: MappingProxyType({}))
    """For the position of each sensitive attribute whose values are looked at ``key, text, size``, of usable records
    only. With persons also ``persons``, the different ones who have the value."""
    persons: tuple[str, int, int] | None = None
    """Where persons were counted, each of whom has one combination: what messages call the columns that tell them
    apart, how many they are, and how many records lack a value."""


class CountedLoader(Loading):
    """Loads counted combinations into one store; the records stay where they are.

    Parameters
    ----------
    given : CountedTables
    people : Source or tuple of str and Table, optional
        A population: read here, or what messages call it, and its combinations as those of `given`.
    """

    _repeats = True

    def __init__(
        self,
        config: Config,
        source: Source,
        store: Store,
        given: CountedTables,
        judged: Mapping[str, bool] = MappingProxyType({}),
        steps: Steps | None = None,
        *,
        people: Source | tuple[str, Table] | None = None,
    ) -> None:
        super().__init__(config, source, store, judged, steps)
        self._given, self._people = given, people

    def _count(self) -> Table:
        # A copy: `load` drops what it has counted.
        return self._store.create("counted", select(self._given.combinations))

    def _read_people(self, population: Source | None) -> CountedPeople | None:
        if not isinstance(self._people, tuple):
            return super()._read_people(self._people)
        name, counted = self._people
        return CountedPeople.count(self._store, self._config, counted, name, self._missing)

    def _key(self, usable: Table, texts: Sequence[ColumnElement[str]]) -> ColumnElement[int]:
        return usable.c.key

    def _keep(self, usable: Table, *, expected: int, skips: bool) -> None:
        return None

    def _held(self, records: FromClause | None, position: int) -> SensitiveTexts:
        held = self._given.held[position]
        amount = held.c.size if self._given.persons is None else held.c.persons
        return SensitiveTexts(held.c.key, held.c.text, cast(func.sum(amount), BigInteger), select(held.c.text))

    def _count_persons(
        self, keys: Table, combinations: Table, sensitive: Mapping[str, SensitiveTables]
    ) -> tuple[PersonTables | None, Mapping[str, SensitiveTables]]:
        """Size the combinations in persons; what was counted of sensitive values counts persons already."""
        store, rows, persons = self._store, self._given.combinations, self._given.persons
        if persons is None:
            return None, sensitive
        (name, number, lacking), folded = persons, None
        if number < store.scalar(select(func.sum(combinations.c.size))):
            joined = keys.join(rows, and_(rows.c.key == keys.c.key, ~rows.c.unusable))
            each = select(keys.c.combination_id, func.sum(rows.c.persons).label("persons")).select_from(joined)
            counts = each.group_by(keys.c.combination_id)
            folded = store.create("combinations", PersonReader.size_in_persons(combinations, counts), lasting=True)
        return PersonTables(name=name, count=number, lacking=lacking, combinations=folded, pairs=None), sensitive

    def _refuse_missing(self, skipped: int) -> None:
        lack = "lacks" if skipped == 1 else "lack"
        settings = choose_setting_name(
            "onMissing='skip' or 'keep' on input",
            python="on_missing='skip' or 'keep'",
            options="--on-missing skip or keep",
        )
        problem = f"{self._source.name}: {format_count(skipped, 'record')} {lack} a declared value"
        raise InputError(f"{problem}. Complete them, or write {settings}.")


# Loading a table whose rows each stand for several records: combinations that somebody has counted.

MOST_RECORDS = 2**53
"""So many are counted exactly in numbers of any kind, as losses are."""


def require_weights(store: Store, source: TableSource, weight: int) -> None:
    """Stop where a row does not say how many records it stands for.

    Parameters
    ----------
    source : TableSource
        Its last column numbers the rows.
    weight : int
        The column that says it.

    Raises
    ------
    InputError
        Or if these are more records than anybody has.
    """
    assert source.headers is not None, "a table names its columns"
    name, relation = source.headers[weight], source.relation()
    if source.kinds[weight] != "number":
        raise InputError(f"The column {name!r} holds no numbers. Name the one that counts records in count=.")
    given, row = relation.c[f"c{weight}"], relation.c[f"c{source.width - 1}"]
    is_whole = func.coalesce(round_to_whole(given) == given, False)
    rows = store.rows(select(row).where(or_(~is_whole, given < 0)).order_by(row).limit(FIRST_PLACES))
    if rows:
        at = format_places("row", [RecordPlace(number + 1) for (number,) in rows])
        raise InputError(f"The column {name!r} does not count records in {at}. Write whole numbers from 0 up.")
    if int(store.scalar(select(func.coalesce(func.sum(cast(given, BigInteger)), 0)))) > MOST_RECORDS:
        raise InputError(
            f"The column {name!r} counts more than {MOST_RECORDS:,} records. Is it the one that counts them?"
        )


class WeightedLoader(Loader):
    """Loads a table that says of each row how many records it stands for; there are no records to keep.

    Parameters
    ----------
    source : Source
        Its last column numbers the rows, if anybody asks for them.
    weight : int
        The column that holds the numbers of records.
    """

    def __init__(
        self,
        config: Config,
        source: Source,
        store: Store,
        weight: int,
        judged: Mapping[str, bool] = MappingProxyType({}),
        steps: Steps | None = None,
    ) -> None:
        super().__init__(config, source, store, judged, steps)
        self._weight = weight

    def _size(self, relation: FromClause) -> ColumnElement[int]:
        return cast(relation.c[f"c{self._weight}"], BigInteger)

    def _counting(self, relation: FromClause, texts: Sequence[ColumnElement[str]]) -> Query:
        total = cast(func.sum(self._size(relation)), BigInteger)
        counted = count_texts(texts, self._has_other_missing(relation), total)
        return counted.where(self._size(relation) > 0)

    def _account(self, read: int) -> Account:
        # Whoever has counted the records is asked again when the release is written.
        return Account()

    def _keep(self, usable: Table, *, expected: int, skips: bool) -> None:
        return None

    def _select_usable(self, position: int) -> FromClause:
        """Select the usable rows: ``key, text, size``, with the text of a column."""
        relation = self._source.relation()
        texts = self._texts(relation)
        text = column_text(relation, position)
        rows = select(
            hash_texts(texts, self._salt).label("key"), text.label("text"), self._size(relation).label("size")
        )
        return rows.where(self._size(relation) > 0, ~self._has_any_missing(relation, texts)).subquery()

    def _held(self, records: FromClause | None, position: int) -> SensitiveTexts:
        rows = self._select_usable(position)
        known = select(column_text(self._source.relation(), position).label("text"))
        return SensitiveTexts(rows.c.key, rows.c.text, cast(func.sum(rows.c.size), BigInteger), known)

    def find_first_rows(self) -> Table:
        """Find the first row of each combination of usable records: ``key, row``, from 0."""
        rows = self._select_usable(self._source.width - 1)
        first = func.min(cast(rows.c.text, BigInteger)).label("row")
        return self._store.create("first", select(rows.c.key, first).group_by(rows.c.key))
