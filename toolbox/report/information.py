"""How much information about its records a release keeps, and which columns tell nothing any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from sqlalchemy import Double, FromClause, cast, func, select

from toolbox.queries.dialect import binary_logarithm
from toolbox.report.columns import listed
from toolbox.store.store import Store
from toolbox.store.tables import Tables

_LITTLE = 1 / 3
"""Share of the information below which a release is called nearly empty."""


@dataclass(frozen=True)
class Information:
    """The information of a record's quasi-identifiers, in bits per record.

    It is the entropy of the combinations before, and of the classes after: the fewer and the larger classes are, the
    less is known.
    """

    before: float
    after: float

    @property
    def share(self) -> float:
        """The share that is kept; 1 where there was nothing to lose."""
        return min(1.0, self.after / self.before) if self.before else 1.0

    def document(self) -> dict[str, float | str]:
        """Return the entry of the JSON document."""
        return {"before": self.before, "after": self.after, "share": self.share, "unit": "bits per record"}


def information_in(tables: Tables) -> Information:
    """Measure the tables that a method has finished; groups of anatomy tell all."""
    before = _entropy(tables.store, tables.combinations)
    return Information(before, before if tables.by_number else _entropy(tables.store, tables.equivalence))


def _entropy(store: Store, classes: FromClause) -> float:
    size = cast(classes.c.size, Double)
    total, weighted = store.row(select(func.sum(size), func.sum(size * binary_logarithm(size))))
    return max(0.0, log2(total) - float(weighted / total))


def emptiness_notes(
    information: Information, at_root: Sequence[str], count: int, *, whole_columns: bool
) -> tuple[str, ...]:
    """Return a note on columns with one value left, or on a release that tells little, and on what keeps more.

    Parameters
    ----------
    at_root : sequence of str
        Quasi-identifiers that show the same everywhere.
    count : int
        Number of quasi-identifiers.
    whole_columns : bool
        Whether the method generalises whole columns.
    """
    is_nearly_empty = information.share < _LITTLE or 2 * len(at_root) > count
    if not at_root and not is_nearly_empty:
        return ()
    lead = "The release is nearly empty: it" if is_nearly_empty else "The release"
    kept = (
        f"{lead} keeps {information.share:.0%} of the information that tells records apart "
        f"({information.after:.1f} of {information.before:.1f} bits)"
    )
    named = f", and {len(at_root)} of {count} quasi-identifiers show one value only: {listed(at_root)}" * bool(at_root)
    if whole_columns:
        remedy = "LocalRecoding and Mondrian keep more, as they do not generalise whole columns; so does a smaller k."
    else:
        remedy = "A smaller k, fewer quasi-identifiers or weaker models keep more."
    return (f"{kept}{named}. {remedy}",)
