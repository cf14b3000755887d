"""The records of a table of Spark: counted by their combinations, what may be counted and hashed, and released."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolbox.engines.engine import (
    CountedPersons,
    CountedRecords,
    CountRequest,
    RecordRecoding,
    ReleasedColumn,
    make_combinations_error,
)
from toolbox.engines.spark.input import CSV, TextOptions
from toolbox.errors import InputError, UnknownColumnError, UnsatisfiableError, UsageError, quote

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

    from toolbox.engines.spark.session import OpenSparkSession


# The records of a table of Spark, counted by their combinations, and fetched as tables of Arrow.

_SUMS: Final = ("size", "sum_1", "sum_2")
_ROWS_A_PARTITION: Final = 200_000
_PAIRS_A_COMBINATION = 4
"""Pairs of a combination and a judged value that are fetched at most, for each combination that may be fetched."""


@dataclass(frozen=True)
class SparkCounter:
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

    session: OpenSparkSession
    records: DataFrame
    columns: Columns
    name: str

    def count(self, request: CountRequest) -> CountedRecords:
        """Count the records.

        Raises
        ------
        UnsatisfiableError
            If there are too many combinations, or pairs of them with the values of a judged column.
        """
        self.columns.require_countable((*request.by, *request.judged))
        # What the first judged column needs is counted with the combinations, as to pass over the records is dear; but
        # persons of pairs do not add up to those of a combination.
        together = () if request.person else request.judged[:1]
        with self._kept(self._counted(replace(request, judged=together))) as (pairs, found):
            combinations = self._combinations(pairs, found, replace(request, judged=together))
            held = [self._held(pairs, found, request, column) for column in together]
        for column in request.judged[len(together) :]:
            alone = replace(request, judged=(column,), passed=())
            with self._kept(self._counted(alone)) as (pairs, found):
                held.append(self._held(pairs, found, alone, column))
        return CountedRecords(combinations, tuple(held), self._count_persons(request))

    def _count_persons(self, request: CountRequest) -> CountedPersons | None:
        """Count the persons, those who have several combinations, and the records of nobody."""
        if not request.person:
            return None
        f, usable = self.session.functions, self.records.filter(~self.unusable(request))
        rows = usable.select(
            self.person(request).alias("person"), self.columns.key(request.by, request.salt).alias("key")
        )
        ends = (f.min("key").alias("first"), f.max("key").alias("last"), f.count("*").alias("size"))
        has_several, is_nobody = f.col("first") != f.col("last"), f.col("person").isNull()
        persons = rows.groupBy("person").agg(*ends)
        counts = [
            f.count("*").alias("number"),
            *(
                f.count(f.when(each, 1)).alias(name)
                for name, each in (("several", has_several), ("both", has_several & is_nobody))
            ),
            f.coalesce(f.sum(f.when(is_nobody, f.col("size"))), f.lit(0)).alias("lacking"),
        ]
        (found,) = persons.agg(*counts).toArrow().to_pylist()
        return CountedPersons(found["number"], found["several"], found["lacking"], bool(found["both"]))

    def person(self, request: CountRequest) -> Column:
        """Return the number of a record's person, null where a value of it lacks."""
        lacks: Column = self.session.functions.lit(False)
        for each in request.person:
            lacks = lacks | self.columns.lacks(each.column, each.marks)
        return self.session.functions.when(  # type: ignore[no-any-return]
            ~lacks, self.columns.key([each.column for each in request.person], request.secret)
        )

    def unusable(self, request: CountRequest) -> Column:
        """Return whether a record lacks a value without which it is skipped."""
        tests = [self.columns.lacks(lacking.column, lacking.marks) for lacking in request.lacking]
        # Halved each time: an expression that is as deep as there are columns is more than Spark Connect reads.
        while len(tests) > 1:
            half = len(tests) // 2
            pairs = zip(tests[:half], tests[half : 2 * half], strict=True)
            tests = [*(first | second for first, second in pairs), *tests[2 * half :]]
        return tests[0] if tests else self.session.functions.lit(False)

    def _counted(self, request: CountRequest) -> DataFrame:
        """Count the records by their combination, whether they are usable, and the first judged column."""
        f = self.session.functions
        first, second = self.columns.halves(request.passed, request.treated)
        unusable = self.unusable(request)
        shown = [*self._values(request.by, "by"), *self._values(request.judged[:1], "value")]
        if request.lacking:
            # All records that are skipped are one row.
            names = self.records.select(*shown).columns
            shown = [f.when(~unusable, value).alias(name) for value, name in zip(shown, names, strict=True)]
        records = self.records.select(
            *shown,
            unusable.alias("unusable"),
            first.alias("half_1"),
            second.alias("half_2"),
            *([self.person(request).alias("person")] if request.person else []),
        )
        names = [name for name in records.columns if name != "person" and not name.startswith("half_")]
        # Of each combination and not of each record, as hashing costs as much as grouping.
        key = self.columns.key_of([f.col(f"by_{number}") for number, _ in enumerate(request.by, 1)], request.salt)
        if not request.person:
            sums = [f.sum("half_1").alias("sum_1"), f.sum("half_2").alias("sum_2")]
            counted = records.groupBy(*names).agg(f.count("*").alias("size"), *sums)
            return counted.select(key.alias("key"), *counted.columns)
        # The different persons of each combination first, then their number.
        halves = [f.sum(name).alias(name) for name in ("half_1", "half_2")]
        records = records.groupBy(*names, "person").agg(f.count("*").alias("records"), *halves)
        sums = [f.sum("half_1").alias("sum_1"), f.sum("half_2").alias("sum_2"), f.count("*").alias("persons")]
        counted = records.groupBy(*names).agg(f.sum("records").alias("size"), *sums)
        return counted.select(key.alias("key"), *counted.columns)

    def _combinations(self, pairs: DataFrame, found: int, request: CountRequest) -> pa.Table:
        """Fetch the combinations, without the judged column."""
        f = self.session.functions
        if request.judged:
            names = [name for name in pairs.columns if "value_" not in name and name not in _SUMS]
            pairs = pairs.groupBy(*names).agg(*(f.sum(name).alias(name) for name in _SUMS))
            # There are not more of them than of pairs.
            found = pairs.count() if found > request.most else found
        if found > request.most:
            found = pairs.filter(~f.col("unusable")).count()
        if found > request.most:
            raise self._make_combinations_error(found, request)
        by = [f"by_{number}" for number in range(1, len(request.by) + 1)]
        return pairs.toArrow().select(["key", *by, "unusable", *_SUMS, *_list_person_columns(request)])

    def _held(self, pairs: DataFrame, found: int, request: CountRequest, column: str) -> pa.Table:
        """Fetch the pairs; where two combinations have one key, which another salt mends, a pair may occur twice."""
        most = request.most * _PAIRS_A_COMBINATION
        if found > most:
            raise self._make_pairs_error(found, most, column)
        numbers = ["size", *_list_person_columns(request)]
        names = ["key", *(name for name in pairs.columns if "value_" in name), *numbers]
        usable = pairs.filter(~self.session.functions.col("unusable")).select(*names)
        return usable.toArrow().rename_columns({"value_1": "value"}).select(["key", "value", *numbers])

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

    def _make_combinations_error(self, found: int, request: CountRequest) -> UnsatisfiableError:
        about = [
            self.session.functions.approx_count_distinct(self.columns[column]).alias(f"by_{number}")
            for number, column in enumerate(request.by)
        ]
        (values,) = self.records.filter(~self.unusable(request)).agg(*about).toArrow().to_pylist()
        named = dict(zip(request.by, values.values(), strict=True))
        return make_combinations_error(self.name, found, request.most, named, are_estimates=True)

    def _make_pairs_error(self, found: int, most: int, column: str) -> UnsatisfiableError:
        return UnsatisfiableError(
            f"{self.name}: the combinations have {found:,} different values of {quote(column)} among them, more than "
            f"the {most:,} that are fetched. Replace the values of this column by ranges or wider "
            "categories, or raise the setting combinations of the engine."
        )


def _list_person_columns(request: CountRequest) -> list[str]:
    return ["persons"] if request.person else []


# Columns of Spark: how their names are quoted, what may be counted and hashed, and the key of a combination.

_NESTED: Final = frozenset({"array", "map", "struct", "variant", "void", "geometry", "geography", "udt"})
_NEVER_HASHED: Final = frozenset({"variant", "void", "geometry", "geography", "udt", "interval"})
# Of all others (1e16, zones, 0E-9, bytes) engines make different texts.
_SAME_TEXTS: Final = frozenset(
    {"string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "date", "tinyint", "smallint", "int"}
    | {"bigint"}
)
HALF: Final = 32
_LOW: Final = (1 << HALF) - 1


class Columns:
    """The columns of one table, as expressions.

    Parameters
    ----------
    types : dict of str to DataType
        Each column by its name.
    functions : module
        Of the session.
    name : str
        What messages call the table.
    is_connect : bool
        Whether the session is one of Spark Connect.
    reads_texts : bool
        Whether it is delimited text, where a null and an empty text are the same.
    writes_texts : bool
        Whether what passes becomes delimited text, of which its hash is taken then.
    """

    def __init__(
        self,
        types: dict[str, DataType],
        functions: Any,
        name: str,
        *,
        is_connect: bool,
        reads_texts: bool = False,
        writes_texts: bool = False,
    ) -> None:
        self._types = types
        self._f = functions
        self._name = name
        self._is_connect = is_connect
        self._reads_texts = reads_texts
        self._writes_texts = writes_texts

    def __getitem__(self, column: str) -> Column:
        """Return a column by its name, which may hold dots and backticks."""
        kind = self._type(column)
        found: Column = self._f.col("`" + column.replace("`", "``") + "`")
        if getattr(kind, "collation", None) not in {None, "UTF8_BINARY"}:
            # A collation would make one value of texts that a release has to tell apart.
            found = self._f.collate(found, "UTF8_BINARY")
        if self._reads_texts and self.is_text(column):
            found = self._f.coalesce(found, self._f.lit(""))
        return found

    def is_text(self, column: str) -> bool:
        return self._type(column).typeName() in {"string", "char", "varchar"}

    def require_countable(self, columns: Sequence[str]) -> None:
        """Refuse columns whose values are no numbers, texts or times."""
        for column in columns:
            kind = self._type(column).typeName()
            if kind in _NESTED or "interval" in kind:
                remedy = "Make a number, a text or a date of it first."
                raise InputError(f"{self._name}: column {quote(column)} holds values of type {kind}. {remedy}")

    def key(self, columns: Sequence[str], salt: int) -> Column:
        """Return the hash of a combination, in which nulls and positions count; -0.0 is 0.0, as where Spark groups."""
        return self.key_of([self[column] for column in columns], salt)

    def key_of(self, values: Sequence[Column], salt: int) -> Column:
        """Return the same of values, where they have other names."""
        # The hash of Spark passes over nulls: ("a", null) would be (null, "a").
        return self._hash(
            [self._f.lit(salt).cast("long"), *(part for value in values for part in (value.isNull(), value))]
        )

    def halves(self, columns: Sequence[str], treated: Mapping[str, ReleasedColumn]) -> tuple[Column, Column]:
        """Return the two unsigned halves of a hash of columns as they are released; 0 where there are none."""
        if not columns:
            return self._f.lit(0).cast("long"), self._f.lit(0).cast("long")
        texts = self._writes_texts
        parts = [
            self._list_treated_inputs(treated[c], as_text=texts)
            if c in treated
            else [self.released(c, as_text=True)]
            if texts
            else self._list_hash_inputs(c)
            for c in columns
        ]
        whole = self._hash([part for column in parts for part in column])
        return self._f.shiftrightunsigned(whole, HALF), whole.bitwiseAND(self._f.lit(_LOW))

    def released(self, column: str, *, as_text: bool) -> Column:
        """Return a column as it is released.

        Raises
        ------
        InputError
            If it is to be a text, and engines do not agree which.
        """
        if not as_text:
            return self[column]
        self._require_one_text(column)
        return self._f.coalesce(self[column].cast("string"), self._f.lit(""))  # type: ignore[no-any-return]

    def _require_one_text(self, column: str) -> None:
        """Stop where engines do not agree which text a value has."""
        kind = self._type(column).typeName()
        if kind not in _SAME_TEXTS:
            remedy = "Name an output that does not end with .csv: it will be Parquet."
            raise InputError(f"{self._name}: column {quote(column)} of type {kind} has no one text. {remedy}")

    def lacks(self, column: str, marks: Sequence[str]) -> Column:
        """Return whether a record has no value in a column."""
        is_null: Column = self[column].isNull()
        return is_null | self[column].isin(*marks) if marks and self.is_text(column) else is_null

    def treated(self, column: ReleasedColumn, *, as_text: bool) -> Column:
        """Return a column as it is treated and released; `released` has the errors."""
        source = str(column.source)
        if column.is_unmodified:
            return self.released(source, as_text=as_text)
        if as_text and column.treatment.keeps_type:
            self._require_one_text(source)
        value = column.select_in_spark(self[source], self._f, self._type(source))
        return self._f.coalesce(value.cast("string"), self._f.lit("")) if as_text else value

    def _list_treated_inputs(self, column: ReleasedColumn, *, as_text: bool) -> list[Column]:
        value = self.treated(column, as_text=as_text)
        return [value] if as_text else [value.isNull(), value]

    def _list_hash_inputs(self, column: str) -> list[Column]:
        # The hash of Spark passes over nulls: ("a", null) would be (null, "a").
        return [self[column].isNull(), self._replace_maps(column)]

    def _replace_maps(self, column: str) -> Column:
        """Return a column as Spark hashes it; it refuses maps, of which only the outermost is taken apart."""
        kind = self._type(column)
        inner = kind
        value = self[column]
        if kind.typeName() == "map":
            inner, value = kind.valueType, self._f.map_entries(value)  # type: ignore[attr-defined]
        if _holds(inner, _NEVER_HASHED | {"map"}):
            found = kind.simpleString().partition("<")[0]
            remedy = "Leave it out of the release, or make a text of it first."
            raise InputError(f"{self._name}: column {quote(column)} of type {found} cannot be proved. {remedy}")
        return value

    def _hash(self, parts: list[Column]) -> Column:
        if self._is_connect:
            # Sail 0.7 fails to hash columns that are constant throughout a file, unless another one varies. A null
            # changes no hash.
            parts = [*parts, self._f.when(self._f.monotonically_increasing_id() < 0, self._f.lit(0))]
        return self._f.xxhash64(*parts)  # type: ignore[no-any-return]

    def _type(self, column: str) -> DataType:
        try:
            return self._types[column]
        except KeyError:
            raise UnknownColumnError(column, self._name, list(self._types)) from None


def _holds(kind: Any, names: frozenset[str]) -> bool:
    """Return whether a type is, or holds anywhere, one of the names."""
    inner = [getattr(kind, part) for part in ("elementType", "keyType", "valueType") if hasattr(kind, part)]
    inner += [field.dataType for field in getattr(kind, "fields", ())]
    return kind.typeName() in names or any(_holds(part, names) for part in inner)


# The records of a release: each finds its class by its key, and its texts by its class.

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

    def records(self, recoding: RecordRecoding) -> DataFrame:
        """Return the released records, of which nothing is computed yet."""
        f = self._session.functions
        request = recoding.request
        usable = self.counter.records.filter(~self.counter.unusable(request))
        sources = {
            column.header: f"source_{number}" for number, column in enumerate(recoding.columns) if column.is_of_record
        }
        texts = {
            name: f"text_{number}"
            for number, name in enumerate(dict.fromkeys(c.text for c in recoding.columns if c.text is not None))
        }
        values = [
            self._columns.treated(column, as_text=self.as_texts).alias(sources[column.header])
            for column in recoding.columns
            if column.is_of_record
        ]
        person = [] if recoding.person is None else [self._number_persons(request).alias("person")]
        keyed = usable.select(self._columns.key(request.by, request.salt).alias("key"), *values, *person)
        found = keyed.join(self._make_mapping(recoding.mapping), "key").drop("key")
        classes = self._make_classes(recoding.classes, texts)
        # Before the texts are there, as a sort copies each record; not where another join or another Spark orders anew.
        is_early = _is_small(classes) and not self._session.is_connect
        found = self._shuffle_early(found) if is_early else found
        labelled = found.join(self._given(classes), "class_id") if texts else found
        shown = []
        for column in recoding.columns:
            if column.source is not None:
                shown.append(f.col(sources[column.header]).alias(column.header))
            elif column.text is not None:
                text = f.col(texts[column.text])
                shown.append((f.coalesce(text, f.lit("")) if self.as_texts else text).alias(column.header))
            else:
                raise UsageError(f"The column {quote(column.header)} of the release shows nothing. Name what it shows.")
        if recoding.person is not None:
            shown.append(f.col("person").alias(recoding.person))
        return (labelled if is_early else self._shuffle(labelled)).select(*shown)

    def _shuffle(self, records: DataFrame) -> DataFrame:
        """Put records into a random order: that of the input would let others join their lists line by line."""
        f = self._session.functions
        # Sail takes a random number alone for a constant, by which it sorts nothing.
        return records.sortWithinPartitions(f.xxhash64(f.rand(), "class_id"))

    def _shuffle_early(self, records: DataFrame) -> DataFrame:
        """Do so before a join with a table that every executor has, which keeps the order."""
        f = self._session.functions
        # Spark leaves out a sort below a join, unless a column between both depends on the places of the records.
        stays = f.when(f.monotonically_increasing_id() >= 0, f.col("class_id"))
        return self._shuffle(records).withColumn("class_id", stays)

    def _number_persons(self, request: CountRequest) -> Column:
        f, number = self._session.functions, self.counter.person(request)
        return f.coalesce(number.cast("string"), f.lit("")) if self.as_texts else number

    def _make_mapping(self, mapping: pa.Table) -> DataFrame:
        import pyarrow as pa

        return self._given(pa.table({"key": mapping["key"], "class_id": _narrow_numbers(mapping["class_id"])}))

    def _make_classes(self, classes: pa.Table, texts: dict[str, str]) -> pa.Table:
        import pyarrow as pa

        columns = {to: classes[name].cast(pa.string()) for name, to in texts.items()}
        return pa.table({"class_id": _narrow_numbers(classes["class_id"]), **columns})

    def _given(self, table: pa.Table) -> DataFrame:
        """Hand a table to Spark as data; as literals its values would stand in logs."""
        # Of a table without rows Spark would not take the types.
        types = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in table.schema)
        given = self._session.spark.createDataFrame(table, schema=types)
        return self._session.functions.broadcast(given) if _is_small(table) else given


def _is_small(table: pa.Table) -> bool:
    return bool(table.nbytes <= BROADCAST)


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
