"""What Spark does besides the contract of all engines: refusals, changes of the input, delimited text, faults."""

from __future__ import annotations

import csv
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.spark_bench import PEOPLE, REQUEST, SparkBench, parts, rows_of, write
from helpers import children, spark_server

from toolbox.engines.engine import CountRequest, Lacking, RecordRecoding
from toolbox.engines.spark.engine import Spark
from toolbox.errors import InputError, OutputError, SettingError, UnsatisfiableError, UsageError
from toolbox.treatments.treatment import ReleasedColumn


@pytest.fixture
def bench(tmp_path: Path) -> SparkBench:
    bench = SparkBench(spark_server.sail(), tmp_path)
    bench.fill(PEOPLE)
    return bench


def test_the_setting_of_most_combinations_holds_for_the_input(bench: SparkBench) -> None:
    found = r"have 2 combinations, more than the 1 that are fetched\. Most values have age \(about 2 values\)"
    with pytest.raises(UnsatisfiableError, match=found), bench.engine(settings={"combinations": "1"}) as few:
        few.count(REQUEST)
    with bench.engine(settings={"combinations": "2"}) as enough:
        assert enough.count(REQUEST).combinations.num_rows == 2


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".toolbox-")]


def test_an_input_that_changes_while_it_is_read_is_not_released(bench: SparkBench, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="changed while it was read"), bench.engine() as engine:
        staged = write(engine)
        pq.write_table(PEOPLE, bench.input / "more.parquet")
        engine.publish(staged)
    assert bench.released() is None
    assert left_in(tmp_path) == []


def test_a_file_that_is_written_anew_with_as_many_bytes_is_a_change(bench: SparkBench) -> None:
    (path,) = parts(bench.input)
    with pytest.raises(InputError, match="changed while it was read"), bench.engine() as engine:
        staged = write(engine)
        later = path.stat().st_mtime + 5
        os.utime(path, (later, later))
        engine.publish(staged)


def test_nothing_is_left_beside_a_release(bench: SparkBench, tmp_path: Path) -> None:
    with bench.engine() as engine:
        engine.publish(write(engine))
    assert sorted(bench.released() or []) == [("*", "cold"), ("*", "flu"), ("*", "flu")]
    assert left_in(tmp_path) == []


def test_a_large_table_of_classes_is_joined_by_a_shuffle(bench: SparkBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolbox.engines.spark.counting.BROADCAST", 0)
    with bench.engine() as engine:
        engine.publish(write(engine))
    assert sorted(bench.released() or []) == [("*", "cold"), ("*", "flu"), ("*", "flu")]


@pytest.mark.parametrize("output", ["people", "people/release", "."])
def test_an_output_that_is_the_input_or_holds_it_is_refused(bench: SparkBench, tmp_path: Path, output: str) -> None:
    output = os.path.normpath(tmp_path / output)
    engine = Spark(bench.url, input=str(bench.input), output=output, replace=True)
    with pytest.raises(OutputError, match="is the input, or one lies within the other"), engine:
        engine.schema()
    assert rows_of(bench.input)


def test_an_input_that_is_not_there_is_named(tmp_path: Path) -> None:
    engine = Spark(spark_server.sail(), input=str(tmp_path / "nowhere"), output=str(tmp_path / "release"))
    with pytest.raises(InputError, match=r"nowhere: there are no files"), engine:
        engine.schema()
    assert left_in(tmp_path) == []


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    engine = Spark(spark_server.sail(), input="no.people", format="table", output=str(tmp_path / "release"))
    with pytest.raises(InputError, match=r"no\.people: Spark knows no such table"), engine:
        engine.schema()


@pytest.mark.slow
def test_a_table_of_the_catalogue_is_released_and_a_change_of_it_is_seen(tmp_path: Path) -> None:
    theirs = spark_server.classic()
    theirs.sql("create or replace temporary view given as select 30 as age, 'Ulm' as town, 'flu' as illness")
    theirs.sql("create table people using parquet as select * from given")
    output = tmp_path / "release"
    try:
        given = {"input": "people", "format": "table", "output": str(output)}
        with Spark(spark_server.CLASSIC, **given) as engine:
            engine.publish(write(engine))
        assert rows_of(output) == [("*", "flu")]
        with (
            pytest.raises(InputError, match="people changed"),
            Spark(spark_server.CLASSIC, **given, replace=True) as engine,
        ):
            staged = write(engine)
            theirs.sql("insert into people select * from given")
            engine.publish(staged)
        assert rows_of(output) == [("*", "flu")]
    finally:
        theirs.sql("drop table people")


def test_a_file_that_is_damaged_is_told_without_its_bytes(bench: SparkBench) -> None:
    (path,) = parts(bench.input)
    path.write_bytes(b"secret, and no file of Parquet")
    with pytest.raises(InputError, match="is damaged") as raised, bench.engine() as engine:
        engine.schema()
    assert "secret" not in str(raised.value)


def test_an_output_on_an_object_store_is_refused_where_the_server_gives_no_hold_of_it(bench: SparkBench) -> None:
    engine = Spark(bench.url, input=str(bench.input), output="s3a://bucket/release")
    with pytest.raises(OutputError, match=r"no hold of files at s3a://.* classic Spark"), engine:
        engine.schema()


def test_a_server_that_does_not_see_the_folder_is_refused(bench: SparkBench, monkeypatch: pytest.MonkeyPatch) -> None:
    # The file that the server is asked for is on this machine only if it is there at all.
    monkeypatch.setattr("toolbox.engines.spark.places.LocalFiles.put", lambda *_: None)
    monkeypatch.setattr("toolbox.engines.spark.places.RenamedPlace._remove_dead", lambda _: None)
    with pytest.raises(OutputError, match="does not see"), bench.engine() as engine:
        engine.schema()


def test_combinations_are_a_setting_of_the_engine(tmp_path: Path) -> None:
    given = {"input": "people", "output": str(tmp_path / "release")}
    assert Spark("local[2]", **given, settings={"combinations": "12"}).most == 12
    assert Spark("local[2]", **given).most is None
    with pytest.raises(SettingError, match="combinations is '0'"):
        Spark("local[2]", **given, settings={"combinations": "0"})


def test_a_password_in_a_path_is_not_in_the_name() -> None:
    assert "secret" not in Spark("local", input="s3a://me:secret@bucket/people", output="release").name


def test_an_engine_that_is_not_open_says_so() -> None:
    with pytest.raises(UsageError, match="context manager"):
        Spark("local", input="people", output="release").schema()


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.struct([("x", pa.int64())])])
def test_a_column_of_lists_or_records_is_no_quasi_identifier(bench: SparkBench, kind: pa.DataType) -> None:
    bench.fill(pa.table({"many": pa.array([None, None], kind)}))
    with (
        pytest.raises(InputError, match=r"column 'many' holds values of type (array|struct)"),
        bench.engine() as engine,
    ):
        engine.count(CountRequest(by=("many",)))


def test_maps_and_lists_pass_and_are_proved(bench: SparkBench) -> None:
    kinds = {"map": pa.map_(pa.string(), pa.int64()), "list": pa.list_(pa.string())}
    columns = {"map": [[("a", 1)], [("a", 2)], None], "list": [["x"], [], None]}
    bench.fill(pa.table({"q": ["x"] * 3, **{name: pa.array(columns[name], kinds[name]) for name in kinds}}))
    request = CountRequest(by=("q",), passed=tuple(kinds))
    with bench.engine() as engine:
        (counted,) = engine.count(request).combinations.to_pylist()
        columns_of_it = (ReleasedColumn("q", text="text"), *(ReleasedColumn(name, source=name) for name in kinds))
        staged = write(engine, request, columns_of_it)
        (again,) = engine.recount(staged, request).combinations.to_pylist()
        engine.publish(staged)
    assert (again["size"], again["sum_1"], again["sum_2"]) == (3, counted["sum_1"], counted["sum_2"])
    found = sorted(row[1:] for row in bench.released() or [] if row[1] is not None)
    assert found == [([("a", 1)], ["x"]), ([("a", 2)], [])]
    assert ("*", None, None) in (bench.released() or [])


TEXTS = ["plain", "", 'say "hi"', "line\nbreak", "a\r\nb", " blanks ", "comma,", "back\\slash", "NULL", "ä"]


def text_engine(tmp_path: Path, url: str, rows: list[list[str]]) -> Spark:
    source = tmp_path / "people.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["number", "te.xt"], *rows])
    return Spark(url, input=str(source), output=str(tmp_path / "release.csv"))


def require_texts_survive(tmp_path: Path, url: str) -> None:
    rows = [[f"{number:02}", text] for number, text in enumerate(TEXTS)]
    request = CountRequest(by=("te.xt",), passed=("number", "te.xt"), lacking=(Lacking(column="number", marks=("",)),))
    columns = (ReleasedColumn("c", text="text"), *(ReleasedColumn(name, source=name) for name in ("number", "te.xt")))
    with text_engine(tmp_path, url, rows) as engine:
        assert engine.schema() == pa.schema([("number", pa.string()), ("te.xt", pa.string())])
        counted = engine.count(request).combinations
        assert sorted(counted["by_1"].to_pylist()) == sorted(TEXTS)
        staged = write(engine, request, columns)
        (again,) = engine.recount(staged, CountRequest(by=("c",), passed=request.passed)).combinations.to_pylist()
        assert again["size"] == len(TEXTS)
        assert again["sum_1"] == sum(counted["sum_1"].to_pylist())
        engine.publish(staged)
    released = []
    for path in parts(tmp_path / "release.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            header, *found = csv.reader(file)
            assert header == ["c", "number", "te.xt"]
            released += found
    assert sorted(released) == [["*", *row] for row in rows]


def test_delimited_text_keeps_all_its_texts(tmp_path: Path) -> None:
    require_texts_survive(tmp_path, spark_server.sail())


def test_persons_are_counted_in_delimited_text_and_their_column_goes(tmp_path: Path) -> None:
    """Two records lack a person, who is one, and a comma stays within its text."""
    rows = [["1", "a, b"], ["1", "a, b"], ["2", "a, b"], ["", "c"], ["", "c"]]
    by = CountRequest(by=("te.xt",), passed=("te.xt",), person=(Lacking(column="number", marks=("",)),), secret=3)
    columns = (ReleasedColumn("c", text="text"), ReleasedColumn("t", source="te.xt"))
    with text_engine(tmp_path, spark_server.sail(), rows) as engine:
        engine.schema()
        counted = engine.count(by).combinations.to_pylist()
        assert {row["by_1"]: (row["size"], row["persons"]) for row in counted} == {"a, b": (3, 2), "c": (2, 1)}
        mapping = pa.table({"key": [row["key"] for row in counted], "class_id": pa.array([7, 7], pa.int64())})
        classes = pa.table({"class_id": pa.array([7], pa.int64()), "text": ["*"]})
        staged = engine.write(
            RecordRecoding(request=by, mapping=mapping, classes=classes, columns=columns, person="number of the person")
        )
        asked = (Lacking(column="number of the person", marks=("",)),)
        again = engine.recount(staged, CountRequest(by=("c",), passed=("t",), person=asked))
        (row,) = again.combinations.to_pylist()
        assert (row["size"], row["persons"], again.persons and again.persons.lacking) == (5, 3, 2)
        left = engine.remove_column(staged, "number of the person")
        (row,) = engine.recount(left, CountRequest(by=("c",), passed=("t",))).combinations.to_pylist()
        assert row["sum_1"] == sum(row["sum_1"] for row in counted)
        engine.publish(left)
    texts = "".join(path.read_text() for path in parts(tmp_path / "release.csv"))
    assert sorted(set(texts.splitlines())) == ['*,"a, b"', "*,c", "c,t"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "release.csv"]


@pytest.mark.slow
def test_delimited_text_keeps_all_its_texts_on_classic_spark(tmp_path: Path) -> None:
    spark_server.classic()
    require_texts_survive(tmp_path, spark_server.CLASSIC)


def require_short_record_is_refused(tmp_path: Path, url: str) -> None:
    opened = text_engine(tmp_path, url, [["1", "x"], ["secret"], ["3", "y"]])
    with pytest.raises(InputError, match="does not have the columns of the header") as raised, opened as engine:
        engine.count(CountRequest(by=("number",)))
    assert "secret" not in str(raised.value)


def test_a_record_with_too_few_fields_is_refused(tmp_path: Path) -> None:
    require_short_record_is_refused(tmp_path, spark_server.sail())


@pytest.mark.slow
def test_a_record_with_too_few_fields_is_refused_by_classic_spark(tmp_path: Path, capfd: Any) -> None:
    spark_server.classic()
    require_short_record_is_refused(tmp_path, spark_server.CLASSIC)
    assert "secret" not in "".join(capfd.readouterr())


def test_a_number_of_which_engines_make_different_texts_is_not_released_as_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": ["x"], "weight": [1e16]}), tmp_path / "people.parquet")
    engine = Spark(spark_server.sail(), input=str(tmp_path / "people.parquet"), output=str(tmp_path / "release.csv"))
    with pytest.raises(InputError, match=r"column 'weight' of type double has no one text.*Parquet"), engine:
        engine.count(CountRequest(by=("q",), passed=("weight",)))


@pytest.mark.slow
def test_a_server_that_dies_is_a_lost_connection(tmp_path: Path) -> None:
    spark_server.sail()
    process, port = spark_server.start_sail()
    bench = SparkBench(f"sc://127.0.0.1:{port}", tmp_path)
    bench.fill(PEOPLE)
    with pytest.raises(InputError, match="connection to Spark is lost"), bench.engine() as engine:
        engine.schema()
        process.kill()
        process.wait()
        engine.count(REQUEST)
    assert left_in(tmp_path) == []


_WRITE_AND_WAIT = """
import sys, time
from engines.spark_bench import write
from toolbox.engines.spark.engine import Spark
url, source, output = sys.argv[1:]
with Spark(url, input=source, output=output) as engine:
    write(engine)
    print("written", flush=True)
    time.sleep(600)
"""
_PATHS = os.pathsep.join(map(str, (Path(__file__).parents[3], Path(__file__).parents[2])))


def start_and_wait(bench: SparkBench) -> Any:
    """Start a process that has written a release, and waits before it publishes it."""
    command = [sys.executable, "-c", _WRITE_AND_WAIT, bench.url, bench.input, bench.output]
    process = children.start(command, stdout=-1, text=True, env=os.environ | {"PYTHONPATH": _PATHS})
    assert process.stdout.readline() == "written\n"
    return process


@pytest.mark.slow
def test_what_a_killed_run_has_left_is_removed_by_the_next_one(bench: SparkBench, tmp_path: Path) -> None:
    process = start_and_wait(bench)
    (left,) = left_in(tmp_path)
    with bench.engine() as engine:
        engine.schema()
        # The other one lives.
        assert left in left_in(tmp_path)
    process.kill()
    process.wait()
    with bench.engine() as engine:
        engine.schema()
        assert left not in left_in(tmp_path)
        engine.publish(write(engine))
    assert left_in(tmp_path) == []
    assert len(bench.released() or []) == PEOPLE.num_rows


@pytest.mark.slow
def test_an_interrupted_run_leaves_nothing(bench: SparkBench, tmp_path: Path) -> None:
    process = start_and_wait(bench)
    process.send_signal(signal.SIGINT)
    process.wait()
    assert left_in(tmp_path) == []
    assert bench.released() is None


_START = """
import sys
import time
from contextlib import suppress
from toolbox.engines.spark.engine import Spark
url, source, output = sys.argv[1:]
with Spark(url, input=source, output=output) as engine:
    engine.schema()
"""


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.2, 1.5])
def test_a_run_that_is_ended_while_java_starts_leaves_no_java(tmp_path: Path, wait: float) -> None:
    spark_server.classic()
    mark = f"TOOLBOX_TEST={tmp_path}"
    environment = os.environ | {"PYTHONPATH": _PATHS, "TOOLBOX_TEST": str(tmp_path)}
    process = children.start(
        [sys.executable, "-c", _START, "local[1]", tmp_path, tmp_path / "release"], env=environment
    )
    while not (started := [each for each in find_marked(mark) if each != process.pid]):
        time.sleep(0.02)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    process.wait()
    until = time.monotonic() + 20
    while find_marked(mark) and time.monotonic() < until:
        time.sleep(0.1)
    assert started
    assert find_marked(mark) == []


def find_marked(mark: str) -> list[int]:
    """Find the processes whose environment holds a variable."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark.encode() in place.read_bytes().split(b"\0"):
                found.append(int(place.parent.name))
    return found
