"""The engine's errors in the user's terms; every error here is one that the engine has raised."""

import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from toolbox.errors import EngineError, InputError, OutputError, ToolboxError
from toolbox.store.engine.errors import MemoryLimitError, translate_error


def raised(sql: str, **settings: object) -> duckdb.Error:
    """Run a statement that fails."""
    connection = duckdb.connect(config={"threads": 1})
    for name, value in settings.items():
        connection.execute(f"SET {name} = '{value}'")
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(sql).fetchall()
    return caught.value


SORT = "CREATE TEMP TABLE t AS SELECT hash(range) AS h, range::VARCHAR AS r FROM range(3_000_000) ORDER BY 1"


def test_a_disk_that_is_full_is_told_from_a_memory_limit_that_is_too_small(tmp_path: Path) -> None:
    spilling = {"memory_limit": "40MB", "temp_directory": str(tmp_path / "spill")}
    full = translate_error(raised(SORT, **spilling, max_temp_directory_size="1MB"), tmp_path)
    assert isinstance(full, OutputError)
    assert str(full).startswith("The disk is full: ")
    assert f" are left in {tmp_path}. " in str(full)
    small = translate_error(raised(SORT, memory_limit="10MB", temp_directory=""), tmp_path)
    assert (type(small), str(small)) == (
        MemoryLimitError,
        "The memory limit is too small for this table. Raise --memory-limit, or lower --threads.",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with links to inputs, as a run has one."""
    table = pa.table({"a": range(20_000), "b": [f"secret {number}" for number in range(20_000)]})
    parquet.write_table(table, tmp_path / "given.parquet")
    text = "".join(f"{number},secret {number}\n" for number in range(20_000))
    (tmp_path / "given.csv").write_text(text)
    (tmp_path / "given.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


def link(folder: Path, name: str) -> Path:
    path = folder / f"input{Path(name).suffix}"
    path.symlink_to(folder.parent / name)
    return path


def told(folder: Path, name: str, change: Callable[[Path], object]) -> ToolboxError | None:
    """Read an input that has changed since the link to it was made."""
    path = link(folder, name)
    time.sleep(0.02)  # the clock of a file system is a coarse one
    change(folder.parent / name)
    return translate_error(raised(f"SELECT count(*), max(COLUMNS(*)) FROM '{path}'"), folder)


def half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "change"), [
    ("given.csv", Path.unlink),
    ("given.gz", Path.unlink),
    ("given.parquet", Path.unlink),
    ("given.parquet", half),
    ("given.parquet", lambda path: path.write_bytes(b"no Parquet")),
])  # fmt: skip
def test_an_input_that_vanished_or_changed_is_named_by_its_own_name(
    name: str, change: Callable[[Path], object], folder: Path
) -> None:
    error = told(folder, name, change)
    assert isinstance(error, InputError)
    assert str(error) == (
        f"{folder.parent / name} vanished or changed while it was read. Run again when nothing writes to it."
    )


def test_a_damaged_input_is_named_without_its_cells(folder: Path) -> None:
    given = folder.parent / "given.parquet"
    content = bytearray(given.read_bytes())
    content[1000:3000] = bytes(2000)
    given.write_bytes(content)
    error = translate_error(raised(f"SELECT max(COLUMNS(*)) FROM '{link(folder, 'given.parquet')}'"), folder)
    if error is not None:  # the engine does not name the file in each of its messages
        assert (type(error), "secret" in str(error)) == (InputError, False)


def test_any_other_error_is_told_without_its_words(folder: Path) -> None:
    link(folder, "given.csv")
    error = translate_error(raised("SELECT 'secret' FROM nowhere"), folder)
    assert (type(error), error.args) == (EngineError, ("CatalogException", None))
    assert "secret" not in str(error)
