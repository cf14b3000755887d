"""Releases in several files: together they are the release in one."""

import gzip
import hashlib
import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from helpers import in_order
from helpers.hostile import configuration, files, write
from helpers.running import Finished, run_in_process
from pyarrow import parquet

pytestmark = pytest.mark.sampled(2)

RECORDS = "a,b\n" + "".join(f'{number % 10},"{number}, {"x" * (number % 30)}"\n' for number in range(2000))
NUMBER = "<att name='a' type='number'/>"


def run(folder: Path, output: str, *arguments: str, config: str | None = None) -> Finished:
    write(folder / "in.csv", RECORDS)
    path = write(folder / "c.xml", configuration(NUMBER) if config is None else config)
    return run_in_process("-config", path, "--json", "-output", folder / output, *arguments)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The release in one."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder, "whole.csv").succeeded()
    return (folder / "whole.csv").read_bytes()


def unpacked(path: Path) -> bytes:
    if path.suffix == ".zst":
        return bytes(pa.input_stream(str(path), compression="zstd").read())
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def joined(paths: list[Path]) -> bytes:
    texts = [unpacked(path) for path in paths]
    head = texts[0][: texts[0].index(b"\n") + 1]
    assert all(text.startswith(head) for text in texts)
    return head + b"".join(text.removeprefix(head) for text in texts)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), [("out.csv", 10_000), ("my.out.csv.gz", 2_000), ("out.zst", 1_000)])
def test_the_files_in_a_row_are_the_release_in_one(whole: bytes, tmp_path: Path, name: str, size: int) -> None:
    document = run(tmp_path, name, "--split-size", f"{size / 1000}KB").succeeded().document
    paths = [Path(path) for path in document["release"]]
    stem, dot, ending = name.rpartition(".csv") if ".csv" in name else name.partition(".")
    assert [path.name for path in paths] == [f"{stem}-{number:05}{dot}{ending}" for number in range(1, len(paths) + 1)]
    assert len(paths) > 2
    assert joined(paths) == whole
    assert document["sha256"]["release"] == {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    assert not (tmp_path / name).exists()


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_compressed_release_is_the_release(whole: bytes, tmp_path: Path, ending: str) -> None:
    run(tmp_path, f"out.csv{ending}").succeeded()
    assert unpacked(tmp_path / f"out.csv{ending}") == whole


@pytest.mark.slow
def test_parquet_is_split_too(tmp_path: Path) -> None:
    run(tmp_path, "whole.parquet").succeeded()
    document = run(tmp_path, "out.parquet", "--split-size", "4KB").succeeded().document
    assert [Path(path).name for path in document["release"]] == [
        f"out-{n:05}.parquet" for n in range(1, len(document["release"]) + 1)
    ]
    assert len(document["release"]) > 2
    pieces = [parquet.read_table(path) for path in document["release"]]
    assert pa.concat_tables(pieces).to_pylist() == parquet.read_table(tmp_path / "whole.parquet").to_pylist()


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("ending", [".csv.gz", ".parquet"])
def test_each_table_of_anatomy_is_split(tmp_path: Path, ending: str) -> None:
    config = configuration(NUMBER, root="method='Anatomy' l='2' seed='1'", sens="<att name='b' type='category'/>")
    run(tmp_path, f"whole{ending}", config=config).succeeded()
    document = run(tmp_path, f"out{ending}", "--split-size", "3KB", config=config).succeeded().document
    for table in ("QIT", "ST"):
        pieces = [path for path in document["release"] if f"out_{table}-" in path]
        assert len(pieces) > 1
        whole = duckdb.sql(f"FROM '{tmp_path}/whole_{table}{ending}'").fetchall()
        assert [row for path in pieces for row in duckdb.sql(f"FROM '{path}'").fetchall()] == whole


@pytest.mark.slow
def test_the_configuration_says_so_and_python_reads_all_pieces_as_one_table(tmp_path: Path) -> None:
    write(tmp_path / "in.csv", RECORDS)
    for output in ("out.csv.gz", "out.parquet"):
        write(tmp_path / "c.xml", configuration(NUMBER, target=output, output="splitSize='4KB'"))
        result = in_order.anonymize(tmp_path / "c.xml")
        assert len(result.summary.release) > 1
        assert len(result.parts) == 1
        assert [int(value.partition(",")[0]) for value in result.release["b"]] == list(range(2000))


@pytest.mark.slow
def test_a_release_that_fits_is_one_numbered_file(tmp_path: Path) -> None:
    document = run(tmp_path, "out.csv", "--split-size", "1GB").succeeded().document
    assert document["release"] == [str(tmp_path / "out-00001.csv")]


@pytest.mark.slow
def test_a_shorter_release_leaves_nothing_of_a_longer_one(tmp_path: Path) -> None:
    run(tmp_path, "out.csv", "--split-size", "5KB").succeeded()
    write(tmp_path / "out-20200131.csv", "of somebody else")
    before = len(list(tmp_path.glob("out-0*.csv")))
    document = run(tmp_path, "out.csv", "--split-size", "20KB").succeeded().document
    assert before > len(document["release"]) > 1
    assert sorted(map(str, tmp_path.glob("out-0*.csv"))) == document["release"]
    assert any(
        note.startswith("An earlier release had more files, which are removed: out-0000") for note in document["notes"]
    )
    assert (tmp_path / "out-20200131.csv").exists()


@pytest.mark.slow
def test_on_an_error_an_older_release_is_untouched(tmp_path: Path) -> None:
    run(tmp_path, "out.csv", "--split-size", "5KB").succeeded()
    before = files(tmp_path)
    # A folder in the way of the last file stops the placing of all.
    (tmp_path / "report").mkdir()
    assert run(tmp_path, "out.csv", "--split-size", "20KB", "--report", str(tmp_path / "report")).status == 2
    assert {name: content for name, content in files(tmp_path).items() if name != "report"} == before
    assert run(tmp_path, "out.csv", "--split-size", "0.01KB", "-k", "2001").status == 3
    assert {name: content for name, content in files(tmp_path).items() if name != "report"} == before


def test_the_release_of_a_glob_in_its_own_folder_is_not_read_the_next_time(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    write(tmp_path / "d/part-1.csv", RECORDS)
    arguments = ("-input", str(tmp_path / "d/*.csv"), "--split-size", "20KB")
    run(tmp_path, "d/out.csv", *arguments).succeeded()
    again = run(tmp_path, "d/out.csv", *arguments)
    assert again.status == 2
    assert "The piece of the output is the same file as the input: " in json.loads(again.stdout)["error"]["message"]
