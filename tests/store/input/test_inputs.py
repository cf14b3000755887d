"""The files of a run's input: one source, and watched for changes."""

import gzip

import pyarrow as pa
import pytest
from pyarrow import parquet
from sqlalchemy import literal, select

from toolbox.config.model import Input
from toolbox.errors import EngineError, InputError
from toolbox.store.engine.errors import UnreadableFileError
from toolbox.store.input.files import InputFiles
from toolbox.store.input.source import RecordPlace


def inputs(*paths):
    return InputFiles(
        Input(path=paths[0], paths=paths[1:], header=True) if paths[1:] else Input(path=paths[0], header=True)
    )


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b\n1,2\n")
    return path


def test_the_size_is_that_of_the_text_and_unknown_where_it_must_be_unpacked(text, tmp_path):
    assert inputs(text).measure_text_size() == 8
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "in.parquet")
    for name in ("in.csv.gz", "in.parquet", "absent.csv"):
        assert inputs(tmp_path / name).measure_text_size() is None


def test_text_and_parquet_are_read_as_what_they_are(text, tmp_path, own_store):
    parquet.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "in.parquet")
    sources = [inputs(path).source(own_store) for path in (text, tmp_path / "in.parquet")]
    assert [own_store.rows(select(source.relation())) for source in sources] == [[("1", "2")], [(1, 2)]]


def test_what_the_folders_above_a_named_file_tell_is_said_to_be_no_column(tmp_path, own_store):
    """As Hive and Spark write a table; a column of the files is one, and so is none that follows from a name."""
    folder = tmp_path / "year=2020" / "land=at"
    folder.mkdir(parents=True)
    parquet.write_table(pa.table({"a": [1], "land": ["at"]}), folder / "in.parquet")
    (folder / "k=v.csv").write_text("a,b\n1,2\n")
    (note,) = inputs(folder / "in.parquet").source(own_store).notes
    assert note.startswith("Folders of the input are called year=.., but no column is: 'year' is not read")
    (note,) = inputs(folder / "k=v.csv").source(own_store).notes
    assert "no column is: 'year', 'land' is not read, nor released. Name the folder above" in note
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    assert inputs(tmp_path / "in.csv").source(own_store).notes == ()


def partitioned(folder, ending, *places):
    """Write a file with the columns a and b into each of some folders, as Hive does."""
    for number, place in enumerate(places):
        (folder / place).mkdir(parents=True)
        if ending == "csv":
            (folder / place / "in.csv").write_text(f'a,b\n{number},"x"\n')
        else:
            parquet.write_table(pa.table({"a": [number], "b": ["x"]}), folder / place / "in.parquet")
    return inputs(folder)


@pytest.mark.parametrize(("ending", "years"), [("csv", ("2020", None)), ("parquet", (2020, None))])
def test_folders_below_the_named_one_are_columns_behind_those_of_the_files(tmp_path, own_store, ending, years):
    """More than nine columns, whose names would stand in another order than they do; texts are written as in a URL."""
    more = "/".join(f"k{index}=" for index in range(9))
    no_year = "year=__HIVE_DEFAULT_PARTITION__"
    source = partitioned(tmp_path / "in", ending, f"year=2020/land=a%2Fb/{more}", f"{no_year}/land=c d/{more}").source(
        own_store
    )
    assert source.headers == ("a", "b", "year", "land", *(f"k{index}" for index in range(9)))
    assert source.notes == ()
    first = ("0", "1") if ending == "csv" else (0, 1)
    assert own_store.rows(select(source.relation())) == [
        (first[0], "x", years[0], "a/b", *[""] * 9),
        (first[1], "x", years[1], "c d", *[""] * 9),
    ]
    assert source.account(2).rejects.count == 0


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("places", "headers", "told"),
    [
        (("year=2020", "month=5"), ("a", "b"), "'month', 'year' is not read"),
        (("year=1/b=2", "year=2/b=2"), ("a", "b", "year"), None),
        (("year=1/year=2", "year=2/year=2"), ("a", "b"), "'year' is not read"),
        (("plain",), ("a", "b"), None),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_folders_tell_no_column_where_they_differ_or_the_files_have_it(
    tmp_path, own_store, ending, places, headers, told
):
    source = partitioned(tmp_path / "in", ending, *places).source(own_store)
    assert source.headers == headers
    assert [told in note for note in source.notes] == ([] if told is None else [True])


def test_a_wrong_value_of_a_folder_is_found_in_its_file(tmp_path, own_store):
    source = partitioned(tmp_path / "in", "csv", "year=2020", "year=never").source(own_store)
    known = select(literal("2020"))
    assert source.places(2, known) == [RecordPlace(1, tmp_path / "in" / "year=never" / "in.csv")]


def test_codes_that_begin_with_a_zero_are_texts(tmp_path, own_store):
    source = partitioned(tmp_path / "in", "parquet", "zip=0815", "zip=1010").source(own_store)
    assert [row[2] for row in own_store.rows(select(source.relation()))] == ["0815", "1010"]


@pytest.mark.parametrize("how", ["longer", "another", "gone"])
def test_a_file_that_changes_while_it_is_read_stops_the_run(text, how):
    files = inputs(text)
    with pytest.raises(InputError, match=r"in\.csv changed while it was read\. Run again"), files.watch_reading():
        if how == "longer":
            text.write_text("a,b\n1,2\n3,4\n")
        elif how == "another":
            (text.parent / "other").write_text("a,b\n3,4\n")
            (text.parent / "other").rename(text)
        else:
            text.unlink()


def test_a_change_is_named_rather_than_the_fault_that_comes_of_it(text):
    files = inputs(text)
    with pytest.raises(InputError, match="changed while it was read"), files.watch_reading():
        text.write_text("")
        raise InputError("It is empty.")
    with pytest.raises(InputError, match=r"It is empty\."), inputs(text).watch_reading():
        raise InputError("It is empty.")


def test_a_file_that_only_is_read_is_no_fault(text):
    with inputs(text).watch_reading():
        assert text.read_text()


def test_what_the_engine_cannot_unpack_is_named_by_its_file(tmp_path):
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" * 99)[:-9])
    with pytest.raises(InputError, match=r"in\.csv\.gz is a damaged gzip file"), inputs(path).watch_reading():
        raise UnreadableFileError("the engine's words")
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    with pytest.raises(InputError, match="Other bytes may follow the end"), inputs(path).watch_reading():
        raise UnreadableFileError("the engine's words")


def test_an_error_of_the_engine_is_damage_only_where_the_input_is_parquet(text, tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "in.parquet")
    files = inputs(tmp_path / "in.parquet")
    with pytest.raises(InputError, match=r"to the end \(its words\)\. It is damaged"), files.watch_reading():
        raise EngineError("its words")
    with pytest.raises(EngineError), inputs(text).watch_reading():
        raise EngineError("its words")
