"""Loading combinations that were counted elsewhere, instead of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, FromClause, Select, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.errors import InputError
from toolbox.messages import counted, either
from toolbox.queries.query import Table
from toolbox.steps import Steps
from toolbox.store.loading import Loading
from toolbox.store.sensitive import Held
from toolbox.store.source import Account, Place, Source, kinds_of, zones_of
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa


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
        super().__init__(name, schema.names, kinds_of(schema))
        self.zones = zones_of(schema)

    def relation(self) -> FromClause:
        raise ValueError("the records stay where they are, and only their combinations were counted")

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        # Whoever has counted the records is asked again when the release is written.
        return Account()

    def places(self, position: int, known: Select[str]) -> list[Place]:
        """Return nothing: where a record stands, only its engine knows."""
        return []


@dataclass(frozen=True)
class CountedTables:
    """Combinations that were counted elsewhere, with their texts as the store writes them."""

    combinations: Table
    """``key, text_1 .., unusable, size``: several rows may hold the same texts; a key is of one combination only."""
    held: Mapping[int, Table] = field(default_factory=lambda: MappingProxyType({}))
    """For the position of each sensitive attribute whose values are looked at ``key, text, size``, of usable records
    only."""


class CountedLoader(Loading):
    """Loads counted combinations into one store; the records stay where they are.

    Parameters
    ----------
    given : CountedTables
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
    ) -> None:
        super().__init__(config, source, store, judged, steps)
        self._given = given

    def _count(self) -> Table:
        # A copy: `load` drops what it has counted.
        return self._store.create("counted", select(self._given.combinations))

    def _key(self, usable: Table, texts: Sequence[ColumnElement[str]]) -> ColumnElement[int]:
        return usable.c.key

    def _keep(self, usable: Table, *, expected: int, skips: bool) -> None:
        return None

    def _held(self, records: FromClause | None, position: int) -> Held:
        held = self._given.held[position]
        return Held(held.c.key, held.c.text, cast(func.sum(held.c.size), BigInteger), select(held.c.text))

    def _refuse_missing(self, skipped: int) -> None:
        lack = "lacks" if skipped == 1 else "lack"
        settings = either(
            "onMissing='skip' or 'keep' on input",
            python="on_missing='skip' or 'keep'",
            options="--on-missing skip or keep",
        )
        problem = f"{self._source.name}: {counted(skipped, 'record')} {lack} a declared value"
        raise InputError(f"{problem}. Complete them, or write {settings}.")
