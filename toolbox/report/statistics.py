"""What `risk` says of statistics that are released with classes: the document, and notes in words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from toolbox.messages import counted
from toolbox.risks.statistics.figures import SolvedStatistics, StatisticsRisk


def statistics_document(found: StatisticsRisk) -> dict[str, Any]:
    """Return the part ``statistics`` of the JSON document; its names are stable."""
    columns = [{**asdict(column), "share_disclosed": column.share_disclosed} for column in found.columns]
    return {
        "cells": found.cells,
        "cells_disclosed": found.cells_disclosed,
        "share_disclosed": found.share_disclosed,
        "columns": columns,
    }


def statistics_notes(found: StatisticsRisk) -> list[str]:
    """Return what to know of the figures; `toolbox.report.advice` says what would lower the risk."""
    notes = [
        f"Intervals of {column.column} are not taken to begin and end with values of their class, since the figures of "
        f"{counted(column.without_ends, 'class', 'classes')} do not allow that. If these are false, more may follow of "
        "the others."
        for column in found.columns
        if column.without_ends
    ]
    if not (undecided := [column for column in found.columns if column.undecided]):
        return notes
    told = ", ".join(f"{column.undecided:,} of {column.column}" for column in undecided)
    return [
        *notes,
        f"For some classes ({told}) it is not known whether values follow from their statistics: the classes are too "
        "large to try all values, or the figures fit no values that were tried.",
    ]


def solved_in_words(column: SolvedStatistics) -> str:
    """Say what values were tried."""
    if column.kind == "distribution":
        return "shares of categories"
    if column.step is None:
        return "no step of values fits"
    return f"multiples of {column.step:g}{', ends are values' if column.ends_are_values else ''}"
