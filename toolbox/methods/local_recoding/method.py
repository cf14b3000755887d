"""Local recoding: classes formed node by node over the lattice, at prices that learn from the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from toolbox.methods.anonymizer import Anonymizer, setting
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables

_SHARES: Mapping[str, float] = MappingProxyType({"bits": 0.0, "mixed": 0.65, "columns": 1.0})
"""How much of the loss is counted by columns."""
_SWEEPS = 4


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(Anonymizer):
    """Each class at its own levels: as little entropy lost as a sweep over the lattice can, by weights or priorities.

    A sweep visits the nodes of the lattice in the order of what a record loses there on average. At each node every
    group of the remaining records that satisfies the models becomes a class. The next sweep is ordered by what a record
    would lose at the margin of the release that was found; the best release counts. The few records that are left join
    the classes that lose least by it, so that none is suppressed. Of a column without a hierarchy a class shows the
    value or ``*``; leaves of a hierarchy may lie at different depths.

    The distinct combinations are held in memory: some 24 bytes of each value, and 200 beside them. The engine has so
    much less of the memory limit.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any monotone ones.
    loss : {'mixed', 'bits', 'columns'}
        What counts. ``bits``: a bit of entropy is a bit, in whatever column. ``columns``: the share that each column
        loses of its own entropy, by its weight, or by its priority: rank p of n weighs (n - p + 1) / n. ``mixed``: 35
        parts of the first and 65 of the second where columns weigh differently, else the first.

    References
    ----------
    De Waal and Willenborg (1999). Information loss through global recoding and local suppression. Netherlands Official
    Statistics 14.
    Prasser, Bild and Kuhn (2016). A generic method for assessing the quality of de-identified health data.
    doi:10.3233/978-1-61499-678-1-312

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 61, 61], "city": ["Graz", "Graz", "Linz", "Wels"]})
    >>> declared = {
    ...     "quasi_identifiers": ["age", "city"],
    ...     "hierarchies": {"age": [(23, "young", "*"), (25, "young", "*"), (61, "old", "*")]},
    ... }
    >>> toolbox.anonymize(people, k=2, method="LocalRecoding", order="input", **declared).release
         age  city
    0  young  Graz
    1  young  Graz
    2     61     *
    3     61     *
    """

    name: ClassVar[str] = "LocalRecoding"
    climbs: ClassVar[bool] = True
    reference: ClassVar[str] = "its loss: Prasser, Bild and Kuhn 2016, doi:10.3233/978-1-61499-678-1-312"

    loss: str = setting("mixed", tuple(_SHARES))

    def anonymize(self, tables: Tables) -> Tables:
        # Searching needs numpy, which reading, proving and writing do without.
        from toolbox.methods.arrays.importance import declared_weights
        from toolbox.methods.arrays.judging import Judge
        from toolbox.methods.arrays.recoding import recode
        from toolbox.methods.local_recoding.loss import importances
        from toolbox.methods.local_recoding.rows import rows_of
        from toolbox.methods.local_recoding.search import Search

        judges = [model for model in self.models if not isinstance(model, KAnonymity)]
        weights = declared_weights(tables.quasi_identifiers)
        share = 0.0 if self.loss == "mixed" and len(set(weights)) == 1 else _SHARES[self.loss]
        with in_memory(tables, 200 + 24 * len(tables.quasi_identifiers)):
            rows = rows_of(tables)
            search = Search(
                importances=importances(rows.columns, weights, share),
                least=self.least_records,
                sweeps=_SWEEPS,
                judge=Judge(tables, judges) if judges else None,
                report=tables.report,
            )
            best = search.best(rows)
            return recode(tables, rows.combination_ids, best.sizes(rows), best.intervals(rows), classes=best.of_row)

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return model.monotone
