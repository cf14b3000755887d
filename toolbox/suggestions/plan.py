"""What becomes of all columns of a table, and what follows from that: k, and what is done with missing values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolbox.messages import counted
from toolbox.suggestions.builders import Generalisation
from toolbox.suggestions.kinds import Notation
from toolbox.suggestions.roles import Role
from toolbox.suggestions.suggested import Suggested

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_K: Final = 5
"""Records of the smallest class, to begin with."""
MOST_LEFT_OUT: Final = 0.05
"""Share of the records that may be left out because they lack a value; from there on, missing values are kept."""
BY_PERSON: Final = "so you said"
"""Why a column has the role that somebody chose."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A role for each column."""

    columns: tuple[Suggested, ...]
    headers: tuple[str, ...] | None
    """None where the first line does not name the columns."""
    records: int
    notation: Notation
    is_sample: bool
    """Whether only some of the records were looked at."""
    absent: Mapping[int, NDArray[np.bool_]] = field(compare=False, repr=False)
    """The records of the sample that lack a value, by the columns where some do."""

    def named(self, *roles: Role) -> list[str]:
        """List the columns with some roles."""
        return [column.name for column in self.columns if column.role in roles]

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `toolbox.anonymize`; give it a table without the columns that are dropped."""
        known = [column for column in self.columns if column.role == "quasi-identifier"]
        said = {column.name: self.generalisation_of(column).attributes for column in known}
        return {
            "identifiers": self.named("identifier"),
            "quasi_identifiers": [column.name for column in known],
            "sensitive": self.named("sensitive", "as it is"),
            "kinds": {name: f"{its['type']} {its.get('format', '')}".strip() for name, its in said.items()},
            "k": self.k,
        }

    @property
    def k(self) -> int:
        """Records of the smallest class that is suggested."""
        return max(2, min(FEWEST_K, self.records))

    @property
    def keeps_missing(self) -> bool:
        """Whether missing values become a category; otherwise the records that lack one are left out."""
        lacking = [column for column in self._used if column.profile.missing]
        numbers = [column for column in lacking if _is_ordered(column)]
        return bool(lacking) and (not numbers or self.left_out > MOST_LEFT_OUT)

    @property
    def leaves_out(self) -> bool:
        """Whether some records are left out because they lack a value."""
        return not self.keeps_missing and any(column.profile.missing for column in self._used)

    @property
    def left_out(self) -> float:
        """Share of the records of the sample that lack a value of a column that is used."""
        flags = [
            self.absent[column.profile.position] for column in self._used if column.profile.position in self.absent
        ]
        if not flags:
            return 0.0
        lacking = flags[0].copy()
        for other in flags[1:]:
            lacking |= other
        return float(lacking.mean())

    @property
    def _used(self) -> list[Suggested]:
        return [column for column in self.columns if column.role != "identifier"]

    def generalisation_of(self, column: Suggested) -> Generalisation:
        """Return how a quasi-identifier is generalised."""
        if not self.is_category_for_missing(column):
            return column.generalisation
        remark = "taken for words, because missing values cannot be kept among numbers and dates"
        return Generalisation({"type": "category"}, {"build": "auto", "levels": "3"}, remark)

    def is_category_for_missing(self, column: Suggested) -> bool:
        """Return whether numbers or dates are taken for words, because that is how missing values can be kept."""
        return self.keeps_missing and _is_ordered(column) and column.profile.missing > 0

    def with_roles(self, roles: Mapping[int, Role]) -> Plan:
        """Return the plan with the roles that a person has chosen, by the positions of columns."""
        columns = tuple(
            column.changed(role, BY_PERSON, "sure")
            if (role := roles.get(column.profile.position, column.role)) != column.role
            else column
            for column in self.columns
        )
        return replace(self, columns=columns)

    def evidence(self, column: Suggested) -> str:
        """Return one line on what was counted in a column; never a value."""
        its = column.profile
        if not its.there:
            return "no value"
        parts = [f"{counted(its.different, 'value')}{' in a sample' if self.is_sample and its.different > 1 else ''}"]
        if its.alone:
            parts.append(f"{percent(its.share_alone)} of the records have one of their own")
        if its.missing:
            parts.append(f"{percent(its.missing / self.records)} lack one")
        if column.alone_with is not None and column.role == "sensitive":
            before, after = map(percent, column.alone_with)
            parts.append(
                f"known with the quasi-identifiers, it makes {after} of the records unique, and these alone {before}"
            )
        if its.by_name is not None and its.by_name.words not in column.why:
            parts.append(f"the name says {its.by_name.words}")
        if its.content is not None:
            parts.append(f"{percent(its.content.share)} look like {its.content.meaning.words}")
        if any(meaning.is_special for meaning in its.meanings):
            parts.append("protected by article 9 of the GDPR")
        return "; ".join(parts)


def percent(share: float) -> str:
    """Write a share; one that is not nothing is never 0 %, and one that is not all never 100 %."""
    if not share:
        return "none"
    if share < 0.01:
        return "under 1 %"
    return f"{100 if share == 1 else min(round(100 * share), 99)} %"


def _is_ordered(column: Suggested) -> bool:
    """Return whether a column is generalised as numbers or dates, among which a missing value has no place."""
    return column.role == "quasi-identifier" and column.generalisation.attributes.get("type") != "category"
