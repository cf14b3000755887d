"""What `risk` says of statistics that are released with classes: the document, and notes in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from toolbox.messages import counted, either
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


def statistics_notes(found: StatisticsRisk, *, in_python: bool = False) -> list[str]:
    """Return what follows for the publisher, and what would lower the risk."""
    notes = list(_undecided_notes(found))
    if found.cells_disclosed:
        genvals = either("outputFormat='genVals'", python="output_format='genVals'", in_python=in_python)
        names = ", ".join(column.column for column in found.columns if column.solved)
        notes.insert(
            0,
            f"Statistics give back {counted(found.cells_disclosed, 'cell', 'cells')} ({found.share_disclosed:.1%}) of "
            f"{names}: only one multiset of values fits the class. statistics='rounded' leaves several, and {genvals} "
            "releases none.",
        )
    return notes


def _undecided_notes(found: StatisticsRisk) -> Iterator[str]:
    if undecided := [column for column in found.columns if column.undecided]:
        told = ", ".join(f"{column.undecided:,} of {column.column}" for column in undecided)
        yield (
            f"Whether values follow from statistics is not known of some classes ({told}): they are too large to try "
            "all values, or the figures fit none that were tried."
        )


def solved_in_words(column: SolvedStatistics) -> str:
    """Say what values were tried."""
    if column.kind == "distribution":
        return "shares of categories"
    if column.step is None:
        return "no step of values fits"
    return f"multiples of {column.step:g}{', ends are values' if column.ends_are_values else ''}"
