"""MDAV: groups of k records that are close together, each released by its mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sqlalchemy import select

from toolbox.errors import UsageError, quote
from toolbox.methods.anonymizer import Anonymizer, setting
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.queries.scales import Calendar, write_plainly
from toolbox.store.tables import QuasiIdentifierTables, Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toolbox.methods.arrays.combinations import Flags, Numbers, Reals, Whole


@dataclass(frozen=True, kw_only=True)
class MDAV(Anonymizer):
    """Microaggregation: groups of k to 2k - 1 records that are close together, each number released as their mean.

    The columns are standardised. The record farthest from the mean of all gets a group of the k records that are
    nearest to it, and so does the one farthest from that one, until fewer than 2k are left. More than 10,000
    combinations are halved first, at the median of the column that varies most. One quasi-identifier alone is divided
    so that the sum of squares within the groups is the least of all (Hansen and Mukherjee 2003).

    Equal records stay together: then a group may have more than 2k - 1.

    Parameters
    ----------
    models : tuple of PrivacyModel
        k-anonymity alone.
    shows : {'means', 'ranges'}
        What a group shows of a column: its mean, which is true of nobody, or its lowest and highest value,
        ``[min:max]``, which covers everybody in it.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002). Practical data-oriented microaggregation for statistical disclosure control.
    doi:10.1109/69.979982

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 61, 64], "pay": [1000, 1500, 9000, 8000]})
    >>> toolbox.anonymize(people, quasi_identifiers=["age", "pay"], k=2, method="MDAV", order="input").release
        age   pay
    0    24  1250
    1    24  1250
    2  62.5  8500
    3  62.5  8500
    """

    name: ClassVar[str] = "MDAV"
    summary: ClassVar[str] = "Groups records that are close together, and releases the means of their numbers."
    rank: ClassVar[int] = 95
    reference: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz 2002, doi:10.1109/69.979982"
    only_numbers: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True

    shows: str = setting("means", ("means", "ranges"))

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return isinstance(model, KAnonymity)

    def anonymize(self, tables: Tables) -> Tables:
        _require_numbers(tables)
        # Searching needs numpy, which reading, proving and writing do without.
        from toolbox.methods.arrays.combinations import combinations_of
        from toolbox.methods.arrays.recoding import recode

        with in_memory(tables, 60 + 40 * len(tables.quasi_identifiers)):
            rows = combinations_of(tables)
            columns = [
                _fetch_numbers(tables, *each) for each in zip(tables.quasi_identifiers, rows.values, strict=True)
            ]
            groups = _Groups.find(columns, self.least_records, rows.sizes)
            by_mean = self.shows == "means"
            found = [
                groups.name(tables, column, ranks, values, by_mean=by_mean)
                for column, ranks, values in zip(tables.quasi_identifiers, rows.values, columns, strict=True)
            ]
            recoded = recode(
                tables,
                rows.ids,
                groups.records.astype(rows.sizes.dtype),
                [each.intervals for each in found],
                classes=groups.of_row,
                quasi_identifiers=[each.column for each in found],
            )
        if not by_mean:
            return recoded
        lost = sum(each.lost for each in found) / len(found)
        note = f"100 SSE/SST is {100 * lost:.4f}: so many percent of the variance are within the groups of MDAV."
        return replace(recoded, shows_means=True, notes=(*tables.notes, note))


class _Named(NamedTuple):
    """What the groups show of a column."""

    intervals: Whole
    """The interval of each group."""
    column: QuasiIdentifierTables
    """With these intervals among its own."""
    lost: float
    """The share of the variance that is within the groups."""


class _Groups(NamedTuple):
    """The groups of the distinct combinations."""

    of_row: Numbers
    """The group of each combination, from 0."""
    order: Numbers
    """The combinations, group by group."""
    starts: Numbers
    """Where each group starts among them."""
    sizes: Whole
    """The records of each combination."""
    records: Numbers
    """The records of each group."""

    @classmethod
    def find(cls, columns: list[Reals], k: int, sizes: Whole) -> _Groups:
        """Group combinations that are close together."""
        import numpy as np

        from toolbox.treatments.columns import group_records

        groups = group_records(columns, k, sizes)
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(groups.max() + 1))
        return cls(groups.astype(np.int32), order, starts, sizes, np.add.reduceat(sizes[order], starts, dtype=np.int64))

    def name(
        self, tables: Tables, column: QuasiIdentifierTables, ranks: Whole, values: Reals, *, by_mean: bool
    ) -> _Named:
        """Name each group by its mean, or by its lowest and highest value; one value alone keeps its name."""
        import numpy as np

        from toolbox.methods.arrays.combinations import encode_pairs

        lowest, highest = (end.reduceat(ranks[self.order], self.starts) for end in (np.minimum, np.maximum))
        means = self._find_means(column, values, lowest == highest)
        total = np.average((values - np.average(values, weights=self.sizes)) ** 2, weights=self.sizes)
        within = np.average((values - means[self.of_row]) ** 2, weights=self.sizes)
        intervals, several = lowest.astype(np.int32), np.flatnonzero(lowest < highest)
        key = means if by_mean else encode_pairs(lowest, highest, column.values)
        keys, places = np.unique(key[several], return_inverse=True)
        # Groups of one mean have one interval, which covers all of them.
        first, last = np.full(len(keys), column.values), np.zeros(len(keys), np.int64)
        np.minimum.at(first, places, lowest[several])
        np.maximum.at(last, places, highest[several])
        shown = np.zeros(len(keys))
        shown[places] = means[several]
        numbers, extended = _add_ranges(tables, column, first, last, shown if by_mean else None)
        intervals[several] = numbers[places]
        return _Named(intervals, extended, float(within / total) if total > 0 else 0.0)

    def _find_means(self, column: QuasiIdentifierTables, values: Reals, is_alone: Flags) -> Reals:
        """Return the mean of each group, as exactly as it is written: a date is a whole day."""
        import numpy as np

        held = values[self.order]
        means: Reals = np.add.reduceat(held * self.sizes[self.order], self.starts) / self.records
        means = np.where(is_alone, held[self.starts], means)
        return np.round(means) if isinstance(column.scale, Calendar) else means


def _add_ranges(
    tables: Tables, column: QuasiIdentifierTables, lowest: Numbers, highest: Numbers, means: Reals | None
) -> tuple[Whole, QuasiIdentifierTables]:
    """Add an interval for each range of values to those of a column, called by its mean or by both ends."""
    import numpy as np

    from toolbox.methods.arrays.recoding import (
        add_intervals,
        build_range_label,
        find_next_interval,
        find_range_ends,
        select_interval_rows,
    )

    numbers = find_next_interval(tables, column) + np.arange(len(lowest), dtype=np.int32)
    arrays: dict[str, NDArray[Any]] = {"interval_id": numbers, "lowest": lowest, "highest": highest}
    ranges = tables.store.from_arrays("ranges", arrays if means is None else {**arrays, "mean": means})
    ends = find_range_ends(ranges, column)
    named = build_range_label(column, ends) if means is None else column.scale.text(ranges.c.mean, write_plainly)
    rows = select_interval_rows(ranges, named, ends.low.c.value, ends.high.c.value).select_from(ends.joined)
    extended = add_intervals(tables, column, rows)
    tables.store.drop(ranges)
    return numbers, extended


def _require_numbers(tables: Tables) -> None:
    """Stop where a quasi-identifier has no mean."""
    if without := [quote(column.name) for column in tables.quasi_identifiers if column.kind != "number"]:
        raise UsageError(
            f"MDAV groups numbers and dates, and {' and '.join(without)} {'have' if len(without) > 1 else 'has'} "
            "categories, which have no mean. Choose Mondrian, which groups both, or other quasi-identifiers."
        )
    if tables.person_pairs is not None:
        raise UsageError(
            "MDAV groups persons who have one combination of quasi-identifiers each, and some have several. "
            "Choose Mondrian, or quasi-identifiers that do not vary within a person."
        )


def _fetch_numbers(tables: Tables, column: QuasiIdentifierTables, ranks: Whole) -> Reals:
    """Return the number of each combination in a column."""
    import numpy as np

    ground = column.ground.c
    values: Reals = tables.store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    with np.errstate(over="ignore"):
        is_too_large = not np.isfinite(np.sum(values * values) * tables.record_count)
    if is_too_large:
        raise UsageError(f"{quote(column.name)} has numbers too large to add their squares up. Choose Mondrian.")
    return values[ranks]
