"""What was made in a store while something ran, so that it can be dropped together."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from toolbox.queries.query import Table
from toolbox.store.statements import DropMade


@dataclass(eq=False)
class Scope:
    """Takes note of tables, views and enumerations; see `Store.scope`, and `Store.within` for one that is kept open."""

    tables: list[Table] = field(default_factory=list)
    views: list[Table] = field(default_factory=list)
    enumerations: list[str] = field(default_factory=list)

    def dropping(self, there: AbstractSet[str]) -> DropMade | None:
        """Return the statement that drops what of it is still ``there``; None if that is nothing.

        An enumeration comes last, as a table may hold its values.
        """
        views, tables = ([table for table in made if table.name in there] for made in (self.views, self.tables))
        return DropMade(views, tables, self.enumerations) if views or tables or self.enumerations else None

    def forget(self) -> None:
        """Forget everything that was made so far."""
        self.tables.clear()
        self.views.clear()
        self.enumerations.clear()
