"""Advice: what was found in a release, and what would lower it. Where nothing is found, nothing is advised."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["high", "medium", "low"]
_ORDER: tuple[Severity, ...] = ("high", "medium", "low")
BY_CLASSES = "Use a method that makes classes of k records: Mondrian, Datafly and LocalRecoding do."
"""What lowers every risk of being found."""
DIVERSE = "distinct l-diversity"
"""The simplest model under which no class has one sensitive value."""


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One finding, with what would lower it."""

    finding: str
    """A sentence."""
    severity: Severity
    """High where somebody can be found, a value is certain, or a requirement does not hold; medium where that takes
    more than the release, or is likely and not certain; low for what could be better."""
    remedy: str
    """A sentence on what to do."""
    effect: str | None = None
    """A sentence on what that leads to, where it is known."""

    def in_words(self) -> str:
        """Return all of it as sentences.

        Examples
        --------
        >>> Advice(finding="3 records are alone.", severity="high", remedy="Leave zip out.").in_words()
        '3 records are alone. Leave zip out.'
        """
        return " ".join(part for part in (self.finding, self.remedy, self.effect) if part)

    def document(self) -> dict[str, Any]:
        """Return what stands in JSON documents; the names are stable."""
        return asdict(self)


def on_one_value(finding: str, attribute: str | None, *, is_by_class: bool = True) -> Advice:
    """Advise on a sensitive value that is certain.

    t-closeness is no remedy: a class with one value is near the table if most of the table has it.

    Parameters
    ----------
    is_by_class : bool, optional
        Whether it is certain as all records of the class have it.
    """
    remedy = f"Require l-diversity of {attribute}, such as {DIVERSE} with l = 2."
    effect = "Every class then has at least two values of it." if is_by_class else None
    return Advice(finding=finding, severity="high", remedy=remedy, effect=effect)


def by_severity(advice: Iterable[Advice]) -> tuple[Advice, ...]:
    """Sort by severity, the most severe first, and leave out repetitions."""
    return tuple(sorted(dict.fromkeys(advice), key=lambda one: _ORDER.index(one.severity)))
