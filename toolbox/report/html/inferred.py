"""What a reader of the release infers who needs nothing else: from the statistics of classes, and from classes."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.charts import percent, table, written
from toolbox.charts.markup import Markup, element
from toolbox.report.html.parts import all_of, listed, paragraph, scrolling
from toolbox.report.sensitive import near_values
from toolbox.report.statistics import solved_in_words, statistics_notes
from toolbox.risks.sensitive.figures import SensitiveRisk
from toolbox.risks.statistics.figures import StatisticsRisk


def from_statistics(found: StatisticsRisk | None) -> Markup | None:
    """Return the part on values that follow from statistics; None for a release without any."""
    if found is None:
        return None
    said = (
        "An attacker can try all values that a class may have, and finds those that fit its statistics. For "
        f"{written(found.cells_disclosed)} of {written(found.cells)} cells ({percent(found.share_disclosed)}) no other "
        "values fit: these classes give their original values back."
    )
    heads = ["column", "classes", "solved", "not decided", "cells given back", "share", "values tried"]
    rows = [
        (
            *(column.column, column.classes, column.solved, column.undecided, column.cells_disclosed),
            *(percent(column.share_disclosed), solved_in_words(column)),
        )
        for column in found.columns
    ]
    shown = table(heads, rows, figures=range(1, 6))
    return all_of(
        element("h3", "By the statistics of the classes"),
        paragraph(said),
        scrolling(shown, "Values that follow from statistics"),
        listed(notes, "warnings") if (notes := statistics_notes(found)) else None,
    )


def from_classes(found: Sequence[SensitiveRisk]) -> Markup | None:
    """Return the part on sensitive values that classes make likely; None where none are declared."""
    if not found:
        return None
    levels = [f"believed above {level:g}" for level, _ in found[0].believed_above]
    heads = ["sensitive attribute", *levels, "right, as expected", "right without the release", "grown by at most"]
    rows: list[Sequence[str | float]] = [
        (
            values.attribute,
            *(people for _, people in values.believed_above),
            percent(values.right_guesses),
            percent(values.share_without_release),
            f"{values.skewness.largest_ratio:,.4g} times",
        )
        for values in found
    ]
    said = (
        "An attacker who finds the class of a person, or the group of an anatomy, believes in each sensitive value as "
        "strongly as it is frequent there. A missing value counts as a value."
    )
    shown = table(heads, rows, figures=range(1, len(heads)))
    return all_of(
        element("h3", "By the class of a person"), paragraph(said), scrolling(shown, "Beliefs by classes"), _near(found)
    )


def _near(found: Sequence[SensitiveRisk]) -> Markup | None:
    rows = [
        (values.attribute, words, people, percent(people / values.people))
        for values in found
        if values.similarity is not None
        for words, people in near_values(values.similarity)
    ]
    if not rows:
        return None
    shown = table(["sensitive attribute", "all values of the class are", "people", "share"], rows, figures={2, 3})
    return scrolling(shown, "People whose class has values that are near each other")
