"""PrioPrivacy: local recoding round by round, from the quasi-identifier that matters least to the most important."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import func, select

from toolbox.errors import SettingError, UnsatisfiableError
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.tables import Tables

_WORDS = ("strict", "published")


@dataclass(frozen=True, kw_only=True)
class PrioPrivacy(Anonymizer):
    """Local recoding that changes the least important quasi-identifiers first, and of each record as few as it can.

    The first round may change the least important column, each further round one more. A round generalises open
    records, those that are in no class of k yet, to one level, forming the largest group first; then it deals with
    what is left. Columns without a hierarchy can only be suppressed; ``priority`` and ``weight`` come from the
    configuration, or from ``priorities=`` and ``weights=`` of `toolbox.anonymize`.

    Parameters
    ----------
    models : tuple of PrivacyModel
        k-anonymity.
    suppression : {'strict', 'published'}
        What a round does at its end. ``strict`` forms classes of at least k records, each column at any level, those
        that lose least first; the last records, if they are fewer than k, join the class that loses least by it.
        ``published`` is the rule of the paper, which leaves people with fewer than k records that could be theirs. It
        is for research, no setting of a configuration, and refused unless all classes happen to have k records;
        `toolbox.methods.prioprivacy.search.search` returns what it finds as arrays.

    References
    ----------
    Bampoulidis, Markopoulos and Lupu (2019). PrioPrivacy: a local recoding k-anonymity tool for prioritised
    quasi-identifiers. doi:10.1145/3358695.3360918

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [30, 30, 40, 40], "city": ["Graz", "Linz", "Graz", "Linz"]})
    >>> declared = {"quasi_identifiers": ["age", "city"], "priorities": {"age": 1, "city": 2}}
    >>> toolbox.anonymize(people, k=2, method="PrioPrivacy", order="input", **declared).release
      age city
    0  30    *
    1  30    *
    2  40    *
    3  40    *
    """

    name: ClassVar[str] = "PrioPrivacy"
    summary: ClassVar[str] = "Changes record by record, and first the columns that matter least, by their priorities."
    rank: ClassVar[int] = 80
    climbs: ClassVar[bool] = True
    stops_at_first: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    reference: ClassVar[str] = "Bampoulidis, Markopoulos and Lupu 2019, doi:10.1145/3358695.3360918"

    suppression: str = "strict"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.suppression not in _WORDS:
            raise SettingError("suppression", self.suppression, "one of " + ", ".join(_WORDS))

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return isinstance(model, KAnonymity)

    def anonymize(self, tables: Tables) -> Tables:
        # Searching needs numpy, which reading, proving and writing do without.
        from toolbox.methods.arrays.recoding import recode
        from toolbox.methods.prioprivacy.search import fetch_prio_combinations, find_released_intervals, search

        k, levels = self.least_records, sum(1 + column.height for column in tables.quasi_identifiers)
        with in_memory(tables, 100 + 4 * levels + 8 * len(tables.quasi_identifiers)):
            combinations, ids = fetch_prio_combinations(tables)
            state = search(combinations, k, published=self.suppression == "published", report=tables.report)
            finished = recode(tables, ids, combinations.sizes, find_released_intervals(tables, combinations, state))
        if self.suppression == "published":
            size = finished.equivalence.c.size
            alone = tables.store.scalar(select(func.coalesce(func.sum(size), 0)).where(size < k))
            if alone:
                raise UnsatisfiableError(
                    f"suppression='published' leaves {alone:,} of {tables.record_count:,} records in classes of fewer "
                    f"than {k}, so nothing is released. Use suppression='strict'; docs/prioprivacy.md says why."
                )
        return finished
