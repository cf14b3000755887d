"""The files of a run's input: one source, and watched for changes."""

import gzip

import pyarrow as pa
import pytest
from pyarrow import parquet
from sqlalchemy import select

from toolbox.config.model import Input
from toolbox.errors import EngineError, InputError
from toolbox.store.engine.errors import UnreadableFileError
from toolbox.store.input.files import InputFiles


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


def test_what_only_the_folders_tell_is_said_to_be_no_column(tmp_path, own_store):
    """As Hive and Spark write a table; a column of the files is one, and so is none that follows from a name."""
    folder = tmp_path / "year=2020" / "land=at"
    folder.mkdir(parents=True)
    parquet.write_table(pa.table({"a": [1], "land": ["at"]}), folder / "in.parquet")
    (folder / "k=v.csv").write_text("a,b\n1,2\n")
    (note,) = inputs(folder / "in.parquet").source(own_store).notes
    assert note.startswith("Folders of the input are called year=.., but no column is: 'year' is not read")
    (note,) = inputs(folder / "k=v.csv").source(own_store).notes
    assert "no column is: 'year', 'land' is not read, nor released" in note
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    assert inputs(tmp_path / "in.csv").source(own_store).notes == ()


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
