"""A place where the engine on Spark is tried: files of Parquet in, files of Parquet out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from toolbox.engines.engine import CountRequest, Engine, RecordRecoding, Staged
from toolbox.engines.spark.engine import Spark
from toolbox.treatments.treatment import ReleasedColumn

FILES = 4

PEOPLE = pa.table({"age": [30, 30, 41], "town": ["Ulm", "Ulm", None], "illness": ["flu", "cold", "flu"]})
REQUEST = CountRequest(by=("age", "town"), judged=("illness",), passed=("illness",))
COLUMNS = (ReleasedColumn("who", text="text"), ReleasedColumn("illness", source="illness"))


class SparkBench:
    """One input and one release in a folder.

    Parameters
    ----------
    url : str
    folder : Path
    """

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.input = folder / "people"
        self.output = folder / "release"

    def fill(self, records: pa.Table) -> pa.Table:
        shutil.rmtree(self.input, ignore_errors=True)
        self.input.mkdir(parents=True)
        files = FILES if records.num_rows >= FILES else 1
        share = -(-records.num_rows // files)
        for number in range(files):
            pq.write_table(records.slice(number * share, share), self.input / f"{number}.parquet")
        return records

    def engine(self, *, replace: bool = False, **options: Any) -> Engine:
        return Spark(self.url, input=str(self.input), output=str(self.output), replace=replace, **options)

    def released(self) -> list[tuple[Any, ...]] | None:
        if not self.output.exists():
            return None
        assert (self.output / "_SUCCESS").exists()
        return rows_of(self.output)

    def spoil(self, engine: Engine, staged: Staged, how: Literal["double", "lose"]) -> None:
        part = next(path for path in parts(Path(staged.name)) if pq.read_metadata(path).num_rows > 1)
        if how == "double":
            shutil.copy(part, part.with_name(f"again-{part.name}"))
        else:
            left = pq.read_table(part).slice(1)
            part.unlink()
            part.with_name(f".{part.name}.crc").unlink(missing_ok=True)
            pq.write_table(left, part)


def parts(folder: Path) -> list[Path]:
    """Return the files of a release that hold records."""
    return sorted(path for path in folder.iterdir() if path.name[0] not in "._")


def rows_of(folder: Path) -> list[tuple[Any, ...]]:
    """Return the rows of all files of Parquet in a folder."""
    rows = []
    for path in parts(folder):
        table = pq.read_table(path, partitioning=None)
        rows += list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return rows


def write(engine: Engine, request: CountRequest = REQUEST, columns: tuple[ReleasedColumn, ...] = COLUMNS) -> Staged:
    """Write a release in which all are one class."""
    keys = engine.count(request).combinations["key"]
    mapping = pa.table({"key": keys, "class_id": pa.array([7] * len(keys), pa.int64())})
    classes = pa.table({"class_id": pa.array([7], pa.int64()), "text": ["*"]})
    return engine.write(RecordRecoding(request=request, mapping=mapping, classes=classes, columns=columns))
