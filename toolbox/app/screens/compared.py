"""Two variants, figure by figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toolbox.app.rendering import number, percent
from toolbox.app.variants import METRICS, KeptVariant

_BETTER: Mapping[bool, str] = {True: "more is better", False: "less is better"}


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of both."""

    name: str
    words: str
    values: tuple[str, str]
    better: int | None
    """Which of them is better, 0 or 1; None if neither is, or nobody can say."""


def compared(first: KeptVariant, second: KeptVariant) -> list[ComparedFigure]:
    """Compare two variants."""
    ncp, nue = METRICS
    rows = [
        _row("Information kept", "of what tells records apart", (first.kept, second.kept), percent, True),
        _row("Classes", "groups of records that look alike", (first.classes, second.classes), number, None),
        _row("Smallest class", "records that look alike, at least", (first.smallest, second.smallest), number, None),
        _row("Suppressed", "records of which nothing is told", (first.suppressed, second.suppressed), number, False),
        _row(
            "Highest risk",
            "of being recognised, for the person at most risk",
            (first.highest_risk, second.highest_risk),
            percent,
            False,
        ),
        _row("Certainty lost", f"{ncp}, of all values", (first.loss(ncp), second.loss(ncp)), percent, False),
        _row("Entropy kept", f"{nue}, of all values", (first.loss(nue), second.loss(nue)), percent, True),
    ]
    return rows + _columns(first, second)


def _columns(first: KeptVariant, second: KeptVariant) -> list[ComparedFigure]:
    """Compare how many values each quasi-identifier still has."""
    counts = [
        {column["name"]: column["generalised_values"] for column in one.document["quasi_identifiers"]}
        for one in (first, second)
    ]
    return [
        _row(
            f"Values of {name}",
            "different ones in the release",
            (counts[0].get(name), counts[1].get(name)),
            number,
            None,
        )
        for name in dict.fromkeys([*counts[0], *counts[1]])
    ]


def _row(
    name: str,
    words: str,
    values: tuple[float | None, float | None],
    written: Callable[[float | None], str],
    more_is_better: bool | None,
) -> ComparedFigure:
    first, second = values
    better = None
    if more_is_better is not None and first is not None and second is not None and first != second:
        better = int((second > first) == more_is_better)
        words = f"{words}; {_BETTER[more_is_better]}"
    return ComparedFigure(name, words, (written(first), written(second)), better)
