"""The tables of what classes tell of sensitive values."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from toolbox.report.console.tables import plain_table
from toolbox.report.sensitive import near_values
from toolbox.risks.sensitive.figures import SensitiveRisk


def print_sensitive(console: Console, found: Sequence[SensitiveRisk]) -> None:
    """Print what an attacker learns who knows the class of each person; `SensitiveRisk` explains the figures."""
    console.print(_beliefs_table(found))
    console.print(_skewness_table(found))
    if any(attribute.similarity for attribute in found):
        console.print(_similarity_table(found))


def _beliefs_table(found: Sequence[SensitiveRisk]) -> Table:
    levels = [f"above {level:.4g}" for level, _ in found[0].believed_above]
    table = plain_table(
        "people by how strongly their class makes believe in one sensitive value",
        *("attribute", *levels, "certain", "guessed rightly", "without the release"),
        numbers=frozenset(range(1, len(levels) + 4)),
    )
    for attribute in found:
        believed = (f"{people:,}" for _, people in attribute.believed_above)
        right = f"{attribute.right_guesses:.2%}"
        known = f"{attribute.share_without_release:.2%}"
        table.add_row(_name(attribute), *believed, f"{attribute.certain:,}", right, known)
    return table


def _skewness_table(found: Sequence[SensitiveRisk]) -> Table:
    skewness = found[0].skewness
    factors = [f"over {factor:g} times" for factor, _ in skewness.grown_by_factor]
    growths = [f"by over {growth:g}" for growth, _ in skewness.grown_by]
    table = plain_table(
        "people in whose class some value is more frequent than in the table (skewness)",
        *("attribute", *factors, *growths, "at most"),
        numbers=frozenset(range(1, len(factors) + len(growths) + 2)),
    )
    for attribute in found:
        counts = (*attribute.skewness.grown_by_factor, *attribute.skewness.grown_by)
        ratio = f"{attribute.skewness.largest_ratio:,.4g} times"
        table.add_row(_name(attribute), *(f"{people:,}" for _, people in counts), ratio)
    return table


def _similarity_table(found: Sequence[SensitiveRisk]) -> Table:
    table = plain_table(
        "people whose class has values that are near each other (similarity)",
        *("attribute", "all values of the class are", "people", ""),
        numbers=frozenset({2, 3}),
    )
    for attribute in found:
        if (similarity := attribute.similarity) is None:
            continue
        for words, people in near_values(similarity):
            table.add_row(_name(attribute), words, f"{people:,}", f"{people / attribute.people:.2%}")
    return table


def _name(attribute: SensitiveRisk) -> str:
    from rich.markup import escape

    return escape(attribute.attribute)
