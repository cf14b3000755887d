"""Whole runs on a MariaDB server: the records stay there, the release is that of a run on a file, and kills leave none."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from helpers import children, mariadb_server
from helpers.amounts import some
from helpers.census import CENSUS, configuration, pages_of
from helpers.mariadb_server import MariaDB
from helpers.page_text import figures, words
from helpers.running import run_in_process


@pytest.fixture(scope="module")
def census() -> Iterator[MariaDB]:
    """A server with 5,000 records in the table ``people``."""
    if reason := mariadb_server.why_not():
        pytest.skip(reason)
    with mariadb_server.running() as server:
        rows = duckdb.sql(f"FROM read_csv('{CENSUS}', types={{'age': 'INTEGER'}})")
        kinds = ["varchar(40)" if str(kind) == "VARCHAR" else "bigint" for kind in rows.types]
        columns = ", ".join(f"`{name}` {kind}" for name, kind in zip(rows.columns, kinds, strict=True))
        server.run(f"CREATE TABLE people ({columns})")
        with server.connect() as connection, connection.cursor() as cursor:
            marks = ", ".join(["%s"] * len(rows.columns))
            cursor.executemany(f"INSERT INTO people VALUES ({marks})", rows.fetchall())
        yield server


def places(server: MariaDB, release: str = "release") -> tuple[str, str]:
    """Return the input and the output."""
    return (
        f"<input url='{server.url}' table='people'/>",
        f"<output url='{server.url}' table='{release}' replace='true'/>",
    )


def released(server: MariaDB) -> Counter[tuple[str, ...]]:
    return Counter(tuple(map(str, row)) for row in server.rows("SELECT * FROM `release`"))


METHODS = ["Mondrian", "Datafly", "Incognito", "Flash", "OLA", "MinGen", "LocalRecoding"]
MODELS = """<privacy><model name='distinct l-diversity' l='2'/><model name='t-closeness' t='0.7'/>
<model name='k-anonymity' k='5'/></privacy>"""
JUDGED = ("Mondrian", "Incognito")


def with_hierarchies(folder: Path, source: str, release: str, method: str) -> Path:
    """Write the configuration of Datafly with another method, input and output, and with six columns of nine."""
    text = (CENSUS.parent / "census_datafly.xml").read_text()
    text = text.replace("'hierarchies/", f"'{CENSUS.parent}/hierarchies/")
    text = re.sub("<config [^>]*>", f"<config method='{method}' suppThreshold='250' k='5'>", text)
    text = re.sub("<input [^>]*>", source, re.sub("<output [^>]*>", release, text))
    for name in ("native-country", "workclass", "occupation"):
        text = re.sub(f"<att name='{name}'>.*</att>\n", "", text)
        text = text.replace("<id>", f"<id><att name='{name}'/>")
    if method in JUDGED:
        text = text.replace("</config>", f"{MODELS}</config>").replace(" k='5'>", ">", 1)
    path = folder / f"{method}.xml"
    path.write_text(text)
    return path


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("method", METHODS)
def test_the_release_in_the_database_is_that_of_a_run_on_the_file(census: MariaDB, tmp_path: Path, method: str) -> None:
    there = run_in_process("-config", with_hierarchies(tmp_path, *places(census), method), "--json").succeeded()
    source, release = f"<input filename='{CENSUS}' header='true'/>", f"<output filename='{tmp_path}/out.csv'/>"
    here = run_in_process("-config", with_hierarchies(tmp_path, source, release, method), "--json").succeeded()
    expected = duckdb.sql(f"FROM read_csv('{tmp_path}/out.csv', all_varchar=true)").fetchall()
    assert released(census) == Counter(tuple(map(str, row)) for row in expected)
    achieved = ([model["achieved"] for model in done.document["models"]] for done in (there, here))
    assert next(achieved) == pytest.approx(next(achieved))


@pytest.mark.slow
def test_the_page_has_the_figures_of_that_of_a_run_on_the_file(census: MariaDB, tmp_path: Path) -> None:
    there, here = pages_of(tmp_path, *places(census, "shown"))
    assert figures(there) == figures(here)
    assert "This page is made of counts: of the release as it was written, and of the input." in words(there)


@pytest.mark.slow
def test_neither_a_password_nor_a_value_is_shown(
    census: MariaDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configuration(tmp_path, *places(census))
    before = len(census.log)
    done = run_in_process("-config", config, "--report", tmp_path / "report.json")
    assert done.status == 0, done.stderr
    shown = done.stdout + done.stderr + (tmp_path / "report.json").read_text() + census.log[before:]
    assert census.password not in shown

    wrong = tmp_path / "home"
    wrong.mkdir()
    (wrong / ".my.cnf").write_text("[client]\npassword=s3cret-wrong\n")
    monkeypatch.setenv("HOME", str(wrong))
    refused = run_in_process("-config", config)
    assert refused.status == 2
    assert "refuses this user or this password. Put the password into the file ~/.my.cnf" in refused.stderr
    (wrong / ".my.cnf").write_text("password=s3cret-wrong\n")
    damaged = run_in_process("-config", config)
    assert damaged.status == 2
    assert "cannot be read as options" in damaged.stderr
    (wrong / ".my.cnf").unlink()
    missing = run_in_process("-config", config)
    assert "asks for a password, and there is none" in missing.stderr
    assert "s3cret" not in refused.stderr + damaged.stderr + missing.stderr


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("url", "status", "words"),
    [
        ("mysql://keeper@127.0.0.1:{port}/Nowhere", 2, "has no database Nowhere. See the name behind the last /"),
        ("mysql://keeper@127.0.0.1:1/census", 4, "Nothing answers on 127.0.0.1 at port 1"),
        ("mysql://keeper@127.0.0.1:{port}", 2, "names no database"),
        ("mysql://keeper:s3cret@127.0.0.1:{port}/census", 2, "into ~/.my.cnf"),
        ("mysql://keeper@127.0.0.1:{port}/census?charset=latin1", 2, "has the parameter 'charset', which is none here"),
    ],
)
def test_a_url_that_leads_nowhere_is_told(census: MariaDB, tmp_path: Path, url: str, status: int, words: str) -> None:
    place = url.format(port=census.port)
    tables = f"<input url='{place}' table='people'/>", f"<output url='{place}' table='r'/>"
    done = run_in_process("-config", configuration(tmp_path, *tables))
    assert done.status == status
    assert words in done.stderr
    assert "s3cret" not in done.stderr


def start(config: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "toolbox", "-config", config, "--quiet"]
    return children.start(command, stderr=subprocess.PIPE, text=True, cwd=config.parent)


def left_of_runs(server: MariaDB) -> list[str]:
    rows = server.rows("SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'toolbox%'")
    return [name for (name,) in rows]


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["client", "server"])
def test_a_kill_at_any_moment_leaves_an_old_release_whole(census: MariaDB, tmp_path: Path, victim: str) -> None:
    draw = random.Random(victim)
    config = configuration(tmp_path, *places(census))
    began = time.monotonic()
    assert start(config).wait(300) == 0
    lasts = time.monotonic() - began
    whole, ends = released(census), Counter[str]()
    for _ in some(range(15), every=5):
        process = start(config)
        time.sleep(draw.uniform(0.2, 1.0) * lasts)
        if victim == "client":
            process.send_signal(signal.SIGKILL)
        else:
            census.kill()
        _, told = process.communicate(timeout=300)
        if victim == "server":
            census.start()
        ends[str(process.returncode)] += 1
        assert "Traceback" not in told
        wait_for_sessions(census)
        assert released(census) == whole
        for name in left_of_runs(census):
            # With the moment between the commit and the new name it would be whole.
            assert census.rows(f"SELECT count(*) FROM `{name}`") in ([(0,)], [(5000,)])
    assert start(config).wait(300) == 0
    assert (left_of_runs(census), released(census)) == ([], whole)
    print(victim, dict(ends))


def wait_for_sessions(server: MariaDB) -> None:
    """Wait until the server has ended the sessions of those who were killed."""
    until = time.monotonic() + 60
    others = "SELECT count(*) FROM information_schema.processlist WHERE user = 'keeper' AND id <> connection_id()"
    while server.rows(others) != [(0,)]:
        assert time.monotonic() < until
        time.sleep(0.05)
