"""What the engine may reach: its folder and the files that it was shown first; nothing else, and for good."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sqlalchemy import func, literal, select, text

from toolbox.config.model import Input, Limits
from toolbox.errors import EngineError, InputError, UsageError
from toolbox.store.engine.statements import read_parquet
from toolbox.store.engine.store import Store
from toolbox.store.input.text import DelimitedSource


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("place")


@pytest.fixture(scope="module")
def store(place: Path) -> Iterator[Store]:
    """A store that is at work, one for all tests that find it closed: one file was shown to it, and read."""
    (place / "work").mkdir()
    (place / "shown.csv").write_text("a\n1\n")
    (place / "secret.csv").write_text("a\n2\n")
    with Store(place / "work") as opened:
        source = DelimitedSource(Input(path=place / "shown.csv", header=True), opened)
        assert opened.rows(select(source.relation())) == [("1",)]
        yield opened


def setting(store: Store, name: str) -> object:
    return store.scalar(select(func.current_setting(literal(name))))


# A running store


def test_the_settings_of_a_running_store(store: Store, place: Path) -> None:
    closed = (
        "enable_external_access",
        "autoinstall_known_extensions",
        "autoload_known_extensions",
        "allow_community_extensions",
        "allow_unsigned_extensions",
        "allow_persistent_secrets",
        "python_enable_replacements",
    )
    assert {name: setting(store, name) for name in closed} == dict.fromkeys(closed, False)
    assert setting(store, "lock_configuration") is True
    of_work = {"disabled_optimizers", "enable_progress_bar", "enable_progress_bar_print", "max_memory"}
    changeable = {*of_work, "threads", "TimeZone"}
    assert set(setting(store, "allowed_configs")) == changeable  # type: ignore[call-overload]
    folders = {Path(folder) for folder in setting(store, "allowed_directories")}  # type: ignore[attr-defined]
    assert folders == {store.folder, store.folder / "spill"}
    files = {Path(file) for file in setting(store, "allowed_paths")}  # type: ignore[attr-defined]
    assert {file for file in files if file.parent != store.folder} == {place / "shown.csv"}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('{beside}/secret.csv')",
        "SELECT * FROM read_csv('{folder}/../../secret.csv')",
        "SELECT * FROM '{beside}/secret.csv'",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM sniff_csv('/etc/hostname')",
        "SELECT * FROM read_csv('https://example.org/a.csv')",
        "COPY (SELECT 1) TO '{beside}/new.csv'",
        "COPY (SELECT 1) TO '{beside}/new.parquet' (FORMAT parquet)",
        "EXPORT DATABASE '{beside}/new'",
        "ATTACH '{beside}/new.duckdb'",
        "INSTALL httpfs",
        "INSTALL '{beside}/x.duckdb_extension'",
        "FORCE INSTALL spatial FROM community",
        "LOAD httpfs",
        "LOAD '{folder}/x.duckdb_extension'",
        "CREATE PERSISTENT SECRET (TYPE s3)",
        "SET enable_external_access = true",
        "RESET enable_external_access",
        "SET lock_configuration = false",
        "SET allowed_configs = ['threads']",
        "SET allowed_directories = ['/']",
        "SET allowed_paths = ['/etc/hostname']",
        "SET allow_community_extensions = true",
        "SET allow_unsigned_extensions = true",
        "SET autoinstall_known_extensions = true",
        "SET python_enable_replacements = true",
        "SET temp_directory = '{beside}/new'",
        "SET extension_directory = '{beside}'",
        "SET secret_directory = '{beside}'",
        "SET home_directory = '{beside}'",
        "SET log_query_path = '{beside}/new.log'",
        "SET external_threads = 7",
        "PRAGMA profiling_output = '{beside}/new.json'",
    ],
)
def test_a_running_store_refuses(store: Store, place: Path, statement: str) -> None:
    before = sorted(place.iterdir())
    with pytest.raises((EngineError, InputError)):
        store.run(text(statement.format(beside=place, folder=store.folder))).fetchall()
    assert sorted(place.iterdir()) == before


def test_a_name_that_is_no_table_is_not_that_of_a_variable(store: Store) -> None:
    variable = pa.table({"a": [1]})
    with pytest.raises(EngineError):
        store.rows(text("SELECT * FROM variable"))  # type: ignore[arg-type]
    assert variable.num_rows == 1


def test_what_the_caller_hands_over_is_still_read(store: Store) -> None:
    name = store.register("table", pa.table({"a": [1, 2]}))
    assert store.rows(text(f"SELECT * FROM {name}")) == [(1,), (2,)]  # type: ignore[arg-type]
    assert store.count(store.from_arrays("arrays", {"n": np.array([1, 2, 3])})) == 3


def test_record_sized_joins_still_keep_their_sides_and_a_reading_its_share(store: Store) -> None:
    with store._join_sides_kept():
        assert setting(store, "disabled_optimizers") == "join_order,build_side_probe_side"
    assert setting(store, "disabled_optimizers") == ""
    store.tell_share()
    assert setting(store, "enable_progress_bar") is True


# Files


def test_a_file_that_was_not_shown_before_the_first_statement_comes_too_late(store: Store, place: Path) -> None:
    with pytest.raises(InputError, match=r"secret\.csv was not there when reading began\. Run again"):
        DelimitedSource(Input(path=place / "secret.csv"), store)
    # One that was shown may be opened again.
    assert DelimitedSource(Input(path=place / "shown.csv"), store).width == 1


def test_files_with_any_name_are_read_packed_or_not(tmp_path: Path) -> None:
    folder = tmp_path / "it's [a] *folder*, #1"
    folder.mkdir()
    (folder / "?.csv").write_text("a\n1\n")
    (folder / "'x'.gz").write_bytes(gzip.compress(b"a\n2\n"))
    (tmp_path / "link").symlink_to(folder)
    with Store(tmp_path) as store:
        files = folder / "?.csv", tmp_path / "link" / "'x'.gz"
        sources = [DelimitedSource(Input(path=path, header=True), store) for path in files]
        assert [store.rows(select(source.relation())) for source in sources] == [[("1",)], [("2",)]]


def test_a_file_whose_name_is_no_text_is_read_and_the_link_to_it_stays(tmp_path: Path) -> None:
    given = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    (tmp_path / "real.csv").write_text("a\n1\n")
    try:
        given.symlink_to(tmp_path / "real.csv")
        other = given.with_name(given.name + "2")
        other.write_text("a\n2\n")
    except OSError:
        pytest.skip("The file system takes no such name.")
    with Store(tmp_path) as store:
        sources = [DelimitedSource(Input(path=path, header=True), store) for path in (given, other)]
        assert [store.rows(select(source.relation())) for source in sources] == [[("1",)], [("2",)]]
    assert given.is_symlink()


# The folder


@pytest.mark.parametrize("name", ["d_:x", "sqlite:a", "s3:", "d"])
def test_a_relative_folder_is_no_extension_and_no_address(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).mkdir()
    with Store(Path(name)) as store:
        assert store.folder.parent == tmp_path / name
        store.copy_to(select(literal(1).label("a")), store.folder / "a.csv", {"format": "csv"})
        assert (store.folder / "a.csv").read_text() == "a\n1\n"
    assert list((tmp_path / name).iterdir()) == []


def test_a_folder_behind_a_link_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with Store(tmp_path / "link") as store:
        path = store.folder / "a.parquet"
        store.copy_to(select(literal(1).label("a")), path, {"format": "parquet"})
        assert store.rows(select(read_parquet([path], 1))) == [(1,)]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(memory="99999999999TB"), "The limit memory='99999999999TB' is more than any machine has"),
        (Limits(memory="plenty"), "The limit memory='plenty' is not an amount of memory"),
        (Limits(threads=0), "The limit threads='0' is too small"),
        (Limits(threads=10**9), "The limit threads='1000000000' is too large"),
    ],
)
def test_a_limit_of_a_caller_that_no_machine_has_is_refused(limits: Limits, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        Store(tmp_path, limits)
    assert str(caught.value).startswith(message)
    assert list(tmp_path.iterdir()) == []
