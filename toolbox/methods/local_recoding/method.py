"""Local recoding: classes formed over the lattice, the cheapest first, at prices that learn."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from toolbox.errors import SettingError, UsageError
from toolbox.methods.anonymizer import Anonymizer, setting
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.model import PrivacyModel, ReleaseModel
from toolbox.store.tables import Tables

# Local recoding: classes formed over the lattice, the cheapest first, at prices that learn from the release.

_SHARES: Mapping[str, float] = MappingProxyType({"bits": 0.0, "mixed": 0.65, "columns": 1.0})
"""How much of the loss is counted by columns."""
_WORDS = (
    "entropy",
    "lm",
    "granularity",
    "ncp",
    "precision",
    "generalisation-intensity",
    "conditional-entropy",
    "normalised-conditional-entropy",
    "non-uniform-entropy",
    "weighted-non-uniform-entropy",
)


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(Anonymizer):
    """Each class at its own levels: as little lost as a search over the lattice can, by any sum over cells.

    A sweep visits the nodes of the lattice in the order of what a record loses there on average. At each node every
    group of the remaining records that satisfies the models becomes a class. Where the table is not too large,
    further sweeps take one group after the other, the cheapest of all nodes first, by what its own records lose;
    classes that violate another model than k-anonymity are then formed anew, node by node. The best release counts.
    The few records that are left join the classes that lose least by it, so that none is suppressed. In the end single
    combinations move to other classes as long as less is lost. Of a column
    without a hierarchy a class shows the value or ``*``; leaves of a hierarchy may lie at different depths. Of columns
    that cost the same, the one that is declared later is generalised: a rule of ours, as no source has one.

    The distinct combinations are held in memory: some 24 bytes of each value, and 200 beside them. The engine has so
    much less of the memory limit.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any monotone ones that judge each class by itself, and those of the whole release: classes become larger until
        all of them together satisfy these.
    objective : str
        What is lost as little of as can be: 'entropy', as `loss` weighs it, or a loss metric by the name of its entry
        point: 'lm', 'granularity', 'ncp', 'precision', 'generalisation-intensity', 'conditional-entropy',
        'normalised-conditional-entropy', 'non-uniform-entropy', 'weighted-non-uniform-entropy'. Columns count as they
        do in the metric: 'ncp' and the last one know weights.
    loss : {'mixed', 'bits', 'columns'}
        What counts of entropy. ``bits``: a bit is a bit, in whatever column. ``columns``: the share that each column
        loses of its own entropy, by its weight, or by its priority: rank p of n weighs (n - p + 1) / n. ``mixed``: 35
        parts of the first and 65 of the second where columns weigh differently, else the first.

    References
    ----------
    Goldberger and Tassa (2010). Efficient anonymizations with enhanced utility. Transactions on Data Privacy 3.
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
    summary: ClassVar[str] = (
        "Gives each class its own levels of the hierarchies, so every value of the release is in a hierarchy. Often "
        "keeps more than methods that make whole columns coarser."
    )
    rank: ClassVar[int] = 20
    climbs: ClassVar[bool] = True
    stops_at_first: ClassVar[bool] = True
    saved_with: ClassVar[Mapping[str, str] | None] = MappingProxyType({})
    counts_persons: ClassVar[bool] = True
    weighs_records: ClassVar[bool] = True
    reference: ClassVar[str] = "its loss: Prasser, Bild and Kuhn 2016, doi:10.3233/978-1-61499-678-1-312"

    objective: str = setting("entropy", _WORDS)
    loss: str = setting("mixed", tuple(_SHARES))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.objective != "entropy" and self.loss != "mixed":
            allowed = f"'mixed', or nothing, beside objective={self.objective!r}: it weighs entropy"
            raise SettingError("loss", self.loss, allowed)

    def anonymize(self, tables: Tables) -> Tables:
        # Searching needs numpy, which reading, proving and writing do without.
        from toolbox.methods.arrays.models import find_judge
        from toolbox.methods.arrays.recoding import recode
        from toolbox.methods.local_recoding.rows import RecodingRows, make_objective
        from toolbox.methods.local_recoding.search import RecodingSearch, search_for_release

        of_release = [model for model in self.models if isinstance(model, ReleaseModel)]
        if of_release and tables.person_pairs is not None:
            raise UsageError(
                f"{self.name} cannot honour {of_release[0]} where persons have several combinations of "
                "quasi-identifiers. Choose Flash."
            )
        with in_memory(tables, 200 + 24 * len(tables.quasi_identifiers)):
            pulse = Pulse(tables.report)
            rows = RecodingRows.fetch(tables, pulse.beat)
            search = RecodingSearch(
                objective=make_objective(tables, rows.columns, self.objective, by_columns=_SHARES[self.loss]),
                least=self.least_records,
                judge=find_judge(tables, [model for model in self.models if not model.of_release]),
                report=pulse.say,
            )
            best = search_for_release(search, rows, of_release) if of_release else search.best(rows)
            return recode(tables, rows.combination_ids, best.sizes(rows), best.intervals(rows), classes=best.of_row)

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        # Whom no class covers is known only in the end.
        return (model.monotone or model.of_release) and not (model.counts_outside or model.needs_columns)


# Saying again and again how far the search is: whoever cancels a run does so when it says something.

_EVERY = 0.1
"""Seconds between two words."""


class Pulse:
    """Says what was said last once more, if that is some time ago.

    Parameters
    ----------
    report : callable
        Is told how far the search is.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._words = ""
        self._next = 0.0

    def say(self, words: str) -> None:
        """Report how far the search is."""
        self._words, self._next = words, time.monotonic() + _EVERY
        self._report(words)

    def beat(self) -> None:
        """Report again if it is time; the search calls this at each visited node."""
        if time.monotonic() >= self._next:
            self.say(self._words)
