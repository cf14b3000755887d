"""The weights of quasi-identifiers: the declared ones, otherwise those that follow from their priorities.

References
----------
Bampoulidis, Markopoulos and Lupu (2019). PrioPrivacy. doi:10.1145/3358695.3360918
"""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.store.tables import QuasiIdentifierTables


def by_importance(priorities: Sequence[int | None]) -> list[int]:
    """Rank quasi-identifiers, 1 the most important, without gaps; those without a priority share the last rank."""
    declared = sorted({priority for priority in priorities if priority is not None})
    return [len(declared) + 1 if priority is None else declared.index(priority) + 1 for priority in priorities]


def weights_of(ranks: Sequence[int], weights: Sequence[float | None]) -> list[float]:
    """Return the declared weights; without one it is (n - rank + 1) / n, with n ranks, as in the paper."""
    n = max(ranks)
    return [(n - rank + 1) / n if weight is None else weight for rank, weight in zip(ranks, weights, strict=True)]


def declared_weights(quasi_identifiers: Sequence[QuasiIdentifierTables]) -> list[float]:
    """Return the weight of each quasi-identifier; where none has a priority they weigh the same."""
    ranks = by_importance([column.priority for column in quasi_identifiers])
    return weights_of(ranks, [column.weight for column in quasi_identifiers])
