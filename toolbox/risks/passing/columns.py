"""The columns that a release shows as they are, each with the evidence against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolbox.risks.passing.evidence import Evidence, Look, evidence_on
from toolbox.risks.passing.sample import sample_of
from toolbox.store.layout import Layout
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class PassedColumn:
    """A column that is released as it is."""

    name: str
    is_declared: bool
    """Whether it is declared as sensitive; otherwise nobody has said anything about it."""
    evidence: tuple[Evidence, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the entry of the column in the JSON document of a run."""
        evidence = [dict(vars(item)) for item in self.evidence]
        return {"column": self.name, "declared": "sensitive" if self.is_declared else None, "evidence": evidence}


def passed_columns(tables: Tables, layout: Layout, caller: pa.Table | None = None) -> tuple[PassedColumn, ...]:
    """List the columns of a release that are neither dropped nor generalised, in their order.

    Parameters
    ----------
    tables : Tables
        As they were read.
    caller : pyarrow.Table, optional
        The caller's own table, where the engine has only the places of its records.

    Returns
    -------
    tuple of PassedColumn
        Without evidence where the records stay elsewhere.
    """
    declared = set(layout.sensitive)
    positions = [
        position for position in layout.passed_through if position in declared or position in layout.undeclared
    ]
    if not positions:
        return ()
    if tables.records is None:
        names = layout.names
        return tuple(PassedColumn(name=names[position], is_declared=position in declared) for position in positions)
    sample = sample_of(tables, positions, caller)
    known = [attribute.name for attribute in tables.quasi_identifiers]
    looks = [Look(position, layout.names[position], position in declared) for position in sample.positions]
    found = dict(zip(sample.positions, evidence_on(sample, looks, known) if looks else (), strict=True))
    tables.store.drop(sample.table)
    return tuple(
        PassedColumn(name=layout.names[position], is_declared=position in declared, evidence=found.get(position, ()))
        for position in positions
    )
