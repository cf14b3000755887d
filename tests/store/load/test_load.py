"""Loading: every record once, in its order, with the number of its combination of quasi-identifier values."""

import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.learned import learn_from
from helpers.small_tables import arrow, declared, load, quasi_identifier, released
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from toolbox.config.model import Attribute, Column, Config, Input, OnMissing, Output, QuasiIdentifier
from toolbox.errors import ConfigurationError, InputError
from toolbox.store.engine.store import Store
from toolbox.store.input.source import RecordPlace
from toolbox.store.input.text import DelimitedSource
from toolbox.store.load.loading import Loaded, Loader

PEOPLE = """
age  zip    illness
31   75001  flu
28   75002  cold
31   75001  flu
31   75002  gout
28   75002  flu
"""


def combinations(loaded: Loaded) -> list[tuple[object, ...]]:
    found = loaded.tables.combinations
    return loaded.tables.store.rows(select(found).order_by(found.c.combination_id))


def sensitive(name: str) -> Attribute:
    return Attribute(column=Column(index=None, name=name), kind=None)


# Records and combinations


def test_records_are_numbered_in_the_order_of_the_input(store: Store) -> None:
    record = load(store, PEOPLE, "age zip").tables.anon_record
    rows = store.rows(select(record.c.record_id, record.c.combination_id, record.c.c2).order_by(record.c.record_id))
    assert rows == [(0, 1, "flu"), (1, 0, "cold"), (2, 1, "flu"), (3, 2, "gout"), (4, 0, "flu")]


@pytest.mark.slow
def test_a_combination_is_counted_once_and_numbered_in_the_order_of_its_values(store: Store) -> None:
    assert combinations(load(store, PEOPLE, "age zip")) == [(0, 2, 0, 1), (1, 2, 1, 0), (2, 1, 1, 1)]
    assert combinations(load(store, PEOPLE, "zip age")) == [(0, 2, 0, 1), (1, 2, 1, 0), (2, 1, 1, 1)]
    assert combinations(load(store, PEOPLE, "zip")) == [(0, 2, 0), (1, 3, 1)]


def test_at_first_every_combination_is_a_class_and_none_is_suppressed(store: Store) -> None:
    tables = load(store, PEOPLE, "age zip").tables
    found = tables.equivalence
    assert store.rows(select(found).order_by(found.c.equivalence_id)) == [
        (0, 2, False, 0, 1),
        (1, 2, False, 1, 0),
        (2, 1, False, 1, 1),
    ]
    assert (tables.record_count, tables.levels, tables.interval_names) == (5, None, ["interval_1", "interval_2"])


def test_identifiers_are_dropped_and_all_other_columns_pass_through(store: Store) -> None:
    loaded = load(store, "id age x y\n1 31 a b\n2 28 c d\n", "age", identifiers="id")
    assert released(loaded.tables, loaded) == [("31", "a", "b"), ("28", "c", "d")]


def test_a_number_written_in_two_ways_is_one_value(store: Store) -> None:
    table = pa.table({"age": ["1", "1.0", "01", "2"]})
    loaded = load(store, table, declared([quasi_identifier("age", kind="number")]))
    assert combinations(loaded) == [(0, 3, 0), (1, 1, 1)]


@pytest.mark.slow
@settings(max_examples=times(3, slow=30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "'", "%", "é", " "]), st.integers(-2, 2)), min_size=1, max_size=12)
)
def test_combinations_are_counted_as_counter_counts_them(store: Store, records: list[tuple[str, int]]) -> None:
    words, numbers = zip(*records, strict=True)
    loaded = load(store, pa.table({"w": words, "n": numbers}), "w n")
    assert released(loaded.tables, loaded) == [(word, str(number)) for word, number in records]
    found = Counter({row[2:]: row[1] for row in combinations(loaded)})
    ranks = [{value: rank for rank, value in enumerate(sorted(set(column)))} for column in (words, numbers)]
    assert found == Counter((ranks[0][word], ranks[1][number]) for word, number in records)


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Stop a loop that would never end, so that the test fails instead of hanging."""

    def stop(number: int, frame: object) -> None:
        raise RuntimeError(f"still running after {seconds} seconds")

    earlier = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)


def test_two_texts_with_one_hash_are_two_values(store: Store) -> None:
    """A real collision of the engine's hash, which looks the combination of a record up."""
    twins = ["2vlqxxnlappt", "2ko421qea908", "2vlqxxnlappt"]
    given = store.create_constant("given", {"text": (str, twins)})
    assert store.scalar(select(func.count(func.hash(given.c.text).distinct()))) == 1, "no collision in this version"
    with at_most(20):
        loaded = load(store, pa.table({"a": twins, "b": ["x", "y", "z"]}), "a")
    assert released(loaded.tables, loaded) == [(twins[0], "x"), (twins[1], "y"), (twins[2], "z")]


# Missing values

GAPS = pa.table(
    {
        "age": ["31", None, "28", "?", "40", "50"],
        "zip": ["a", "b", "", "c", "d", "e"],
        "illness": ["flu", "flu", "flu", "flu", None, "flu"],
        "note": [None, "x", "", "?", "y", ""],
    }
)


def gaps(on_missing: OnMissing, **options: object) -> Config:
    ages = quasi_identifier("age", kind="category")
    return declared([ages, quasi_identifier("zip")], sensitive=[sensitive("illness")], on_missing=on_missing, **options)


def test_records_without_a_declared_value_are_skipped_and_counted(store: Store) -> None:
    loaded = load(store, GAPS, gaps("skip"))
    assert (loaded.records_read, loaded.records_skipped, loaded.tables.record_count) == (6, 4, 2)
    assert released(loaded.tables, loaded) == [("31", "a", "flu", None), ("50", "e", "flu", "")]


def test_a_column_that_is_not_declared_may_lack_values(store: Store) -> None:
    loaded = load(store, GAPS.select(["zip", "note"]), "zip")
    assert (loaded.records_read, loaded.records_skipped) == (6, 1)
    assert [note for _, note in released(loaded.tables, loaded)] == [None, "x", "?", "y", ""]


def test_the_mark_for_missing_is_the_declared_one(store: Store) -> None:
    loaded = load(store, "a b\n? 1\nNA 2\nNAN 3\n", "a", missing="NA")
    assert released(loaded.tables, loaded) == [("?", 1), ("NAN", 3)]


def test_kept_missing_values_are_one_category(store: Store) -> None:
    loaded = load(store, GAPS, gaps("keep"))
    assert (loaded.records_read, loaded.records_skipped, loaded.tables.record_count) == (6, 0, 6)
    assert [row[:2] for row in released(loaded.tables, loaded)] == [
        ("31", "a"),
        ("?", "b"),
        ("28", "?"),
        ("?", "c"),
        ("40", "d"),
        ("50", "e"),
    ]
    assert loaded.tables.quasi_identifiers[0].values == 5


def test_kept_missing_values_pass_through_unchanged_in_sensitive_columns(store: Store) -> None:
    loaded = load(store, GAPS, gaps("keep"))
    assert [row[2] for row in released(loaded.tables, loaded)] == ["flu", "flu", "flu", "flu", None, "flu"]


def test_missing_values_stop_a_run_that_must_have_none(store: Store) -> None:
    with pytest.raises(
        InputError,
        match=r"column age: missing \(rows 2, 4\)\n  column zip: missing \(row 3\)\n  column illness: missing \(row 5\)",
    ):
        load(store, GAPS, gaps("fail"))


def test_a_declared_category_is_never_missing(store: Store) -> None:
    column = Column(index=None, name="a")
    marked = QuasiIdentifier(column=column, kind="category", categories={"x": 0, "?": 1, "y": 2})
    for policy in ("skip", "keep", "fail"):
        loaded = load(store, "a\nx\n?\ny\n", declared([marked], on_missing=policy))
        assert (released(loaded.tables, loaded), loaded.records_skipped) == ([("x",), ("?",), ("y",)], 0)


def test_a_table_whose_records_all_lack_a_value_is_an_error(store: Store) -> None:
    with pytest.raises(
        InputError, match=r"the table: all 2 records lack a declared value. See missing= and onMissing="
    ):
        load(store, "a b\n? 1\n? 2\n", "a")


def test_a_table_without_records_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match=r"the table holds no record. A table needs at least one."):
        load(store, pa.table({"a": pa.array([], pa.int64())}), "a")


# Text files


def file_config(path: Path, *positions: int, **given: object) -> Config:
    columns = (QuasiIdentifier(column=Column(index=position, name=None), kind="category") for position in positions)
    return Config(
        source="c",
        path=None,
        input=Input(path=path, **given),
        output=Output(path=None),
        quasi_identifiers=tuple(columns),
    )


def load_file(store: Store, path: Path, content: bytes, *positions: int, **given: object) -> Loaded:
    path.write_bytes(content)
    config = file_config(path, *positions, **given)
    assert config.input is not None
    return Loader(config, DelimitedSource(config.input, store), store).load()


def test_lines_that_do_not_fit_are_rejected_and_not_counted_as_read(own_store: Store, tmp_path: Path) -> None:
    loaded = load_file(own_store, tmp_path / "in.csv", b"a,1\nb\nc,2\n?,3\nd,4,5\n", 0)
    assert (loaded.records_read, loaded.records_skipped) == (3, 1)
    assert (loaded.account.rejects.count, loaded.account.rejects.first) == (2, (RecordPlace(2), RecordPlace(5)))
    assert released(loaded.tables, loaded) == [("a", "1"), ("c", "2")]


def test_a_file_of_which_no_line_fits_says_so(own_store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none of 2 lines fits the first one. Are separator and header right?"):
        load_file(own_store, tmp_path / "in.csv", b"a,b\n1\n2\n", 0, header=True)


def test_mixed_line_ends_are_no_hindrance(own_store: Store, tmp_path: Path) -> None:
    loaded = load_file(own_store, tmp_path / "in.csv", b"a,1\r\nb,2\nc,3\r\n", 0)
    assert released(loaded.tables, loaded) == [("a", "1"), ("b", "2"), ("c", "3")]


def test_empty_and_missing_pass_through_apart(own_store: Store, tmp_path: Path) -> None:
    loaded = load_file(own_store, tmp_path / "in.csv", b'a,\nb,""\nc," "\n', 0)
    assert released(loaded.tables, loaded) == [("a", None), ("b", ""), ("c", " ")]


@pytest.mark.slow
def test_records_are_numbered_in_their_order_beyond_one_block_of_the_engine(own_store: Store) -> None:
    count = 260_000
    table = pa.table({"a": [number % 7 for number in range(count)], "n": range(count)})
    record = load(own_store, table, "a").tables.anon_record
    rows = own_store.arrow(
        select(record.c.record_id, record.c.c1, record.c.combination_id).order_by(record.c.record_id)
    )
    assert rows["record_id"].to_pylist() == list(range(count))
    assert rows["c1"].to_pylist() == list(range(count))
    assert rows["combination_id"].to_pylist() == [number % 7 for number in range(count)]


@pytest.mark.slow
def test_one_reading_counts_and_numbers_what_two_readings_do(
    own_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two blocks of the engine, whose later records hold values that the first ones do not."""
    count = 260_000
    learn_from(monkeypatch, 100_000)
    lines = "".join(
        f"{'late' if place % 1000 == 999 and place > 200_000 else place % 7},{place}\n" for place in range(count)
    )
    loaded = load_file(own_store, tmp_path / "in.csv", lines.encode(), 0)
    record = loaded.tables.anon_record
    rows = own_store.arrow(
        select(record.c.record_id, record.c.c1, record.c.combination_id).order_by(record.c.record_id)
    )
    expected = [7 if place % 1000 == 999 and place > 200_000 else place % 7 for place in range(count)]
    assert rows["c1"].to_pylist() == list(map(str, range(count)))
    assert rows["combination_id"].to_pylist() == expected
    assert combinations(loaded) == [(value, number, value) for value, number in sorted(Counter(expected).items())]


# What stops a run


def test_a_column_that_is_not_there_stops_before_anything_is_read(store: Store) -> None:
    with pytest.raises(ConfigurationError, match=r"the table has no column 'agee'. Did you mean 'age'?"):
        load(store, PEOPLE, "agee")


@pytest.mark.slow
def test_a_sensitive_number_must_be_one(store: Store) -> None:
    salary = Attribute(column=Column(index=None, name="salary"), kind="number")
    loaded = load(store, arrow("a salary\n1 100\n1 2e3\n"), declared("a", sensitive=[salary]))
    assert released(loaded.tables, loaded) == [("1", "100"), ("1", "2e3")]
    with pytest.raises(InputError, match=r"column salary: pattern '9a' \(row 2\) is no number"):
        load(store, "a salary\n1 100\n1 2k\n", declared("a", sensitive=[salary]))
