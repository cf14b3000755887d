"""The columns of a release with the statistics of classes, behind those of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from toolbox.config.model import Config
from toolbox.store.layout import Layout
from toolbox.store.source import Source

StatisticsKind = Literal["moments", "distribution"]

_ENDS: dict[str, StatisticsKind] = {"mean:variance": "moments", "distribution": "distribution"}
"""What is behind the name of a column, and an underscore, in the name of its statistics."""


class StatisticsColumn(NamedTuple):
    """The statistics of one quasi-identifier."""

    number: int
    """Which one, from 0."""
    position: int
    """Of the column in the release."""
    kind: StatisticsKind


def statistics_columns(config: Config, layout: Layout, source: Source) -> list[StatisticsColumn]:
    """Find the columns with statistics: by their names, or in a release without a header behind each quasi-identifier.

    Parameters
    ----------
    config : Config
        Declares the columns of the release.
    """
    if source.headers is None:
        return _by_position(config, layout) if config.output.format.has_statistics else []
    found, places = [], {header: place for place, header in enumerate(source.headers)}
    for index, position in enumerate(layout.quasi_identifiers):
        for end, kind in _ENDS.items():
            place = places.get(f"{source.headers[position]}_{end}")
            if place is not None and place not in layout.quasi_identifiers:
                found.append(StatisticsColumn(index, place, kind))
    return found


def _by_position(config: Config, layout: Layout) -> list[StatisticsColumn]:
    """Trust the format; what a column holds must be declared then."""
    columns = zip(config.quasi_identifiers, layout.quasi_identifiers, strict=True)
    return [
        StatisticsColumn(index, position + 1, "moments" if attribute.kind == "number" else "distribution")
        for index, (attribute, position) in enumerate(columns)
        if attribute.kind in ("number", "category") and position + 1 < len(layout.names)
    ]


def statistics_names(names: Iterable[str], columns: Sequence[str]) -> set[str]:
    """Return those of the columns of a table that are named as statistics of some others."""
    return {f"{name}_{end}" for name in names for end in _ENDS} & set(columns)
