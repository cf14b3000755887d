"""The connection: one database in a folder of its own, gone at the end, whatever happened; and what an engine does."""

import signal
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from helpers import children
from sqlalchemy import Integer, cast, column, func, literal, select, table
from sqlalchemy.exc import SQLAlchemyError

from toolbox.config.model import Limits
from toolbox.errors import EngineError, InputError, OutputError, ToolboxError, UsageError
from toolbox.queries.dialect import list_whole_numbers
from toolbox.store.disk.directory_lock import FOLDER_PREFIX
from toolbox.store.engine.statements import read_parquet
from toolbox.store.engine.store import Store

NUMBERS = {"n": (int, [3, 1, 2]), "word": (str, ["c", None, "it's"])}


def current(store: Store, setting: str) -> str:
    return str(store.scalar(select(func.current_setting(literal(setting)))))


# Its folder


def test_the_folder_lies_beside_the_output_and_goes_with_the_store(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        assert [path.name for path in tmp_path.iterdir()] == [store.folder.name]
        assert store.folder.name.startswith(FOLDER_PREFIX)
        store.create_constant("numbers", NUMBERS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, InputError, KeyboardInterrupt, SystemExit])
def test_the_folder_goes_after_any_error_and_the_error_comes_through(tmp_path: Path, error: type) -> None:
    with pytest.raises(error, match="within"), Store(tmp_path) as store:
        (store.folder / "half a release.csv").write_text("1,2")
        raise error("within")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_fault_of_the_output(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place, reason in [("file", "Not a directory"), ("absent", "No such file or directory")]:
        with pytest.raises(OutputError, match=f"{place}: no folder for temporary files can be made here .{reason}"):
            Store(tmp_path / place)


def test_a_limit_that_the_engine_does_not_know_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises((ToolboxError, duckdb.Error)):
        Store(tmp_path, Limits(memory="plenty"))
    assert list(tmp_path.iterdir()) == []


def test_a_finished_store_that_is_kept_shows_the_lasting_tables(tmp_path: Path) -> None:
    """Whoever moves the release to its place moves the store too, or neither."""
    kept = tmp_path / "kept.duckdb"
    with Store(tmp_path, Limits(store=kept)) as store:
        numbers = store.create("numbers", select(store.create_constant("given", NUMBERS)), lasting=True)
        store.create_view("doubled", select((numbers.c.n * 2).label("twice")))
        ((finished, final),) = store.finish().items()
        assert final == kept
        assert not kept.exists()
        with duckdb.connect(str(finished), read_only=True) as connection:
            names = {name.rsplit("_", 1)[0]: name for (name,) in connection.execute("SHOW TABLES").fetchall()}
            assert set(names) == {"numbers", "doubled"}
            assert connection.table(names["numbers"]).fetchall() == [(3, "c"), (1, None), (2, "it's")]
            assert connection.table(names["doubled"]).fetchall() == [(6,), (2,), (4,)]


def test_a_finished_store_that_is_not_kept_has_no_file(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        assert store.finish() == {}
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_not_kept_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Store(tmp_path, Limits(store=tmp_path / "kept.duckdb")):
        _ = 1 / 0
    assert list(tmp_path.iterdir()) == []


# Limits


def test_limits_are_applied(tmp_path: Path) -> None:
    with Store(tmp_path, Limits(memory="100MB", threads=1)) as store:
        assert current(store, "threads") == "1"
        assert current(store, "memory_limit") == "95.3 MiB"
        assert current(store, "temp_directory") == str(store.folder / "spill")


def test_the_engine_never_fetches_extensions(store: Store) -> None:
    assert current(store, "autoinstall_known_extensions") == "False"
    assert current(store, "autoload_known_extensions") == "False"


# Tables and files of others


def test_the_caller_s_arrow_table_is_read_and_arrow_comes_back(store: Store) -> None:
    given = pa.table({"a b": ["x", None], "n": [1, 2]})
    registered = table(store.register("caller", given), column("a b"), column("n"))
    assert store.arrow(select(registered)).to_pydict() == {"a b": ["x", None], "n": [1, 2]}


def test_a_copy_keeps_the_order_of_the_rows(store: Store) -> None:
    made = store.create_constant("numbers", NUMBERS)
    target = store.folder / "it's a copy.csv"
    store.copy_to(select(made).order_by(made.c.n), target, {"format": "csv", "header": True, "delimiter": "'"})
    assert target.read_text() == "n'word\n1'\n2'\"it's\"\n3'c\n"


def test_lines_are_written_in_their_order_as_they_stand(store: Store) -> None:
    made = store.create_constant("lines", {"n": (int, [2, 1]), "line": (str, ['it\'s; "b"', "a,"])})
    target = store.folder / "lines"
    store.write_lines(select(made.c.line.label("n,line")).order_by(made.c.n), target, header=True)
    assert target.read_text() == 'n,line\na,\nit\'s; "b"\n'


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_table_of_many_rows_is_written_in_its_order_and_the_threads_are_those_of_before(
    threads: int, tmp_path: Path
) -> None:
    with Store(tmp_path, Limits(threads=threads)) as store:
        numbers = list_whole_numbers(0, 300_000)
        made = store.create("made", select(numbers.c.number).order_by(numbers.c.number * 7 % 300_000))
        target = store.folder / "lines"
        store.write_table_lines(made, target, separator=",", header=True)
        assert current(store, "threads") == str(threads)
        # The inverse of 7: 300,000 divides 7 * 42,857 + 1.
        assert target.read_text() == "number\n" + "".join(f"{-42_857 * n % 300_000}\n" for n in range(300_000))


def test_the_threads_are_those_of_before_where_nothing_could_be_written(tmp_path: Path) -> None:
    with Store(tmp_path, Limits(threads=2)) as store:
        made = store.create_constant("numbers", NUMBERS)
        with pytest.raises(ToolboxError):
            store.write_table_lines(made, store.folder / "nowhere" / "lines", separator=",")
        assert current(store, "threads") == "2"


def test_parquet_is_written_in_its_order(store: Store) -> None:
    made = store.create_constant("numbers", NUMBERS)
    target = store.folder / "numbers.parquet"
    store.write_parquet(select(made).order_by(made.c.n), target)
    assert pa.parquet.read_table(target).to_pydict() == {"n": [1, 2, 3], "word": [None, "it's", "c"]}
    schema = pa.schema({"n": pa.int64(), "word": pa.large_string()})
    store.write_parquet(select(made), target, arrow_schema=b64encode(schema.serialize()).decode())
    assert pa.parquet.read_schema(target).equals(schema)


def test_arrays_can_be_read_for_the_time_of_a_statement(store: Store) -> None:
    with store.register_arrays("arrays", {"n": np.array([3, 1, 2])}) as name:
        assert store.rows(select(column("n")).select_from(table(name))) == [(3,), (1,), (2,)]
    with pytest.raises(EngineError):
        store.rows(select(column("n")).select_from(table(name)))


def test_the_share_of_work_is_unknown_while_nothing_runs(store: Store) -> None:
    store.tell_share()
    store.scalar(select(func.count()))
    assert store.share() is None


# Errors in the user's words


def test_too_little_memory_names_the_option(tmp_path: Path) -> None:
    with Store(tmp_path, Limits(memory="10MB", threads=1)) as store:
        numbers = func.range(10_000_000).table_valued("range")
        with pytest.raises(UsageError, match="Raise --memory-limit, or lower --threads"):
            store.rows(select(func.len(func.list(numbers.c.range))))


def test_a_file_that_is_not_there_is_a_fault_of_the_input(store: Store) -> None:
    with pytest.raises(InputError, match=r"A file could not be read or written\."):
        store.rows(select(read_parquet([store.folder / "absent.parquet"], 1).c.c0))


def test_an_error_that_nobody_foresaw_names_its_kind_and_no_cell(store: Store) -> None:
    words = store.create_constant("words", {"s": (str, ["secret"])})
    with pytest.raises(EngineError, match=r"The database engine failed \(ConversionException\)\. ") as caught:
        store.rows(select(cast(words.c.s, Integer)))
    assert "secret" not in str(caught.value)
    assert "secret" in str(caught.value.__cause__), "which only --debug shows"


def test_row_and_scalar_take_exactly_one(store: Store) -> None:
    made = store.create_constant("numbers", NUMBERS)
    assert store.row(select(func.min(made.c.n), func.max(made.c.n))) == (1, 3)
    assert store.scalar(select(func.sum(made.c.n))) == 6
    for wrong in (select(made.c.n), select(made.c.n).where(made.c.n > 3)):
        with pytest.raises(ValueError, match="unpack"):
            store.row(wrong)


def test_several_selects_are_asked_in_one_statement(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    number = store.create_constant("numbers", NUMBERS).c.n
    asked, prepared = [], store.prepare_statement
    monkeypatch.setattr(store, "prepare_statement", lambda statement: asked.append(statement) or prepared(statement))
    most, none = select(number, -number).order_by(number.desc()).limit(2), select(number, number).where(number > 3)
    assert store.fetch_rows_of_each([most, none, select(number, literal(0)).order_by(number)]) == [
        [(3, -3), (2, -2)],
        [],
        [(1, 0), (2, 0), (3, 0)],
    ]
    assert store.each(select(func.count()).where(number > least) for least in (0, 1)) == [3, 2]
    assert store.each([select(func.min(number), func.max(number))]) == [(1, 3)]
    assert len(asked) == 3
    assert (store.fetch_rows_of_each([]), store.each([])) == ([], [])


def test_no_statement_needs_a_parameter_from_outside(store: Store) -> None:
    """Constants are quoted into the SQL; a value that SQLAlchemy cannot write stops at once."""
    with pytest.raises(SQLAlchemyError):
        store.scalar(select(literal(object())))


WAITING = """
import os, sys
import polars
from toolbox.store.engine.store import Store
with Store():
    print("waiting", flush=True)
    {waits}
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "siginterrupt"), reason="this system has no such flag")
@pytest.mark.parametrize(
    "waits", ["os.read(0, 1)", "from threading import Lock; lock = Lock(); lock.acquire(); lock.acquire()"]
)
def test_whoever_waits_hears_an_interrupt_though_polars_was_imported(waits: str) -> None:
    pytest.importorskip("polars")
    program = [sys.executable, "-c", WAITING.format(waits=waits)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with children.start(program, **pipes) as process:
        try:
            assert process.stdout.readline() == "waiting\n"
            time.sleep(0.2)  # until it waits
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)
            assert "KeyboardInterrupt" in process.stderr.read()
        finally:
            process.kill()
