"""The records of a release on Spark: each finds its class by its key, and its texts by its class."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolbox.engines.spark.input import CSV, TextOptions
from toolbox.errors import UsageError, quote

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from toolbox.engines.engine import Recoding
    from toolbox.engines.spark.counting import Columns, SparkCounter
    from toolbox.engines.spark.session import OpenSparkSession

BROADCAST: Final = 256 * 1024 * 1024
"""Bytes of a table that is handed to every executor; a larger one is joined by a shuffle."""
_SMALL: Final = 2**31 - 1
_TYPES: Final = {"int64": "bigint", "int32": "int", "string": "string"}


@dataclass(frozen=True)
class SparkRelease:
    """Makes the records of a release.

    Parameters
    ----------
    counter : Counter
        Of the input.
    as_texts : bool
        Whether all columns become texts.
    """

    counter: SparkCounter
    as_texts: bool

    @property
    def _session(self) -> OpenSparkSession:
        return self.counter.session

    @property
    def _columns(self) -> Columns:
        return self.counter.columns

    def records(self, recoding: Recoding) -> DataFrame:
        """Return the released records, of which nothing is computed yet."""
        f = self._session.functions
        request = recoding.request
        usable = self.counter.records.filter(~self.counter.unusable(request))
        passed = {
            name: f"passed_{number}"
            for number, name in enumerate(dict.fromkeys(c.passed for c in recoding.columns if c.passed is not None))
        }
        texts = {
            name: f"text_{number}"
            for number, name in enumerate(dict.fromkeys(c.text for c in recoding.columns if c.text is not None))
        }
        values = [self._columns.released(name, as_text=self.as_texts).alias(to) for name, to in passed.items()]
        keyed = usable.select(self._columns.key(request.by, request.salt).alias("key"), *values)
        found = keyed.join(self._make_mapping(recoding.mapping), "key")
        labelled = found.join(self._classes(recoding.classes, texts), "class_id") if texts else found
        shown = []
        for column in recoding.columns:
            if column.passed is not None:
                shown.append(f.col(passed[column.passed]).alias(column.header))
            elif column.text is not None:
                text = f.col(texts[column.text])
                shown.append((f.coalesce(text, f.lit("")) if self.as_texts else text).alias(column.header))
            else:
                raise UsageError(f"The column {quote(column.header)} of the release shows nothing. Name what it shows.")
        # In the order of the input, whoever has another list of it could join the two line by line.
        return labelled.select(*shown).sortWithinPartitions(f.rand())

    def _make_mapping(self, mapping: pa.Table) -> DataFrame:
        import pyarrow as pa

        return self._given(pa.table({"key": mapping["key"], "class_id": _narrow_numbers(mapping["class_id"])}))

    def _classes(self, classes: pa.Table, texts: dict[str, str]) -> DataFrame:
        import pyarrow as pa

        columns = {to: classes[name].cast(pa.string()) for name, to in texts.items()}
        return self._given(pa.table({"class_id": _narrow_numbers(classes["class_id"]), **columns}))

    def _given(self, table: pa.Table) -> DataFrame:
        """Hand a table to Spark as data; as literals its values would stand in logs."""
        # Of a table without rows Spark would not take the types.
        types = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in table.schema)
        given = self._session.spark.createDataFrame(table, schema=types)
        return self._session.functions.broadcast(given) if table.nbytes <= BROADCAST else given


def _narrow_numbers(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers of classes in as few bytes as they need; the type depends on their range only."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.min_max(numbers).as_py()
    fits = ends["max"] is None or (ends["min"] >= -_SMALL and ends["max"] <= _SMALL)
    return numbers.cast(pa.int32()) if fits else numbers


def make_empty_file(schema: pa.Schema, kind: str, options: TextOptions) -> bytes:
    """Return a file without records, of one of the formats of a release."""
    import pyarrow.parquet as pq

    content = io.BytesIO()
    if kind == CSV:
        text = io.TextIOWrapper(content, options.encoding, newline="", write_through=True)
        if options.header:
            csv.writer(text, delimiter=options.separator, lineterminator="\n").writerow(schema.names)
        return content.getvalue()
    pq.write_table(schema.empty_table(), content)
    return content.getvalue()
