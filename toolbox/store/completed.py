"""The declared quasi-identifiers, completed by what the method needs and what the input itself says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from toolbox.config.model import Config, QuasiIdentifier
from toolbox.store.source import Source


def completed(config: Config, source: Source, positions: Sequence[int]) -> list[QuasiIdentifier]:
    """Complete the quasi-identifiers: dates by their usual periods, ordered categories by their order.

    Parameters
    ----------
    positions : sequence of int
        The column of each in the input.
    """
    pairs = zip(config.quasi_identifiers, positions, strict=True)
    return [
        _ordered(replace(attribute, periods=attribute.periods or config.periods), source.orders[position])
        for attribute, position in pairs
    ]


def _ordered(attribute: QuasiIdentifier, order: Sequence[str] | None) -> QuasiIdentifier:
    is_open = attribute.kind is None and attribute.categories is None and not attribute.has_hierarchy
    if order is None or not is_open:
        return attribute
    categories = MappingProxyType({text: code for code, text in enumerate(order)})
    return replace(attribute, kind="category", categories=categories, ordered=True)
