"""Whole runs on a cluster of Spark: the records stay there, and the release is that of a run on a file."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from flows.on_engine_contract import bag
from helpers import children, sentinels, spark_server
from helpers.amounts import some
from helpers.census import CENSUS, configuration, on_file, pages_of
from helpers.page_text import figures, words
from helpers.running import Finished, run_in_process
from helpers.sentinels import LEVELS, PEOPLE, require_hidden


@pytest.mark.slow
def test_the_release_on_the_cluster_is_that_of_a_run_on_the_file(tmp_path: Path) -> None:
    url = spark_server.sail()
    (tmp_path / "people").mkdir()
    duckdb.sql(f"COPY (FROM read_csv('{CENSUS}')) TO '{tmp_path}/people/part.parquet'")
    places = "<input filename='people'/>", f"<output filename='release'/><engine name='spark' url='{url}'/>"
    config = configuration(tmp_path, *places)
    summary = run_in_process("-config", config, "--json").succeeded().document

    released = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{tmp_path}/release/*.parquet'").fetchall()
    assert Counter(released) == Counter(on_file(tmp_path))
    assert summary["records_released"] == 5000
    assert summary["release"] == [str(tmp_path / "release")]
    assert "The records have no order: an engine keeps none." in summary["notes"]


@pytest.mark.slow
def test_statistics_and_l_diversity_are_those_of_a_run_on_the_file(tmp_path: Path) -> None:
    """Also of delimited text, which the cluster reads as texts."""
    url = spark_server.sail()
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "part.csv").write_bytes(CENSUS.read_bytes())
    privacy = "<privacy><model name='distinct l-diversity' l='2'/><model name='k-anonymity' k='5'/></privacy>"

    def with_more(path: Path) -> Path:
        text = path.read_text().replace("<output ", "<output format='genValsDist' ")
        path.write_text(text.replace("</config>", f"{privacy}</config>"))
        return path

    source = "<input filename='people' format='csv' header='true'/>"
    release = f"<output filename='release'/><engine name='spark' url='{url}'/>"
    config = with_more(configuration(tmp_path, source, release, "method='Mondrian'"))
    summary = run_in_process("-config", config, "--json").succeeded().document
    source, release = f"<input filename='{CENSUS}' header='true'/>", "<output filename='out.csv'/>"
    here = run_in_process("-config", with_more(configuration(tmp_path, source, release, "method='Mondrian'")), "--json")

    expected = duckdb.sql(f"FROM read_csv('{tmp_path}/out.csv', all_varchar=true)").fetchall()
    released = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{tmp_path}/release/*.parquet'").fetchall()
    assert bag(released) == bag(expected)
    assert summary["models"] == here.succeeded().document["models"]


@pytest.mark.slow
def test_the_page_has_the_figures_of_that_of_a_run_on_the_file(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    duckdb.sql(f"COPY (FROM read_csv('{CENSUS}')) TO '{tmp_path}/people/part.parquet'")
    release = f"<output filename='release'/><engine name='spark' url='{spark_server.sail()}'/>"
    there, here = pages_of(tmp_path, "<input filename='people'/>", release)
    assert figures(there) == figures(here)
    assert "This page is made of counts: of the release as it was written, and of the input." in words(there)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["classic", "connect"])
def test_a_population_is_a_folder_of_the_cluster_too(tmp_path: Path, way: str) -> None:
    url = spark_server.sail() if way == "connect" else "local[2]"
    everybody = f"(FROM read_csv('{CENSUS}') UNION ALL FROM read_csv('{CENSUS}') WHERE age > 30)"
    for name, rows_of in (("people", f"(FROM read_csv('{CENSUS}'))"), ("register", everybody)):
        (tmp_path / name).mkdir()
        duckdb.sql(f"COPY {rows_of} TO '{tmp_path}/{name}/part.parquet'")
    duckdb.sql(f"COPY {everybody} TO '{tmp_path}/register.csv'")

    def run(source: str, release: str) -> Finished:
        config = configuration(tmp_path, source, release, "method='Mondrian'")
        privacy = "<privacy><model name='k-map' k='9'/></privacy>"
        config.write_text(config.read_text().replace("</config>", f"{privacy}</config>"))
        return run_in_process("-config", config, "--json").succeeded()

    source = "<input filename='people'/><population filename='register'/>"
    there = run(source, f"<output filename='release'/><engine name='spark' url='{url}'/>").document
    source = f"<input filename='{CENSUS}' header='true'/><population filename='register.csv'/>"
    here = run(source, "<output filename='out.csv'/>").document
    expected = duckdb.sql(f"FROM read_csv('{tmp_path}/out.csv', all_varchar=true)").fetchall()
    released = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{tmp_path}/release/*.parquet'").fetchall()
    assert bag(released) == bag(expected)
    assert there["models"] == here["models"]
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".toolbox")] == []


@pytest.mark.slow
def test_a_saved_recoding_gives_the_release_that_it_gives_of_the_file(tmp_path: Path) -> None:
    url = spark_server.sail()
    (tmp_path / "people").mkdir()
    duckdb.sql(f"COPY (FROM read_csv('{CENSUS}')) TO '{tmp_path}/people/part.parquet'")
    half = tmp_path / "half.csv"
    half.write_text("".join(CENSUS.read_text().splitlines(keepends=True)[:2501]))
    columns = ("--id", "person_id", "--qi", "age,sex,race", "--undeclared", "drop")
    made = ("-k", "5", "-output", tmp_path / "a.csv", "--save-recoding", tmp_path / "made.json")
    run_in_process("anonymize", half, *columns, *made).succeeded()
    here = ("apply", tmp_path / "made.json", CENSUS, "-output", tmp_path / "b.csv", "--json")
    on_file = run_in_process(*here).succeeded().document

    config = tmp_path / "config.xml"
    places = f"<input filename='people'/><output filename='release'/><engine name='spark' url='{url}'/>"
    config.write_text(f"<config recoding='made.json'>{places}</config>")
    on_cluster = run_in_process("-config", config, "--json").succeeded().document

    expected = duckdb.sql(f"FROM read_csv('{tmp_path}/b.csv', all_varchar=true)").fetchall()
    released = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{tmp_path}/release/*.parquet'").fetchall()
    assert Counter(released) == Counter(expected)
    assert on_cluster["recoding"] == on_file["recoding"]
    assert on_cluster["models"] == on_file["models"]


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    """A folder with forty people in two files."""
    (tmp_path / "patients").mkdir()
    for part in (0, 1):
        pq.write_table(PEOPLE.slice(20 * part, 20), tmp_path / "patients" / f"{part}.parquet")
    return tmp_path


def written(
    folder: Path, *, source: str = "patients", url: str = "", rest: str = "", release: str = "", k: int = 5
) -> Path:
    engine = f"<engine name='spark' url='{url or spark_server.sail()}'>{rest}</engine>"
    places = f"<input filename='{source}'/>", f"<output filename='release' {release}/>"
    return sentinels.configuration(folder, *places, k=k, rest=engine)


def rows(folder: Path) -> list[tuple[str, ...]]:
    return duckdb.sql(f"FROM '{folder}/release/*.parquet'").fetchall()


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def require_refused(folder: Path, done: Finished, status: int, *words: str) -> None:
    """See that a run ended with a status and a message, and left nothing."""
    assert (done.status, done.stdout) == (status, "")
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert left(folder) == {"config.xml", "patients"}
    require_hidden(done.stderr)


@pytest.mark.slow
def test_the_report_is_what_is_told_and_no_cell_of_one_person_is_told(hospital: Path) -> None:
    options = ("--json", "--verbose", "--report", hospital / "report.json")
    done = run_in_process("-config", written(hospital), *options).succeeded()
    released = rows(hospital)
    assert json.loads((hospital / "report.json").read_text()) == done.document
    assert {row[0] for row in released} == LEVELS
    assert Counter(illness for *_, illness in released) == Counter(PEOPLE["illness"].to_pylist())
    require_hidden(done.stdout, done.stderr, (hospital / "report.json").read_text())
    require_hidden(str(released), released=True)
    assert left(hospital) == {"config.xml", "patients", "release", "report.json"}


@pytest.mark.slow
def test_a_release_that_is_there_stays_unless_it_may_be_replaced(hospital: Path) -> None:
    config = written(hospital)
    run_in_process("-config", config, "-k", "40").succeeded()
    older = rows(hospital)
    refused = run_in_process("-config", config)
    assert (refused.status, rows(hospital)) == (2, older)
    assert "--replace" in refused.stderr
    failed = run_in_process("-config", config, "--replace", "-k", "41")
    assert (failed.status, rows(hospital)) == (3, older)
    run_in_process("-config", config, "--replace").succeeded()
    assert (len(rows(hospital)), {row[0] for row in rows(hospital)}) == (40, LEVELS)
    assert {row[0] for row in older} != LEVELS
    assert left(hospital) == {"config.xml", "patients", "release"}


@pytest.mark.slow
def test_a_folder_that_is_not_there_is_told(hospital: Path) -> None:
    require_refused(hospital, run_in_process("-config", written(hospital, source="patient")), 4, "patient")


@pytest.mark.slow
def test_a_k_that_nobody_can_satisfy_leaves_nothing(hospital: Path) -> None:
    require_refused(hospital, run_in_process("-config", written(hospital, k=41)), 3, "41")


def test_a_password_in_a_url_is_refused_and_not_repeated(hospital: Path) -> None:
    for url in ("sc://127.0.0.1:1/;token=Geheim77", "sc://me:Geheim77@127.0.0.1:1"):
        config = written(hospital, url=url)
        done, debugged, document = (run_in_process("-config", config, *more) for more in ([], ["--debug"], ["--json"]))
        assert "Geheim77" not in done.stderr + debugged.stderr + document.stdout + document.stderr
        require_refused(hospital, done, 2, "holds a password")


def test_an_order_is_refused(hospital: Path) -> None:
    config = written(hospital, url="sc://127.0.0.1:1", release="order='input'")
    require_refused(hospital, run_in_process("-config", config), 2, "order=input", "no order of records")


def test_more_combinations_than_may_be_fetched_are_refused(hospital: Path) -> None:
    config = written(hospital, rest="<set name='combinations' value='10'/>")
    done = run_in_process("-config", config)
    require_refused(
        hospital, done, 3, "40 combinations, more than the 10", "number (about 40 values), town (about 2 values)"
    )


def test_a_column_that_is_not_there_is_told_with_its_near_name(hospital: Path) -> None:
    config = written(hospital)
    config.write_text(config.read_text().replace("name='number'", "name='numbr'"))
    require_refused(hospital, run_in_process("-config", config), 2, "Did you mean 'number'?")


def test_a_cluster_that_does_not_answer_is_told(hospital: Path) -> None:
    require_refused(hospital, run_in_process("-config", written(hospital, url="sc://127.0.0.1:1")), 2, "127.0.0.1:1")


def test_a_client_that_is_not_installed_is_named_with_the_extra(
    hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = written(hospital, url="sc://127.0.0.1:1")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"] or ["pyspark"]:
        monkeypatch.setitem(sys.modules, name, None)
    require_refused(hospital, run_in_process("-config", config), 2, "pip install 'anonymisation-toolbox[spark]'")


@pytest.mark.parametrize("command", ["check", "risk"])
def test_judges_read_no_folder_of_a_cluster(hospital: Path, command: str) -> None:
    config = written(hospital, url="sc://127.0.0.1:1")
    (hospital / "patients" / "release.csv").write_text("number,town,illness\n")
    done = run_in_process(command, hospital / "patients" / "release.csv", "-config", config)
    require_refused(hospital, done, 2, "which only a run reads")


def start_many(folder: Path, **engine: str) -> subprocess.Popen[str]:
    """Start a run on so many records that writing takes a while; return when the folder of the release is there."""
    (folder / "patients").mkdir()
    many = "SELECT range AS name, range % 1000 AS number, 'Graz' AS town, 'flu' AS illness, uuid()::VARCHAR AS note"
    duckdb.sql(f"COPY ({many} FROM range(2_000_000)) TO '{folder}/patients/part.parquet'")
    config = written(folder, **engine)
    command = [sys.executable, "-m", "toolbox", "-config", config, "--quiet", "--report", folder / "report.json"]
    process = children.start(command, stderr=subprocess.PIPE, text=True, cwd=folder)
    while not any(name.startswith(".toolbox-") for name in left(folder) if "release" in name or name[0] == "."):
        assert process.poll() is None
        time.sleep(0.02)
    return process


def require_interrupted(folder: Path, process: subprocess.Popen[str]) -> None:
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "toolbox: interrupted; nothing was released.\n")
    assert left(folder) == {"config.xml", "patients"}


@pytest.mark.slow
def test_a_run_that_is_interrupted_while_it_writes_leaves_nothing(tmp_path: Path) -> None:
    process = start_many(tmp_path)
    process.send_signal(signal.SIGTERM)
    require_interrupted(tmp_path, process)


@pytest.mark.slow
@pytest.mark.parametrize("whom", ["the group", "each process, and Java first"])
def test_a_run_that_ends_together_with_its_java_was_interrupted_and_says_nothing_else(
    whom: str, tmp_path: Path
) -> None:
    """As a terminal ends the processes of one group, and a manager of services all that a service has started."""
    spark_server.require_java()
    process = start_many(tmp_path, url=spark_server.CLASSIC, rest=spark_server.SOON)
    if whom == "the group":
        os.killpg(process.pid, signal.SIGTERM)
    else:
        for number in (*children.list_descendants(process.pid), process.pid):
            os.kill(number, signal.SIGTERM)
    require_interrupted(tmp_path, process)


def kill(process: subprocess.Popen[str], victim: str) -> None:
    """Kill a run, its Java, or both."""
    if victim == "all":
        os.killpg(process.pid, signal.SIGKILL)
    for number in children.list_descendants(process.pid) if victim == "java" else [process.pid]:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["client", "java", "all"])
def test_a_kill_at_any_moment_leaves_an_old_release_whole(tmp_path: Path, victim: str) -> None:
    spark_server.require_java()
    draw, release = random.Random(victim), tmp_path / "release"
    (tmp_path / "people").mkdir()
    duckdb.sql(f"COPY (FROM read_csv('{CENSUS}')) TO '{tmp_path}/people/part.parquet'")
    engine = f"<engine name='spark' url='{spark_server.CLASSIC}'>{spark_server.SOON}</engine>"
    config = configuration(
        tmp_path, "<input filename='people'/>", f"<output filename='release' replace='true'/>{engine}"
    )
    command = [sys.executable, "-m", "toolbox", "-config", config, "--quiet"]
    began = time.monotonic()
    children.run(command, check=True, cwd=tmp_path)
    lasts, ends = time.monotonic() - began, Counter[str]()
    records = Counter(rows(tmp_path))
    for _ in some(range(8), every=4):
        old = {path.name: path.read_bytes() for path in release.iterdir()}
        process = children.start(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        time.sleep(draw.uniform(0.2, 1.0) * lasts)
        kill(process, victim)
        _, told = process.communicate(timeout=300)
        ends[str(process.returncode)] += 1
        assert "Traceback" not in told
        if process.returncode != 0:
            assert {path.name: path.read_bytes() for path in release.iterdir()} == old
        assert Counter(rows(tmp_path)) == records
    children.run(command, check=True, cwd=tmp_path)
    assert (left(tmp_path), Counter(rows(tmp_path))) == ({"config.xml", "people", "release"}, records)
    print(victim, dict(ends))


@pytest.mark.slow
def test_a_java_that_does_not_start_says_why(hospital: Path) -> None:
    spark_server.require_java()
    config = written(hospital, url=spark_server.CLASSIC, rest="<set name='spark.driver.memory' value='8x'/>")
    done = children.run([sys.executable, "-m", "toolbox", "-config", config], capture_output=True, text=True)
    require_refused(
        hospital, Finished(done.returncode, done.stdout, done.stderr), 2, "Invalid maximum heap size: -Xmx8x. See"
    )
