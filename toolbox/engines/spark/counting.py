"""The records of a table of Spark, counted by their combinations, and fetched as tables of Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from toolbox.engines.engine import Counted, CountRequest, too_many_combinations
from toolbox.errors import UnsatisfiableError, quote

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from toolbox.engines.spark.columns import Columns
    from toolbox.engines.spark.session import Session

_SUMS: Final = ("size", "sum_1", "sum_2")
_ROWS_A_PARTITION: Final = 200_000
_PAIRS_A_COMBINATION = 4
"""Pairs of a combination and a judged value that are fetched at most, for each combination that may be fetched."""


@dataclass(frozen=True)
class Counter:
    """Counts the records of one table.

    Parameters
    ----------
    session : Session
    records : DataFrame
    columns : Columns
        Of the records.
    name : str
        What messages call the table.
    """

    session: Session
    records: DataFrame
    columns: Columns
    name: str

    def count(self, request: CountRequest) -> Counted:
        """Count the records.

        Raises
        ------
        UnsatisfiableError
            If there are too many combinations, or pairs of them with the values of a judged column.
        """
        self.columns.require_countable((*request.by, *request.judged))
        with self._kept(self._counted(request)) as (pairs, found):
            # What the first judged column needs is counted with the combinations: to pass over the records is dear.
            combinations = self._combinations(pairs, found, request)
            held = [self._held(pairs, found, request, column) for column in request.judged[:1]]
        for column in request.judged[1:]:
            alone = replace(request, judged=(column,), passed=())
            with self._kept(self._counted(alone)) as (pairs, found):
                held.append(self._held(pairs, found, alone, column))
        return Counted(combinations, tuple(held))

    def unusable(self, request: CountRequest) -> Column:
        """Return whether a record lacks a value without which it is skipped."""
        found: Column = self.session.functions.lit(False)
        for lacking in request.lacking:
            found = found | self.columns.lacks(lacking.column, lacking.marks)
        return found

    def _counted(self, request: CountRequest) -> DataFrame:
        """Count the records by their combination, whether they are usable, and the first judged column."""
        f = self.session.functions
        first, second = self.columns.halves(request.passed)
        records = self.records.select(
            self.columns.key(request.by, request.salt).alias("key"),
            *self._values(request.by, "by"),
            self.unusable(request).alias("unusable"),
            *self._values(request.judged[:1], "value"),
            first.alias("half_1"),
            second.alias("half_2"),
        )
        names = [name for name in records.columns if not name.startswith("half_")]
        sums = (f.sum("half_1").alias("sum_1"), f.sum("half_2").alias("sum_2"))
        return records.groupBy(*names).agg(f.count("*").alias("size"), *sums)

    def _combinations(self, pairs: DataFrame, found: int, request: CountRequest) -> pa.Table:
        """Fetch the combinations, without the judged column."""
        f = self.session.functions
        if request.judged:
            names = [name for name in pairs.columns if "value_" not in name and name not in _SUMS]
            pairs = pairs.groupBy(*names).agg(*(f.sum(name).alias(name) for name in _SUMS))
            # There are not more of them than of pairs.
            found = pairs.count() if found > request.most else found
        if found > request.most:
            raise self._too_many(found, request)
        by = [f"by_{number}" for number in range(1, len(request.by) + 1)]
        return pairs.toArrow().select(["key", *by, "unusable", *_SUMS])

    def _held(self, pairs: DataFrame, found: int, request: CountRequest, column: str) -> pa.Table:
        """Fetch the pairs; where two combinations have one key, which another salt mends, a pair may occur twice."""
        most = request.most * _PAIRS_A_COMBINATION
        if found > most:
            raise self._too_many_pairs(found, most, column)
        names = ["key", *(name for name in pairs.columns if "value_" in name), "size"]
        usable = pairs.filter(~self.session.functions.col("unusable")).select(*names)
        return usable.toArrow().rename_columns({"value_1": "value"}).select(["key", "value", "size"])

    def _values(self, columns: Sequence[str], prefix: str) -> list[Column]:
        """Return columns under plain names."""
        return [self.columns[column].alias(f"{prefix}_{number}") for number, column in enumerate(columns, 1)]

    @contextmanager
    def _kept(self, table: DataFrame) -> Iterator[tuple[DataFrame, int]]:
        """Keep a table where it is computed, while the block asks it more than once; also return its number of rows."""
        kept = table.persist()
        try:
            found = kept.count()
            # It is kept in hundreds of partitions, each of which would be divided into hundreds again.
            yield kept.coalesce(1 + found // _ROWS_A_PARTITION), found
        finally:
            kept.unpersist()

    def _too_many(self, found: int, request: CountRequest) -> UnsatisfiableError:
        about = [
            self.session.functions.approx_count_distinct(self.columns[column]).alias(f"by_{number}")
            for number, column in enumerate(request.by)
        ]
        (values,) = self.records.agg(*about).toArrow().to_pylist()
        return too_many_combinations(
            self.name, found, request.most, dict(zip(request.by, values.values(), strict=True))
        )

    def _too_many_pairs(self, found: int, most: int, column: str) -> UnsatisfiableError:
        return UnsatisfiableError(
            f"{self.name}: the combinations have {found:,} different values of {quote(column)} among them, more than "
            f"the {most:,} that are fetched. Replace the values of this column by ranges or wider "
            "categories, or raise the setting combinations of the engine."
        )
