"""What a release must show when its records are counted again, kept beyond the run that made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BigInteger, FromClause, cast, column, select
from sqlalchemy import table as table_of

from toolbox.config.model import Kind, Limits
from toolbox.errors import UsageError
from toolbox.flows.counts import table_of_counts
from toolbox.flows.threads import few_threads
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.proof import Proof
from toolbox.privacy.recount import JudgedValues, Recount
from toolbox.release.in_memory import for_engine
from toolbox.store.source import arrow_source, column_text
from toolbox.store.store import Store
from toolbox.store.tables import SensitiveTables
from toolbox.store.weighted import require_weights

if TYPE_CHECKING:
    import pyarrow as pa


class _Values(NamedTuple):
    """`JudgedValues` in memory."""

    kind: Kind
    codes: pa.Table
    overall: pa.Table
    tree: pa.Table | None


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The classes of a release, and the values of the sensitive attributes that are judged; all in memory."""

    headers: tuple[str, ...]
    """What the release calls the columns by which readers tell classes apart."""
    classes: pa.Table
    """These columns as ``shown_0 ..``, then ``size, suppressed``."""
    values: Mapping[str, _Values]
    models: tuple[PrivacyModel, ...]
    count: str
    """What the column is called that counts records, unless the caller says otherwise."""
    limits: Limits

    def prove(self, recount: Any, count: str | None) -> Proof:
        """Compare a release that was counted again with what it must show, and judge it.

        Parameters
        ----------
        recount : table
            The headers, the judged attributes and the count, in as many rows as one likes.

        Raises
        ------
        UsageError
            If a column is not there, or two are called the same.
        ProofError
        """
        weight = self.count if count is None else str(count)
        shown_or_judged = [*self.headers, *self.values]
        if weight in shown_or_judged:
            raise UsageError(f"count={weight!r} is a column of the release, too. Name the column that counts records.")
        names = [*shown_or_judged, weight]
        given = table_of_counts(recount, names, "the recount").arrow
        with Store(self.limits.temp_dir, few_threads(self.limits, given)) as store:
            source = arrow_source(store, for_engine(given, names), added=1)
            positions = {name: given.column_names.index(name) for name in names}
            require_weights(store, source, positions[weight])
            relation = source.relation()
            shown = [
                column_text(relation, positions[header]).label(f"shown_{index}")
                for index, header in enumerate(self.headers)
            ]
            size = cast(relation.c[f"c{positions[weight]}"], BigInteger).label("size")
            held = {
                name: select(*shown, column_text(relation, positions[name]).label("text"), size).subquery()
                for name in self.values
            }
            return Recount(
                store=store,
                shown=tuple(column.name for column in shown),
                stated=_relation(store, self.classes),
                found=select(*shown, size).subquery(),
                held=held,
                values={name: _judged(store, values) for name, values in self.values.items()},
            ).prove(self.models)


def kept_values(store: Store, sensitive: Mapping[str, SensitiveTables]) -> dict[str, _Values]:
    """Fetch what must be known of the judged attributes when a release is counted again."""
    return {
        name: _Values(
            tables.kind,
            store.arrow(select(tables.codes)),
            store.arrow(select(tables.overall)),
            None if tables.tree is None else store.arrow(select(tables.tree)),
        )
        for name, tables in sensitive.items()
    }


def _judged(store: Store, values: _Values) -> JudgedValues:
    tree = None if values.tree is None else _relation(store, values.tree)
    return JudgedValues(values.kind, _relation(store, values.codes), _relation(store, values.overall), tree)


def _relation(store: Store, table: pa.Table) -> FromClause:
    return table_of(store.register("kept", table), *map(column, table.column_names))
