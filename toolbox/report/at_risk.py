"""How many records are at risk before anything is generalised, in all and by the values of a column."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from toolbox.report.notebook import Shown


class ValueAtRisk(NamedTuple):
    """The records with one value."""

    value: str | None
    """As the input writes it; None where it is missing."""
    safe: int
    at_risk: int


@dataclass(frozen=True, kw_only=True, repr=False)
class AtRisk(Shown):
    """The records that are in classes of fewer than k, if the table were released as it is."""

    k: int
    quasi_identifiers: tuple[str, ...]
    records: int
    """Those that lack no declared value."""
    at_risk: int
    classes: int
    column: str | None = None
    values: tuple[ValueAtRisk, ...] = ()
    """Of the column that was asked for, in the order of its values."""

    @property
    def share(self) -> float:
        """The records at risk, as a share of all."""
        return self.at_risk / self.records

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return f"{self.at_risk:,} of {self.records:,} records ({self.share:.2%}) are in classes below k = {self.k}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from rich.markup import escape

        from toolbox.report.console.tables import plain_table

        console.print(self.headline(), soft_wrap=True)
        if self.column is not None:
            table = plain_table(f"by {self.column}", "safe", "at risk", "value", numbers=frozenset({0, 1}))
            for value, safe, at_risk in self.values:
                table.add_row(f"{safe:,}", f"{at_risk:,}", "" if value is None else escape(value))
            console.print(table)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        values = [value._asdict() for value in self.values]
        return {
            **asdict(self),
            "quasi_identifiers": list(self.quasi_identifiers),
            "share": self.share,
            "values": values,
        }
