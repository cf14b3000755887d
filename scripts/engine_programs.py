"""The programs that the benchmark of engines runs: the toolbox here and on each engine, and each engine's own copy."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

from bench_inputs import CENSUS, SCRIPTS
from measure import measure
from process_tree import PROC, parent

EMBEDDED, DUCKDB_COPY = "embedded", "DuckDB copy"
HEAP = "2g"
PEOPLE, RELEASE, COPY = (f"public.toolbox_bench_{name}" for name in ("people", "release", "copy"))

_DUCKDB = """
import sys
import duckdb
source, target, threads = sys.argv[1:]
connection = duckdb.connect(config={"threads": threads})
connection.execute("SET enable_progress_bar = false")
print("[ 0.0 s] copy begins", file=sys.stderr, flush=True)
connection.read_parquet(source).write_parquet(target, compression="zstd")
"""
_SPARK = """
import sys
from pyspark.sql import SparkSession
source, target, url, *settings = sys.argv[1:]
builder = SparkSession.builder.remote(url) if url.startswith("sc://") else SparkSession.builder.master(url)
for setting in settings:
    builder = builder.config(*setting.split("=", 1))
session = builder.getOrCreate()
print("\\n[ 0.0 s] copy begins", file=sys.stderr, flush=True)
session.read.parquet(source).write.parquet(target)
session.stop()
"""
_POSTGRESQL = """
import sys
import psycopg
url, statement = sys.argv[1:]
with psycopg.connect(url) as connection:
    print("[ 0.0 s] copy begins", file=sys.stderr, flush=True)
    connection.execute(statement)
"""
_LOAD = """
import io, sys
import psycopg, pyarrow as pa, pyarrow.csv, pyarrow.parquet
url, source, table = sys.argv[1:]
file = pyarrow.parquet.ParquetFile(source)
kinds = {pa.int64(): "bigint", pa.int16(): "smallint"}
columns = ", ".join(f'"{field.name}" {kinds.get(field.type, "text")}' for field in file.schema_arrow)
options = pa.csv.WriteOptions(include_header=False)
with psycopg.connect(url) as connection:
    connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute(f"CREATE TABLE {table} ({columns})")
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT csv)") as copy:
        for batch in file.iter_batches(100_000):
            text = io.BytesIO()
            pa.csv.write_csv(pa.Table.from_batches([batch]), text, options)
            copy.write(text.getvalue())
with psycopg.connect(url, autocommit=True) as connection:
    connection.execute(f"VACUUM ANALYZE {table}")
    connection.execute("CHECKPOINT")
"""
_COMBINATIONS = """
import sys
import duckdb
source, *names = sys.argv[1:]
columns = ", ".join('"' + name + '"' for name in names)
duckdb.execute("SET enable_progress_bar = false")
rows = duckdb.sql(f'''SELECT hash({columns})::UBIGINT AS key, {columns}, false AS unusable, count(*)::BIGINT AS size,
    1::BIGINT AS sum_1, 1::BIGINT AS sum_2 FROM read_parquet('{source}') GROUP BY ALL''').to_arrow_table()
print(rows.num_rows, rows.nbytes)
"""
_SPARK_SETTINGS = {
    "spark.driver.memory": HEAP,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an engine runs, and how it is asked."""

    engine: str
    """As the page names it."""
    url: str
    servers: tuple[int, ...] = ()
    """Its processes on this machine, where it ran before."""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def copy(self) -> str:
        """What its copy is called."""
        return f"{self.engine} copy"

    @property
    def is_measured(self) -> bool:
        """Whether what the engine uses can be seen from here."""
        return bool(self.servers) or self.url.startswith("local")


HERE = Place(engine=EMBEDDED, url="")


def spark_place(url: str, servers: Sequence[int] = ()) -> Place:
    return Place(
        engine=f"Spark {url.partition('://')[0]}",
        url=url,
        servers=tuple(servers),
        environment={"SPARK_LOCAL_IP": "127.0.0.1"},
    )


def postgresql_place(url: str, *, pid: int | None = None, passwords: Path | None = None) -> Place:
    """Return a server; of one on this machine the processes are looked at."""
    if pid is None and (urlsplit(url).hostname or "localhost") in {"127.0.0.1", "::1", "localhost"}:
        pid = _postmaster(url)
    environment = {} if passwords is None else {"PGPASSFILE": str(passwords)}
    return Place(engine="PostgreSQL", url=url, servers=() if pid is None else (pid,), environment=environment)


def _postmaster(url: str) -> int | None:
    import psycopg

    with psycopg.connect(url) as connection:
        backend = connection.info.backend_pid
        return parent(backend) if (PROC / str(backend)).exists() else None


def parquet(cache: Path, records: int) -> Path:
    """Make the input unless it is there."""
    path = cache / f"{CENSUS.name}_{records}.parquet"
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        script = str(SCRIPTS / f"{CENSUS.generator}.py")
        measure([sys.executable, script, f"--records={records}", "--seed=1", f"--output={path}", "--force"])
    return path


def load(place: Place, source: Path) -> None:
    """Put the records into the table of a PostgreSQL server."""
    command = [sys.executable, "-c", _LOAD, place.url, str(source), PEOPLE]
    measure(["env", *(f"{name}={value}" for name, value in place.environment.items()), *command])


def drop(place: Place, *tables: str) -> None:
    """Remove tables of a PostgreSQL server."""
    statement = f"DROP TABLE IF EXISTS {', '.join(tables)}"
    command = [sys.executable, "-c", _POSTGRESQL, place.url, statement]
    measure(["env", *(f"{name}={value}" for name, value in place.environment.items()), *command])


def combinations(source: Path) -> tuple[int, int]:
    """Return how many combinations there are, and the bytes of their table in Arrow."""
    printed = measure([sys.executable, "-c", _COMBINATIONS, str(source), *_quasi_identifiers()]).stdout
    rows, size = map(int, printed.split())
    return rows, size


def copy_command(place: Place, source: Path, folder: Path, threads: int) -> list[str]:
    """Return the command that only copies the records, with the engine alone."""
    if place.engine == EMBEDDED:
        return [sys.executable, "-c", _DUCKDB, str(source), str(folder / "copy.parquet"), str(threads)]
    if place.engine == "PostgreSQL":
        return [sys.executable, "-c", _POSTGRESQL, place.url, f"CREATE TABLE {COPY} AS TABLE {PEOPLE}"]
    settings = [f"{name}={value}" for name, value in _SPARK_SETTINGS.items() if place.url.startswith("local")]
    return [sys.executable, "-c", _SPARK, str(source), str(folder / "copy"), place.url, *settings]


def run_command(place: Place, source: Path, folder: Path, *, k: int, threads: int) -> list[str]:
    """Write the configuration of a run, and return its command."""
    config = folder / "config.xml"
    config.write_bytes(_configuration(place, source, folder))
    command = [sys.executable, "-m", "toolbox", "-config", str(config), "-method", "Mondrian", "-k", str(k)]
    return [*command, "--threads", str(threads), "--json", "--verbose"]


def _configuration(place: Place, source: Path, folder: Path) -> bytes:
    root = ElementTree.parse(CENSUS.config).getroot()
    for hierarchy in root.findall("qid/att/vgh[@file]"):
        hierarchy.set("file", str(Path(CENSUS.config).parent / hierarchy.get("file", "")))
    for name in ("input", "output"):
        for element in root.findall(name):
            root.remove(element)
    root.attrib.pop("suppThreshold", None)
    if place.engine == "PostgreSQL":
        ElementTree.SubElement(root, "input", url=place.url, table=PEOPLE)
        ElementTree.SubElement(root, "output", url=place.url, table=RELEASE)
    else:
        ElementTree.SubElement(root, "input", filename=str(source))
        name = "release.parquet" if place.engine == EMBEDDED else "release"
        ElementTree.SubElement(root, "output", filename=str(folder / name))
    if place.engine.startswith("Spark"):
        engine = ElementTree.SubElement(root, "engine", name="spark", url=place.url)
        for setting, value in _SPARK_SETTINGS.items() if place.url.startswith("local") else ():
            ElementTree.SubElement(engine, "set", name=setting, value=value)
    # The schema wants them in this order.
    order = ("input", "output", "engine", "id", "qid", "sens", "privacy")
    root[:] = sorted(root, key=lambda element: order.index(str(element.tag)))
    written: bytes = ElementTree.tostring(root, encoding="utf-8")
    return written


def _quasi_identifiers() -> list[str]:
    return [element.get("name", "") for element in ElementTree.parse(CENSUS.config).findall("qid/att")]
