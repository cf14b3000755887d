"""Whole runs on a PostgreSQL server: the records stay there, and the release is that of a run on a file."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from flows.on_engine_contract import bag
from helpers import children, postgres_server, sentinels
from helpers.amounts import some
from helpers.census import CENSUS, configuration, on_file, pages_of
from helpers.page_text import figures, words
from helpers.postgres_server import Server
from helpers.running import Finished, run_in_process
from helpers.sentinels import LEVELS, PEOPLE, require_hidden


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    with postgres_server.running() as running:
        yield running


def filled(server: Server, table: str, columns: str, rows: Sequence[tuple[Any, ...]]) -> None:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {table} ({columns})")
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


@pytest.fixture(scope="module")
def census(server: Server) -> Server:
    """Put 5,000 records into the table ``people``."""
    rows = duckdb.sql(f"FROM read_csv('{CENSUS}', types={{'age': 'INTEGER'}})")
    kinds = ["text" if str(kind) == "VARCHAR" else "bigint" for kind in rows.types]
    columns = ", ".join(f'"{name}" {kind}' for name, kind in zip(rows.columns, kinds, strict=True))
    filled(server, "people", columns, rows.fetchall())
    return server


@pytest.fixture
def hospital(server: Server) -> Iterator[Server]:
    """Put forty people into the table ``hospital.patients``, in a schema of its own."""
    server.run("CREATE SCHEMA hospital")
    rows = [tuple(row.values()) for row in PEOPLE.to_pylist()]
    filled(server, "hospital.patients", "name text, number bigint, town text, illness text", rows)
    yield server
    server.run("DROP SCHEMA hospital CASCADE")


def places(server: Server, source: str = "table='hospital.patients'", release: str = "") -> tuple[str, str]:
    """Return the input and the output."""
    return f"<input url='{server.url}' {source}/>", f"<output url='{server.url}' table='hospital.release' {release}/>"


def tables(server: Server) -> set[str]:
    """Return the names of all tables and views of the hospital."""
    rows = server.rows("SELECT relname FROM pg_class WHERE relnamespace = 'hospital'::regnamespace")
    return {name for (name,) in rows}


def require_refused(server: Server, done: Finished, status: int, *words: str) -> None:
    """See that a run ended with a status and a message, and left nothing."""
    assert (done.status, done.stdout) == (status, "")
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert tables(server) == {"patients"}
    require_hidden(done.stderr)


# What is released


@pytest.mark.slow
def test_the_release_in_the_database_is_that_of_a_run_on_the_file(census: Server, tmp_path: Path) -> None:
    source, release = f"<input url='{census.url}' table='people'/>", f"<output url='{census.url}' table='release'/>"
    config = configuration(tmp_path, source, release)
    summary = run_in_process("-config", config, "--json").succeeded().document
    released = [tuple(map(str, row)) for row in census.rows("SELECT * FROM release")]

    assert Counter(released) == Counter(on_file(tmp_path))
    assert summary["records_released"] == 5000
    assert summary["release"] == [f"{census.url} release"]
    assert "The records have no order: an engine keeps none." in summary["notes"]
    assert any("nobody has looked at them" in note for note in summary["notes"])


@pytest.mark.slow
def test_statistics_and_l_diversity_are_those_of_a_run_on_the_file(census: Server, tmp_path: Path) -> None:
    attributes = "method='Mondrian'"
    privacy = "<privacy><model name='distinct l-diversity' l='2'/><model name='k-anonymity' k='5'/></privacy>"

    def with_more(path: Path) -> Path:
        text = path.read_text().replace("<output ", "<output format='genValsDist' ")
        path.write_text(text.replace("</config>", f"{privacy}</config>"))
        return path

    source, release = f"<input url='{census.url}' table='people'/>", f"<output url='{census.url}' table='described'/>"
    config = with_more(configuration(tmp_path, source, release, attributes))
    summary = run_in_process("-config", config, "--json").succeeded().document
    source, release = f"<input filename='{CENSUS}' header='true'/>", "<output filename='out.csv'/>"
    here = run_in_process("-config", with_more(configuration(tmp_path, source, release, attributes)), "--json")

    expected = duckdb.sql(f"FROM read_csv('{tmp_path}/out.csv', all_varchar=true)").fetchall()
    released = [tuple(map(str, row)) for row in census.rows("SELECT * FROM described")]
    assert bag(released) == bag(expected)
    assert summary["models"] == here.succeeded().document["models"]
    assert len(released[0]) == 9 + 9 + 2


@pytest.mark.slow
def test_the_page_has_the_figures_of_that_of_a_run_on_the_file(census: Server, tmp_path: Path) -> None:
    source, release = f"<input url='{census.url}' table='people'/>", f"<output url='{census.url}' table='shown'/>"
    there, here = pages_of(tmp_path, source, release)
    assert figures(there) == figures(here)
    assert "Release report: shown" in words(there)
    assert "This page is made of counts: of the release as it was written, and of the input." in words(there)


@pytest.mark.slow
def test_a_population_is_a_table_of_the_database_too(census: Server, tmp_path: Path) -> None:
    census.run("CREATE TABLE register AS SELECT * FROM people UNION ALL SELECT * FROM people WHERE age > 30")
    everybody = f"(FROM read_csv('{CENSUS}') UNION ALL FROM read_csv('{CENSUS}') WHERE age > 30)"
    duckdb.sql(f"COPY {everybody} TO '{tmp_path}/register.csv'")
    privacy = "<privacy><model name='k-map' k='9'/></privacy>"

    def run(source: str, release: str) -> Finished:
        config = configuration(tmp_path, source, release, "method='Mondrian'")
        config.write_text(config.read_text().replace("</config>", f"{privacy}</config>"))
        return run_in_process("-config", config, "--json")

    inside = f"<input url='{census.url}' table='people'/>"
    there = run(f"{inside}<population table='register'/>", f"<output url='{census.url}' table='mapped'/>").succeeded()
    source = f"<input filename='{CENSUS}' header='true'/><population filename='register.csv'/>"
    here = run(source, "<output filename='out.csv'/>").succeeded()
    expected = duckdb.sql(f"FROM read_csv('{tmp_path}/out.csv', all_varchar=true)").fetchall()
    assert bag([tuple(map(str, row)) for row in census.rows("SELECT * FROM mapped")]) == bag(expected)
    assert there.document["models"] == here.document["models"]
    assert there.document["population"]["people"] == here.document["population"]["people"]

    lacking = run(inside, f"<output url='{census.url}' table='nobody'/>")
    assert lacking.status == 2
    assert "compares with a population, and none is named. Write <population table='..'/>" in lacking.stderr
    wrong = run(f"{inside}<population filename='register.csv'/>", f"<output url='{census.url}' table='nobody'/>")
    assert wrong.status == 2
    assert "means nothing to the engine postgresql. Load it as a table of the database" in wrong.stderr


@pytest.mark.slow
def test_the_report_is_what_is_told_and_no_cell_of_one_person_is_told(hospital: Server, tmp_path: Path) -> None:
    before = len(hospital.log)
    config = sentinels.configuration(tmp_path, *places(hospital))
    options = ("--json", "--verbose", "--report", tmp_path / "report.json")
    done = run_in_process("-config", config, *options).succeeded()
    released = hospital.rows("SELECT * FROM hospital.release")

    assert json.loads((tmp_path / "report.json").read_text()) == done.document
    assert {row[0] for row in released} == LEVELS
    assert Counter(illness for *_, illness in released) == Counter(PEOPLE["illness"].to_pylist())
    log = hospital.log[before:]
    assert "CREATE TABLE" in log
    require_hidden(done.stdout, done.stderr, (tmp_path / "report.json").read_text(), log)
    require_hidden(str(released), released=True)
    assert {path.name for path in tmp_path.iterdir()} == {"config.xml", "report.json"}


@pytest.mark.slow
def test_a_query_may_be_the_input(hospital: Server, tmp_path: Path) -> None:
    query = "query=\"SELECT * FROM hospital.patients WHERE illness = 'flu' -- healthy ones are let alone\""
    config = sentinels.configuration(tmp_path, *places(hospital, query))
    summary = run_in_process("-config", config, "--json").succeeded().document
    assert {illness for *_, illness in hospital.rows("SELECT * FROM hospital.release")} == {"flu"}
    assert summary["records_read"] == PEOPLE["illness"].to_pylist().count("flu")
    assert tables(hospital) == {"patients", "release"}


@pytest.mark.slow
def test_a_release_that_is_there_stays_unless_it_may_be_replaced(hospital: Server, tmp_path: Path) -> None:
    hospital.run("CREATE TABLE hospital.release AS SELECT 1 AS older")
    config = sentinels.configuration(tmp_path, *places(hospital))
    refused = run_in_process("-config", config)
    assert (refused.status, hospital.rows("SELECT * FROM hospital.release")) == (2, [(1,)])
    assert "replace" in refused.stderr
    failed = run_in_process("-config", config, "--replace", "-k", "41")
    assert (failed.status, hospital.rows("SELECT * FROM hospital.release")) == (3, [(1,)])
    run_in_process("-config", config, "--replace").succeeded()
    assert len(hospital.rows("SELECT * FROM hospital.release")) == 40


# What is refused


@pytest.mark.slow
def test_a_table_that_is_not_there_is_told_with_its_near_name(hospital: Server, tmp_path: Path) -> None:
    config = sentinels.configuration(tmp_path, *places(hospital, "table='hospital.patient'"))
    require_refused(hospital, run_in_process("-config", config), 4, "hospital.patient", "patients")


@pytest.mark.slow
def test_a_k_that_nobody_can_satisfy_leaves_nothing(hospital: Server, tmp_path: Path) -> None:
    config = sentinels.configuration(tmp_path, *places(hospital), k=41)
    require_refused(hospital, run_in_process("-config", config), 3, "41")


@pytest.mark.slow
def test_a_password_in_a_url_is_refused_and_not_repeated(hospital: Server, tmp_path: Path) -> None:
    source, release = (text.replace("keeper@", "keeper:Geheim77@") for text in places(hospital))
    config = sentinels.configuration(tmp_path, source, release)
    done = run_in_process("-config", config)
    debugged, document = (run_in_process("-config", config, option) for option in ("--debug", "--json"))
    assert "Geheim77" not in done.stderr + debugged.stderr + document.stdout + document.stderr
    require_refused(hospital, done, 2, "holds a password", "PGPASSFILE")


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("order", ["input", "sorted"])
def test_an_order_is_refused(hospital: Server, tmp_path: Path, order: str) -> None:
    config = sentinels.configuration(tmp_path, *places(hospital, release=f"order='{order}'"))
    require_refused(hospital, run_in_process("-config", config), 2, f"order={order}", "no order of records")


@pytest.mark.slow
def test_more_combinations_than_may_be_fetched_are_refused(hospital: Server, tmp_path: Path) -> None:
    rest = "<engine name='postgresql'><set name='combinations' value='10'/></engine>"
    done = run_in_process("-config", sentinels.configuration(tmp_path, *places(hospital), rest=rest))
    require_refused(hospital, done, 3, "40 combinations, more than the 10", "Most values have number (")


def test_a_column_that_is_not_there_is_told_with_its_near_name(hospital: Server, tmp_path: Path) -> None:
    hospital.run("ALTER TABLE hospital.patients RENAME COLUMN number TO numbers")
    config = sentinels.configuration(tmp_path, *places(hospital))
    require_refused(hospital, run_in_process("-config", config), 2, "Did you mean 'numbers'?")


@pytest.mark.slow
def test_a_category_that_nobody_declared_is_refused_without_its_cell(hospital: Server, tmp_path: Path) -> None:
    config = sentinels.configuration(tmp_path, *places(hospital))
    entries = "".join(f"<entry cat='{one}' int='{code}'/>" for code, one in enumerate(("flu", "cold", "gout")))
    declared = f"<att name='illness'><map>{entries}</map></att>"
    config.write_text(config.read_text().replace("<att name='illness' type='category'/>", declared))
    require_refused(hospital, run_in_process("-config", config), 4, "illness", "pattern 'aaaaaaaaaaaa'", "Declare it")


@pytest.mark.slow
def test_judges_ask_for_a_file_where_the_release_is_a_table(hospital: Server, tmp_path: Path) -> None:
    config = sentinels.configuration(tmp_path, *places(hospital))
    run_in_process("-config", config).succeeded()
    for command in ("check", "measure", "risk"):
        done = run_in_process(command, "-config", config)
        assert (done.status, done.stdout) == (2, "")
        assert "Nothing names the release. Write the name of its file after the command." in done.stderr


def test_judges_read_no_table_of_a_database(hospital: Server, tmp_path: Path) -> None:
    config = sentinels.configuration(tmp_path, *places(hospital))
    (tmp_path / "release.csv").write_text("number,town,illness\n")
    said = "hospital.patients, which only a run reads. Export it to a file, and name that."
    for command in ("check", "risk"):
        require_refused(hospital, run_in_process(command, tmp_path / "release.csv", "-config", config), 2, said)


@pytest.mark.slow
def test_a_driver_that_is_not_installed_is_named_with_the_extra(
    hospital: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = sentinels.configuration(tmp_path, *places(hospital))
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = run_in_process("-config", config)
    monkeypatch.undo()
    require_refused(hospital, done, 2, "pip install 'anonymisation-toolbox[postgresql]'")


# Interrupted

SLOW = """CREATE FUNCTION public.wait() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
IF current_query() NOT ILIKE '%TEMPORARY%' THEN PERFORM pg_sleep(60); END IF; END $$"""


@pytest.fixture
def slow(hospital: Server) -> Iterator[Server]:
    """A server that takes a minute to begin a table which is no temporary one."""
    trigger = (
        "CREATE EVENT TRIGGER slow ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION public.wait()"
    )
    hospital.run(SLOW, trigger)
    yield hospital
    hospital.run("DROP EVENT TRIGGER slow", "DROP FUNCTION public.wait()")


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not condition():
        assert process.poll() is None
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_run_that_is_interrupted_while_it_writes_leaves_nothing(
    slow: Server, tmp_path: Path, number: signal.Signals
) -> None:
    busy = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE TABLE%' AND state = 'active'"
    config = sentinels.configuration(tmp_path, *places(slow))
    command = [sys.executable, "-m", "toolbox", "-config", config, "--quiet", "--report", tmp_path / "report.json"]
    process = children.start(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    until(lambda: slow.rows(busy) == [(1,)], process)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "toolbox: interrupted; nothing was released.\n")
    others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    deadline = time.monotonic() + 30
    while slow.rows(others) != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert tables(slow) == {"patients"}
    assert {path.name for path in tmp_path.iterdir()} == {"config.xml"}


RUNS = "datname IS NOT NULL AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
"""Which sessions are those of a run."""


def kill_session(server: Server, *, rudely: bool) -> None:
    """End the session of a run, if it has one by now: as an administrator does, or so that the server recovers from it."""
    for (number,) in server.rows(f"SELECT pid FROM pg_stat_activity WHERE {RUNS}"):
        if rudely:
            os.kill(number, signal.SIGKILL)
        else:
            server.rows("SELECT pg_terminate_backend(%s)", [number])


def wait_for_sessions(server: Server) -> None:
    """Wait until the server has ended the sessions of those who were killed."""
    deadline = time.monotonic() + 60
    while server.answers(f"SELECT count(*) FROM pg_stat_activity WHERE {RUNS}") != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["client", "session", "server"])
def test_a_kill_at_any_moment_leaves_an_old_release_whole(census: Server, tmp_path: Path, victim: str) -> None:
    draw, url = random.Random(victim), census.url
    output = f"<output url='{url}' table='killed' replace='true'/>"
    config = configuration(tmp_path, f"<input url='{url}' table='people'/>", output)
    command = [sys.executable, "-m", "toolbox", "-config", config, "--quiet"]
    began = time.monotonic()
    children.run(command, check=True, cwd=tmp_path)
    lasts, ends = time.monotonic() - began, Counter[str]()
    whole = Counter(census.rows("SELECT * FROM killed"))
    for _ in some(range(12), every=4):
        process = children.start(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        time.sleep(draw.uniform(0.2, 1.0) * lasts)
        if victim == "client":
            process.send_signal(signal.SIGKILL)
        else:
            kill_session(census, rudely=victim == "server")
        _, told = process.communicate(timeout=300)
        ends[str(process.returncode)] += 1
        assert "Traceback" not in told
        wait_for_sessions(census)
        assert Counter(census.rows("SELECT * FROM killed")) == whole
        left = census.rows("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'toolbox%'")
        assert left == []
    children.run(command, check=True, cwd=tmp_path)
    print(victim, dict(ends))


# Where the records fit here


@pytest.mark.slow
def test_a_table_of_a_database_is_read_for_a_release_that_is_a_file(hospital: Server, tmp_path: Path) -> None:
    source, _ = places(hospital)
    config = sentinels.configuration(tmp_path, source, "<output filename='out.csv' order='sorted'/>")
    done = run_in_process("-config", config, "--json").succeeded()
    rows = duckdb.sql(f"FROM read_csv('{tmp_path}/out.csv', all_varchar=true)").fetchall()
    assert {row[0] for row in rows} == LEVELS
    assert len(rows) == 40
    require_hidden(done.stdout, done.stderr)
    assert tables(hospital) == {"patients"}


@pytest.mark.slow
def test_a_file_is_read_for_a_release_that_is_a_table_of_a_database(hospital: Server, tmp_path: Path) -> None:
    duckdb.from_arrow(PEOPLE).write_csv(str(tmp_path / "in.csv"))
    _, release = places(hospital)
    config = sentinels.configuration(tmp_path, "<input filename='in.csv' header='true'/>", release)
    before = len(hospital.log)
    done = run_in_process("-config", config, "--json", "--report", tmp_path / "report.json").succeeded()
    rows = hospital.rows("SELECT * FROM hospital.release")
    assert ({row[0] for row in rows}, len(rows)) == (LEVELS, 40)
    assert done.document["release"] == [f"{hospital.url} hospital.release"]
    require_hidden(done.stdout, done.stderr, (tmp_path / "report.json").read_text(), hospital.log[before:])

    again = run_in_process("-config", config)
    assert (again.status, "replace" in again.stderr) == (2, True)
    run_in_process("-config", config, "--replace", "--suppressed", "drop").succeeded()
    assert len(hospital.rows("SELECT * FROM hospital.release")) == 40


# A saved recoding


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", "Mondrian"])
def test_a_saved_recoding_gives_the_release_that_it_gives_of_the_file(
    census: Server, tmp_path: Path, method: str
) -> None:
    hierarchies = [word for rule in ("age=intervals:5,20", "sex=auto", "race=auto") for word in ("--hierarchy", rule)]
    columns = ("--id", "person_id", "--qi", "age,sex,race", "--undeclared", "drop", *hierarchies)
    made = ("-method", method, "-k", "5", "-output", tmp_path / "a.csv", "--save-recoding", tmp_path / "made.json")
    half = tmp_path / "half.csv"
    half.write_text("".join(CENSUS.read_text().splitlines(keepends=True)[:2501]))
    run_in_process("anonymize", half, *columns, *made).succeeded()

    apply = ("apply", tmp_path / "made.json")
    here = run_in_process(*apply, CENSUS, "-output", tmp_path / "b.csv", "--json").succeeded().document
    source = (census.url, "--input-table", "people")
    target = ("-output", census.url, "--output-table", f"next_{method.lower()}")
    there = run_in_process(*apply, *source, *target, "--json").succeeded().document

    expected = duckdb.sql(f"FROM read_csv('{tmp_path}/b.csv', all_varchar=true)").fetchall()
    released = [tuple(map(str, row)) for row in census.rows(f"SELECT * FROM next_{method.lower()}")]
    assert Counter(released) == Counter(expected)
    assert there["recoding"] == here["recoding"]
    assert there["models"] == here["models"]
