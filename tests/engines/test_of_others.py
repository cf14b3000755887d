"""An engine that other people install: it keeps what every engine promises, and a configuration names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast

import duckdb
import pyarrow as pa
import pytest
from engines.contract import CHECKS, Bench
from helpers.duck_engine import DuckEngine
from helpers.plugged import install
from helpers.running import run_in_process
from lxml import etree

import toolbox
from toolbox.cli.options.candidates import answer_to
from toolbox.config.model import EngineChoice, Input, Remote
from toolbox.config.urls import ENGINES
from toolbox.engines.engine import Engine, Staged
from toolbox.errors import ConfigurationError, UsageError

SOURCE = '''
from typing import ClassVar
from urllib.parse import urlsplit

import duckdb
from helpers.duck_engine import DuckEngine

from toolbox.errors import BadValueError
from toolbox.config.urls import EngineKind, parse_database_url
from toolbox.errors import InputError

class FileEngine(DuckEngine):
    """The tables of one file, which is closed at the end."""

    def __init__(self, path, **tables):
        super().__init__(None, **tables)
        self._path = path

    def __enter__(self):
        self.database = duckdb.connect(self._path)
        # What DuckDB compresses in a file has one zero only.
        self.database.execute("SET TimeZone = 'UTC'; SET force_compression = 'uncompressed'")
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.database.close()

class Ducks(EngineKind):
    """A file of DuckDB that holds both tables."""

    name: ClassVar[str] = "ducks"
    title: ClassVar[str] = "Ducks"
    words: ClassVar[str] = "Tables of a file of DuckDB"
    address: ClassVar[str] = "'ducks:///FILE'"

    @classmethod
    def parse_url(cls, text):
        url = parse_database_url(text)
        if not url.startswith("ducks:///"):
            raise BadValueError("is no URL of Ducks", f"Write url={cls.address}.")
        return url

    @classmethod
    def open(cls, choice, source, release, *, replaces):
        path = urlsplit(choice.url).path
        return FileEngine(path, people=source.remote.table, release=release.table, replace=replaces)

class Unasked(Ducks):
    """One that does the work without being named."""

    name = "unasked"

    @classmethod
    def does_unnamed(cls, url):
        return url.startswith("ducks:")

class Failing(Ducks):
    name = "failing"

    @classmethod
    def open(cls, choice, source, release, *, replaces):
        return {}["secret"]

class Formats(Ducks):
    name = "formats"
    formats = ("orc",)

class Nameless(EngineKind):
    name = "nameless"

    @classmethod
    def open(cls, choice, source, release, *, replaces):
        raise AssertionError
'''
SCHEMA = Path(__file__).parents[2] / "schemas" / "config.xsd"
PEOPLE = pa.table(
    {
        "age": pa.array([21, 22, 23, 31, 32, 33, 41, 42, 43], pa.int64()),
        "ill": ["flu", "cold", "gout"] * 3,
        "note": [f"note {place}" for place in range(9)],
    }
)
CONFIG = (
    "<config method='Incognito' k='3' suppThreshold='0'>"
    "<input table='the people'/><output table='Release'/><engine {}/>"
    "<qid><att name='age'><vgh build='intervals' width='10'/></att></qid>"
    "<sens><att name='ill' type='category'/></sens></config>"
)


class FileBench:
    """A file of DuckDB, and the engine that the entry point leads to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"ducks://{path}"
        self._opened: Any = None

    def fill(self, records: pa.Table) -> None:
        with duckdb.connect(self.path) as database:
            database.execute("SET TimeZone = 'UTC'; SET force_compression = 'uncompressed'")
            database.register("given", records)
            database.execute('CREATE OR REPLACE TABLE "the people" AS FROM given')
            database.execute('DROP TABLE IF EXISTS "Release"')

    def engine(self, *, replace: bool = False) -> Engine:
        source = Input(path=Path(), remote=Remote(url=self.url, table="the people"))
        release = Remote(url=self.url, table="Release")
        self._opened = ENGINES["ducks"].open(
            EngineChoice(name="ducks", url=self.url), source, release, replaces=replace
        )
        return cast(Engine, self._opened)

    def released(self) -> list[tuple[Any, ...]] | None:
        try:
            # Beside what the engine does in the file that it has open.
            database = self._opened.database.cursor()
        except (AttributeError, duckdb.ConnectionException):
            database = duckdb.connect(self.path)
        with database:
            database.execute("SET TimeZone = 'UTC'")
            there = database.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'Release'").fetchone()
            if there == (0,):
                return None
            table = database.sql('FROM "Release"').to_arrow_table()
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def spoil(self, engine: Engine, staged: Staged, how: Literal["double", "lose"]) -> None:
        assert isinstance(engine, DuckEngine)
        part = f"SELECT rowid FROM {staged.name} LIMIT 30"
        double = f"INSERT INTO {staged.name} SELECT * FROM {staged.name} WHERE rowid IN ({part})"
        lose = f"DELETE FROM {staged.name} WHERE rowid IN ({part})"
        engine.database.execute(double if how == "double" else lose)


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install engines: for each entry point its class."""

    def put(**entries: str) -> None:
        install(tmp_path, monkeypatch, "toolbox.engines", entries, SOURCE)

    return put


@pytest.fixture
def ducks(plugged: Callable[..., None], tmp_path: Path) -> FileBench:
    plugged(ducks="Ducks")
    return FileBench(tmp_path / "people.duckdb")


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_an_engine_of_others_promises_that(check: Callable[[Bench], None], ducks: FileBench) -> None:
    check(ducks)


def written(folder: Path, engine: str, text: str = CONFIG) -> Path:
    path = folder / "c.xml"
    path.write_text(text.format(engine))
    return path


@pytest.mark.slow
def test_a_run_leaves_the_records_in_the_engine_that_its_configuration_names(ducks: FileBench, tmp_path: Path) -> None:
    ducks.fill(PEOPLE)
    path = written(tmp_path, f"name='Ducks' url='{ducks.url}'")
    assert etree.XMLSchema(etree.parse(SCHEMA)).validate(etree.parse(path))
    run_in_process("-config", path).succeeded()
    decades = [f"[{age // 10 * 10}:{age // 10 * 10 + 10})" for age in PEOPLE["age"].to_pylist()]
    expected = Counter(zip(decades, PEOPLE["ill"].to_pylist(), PEOPLE["note"].to_pylist(), strict=True))
    assert Counter(ducks.released() or []) == expected
    again = run_in_process("-config", path)
    assert (again.status, "There is a release." in again.stderr) == (2, True), again.stderr
    run_in_process("-config", path, "--replace").succeeded()


@pytest.mark.slow
def test_options_name_it_and_are_saved(ducks: FileBench, tmp_path: Path) -> None:
    ducks.fill(PEOPLE)
    saved = tmp_path / "saved.xml"
    options = (
        "--engine",
        "ducks",
        "--engine-url",
        ducks.url,
        "--input-table",
        "the people",
        "--output-table",
        "Release",
    )
    columns = (
        "--qi",
        "age",
        "--hierarchy",
        "age=intervals:10",
        "--sensitive",
        "ill",
        "-k",
        "3",
        "--undeclared",
        "pass",
    )
    run_in_process("anonymize", *options, *columns, "--save-config", saved).succeeded()
    assert f'<engine name="ducks" url="{ducks.url}"/>' in saved.read_text().replace("'", '"')
    run_in_process("-config", saved, "--replace").succeeded()


def test_the_command_line_completes_its_name(ducks: FileBench) -> None:
    assert list(answer_to(("anonymize", "--engine", "d")).words) == ["ducks"]


def test_it_is_listed_and_messages_name_it(ducks: FileBench, tmp_path: Path) -> None:
    assert "Tables of a file of DuckDB" in run_in_process("methods").succeeded().stdout
    told = {
        "name='duck' url='x'": "Did you mean 'ducks'? Write one of: ducks, mariadb, mysql, postgresql, spark.",
        "name='ducks' url='postgresql://h/db'": "is no URL of Ducks. Write url='ducks:///FILE'.",
        "name='ducks' url='ducks://ada:s3cret@h/db'": "holds a password",
        "name='ducks' url='ducks:///x'><set name='password' value='s3cret'/></engine": "Put it where the driver of Ducks looks.",
        "name='ducks'": "Nothing names the database of the input. Write url='ducks:///FILE'.",
    }
    for engine, said in told.items():
        text = CONFIG.replace("<engine {}/>", "<engine {}>") if "</" in engine else CONFIG
        run = run_in_process("-config", written(tmp_path, engine, text))
        assert (run.status, said in run.stderr) == (2, True), run.stderr
        assert "s3cret" not in run.stderr


@pytest.mark.slow
def test_where_both_tables_are_in_it_nobody_need_name_it(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(unasked="Unasked")
    bench = FileBench(tmp_path / "people.duckdb")
    bench.fill(PEOPLE)
    text = CONFIG.replace("<engine {}/>", "").replace("table=", f"url='{bench.url}' table=")
    assert toolbox.load_config(written(tmp_path, "", text)).engine.name == "unasked"
    run_in_process("-config", tmp_path / "c.xml").succeeded()
    assert len(bench.released() or []) == 9


def test_one_that_cannot_be_imported_stops_only_who_names_it(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(ducks="absent_module:Ducks")
    with pytest.raises((UsageError, ConfigurationError), match="there is no module 'absent_module'"):
        toolbox.load_config(written(tmp_path, "name='ducks' url='ducks:///x'"))
    spark = CONFIG.replace(
        "<input table='the people'/><output table='Release'/>", "<input filename='a'/><output filename='b'/>"
    )
    assert toolbox.load_config(written(tmp_path, "name='spark' url='local[1]'", spark)).engine.name == "spark"
    assert "broken: the engine ducks" in run_in_process("methods").succeeded().stdout


def test_one_that_fails_as_it_is_opened_is_told_by_its_line(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(failing="Failing")
    run = run_in_process("-config", written(tmp_path, "name='failing' url='ducks:///x'"))
    assert "The engine failing cannot be opened: Failing failed with KeyError in " in run.stderr
    assert (run.status, "secret" in run.stderr, "Traceback" in run.stderr) == (2, False, False)


def test_a_configuration_names_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted.py").write_text("raise SystemExit(9)")
    run = run_in_process("-config", written(tmp_path, "name='planted:Engine' url='x'"))
    assert (run.status, "is unknown." in run.stderr) == (2, True), run.stderr


@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        ("formats", "Formats", "has formats, and reads no folders."),
        ("nameless", "Nameless", "has no title. Add title = .. to Nameless."),
        ("theirs", "pathlib:Path", "is no subclass of EngineKind."),
    ],
)
def test_one_that_cannot_be_used_is_told(plugged: Callable[..., None], name: str, target: str, said: str) -> None:
    plugged(**{name: target})
    (broken,) = ENGINES.every().broken
    assert (broken.name, said in broken.reason) == (name, True), broken.reason
