"""Statements that SQLAlchemy has no words for: whatever a text holds, it stays a text."""

import duckdb
import pyarrow as pa
from pyarrow import parquet
from sqlalchemy import cast, literal, select

from toolbox.store.engine.statements import (
    Configure,
    CopyTo,
    CreateEnumeration,
    Enumeration,
    Replace,
    append_rows,
    make_column_names,
    read_delimited,
    read_parquet,
)

HOSTILE = "o'clock; DROP TABLE x; --\"%:name"


def allowed(store, *paths):
    """Let the engine read files by links in its own folder, as sources do."""
    links = []
    for number, path in enumerate(paths):
        links.append(store.folder / f"input_{number}{path.suffix}")
        links[-1].symlink_to(path)
        store.gate.admit(links[-1])
    return links


def read(store, folder, *contents, columns=2, separator=",", header=False, **options):
    paths = [folder / f"in_{number}.csv" for number, _ in enumerate(contents)]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content, newline="")
    relation = read_delimited(allowed(store, *paths), columns=columns, separator=separator, header=header, **options)
    return store.rows(select(relation))


def test_columns_are_named_by_their_places():
    assert make_column_names(3) == ["c0", "c1", "c2"]
    assert make_column_names(0) == []


def test_text_is_read_as_it_stands_and_only_a_field_without_quotes_is_null(own_store, tmp_path):
    content = f'01, 2 \n"",\n"a,b","say ""{HOSTILE[:7]}"""\nNULL,NA\n'
    assert read(own_store, tmp_path, content) == [
        ("01", " 2 "),
        ("", None),
        ("a,b", 'say "o\'clock"'),
        ("NULL", "NA"),
    ]


def test_each_file_has_a_header_and_records_follow_in_the_order_of_the_files(own_store, tmp_path):
    assert read(own_store, tmp_path, "a;b\n3;x\n", "a;b\n1;y\n", separator=";", header=True) == [("3", "x"), ("1", "y")]


def test_lines_that_do_not_fit_are_skipped(own_store, tmp_path):
    assert read(own_store, tmp_path, "1,x\n2\n3,y,z\n4,w\n") == [("1", "x"), ("4", "w")]


def test_lines_before_the_header_are_skipped(own_store, tmp_path):
    assert read(own_store, tmp_path, "\n\na,b\n1,x\n", header=True, skip=2) == [("1", "x")]


def test_a_line_end_within_quotes_is_not_taken_for_that_of_the_records(own_store, tmp_path):
    content = '1,"x\r\ny"\n2,z\n'
    assert read(own_store, tmp_path, content, line_end="\n") == [("1", "x\r\ny"), ("2", "z")]


def test_columns_of_parquet_are_named_by_place_and_one_that_grows_holds_all_its_values(own_store, tmp_path):
    tables = [pa.table({"a": pa.array([1], pa.int8()), "b": ["x"]}), pa.table({"a": [70_000], "b": ["y"]})]
    paths = [tmp_path / f"in_{number}.parquet" for number in (0, 1)]
    for table, path in zip(tables, paths, strict=True):
        parquet.write_table(table, path)
    first, second = allowed(own_store, *paths)
    assert own_store.rows(select(read_parquet([second, first], 2).c.c1)) == [("y",), ("x",)]
    relation = read_parquet([first, second], 2, one_type=False)
    assert own_store.rows(select(relation.c.c0, relation.c.c1)) == [(1, "x"), (70_000, "y")]


def test_any_text_may_be_the_value_of_a_setting(store):
    engine = duckdb.connect()  # that of the store is locked
    for name, value in [("temp_directory", "o'clock"), ("preserve_insertion_order", False)]:
        engine.execute(store.prepare_statement(Configure(name, value)).sql)
        assert engine.execute(f"SELECT current_setting('{name}')").fetchall() == [(value,)]
    engine.execute(store.prepare_statement(Configure("allowed_directories", ["a", "it's"])).sql)
    (directories,) = engine.execute("SELECT current_setting('allowed_directories')").fetchone()
    assert {directory.rstrip("/").rpartition("/")[2] for directory in directories} == {"a", "it's"}


def test_a_copy_holds_the_rows_as_its_options_say(store):
    path = store.folder / "o'clock; --.csv"
    rows = select(literal(HOSTILE).label("text"), literal(1).label("number"))
    store.run(CopyTo(rows, path, {"format": "csv", "header": True, "delimiter": ";", "quote": "'", "escape": "'"}))
    assert path.read_text() == "text;number\n'" + HOSTILE.replace("'", "''") + "';1\n"


def test_rows_are_added_to_a_table_and_replace_all_it_has(store):
    table = store.create_constant("numbers", {"number": (int, [1, 2])})
    store.run(append_rows(table, select(table.c.number + 10)))
    assert store.rows(select(table)) == [(1,), (2,), (11,), (12,)]
    store.run(Replace(table, select(table.c.number).where(table.c.number > 2)))
    assert store.rows(select(table)) == [(11,), (12,)]


def test_an_enumeration_sorts_as_its_texts_were_listed(store):
    texts = store.create_constant("texts", {"place": (int, [2, 0, 1]), "text": (str, ["low", HOSTILE, "high"])})
    store.run(CreateEnumeration("words", select(texts.c.text).order_by(texts.c.place)))
    as_word = cast(texts.c.text, Enumeration("words"))
    assert [text for (text,) in store.rows(select(texts.c.text).order_by(as_word))] == [HOSTILE, "high", "low"]
