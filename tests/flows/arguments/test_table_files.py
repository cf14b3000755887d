"""A file that a caller names instead of a table, and how it is told from a configuration."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.small_tables import declared
from pyarrow import parquet

from toolbox.config.model import Limits
from toolbox.errors import InputError, OutputError, UsageError
from toolbox.flows.arguments.checks import Reading
from toolbox.flows.arguments.tables import TableFile, is_configuration, read_file
from toolbox.messages import name_command_options, name_python_arguments

TEXT = b"zip,age,code\n1010,21,007\n8010,?,12\n"


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_separator_that_yields_no_column_is_told_with_the_one_that_does(tmp_path: Path) -> None:
    path = written(tmp_path / "people.csv", TEXT)
    with name_command_options(), pytest.raises(UsageError) as caught:
        read_file(path, {"zip", "age"}, None, Reading(separator="--"))
    said = f"{path} has 1 column, 'zip,age,code'. It looks separated by a comma, not by '--'. Write --separator ','."
    assert str(caught.value) == said
    # Not a file in which some of them are.
    assert read_file(path, {"zip", "town"}, None, Reading(separator=",")).table.num_columns == 3


def test_a_file_is_read_beside_the_temporary_files_of_the_limits(tmp_path: Path) -> None:
    limits = Limits(temp_dir=tmp_path / "absent")
    with pytest.raises(OutputError, match="absent: no folder for temporary files"):
        read_file(written(tmp_path / "people.csv", TEXT), {"zip"}, limits)


@pytest.mark.parametrize(
    ("name", "content", "is_one"),
    [
        ("c.xml", b"age,town\n", True),
        ("config", b"\xef\xbb\xbf  <config/>", True),
        ("people.csv", b"<b>,town\n", False),
        ("people", b"age,town\n", False),
        ("people", b"PAR1\0\0", False),
        ("people", b"\x1f\x8b\0\0", False),
    ],
)
def test_a_configuration_is_told_by_its_name_or_how_it_begins(
    name: str, content: bytes, is_one: bool, tmp_path: Path
) -> None:
    assert is_configuration(written(tmp_path / name, content), is_described=True) is is_one


def test_a_file_that_is_not_there_is_what_its_name_and_the_call_say(tmp_path: Path) -> None:
    assert is_configuration(tmp_path / "nobody", is_described=False)
    assert not is_configuration(tmp_path / "nobody", is_described=True)
    assert not is_configuration(tmp_path / "nobody.csv", is_described=True)


def test_what_is_neither_or_a_table_without_a_word_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is neither a configuration"):
        is_configuration(written(tmp_path / "book", b"PK\3\4\0\0"), is_described=True)
    with pytest.raises(UsageError, match=r"is a table, not a configuration. Say which columns .*quasi_identifiers="):
        is_configuration(written(tmp_path / "people.csv", TEXT), is_described=False)


@pytest.fixture(scope="module")
def text_file(tmp_path_factory: pytest.TempPathFactory) -> TableFile:
    path = written(tmp_path_factory.mktemp("text") / "people.csv", TEXT)
    return read_file(path, {"zip", "age"}, None)


def test_text_is_read_as_it_stands(text_file: TableFile) -> None:
    assert text_file.table.to_pydict() == {"zip": ["1010", "8010"], "age": ["21", "?"], "code": ["007", "12"]}


def test_columns_of_numbers_are_those_without_codes_and_without_a_hierarchy(text_file: TableFile) -> None:
    assert text_file.kinds(["zip", "age", "code", "lacking"], {"zip": "zip.csv"}) == {"age": "number"}
    assert text_file.kinds(["zip"], {}) == {"zip": "number"}
    assert text_file.kinds(["zip", "age"], {"zip": None, "age": "auto"}) == {"zip": "number", "age": "number"}


def test_a_question_mark_is_missing_in_text_and_a_value_in_parquet(text_file: TableFile, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"age": [21]}), tmp_path / "people")
    packed = read_file(tmp_path / "people", {"age"}, None)
    assert (packed.table.to_pydict(), packed.kinds(["age"], {})) == ({"age": [21]}, {})
    files = [file.name_input(declared("age")).input for file in (text_file, packed)]
    assert [(file.path.name, file.missing) for file in files if file] == [("people.csv", "?"), ("people", "")]


def test_lines_that_do_not_fit_are_left_out_with_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "people.csv", b"age;town\n21;Graz\n34\n35;Linz\n")
    said = r"1 line of .*people\.csv does not fit the first one, and will not be"
    with name_python_arguments(), pytest.warns(UserWarning, match=said):
        file = read_file(path, {"age", "town"}, None)
    assert file.table.to_pydict() == {"age": ["21", "35"], "town": ["Graz", "Linz"]}
    # A command has no warnings of Python.
    read_file(path, {"age", "town"}, None)
    assert re.search(said, capsys.readouterr().err)


def test_damaged_parquet_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"people\.parquet cannot be read as Parquet \(ArrowInvalid\)"):
        read_file(written(tmp_path / "people.parquet", b"PAR1 and no more"), set(), None)
