"""What was made in a store while something ran, so that it can be dropped together."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import MetaData, Table

from toolbox.store.statements import DropMade


@dataclass(eq=False)
class Scope:
    """Takes note of tables, views and enumerations; see `Store.scope`, and `Store.within` for one that is kept open."""

    tables: list[Table] = field(default_factory=list)
    views: list[Table] = field(default_factory=list)
    enumerations: list[str] = field(default_factory=list)

    def dropping(self, known: MetaData) -> DropMade | None:
        """Return the statement that drops all of it, except what was dropped meanwhile; None if nothing is left.

        An enumeration comes last, as a table may hold its values.
        """
        views, tables = ([table for table in made if table.name in known.tables] for made in (self.views, self.tables))
        return DropMade(views, tables, self.enumerations) if views or tables or self.enumerations else None

    def forget(self) -> None:
        """Take note of nothing that was made so far."""
        self.tables.clear()
        self.views.clear()
        self.enumerations.clear()
