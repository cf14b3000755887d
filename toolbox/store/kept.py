"""The combinations of all columns of a session, kept: an input that is read once, and loaded again and again."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import FromClause, Select, Table, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.errors import ToolboxError
from toolbox.queries.dialect import nth_column
from toolbox.queries.query import Query
from toolbox.steps import Steps
from toolbox.store.combinations import text_hash
from toolbox.store.connection import SHARE_OF_SCAN
from toolbox.store.layout import Layout
from toolbox.store.missing import MissingValues
from toolbox.store.source import Account, Place, Source, column_text
from toolbox.store.store import Store
from toolbox.store.weighted import WeightedLoader

_UNUSABLE = "unusable"


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
    """

    def __init__(self, origin: Source, kept: Table, account: Account) -> None:
        super().__init__(origin.name, origin.headers, origin.kinds)
        self.zones, self.orders, self.added, self.place = origin.zones, origin.orders, origin.added, origin.place
        self._origin = origin
        self._kept = kept
        self._account = account

    def relation(self) -> FromClause:
        return self._kept

    def has(self, position: int) -> bool:
        """Return whether a column was kept."""
        return f"c{position}" in self._kept.c

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        return self._account

    def places(self, position: int, known: Select[str]) -> list[Place]:
        try:
            return self._origin.places(position, known)
        except ToolboxError:
            # The file may be gone by now; the fault is told without its place.
            return []


def keep(store: Store, source: Source, layout: Layout, missing: MissingValues, steps: Steps) -> KeptSource:
    """Read an input once, and keep the combinations of its quasi-identifiers and sensitive columns.

    Parameters
    ----------
    layout : Layout
        Says where they are.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    relation = source.relation()
    positions = (*layout.quasi_identifiers, *layout.sensitive)
    others = [column_text(relation, position) for position in range(source.width) if position not in positions]
    texts = [column_text(relation, position).label(f"c{position}") for position in positions]
    unusable = missing.marked(others).label(_UNUSABLE)
    size = func.count().label(f"c{source.width}")
    rows = select(*texts, unusable, size).group_by(*map(nth_column, range(1, len(texts) + 2)))
    with steps.reading("count", store.share, until=SHARE_OF_SCAN):
        kept = store.create("kept", rows)
    read = int(store.scalar(select(func.coalesce(func.sum(kept.c[size.name]), 0))))
    account = source.account(read)
    steps.records = read
    return KeptSource(source, kept, account)


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

    def _lacks_another(self, relation: FromClause) -> ColumnElement[bool]:
        sensitive = [(attribute, column_text(relation, position)) for attribute, position in self._sensitive]
        declared = {*self._layout.quasi_identifiers, *self._layout.sensitive}
        positions = (position for position in range(self._source.width) if self._kept.has(position))
        others = [column_text(relation, position) for position in positions if position not in declared]
        return or_(relation.c[_UNUSABLE], self._missing.disqualifies(sensitive), self._missing.marked(others))

    def usable(self) -> Query:
        """Select the combinations of texts that are not skipped: ``key, text_1 .., size``, each once."""
        relation = self._source.relation()
        texts = self._texts(relation)
        labelled = [text.label(f"text_{index}") for index, text in enumerate(texts, start=1)]
        keyed = select(
            text_hash(texts, self._salt).label("key"), *labelled, func.sum(self._size(relation)).label("size")
        )
        kept = keyed.where(~self._lacks_any(relation, texts))
        return kept.group_by(*map(nth_column, range(1, len(labelled) + 2)))

    def texts_of(self, position: int) -> FromClause:
        """Select the usable rows: ``key, text, size``, with the text of any column that was kept."""
        return self._usable(position)
