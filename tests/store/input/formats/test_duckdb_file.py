"""Tables of DuckDB files: types, other programs that have the file open, and views that lead out of it."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from helpers import children
from helpers.file_tables import FileReader


def written(path: Path, *statements: str) -> Path:
    with duckdb.connect(path) as opened:
        for statement in statements:
            opened.execute(statement)
    return path


def test_types_stay_and_what_has_none_in_parquet_is_text(read: FileReader, tmp_path: Path) -> None:
    path = written(
        tmp_path / "p.duckdb",
        """CREATE TABLE "my ""table" AS SELECT 1::UBIGINT AS "a b", DATE '2020-01-02' AS d, 1.50::DECIMAL(9, 2) AS c,
        [1, 2] AS l, 170141183460469231731687303715884105727 AS h, TIME '03:04:05' AS t, 'x'::ENUM ('x', 'y') AS e,
        'b'::BLOB AS o, NULL::UUID AS u""",
    )
    assert read.rows(path) == [
        ("a b", "d", "c", "l", "h", "t", "e", "o", "u"),
        (1, date(2020, 1, 2), Decimal("1.50"), "[1, 2]", str(2**127 - 1), "03:04:05", "x", b"b", None),
    ]
    kinds = read.kinds(path)
    assert [kinds[0], kinds[4], kinds[5]] == ["number", "number", "category"]


def test_tables_of_other_schemas_and_views_are_named(read: FileReader, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("secret\n1\n")
    path = written(
        tmp_path / "p.duckdb",
        "CREATE TABLE a AS SELECT 1 AS n",
        "CREATE SCHEMA s",
        "CREATE VIEW s.v AS SELECT n + 1 AS n FROM a",
        f"CREATE VIEW w AS SELECT * FROM read_csv('{tmp_path / 'other.csv'}')",
    )
    assert "p.duckdb has several tables: 'a', 'w', 's.v'." in read.refusal(path)
    assert read.rows(path, table="s.v") == [("n",), (2,)]
    assert read.refusal(path, table="w") == (
        "p.duckdb has a view that reads other files, or what is not there. Read a table, or make one of the view."
    )


def test_a_view_that_fails_is_no_damage(read: FileReader, tmp_path: Path) -> None:
    path = written(
        tmp_path / "p.duckdb",
        "CREATE VIEW a AS SELECT CAST(range || 'x' AS INTEGER) AS n FROM range(3)",
        "CREATE VIEW b AS SELECT error('secret') AS n",
    )
    said = "p.duckdb has a view whose values cannot be computed. Read a table, or correct the view."
    assert [read.refusal(path, table=name) for name in ("a", "b")] == [said, said]


def as_of_version(version: int, content: bytes, path: Path) -> bytes:
    """Return a database as another version would begin it, with the checksum that the engine then expects."""
    altered = content[:12] + version.to_bytes(8, "little") + content[20:]
    path.write_bytes(altered)
    with pytest.raises(duckdb.IOException, match="computed checksum") as caught:
        duckdb.connect(path)
    (checksum,) = re.findall("computed checksum ([0-9]+)", str(caught.value))
    return int(checksum).to_bytes(8, "little") + altered[8:]


@pytest.mark.slow
def test_a_file_that_is_open_elsewhere_or_of_another_version_or_damaged_is_told(
    read: FileReader, tmp_path: Path
) -> None:
    path = written(tmp_path / "p.duckdb", "CREATE TABLE a AS SELECT 1 AS n")
    with duckdb.connect(path):
        assert read.refusal(path).startswith("p.duckdb is open in this program.")
    code = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    other = children.start([children.sys.executable, "-c", code], stdin=-1, stdout=-1, text=True)
    assert other.stdout.readline() == "open\n"
    assert read.refusal(path) == "p.duckdb is open in another program, which may write to it. Close it there."
    other.communicate("\n")
    assert read.rows(path) == [("n",), (1,)]
    content = path.read_bytes()
    path.write_bytes(as_of_version(9999, content, path))
    assert "p.duckdb was written by another version of DuckDB." in read.refusal(path)
    path.write_bytes(content[:5000])
    assert read.refusal(path) == "p.duckdb cannot be read: it is damaged. Get a complete copy."


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["a", "b"])
def test_nobody_writes_to_the_file(name: str, read: FileReader, tmp_path: Path) -> None:
    path = written(tmp_path / f"{name}.duckdb", "CREATE TABLE t AS SELECT 1 AS n")
    content = path.read_bytes()
    read.rows(path)
    assert path.read_bytes() == content
    assert list(tmp_path.glob("*.wal")) == []
