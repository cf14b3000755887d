"""What quasi-identifiers are worth: their weights, or else the weights that their priorities stand for."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.store.tables import QuasiIdentifierTables


def weights_of(quasi_identifiers: Sequence[QuasiIdentifierTables]) -> list[float]:
    """Return a weight for each quasi-identifier.

    One of priority p among n different ones weighs (n - p + 1) / n, p being its place among them. Where some have a
    priority those without come last. Without any priority a quasi-identifier weighs 1. A declared weight wins.
    """
    ranks = sorted({one.priority for one in quasi_identifiers if one.priority is not None})
    places = {rank: place for place, rank in enumerate(ranks)}
    count = len(ranks) + any(one.priority is None for one in quasi_identifiers)
    return [
        one.weight or (count - (len(ranks) if one.priority is None else places[one.priority])) / count
        for one in quasi_identifiers
    ]
