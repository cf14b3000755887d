"""Mondrian: cut the records in two at a median, all partitions at once, until no cut is allowable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from toolbox.errors import SettingError, UsageError
from toolbox.methods.anonymizer import Anonymizer, setting
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    from toolbox.methods.mondrian.partitions import Partitions
    from toolbox.methods.mondrian.search import Measure, MondrianSearch

_METRICS = ("lm", "granularity", "ncp", "conditional-entropy", "normalised-conditional-entropy")


@dataclass(frozen=True, kw_only=True)
class Mondrian(Anonymizer):
    """Strict multidimensional partitioning; hierarchies only give categories their order and sets their names.

    A partition is cut on one quasi-identifier, at the median: ``<= median`` to the left, the rest to the right. A cut
    is allowable if both sides satisfy the models. Each round cuts every partition that can be cut, so that there are as
    many rounds as the deepest partition has cuts.

    The distinct combinations are held in memory: of each value two bytes, or four in columns of more than 32,767
    values, at most twice; beside them some 60 bytes of each combination. The engine has so much less of the memory
    limit.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any monotone ones that judge each class by itself.
    dimension : {'range', 'distinct', 'interval'}
        Which column to cut: that with the widest range in the partition, as a share of its range in the table (the
        rule of the paper), that with the largest share of its distinct values, which loses less information on columns
        of words, or that whose region is the widest share of its declared domain (the rule of the original toolbox).
        Ties: the first in the configuration.
    objective : str
        Cut instead the column where the median cut takes most off this loss metric, in all columns together: 'lm',
        'granularity', 'ncp', 'conditional-entropy' or 'normalised-conditional-entropy'. Empty: by `dimension`.
    cut : {'fallback', 'classic'}
        ``fallback`` also tries ``< median | >= median`` where ``<= median | > median`` is not allowable. Otherwise a
        column whose largest value is its median, such as a rare yes among many no, is never cut.
    partitioning : {'relaxed'}
        Empty: the boxes of two classes have nothing in common (*strict*). ``relaxed``: in the end single combinations
        move to other classes if less is lost by the objective, by ``ncp`` without one. Then boxes may overlap. It needs
        the names of values, and models that ask for no population.
    naming : {'values', 'regions'}
        What a class is called: after the values that occur in it, or after the region that the cuts left of the
        declared domain (as by the original toolbox).

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan (2006). Mondrian multidimensional k-anonymity. doi:10.1109/ICDE.2006.101

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 61, 64], "city": ["Graz", "Graz", "Linz", "Linz"]})
    >>> toolbox.anonymize(people, quasi_identifiers=["age", "city"], k=2, method="Mondrian", order="input").release
           age  city
    0  [23:25]  Graz
    1  [23:25]  Graz
    2  [61:64]  Linz
    3  [61:64]  Linz
    """

    name: ClassVar[str] = "Mondrian"
    summary: ClassVar[str] = (
        "Divides the records again and again; each class keeps its own ranges and sets. It needs no hierarchies."
    )
    rank: ClassVar[int] = 10
    reference: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2006, doi:10.1109/ICDE.2006.101"
    stops_at_first: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True

    in_compatibility: ClassVar[Mapping[str, str]] = {"dimension": "interval", "cut": "classic", "naming": "regions"}
    saved_with: ClassVar[Mapping[str, str] | None] = MappingProxyType({"naming": "regions"})

    dimension: str = setting("range", ("range", "distinct", "interval"))
    objective: str = setting("", _METRICS)
    cut: str = setting("fallback", ("fallback", "classic"))
    naming: str = setting("values", ("values", "regions"))
    partitioning: str = setting("", ("relaxed",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.objective and self.dimension != "range":
            raise SettingError(
                "dimension", self.dimension, f"nothing beside objective={self.objective!r}, which chooses"
            )
        if self.partitioning and self.naming == "regions":
            raise SettingError(
                "partitioning",
                self.partitioning,
                "nothing beside naming='regions': a region has all that its cuts leave",
            )
        if self.partitioning and (asked := [model for model in self.models if model.needs_population]):
            raise UsageError(
                f"{self.name} with partitioning='relaxed' cannot honour {asked[0]}. Leave partitioning out."
            )

    def anonymize(self, tables: Tables) -> Tables:
        # Searching needs numpy, which reading, proving and writing do without.
        from toolbox.methods.arrays.models import find_judge
        from toolbox.methods.mondrian.naming import recode_partitions
        from toolbox.methods.mondrian.partitions import CutTree, fetch_people, make_one_partition
        from toolbox.methods.mondrian.search import MondrianSearch

        by_region = self.naming == "regions"
        with in_memory(tables, _estimate_bytes(tables)):
            people = fetch_people(tables, by_region=by_region)
            whole = make_one_partition(tables, with_regions=by_region or self.dimension == "interval", people=people)
            search = MondrianSearch(
                measure=self._measure(tables, whole),
                least=self.least_records,
                tries_below=self.cut == "fallback",
                judge=find_judge(tables, self.models),
                report=tables.report,
                tree=CutTree() if tables.is_saved else None,
            )
            found = search.finished(whole)
            if self.partitioning:
                found = self._improve(tables, found, search)
            recoded = recode_partitions(tables, found, by_region=by_region)
            if search.tree is None:
                return recoded
            return replace(recoded, regions=search.tree.finished(len(tables.quasi_identifiers)))

    def _improve(self, tables: Tables, found: Partitions, search: MondrianSearch) -> Partitions:
        """Let combinations move between the classes that were found.

        Raises
        ------
        UsageError
            If classes that overlap may be none together.
        """
        from toolbox.methods.mondrian.gains import compute_column_prices, improve_partitions

        if search.judge is not None and search.judge.may_refuse_unions:
            raise UsageError(
                f"{self.name} with partitioning='relaxed' cannot honour all models where persons have several "
                "combinations of quasi-identifiers. Leave partitioning out."
            )
        prices = compute_column_prices(tables, found.columns, found.sizes, self.objective or "ncp")
        return improve_partitions(found, prices, self.least_records, search.judge, tables.report)

    def _measure(self, tables: Tables, whole: Partitions) -> Measure:
        """Return the rule by which a column is chosen to be cut."""
        from toolbox.methods.mondrian.gains import Gains, compute_column_prices
        from toolbox.methods.mondrian.search import measure_of

        if self.objective:
            return Gains(compute_column_prices(tables, whole.columns, whole.sizes, self.objective), self.least_records)
        return measure_of(self.dimension, tables)

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return model.monotone and not model.needs_columns and not model.of_release


def _estimate_bytes(tables: Tables) -> int:
    """Return the bytes of a combination: id, size and values, twice while partitions are cut; and what is sorted."""
    values = sum(2 if column.values < 2**15 else 4 for column in tables.quasi_identifiers)
    return 2 * (8 + values) + 60
