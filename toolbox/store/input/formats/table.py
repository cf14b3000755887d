"""One table in one file, as its reader gives it: its rows become columns of Arrow, in a folder."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolbox.config.file_names import find_file_kind
from toolbox.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa


# One table in one file, as its reader gives it: its columns, a number of rows at a time.

BATCH = 20_000
"""Rows that are handed on at once."""


@dataclass(frozen=True)
class Codebook:
    """What a statistics package says of a column beside its values."""

    label: str = ""
    """The name of the column for people."""
    codes: Mapping[float, str] = field(default_factory=dict)
    """The label of each code, where the labels stand in the place of the codes."""
    is_ordered: bool = False
    """Whether the order of the codes means something."""


class FileTable(ABC):
    """One table in one file. A subclass is a context manager that closes the file."""

    place = "row"
    """What a message calls the place of a record."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """Of the columns; those of JSON lines are complete when all rows were given."""
        self.notes: list[str] = []
        """What a person should know of the reading; complete when all rows were given."""
        self.blank = 0
        """Rows without any value, which are no records."""
        self.codebooks: Mapping[int, Codebook] = {}
        self._skipped: list[tuple[int, int]] = []

    @abstractmethod
    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield a number of rows and their columns: lists of values, None where one is missing, or arrays of Arrow."""

    def skip(self, record: int, rows: int) -> None:
        """Note how many rows that are no records stand before a record, by its number from 1."""
        self._skipped.append((record, rows))

    def place_of(self, record: int) -> int:
        """Return the row of the file in which a record stands; both are numbered from 1."""
        index = bisect_right(self._skipped, record, key=lambda entry: entry[0])
        return record + (self._skipped[index - 1][1] if index else 0)

    def close(self) -> None:  # noqa: B027 - most have read all of it when they are made
        """Close the file."""

    def __enter__(self) -> FileTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_array(values: Any) -> pa.Array:
    """Return one column of a batch as an array."""
    import pyarrow as pa

    return values if isinstance(values, pa.Array) else make_column(values)


# Values as a library of Python returns them, as columns of Arrow: each of the type that all its values have.
#
# Whole numbers, be they floating point, become int64, or if one has more than 64 bits a string that is marked as
# numbers; other numbers, also with whole ones among them, double; truth values bool; dates date32; timestamps, also
# with dates among them, timestamp[us]; bytes binary; texts, times and all mixtures strings, as they are written.

MARK: Final = {b"kind": b"number"}
"""What the metadata of a column of texts say that are numbers of any length."""
_EXACT: Final = 1 << 53
"""Up to here floating point holds every whole number."""
_LARGEST: Final = 1 << 63
_NUMBERS: Final = frozenset({int, float})


def make_column(values: Sequence[Any]) -> pa.Array:
    """Return values, None where one is missing, as an array of the type that they have in common."""
    import pyarrow as pa

    types = frozenset(map(type, values)) - {type(None)}
    plain = {str: pa.string(), bool: pa.bool_(), bytes: pa.binary(), date: pa.date32()}
    if not types:
        return pa.nulls(len(values))
    if len(types) == 1 and (kind := plain.get(next(iter(types)))) is not None:
        return pa.array(values, kind)
    if types <= _NUMBERS:
        return _convert_numbers(values, has_floats=float in types)
    if types <= {date, datetime} and (moments := _convert_timestamps(values)) is not None:
        return moments
    return pa.array([None if value is None else format_value(value) for value in values], pa.string())


def _convert_numbers(values: Sequence[Any], *, has_floats: bool) -> pa.Array:
    """Return numbers as whole ones if all are; NaN is missing."""
    import pyarrow as pa
    from pyarrow import compute

    whole = [value for value in values if type(value) is int]
    if whole and (max(whole) >= _LARGEST or min(whole) < -_LARGEST):
        return _convert_long_numbers(values)
    if not has_floats:
        return pa.array(values, pa.int64())
    if whole and (max(whole) > _EXACT or min(whole) < -_EXACT):
        return _convert_long_numbers(values)
    numbers = pa.array(values, pa.float64(), from_pandas=True)
    is_whole = compute.equal(numbers, compute.floor(numbers))
    is_exact = compute.less_equal(compute.abs(numbers), _EXACT)
    return numbers.cast(pa.int64()) if compute.all(compute.and_(is_whole, is_exact), min_count=0).as_py() else numbers


def _convert_long_numbers(values: Sequence[Any]) -> pa.Array:
    """Return numbers that no type of numbers holds, as texts of a type that tells them from others."""
    import pyarrow as pa

    is_nan = [type(value) is float and math.isnan(value) for value in values]
    texts = [None if value is None or nan else format_value(value) for value, nan in zip(values, is_nan, strict=True)]
    return pa.array(texts, pa.large_string())


def _convert_timestamps(values: Sequence[Any]) -> pa.Array | None:
    """Return timestamps, with dates among them; None if one has a zone."""
    import pyarrow as pa

    moments = [datetime(*value.timetuple()[:3]) if type(value) is date else value for value in values]
    if any(value is not None and value.tzinfo for value in moments):
        return None
    return pa.array(moments, pa.timestamp("us"))


def mark_digits(numbers: pa.Array) -> pa.Array:
    """Return texts that are numbers as the type that tells them from others."""
    import pyarrow as pa

    return numbers.cast(pa.large_string())


def format_value(value: Any) -> str:
    """Write a value as a person would: no ``.0``, dates by ISO 8601.

    Examples
    --------
    >>> values = (5.0, 2.5, True, datetime(2020, 1, 2, 3), date(2020, 1, 2), timedelta(hours=30))
    >>> [format_value(value) for value in values]
    ['5', '2.5', 'true', '2020-01-02 03:00:00', '2020-01-02', '30:00:00']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value) and abs(value) <= _EXACT and value == int(value):
        return str(int(value))
    if isinstance(value, timedelta):
        hours, seconds = divmod(round(value.total_seconds()), 3600)
        return f"{hours}:{seconds // 60:02}:{seconds % 60:02}"
    return value.hex() if isinstance(value, bytes) else str(value)


def find_common_type(types: Iterable[pa.DataType], *, largest: int) -> tuple[pa.DataType, bool]:
    """Return the type that holds the parts of a column, and whether its texts are numbers.

    Parameters
    ----------
    largest : int
        The largest whole number of the column, without its sign.
    """
    import pyarrow as pa

    found = set(types) - {pa.null()}
    numbers = {pa.int64(), pa.float64(), pa.large_string()}
    if found <= numbers and (pa.large_string() in found or (len(found) == 2 and largest > _EXACT)):
        return pa.string(), True
    if len(found) == 1:
        return found.pop(), False
    if found and found <= numbers:
        return pa.float64(), False
    if found == {pa.date32(), pa.timestamp("us")}:
        return pa.timestamp("us"), False
    return pa.string(), False


def convert_part(part: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a part of a column as the type of the whole."""
    import pyarrow as pa

    if part.type == kind:
        return part
    if kind != pa.string() or part.type in (pa.null(), pa.large_string()):
        return part.cast(kind)
    known = part.dictionary_encode()
    texts = pa.array([format_value(value) for value in known.dictionary.to_pylist()], pa.string())
    return texts.take(known.indices)


# The libraries that only some files need: imported where one is read or written, with a message where one lacks.


def import_library(module: str, path: Path) -> Any:
    """Import a library that the extra ``files`` installs.

    Parameters
    ----------
    path : Path
        The file that needs it.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        package = find_file_kind(path).needs or module
        lacks = f"{path}: a file that ends in {path.suffix} needs {package}, which is not installed."
        raise UsageError(f"{lacks} Write: pip install 'anonymisation-toolbox[files]'.") from None


# Rows as they come, kept in a folder until all are known; then one Parquet file, with one type for each column.


class Spool:
    """Keeps batches of columns, each of the types that it happens to have.

    Parameters
    ----------
    folder : Path
        Where to keep them; it is there, and empty.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._batches: list[tuple[Path, int]] = []
        self._types: list[set[pa.DataType]] = []
        self._largest: list[int] = []
        self.rows = 0

    def add(self, columns: Sequence[pa.Array], rows: int) -> None:
        """Add some rows; later ones may have more columns, behind those of the earlier ones."""
        import pyarrow as pa
        from pyarrow import compute

        while len(self._types) < len(columns):
            self._types.append(set())
            self._largest.append(0)
        for position, column in enumerate(columns):
            self._types[position].add(column.type)
            if column.type == pa.int64():
                ends = compute.min_max(column).as_py().values()
                self._largest[position] = max(self._largest[position], *(abs(end or 0) for end in ends))
        path = self._folder / f"{len(self._batches):06}.arrow"
        table = pa.Table.from_arrays(list(columns), names=[str(position) for position, _ in enumerate(columns)])
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        self._batches.append((path, rows))
        self.rows += rows

    def finish(self, path: Path, names: Sequence[str], texts: Mapping[int, Mapping[Any, str]]) -> pa.Schema:
        """Write all rows as Parquet.

        Parameters
        ----------
        names : sequence of str
            Of the columns.
        texts : mapping of position to mapping of value to str
            What stands for the values of a column.

        Returns
        -------
        pyarrow.Schema
        """
        import pyarrow as pa
        from pyarrow import parquet

        schema = pa.schema([self._field(position, name, position in texts) for position, name in enumerate(names)])
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch, rows in self._batches:
                writer.write_table(_read_table(batch, rows, schema, texts))
                batch.unlink()
        return schema

    def _field(self, position: int, name: str, is_text: bool) -> pa.Field:
        import pyarrow as pa

        if position >= len(self._types):
            return pa.field(name, pa.string())
        kind, are_numbers = find_common_type(self._types[position], largest=self._largest[position])
        return pa.field(name, pa.string()) if is_text else pa.field(name, kind, metadata=MARK if are_numbers else None)


def _read_table(batch: Path, rows: int, schema: pa.Schema, texts: Mapping[int, Mapping[Any, str]]) -> pa.Table:
    import pyarrow as pa

    with pa.memory_map(str(batch)) as file, pa.ipc.open_stream(file) as reader:
        table = reader.read_all()
    columns = []
    for position, entry in enumerate(schema):
        if position >= table.num_columns:
            columns.append(pa.nulls(rows, entry.type))
            continue
        column = table.column(position).combine_chunks()
        columns.append(
            _replace_by_words(column, texts[position]) if position in texts else convert_part(column, entry.type)
        )
    return pa.Table.from_arrays(columns, schema=schema)


def _replace_by_words(column: pa.Array, words: Mapping[Any, str]) -> pa.Array:
    import pyarrow as pa

    known = column.dictionary_encode()
    return pa.array([words.get(value) for value in known.dictionary.to_pylist()], pa.string()).take(known.indices)
