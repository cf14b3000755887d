"""Records as Parquet: texts and numbers of several types, with several row groups and codecs."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq

from fuzzing.columns import Column
from fuzzing.draw import Draw


def parquet_of(draw: Draw, columns: Sequence[Column], records: Sequence[Sequence[str | None]]) -> bytes:
    """Write records; a number is written as one only where all of its column are."""
    arrays = [_array(draw, column, [row[index] for row in records]) for index, column in enumerate(columns)]
    names = [column.name for column in columns]
    table = pa.Table.from_arrays(arrays, names=names)
    target = BytesIO()
    pq.write_table(
        table,
        target,
        compression=draw.choice(("none", "snappy", "gzip", "zstd", "lz4")),
        row_group_size=draw.choice((5, 1_000)),
        use_dictionary=draw.chance(0.5),
        data_page_version=draw.choice(("1.0", "2.0")),
    )
    return target.getvalue()


def _array(draw: Draw, column: Column, cells: Sequence[str | None]) -> pa.Array:
    filled = [cell for cell in cells if cell is not None]
    if column.kind == "number" and all(map(_fits, filled)):
        small = all(abs(int(cell)) < 2**31 for cell in filled)
        kind = pa.int32() if small and draw.chance(0.5) else pa.int64()
        return pa.array([None if cell is None else int(cell) for cell in cells], kind)
    texts = pa.array(cells, draw.choice((pa.string(), pa.large_string())))
    return texts.dictionary_encode() if draw.chance(0.2) else texts


def _fits(cell: str) -> bool:
    """Test for a whole number of 64 bits, written as such."""
    return cell.strip() == cell and cell.removeprefix("-").isdecimal() and abs(int(cell)) < 2**63


def cells_of(data: bytes) -> list[tuple[str | None, ...]]:
    """Read a Parquet file back as texts.

    Raises
    ------
    pyarrow.ArrowException, OSError
        If it is none.
    """
    table = pq.read_table(BytesIO(data))
    columns = [[None if cell is None else str(cell) for cell in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True))
