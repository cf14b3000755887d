"""An engine is opened with all that its configuration says, and no driver of another one is imported."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from sqlalchemy import select

from toolbox import load_config
from toolbox.config.model import Remote
from toolbox.errors import InputError, OutputError
from toolbox.flows.release.databases import fetch_remote_source, open_engine, require_remote_place, store_remotely
from toolbox.store.engine.store import Store

QID = "<qid><att name='age'/></qid>"


def written(folder: Path, source: str, release: str, rest: str = "") -> Path:
    path = folder / "c.xml"
    path.write_text(f"<config k='2'>{source}{release}{rest}{QID}</config>")
    return path


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database of SQLite with two people."""
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE people (age INTEGER, note TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [(20, "x"), (21, None)])
    connection.close()
    return f"sqlite:///{tmp_path}/people.db"


def test_tables_of_one_postgresql_are_an_engine(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    from toolbox.engines.postgresql.engine import PostgreSQL

    place = "url='postgresql://me@127.0.0.1:1/db'"
    config = load_config(
        written(
            tmp_path, f"<input {place} table='public.people'/>", f"<output {place} table='release' replace='true'/>"
        )
    )
    engine = open_engine(config)
    assert isinstance(engine, PostgreSQL)
    assert (engine.name, engine._replace, str(engine._release)) == ("public.people", True, "release")


def test_folders_of_a_cluster_are_an_engine(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    from toolbox.engines.spark.engine import Spark

    engine = "<engine name='spark' url='sc://127.0.0.1:1'><set name='combinations' value='7'/></engine>"
    source = "<input filename='people' format='csv' separator=';' header='true'/>"
    config = load_config(written(tmp_path, source, "<output filename='release'/>", engine))
    assert isinstance(open_engine(config), Spark)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "other"), [("postgresql", "pyspark"), ("spark", "psycopg")])
def test_no_driver_of_another_engine_is_imported(tmp_path: Path, name: str, other: str) -> None:
    if name == "spark":
        places = "<input filename='people'/>", "<output filename='release'/>", "<engine name='spark' url='sc://h:1'/>"
    else:
        place = "url='postgresql://me@127.0.0.1:1/db'"
        places = f"<input {place} table='people'/>", f"<output {place} table='release'/>", ""
    path = written(tmp_path, *places)
    code = (
        "import sys; from toolbox import load_config; from toolbox.flows.release.databases import open_engine; "
        f"open_engine(load_config({str(path)!r})); print([m for m in sys.modules if m.partition('.')[0] == {other!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_table_of_a_database_is_a_source_that_is_called_by_its_place(tmp_path: Path, url: str) -> None:
    with Store(tmp_path) as store:
        source = fetch_remote_source(Remote(url=url, table="people"), store)
        assert source.name == f"{url} people"
        assert source.headers == ("age", "note")
        assert store.rows(select(source.relation())) == [(20, "x"), (21, None)]


def test_a_query_may_be_the_input(tmp_path: Path, url: str) -> None:
    with Store(tmp_path) as store:
        source = fetch_remote_source(Remote(url=url, query="SELECT note FROM people WHERE age = 20"), store)
        assert store.rows(select(source.relation())) == [("x",)]


def test_a_table_that_is_not_there_is_told(tmp_path: Path, url: str) -> None:
    with Store(tmp_path) as store, pytest.raises(InputError):
        fetch_remote_source(Remote(url=url, table="nobody"), store)


def test_a_place_that_is_taken_is_refused_and_may_be_replaced(tmp_path: Path, url: str) -> None:
    (tmp_path / "in.csv").write_text("age\n20\n20\n")
    source, release = "<input filename='in.csv' header='true'/>", f"<output url='{url}' table='people'"
    with pytest.raises(OutputError):
        require_remote_place(load_config(written(tmp_path, source, f"{release}/>")))
    config = load_config(written(tmp_path, source, f"{release} replace='true'/>"))
    require_remote_place(config)
    store_remotely(config, pa.table({"age": ["[20:21]"]}))
    with sqlite3.connect(tmp_path / "people.db") as connection:
        assert connection.execute("SELECT * FROM people").fetchall() == [("[20:21]",)]
    connection.close()


def test_the_table_that_is_read_is_never_replaced(tmp_path: Path, url: str) -> None:
    source, release = f"<input url='{url}' table='people'/>", f"<output url='{url}' table='people' replace='true'/>"
    with pytest.raises(OutputError):
        require_remote_place(load_config(written(tmp_path, source, release)))


def test_a_file_needs_no_place_in_a_database(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age\n20\n")
    source = "<input filename='in.csv' header='true'/>"
    require_remote_place(load_config(written(tmp_path, source, "<output filename='out.csv'/>")))
