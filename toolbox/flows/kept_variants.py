"""The variants that a session keeps until they are dropped, so that their records can be looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import FromClause, func, or_, select

from toolbox.errors import UsageError
from toolbox.flows.combinations import Combinations, Load
from toolbox.published.made import ShownClasses
from toolbox.queries.query import Query, Table
from toolbox.report.variant import Variant
from toolbox.store.scope import Scope
from toolbox.store.tables import Tables


@dataclass(frozen=True, eq=False)
class KeptVariant:
    """What one run has made."""

    load: Load
    tables: Tables
    """As the method has left them."""
    classes: Table
    """``key, text_1 .., size, suppressed``: the key is the number of the class."""
    rows: Table
    """``row, records, class_id, size, suppressed, changed`` of each row of the session that is released: its class, and
    whether any of its values is another one in the release."""
    scope: Scope

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its quasi-identifiers."""
        return tuple(str(attribute.column) for attribute in self.load.config.quasi_identifiers)


@dataclass(eq=False)
class KeptVariants:
    """Numbers the variants that are kept, from 1."""

    combinations: Combinations
    _kept: dict[int, KeptVariant] = field(default_factory=dict)
    _last: int = 0

    def add(self, load: Load, tables: Tables, shown: ShownClasses, scope: Scope) -> int:
        """Keep what a run has made, and return its number.

        Parameters
        ----------
        scope : Scope
            In which it was made.
        """
        store = self.combinations.store
        rows = store.create("released", _released(load.rows(store), tables, shown))
        load.holders += 1
        self._last += 1
        self._kept[self._last] = KeptVariant(load, tables, shown.classes, rows, scope)
        return self._last

    def find(self, variant: Variant | int) -> KeptVariant:
        """Return what was kept of a variant.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        return self._kept[self.number_of(variant)]

    def number_of(self, variant: Variant | int) -> int:
        """Return the number of a variant.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        number = variant.number if isinstance(variant, Variant) else variant
        if number is None:
            raise UsageError("The variant was not kept. Run it with keep=True to look at its records.")
        if number not in self._kept:
            known = ", ".join(map(str, self._kept)) or "none"
            raise UsageError(f"The session keeps no variant {number}. It keeps: {known}.")
        return number

    def drop(self, variant: Variant | int) -> None:
        """Forget a variant.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        kept = self._kept.pop(self.number_of(variant))
        kept.load.holders -= 1
        self.combinations.forget(kept.scope)


def _released(rows: Table, tables: Tables, shown: ShownClasses) -> Query:
    """Select the class of each row, and whether the release shows anything of it in another way."""
    what, classes, before = shown.keys, shown.classes, tables.combinations
    joined: FromClause = rows.join(what, what.c.key == rows.c.key).join(classes, classes.c.key == what.c.class_id)
    joined = joined.join(before, before.c.combination_id == rows.c.class_id)
    changes = []
    for index, column in enumerate(tables.quasi_identifiers, start=1):
        as_it_was = column.intervals.alias()
        joined = joined.join(as_it_was, as_it_was.c.interval_id == before.c[f"interval_{index}"])
        changes.append(func.nullif(as_it_was.c.label, "").is_distinct_from(classes.c[f"text_{index}"]))
    figures = classes.c.size, classes.c.suppressed, or_(classes.c.suppressed, *changes).label("changed")
    return select(rows.c.row, rows.c.records, classes.c.key.label("class_id"), *figures).select_from(joined)
