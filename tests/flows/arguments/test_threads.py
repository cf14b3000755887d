"""Small tables take one thread, unless somebody has said how many."""

from pathlib import Path

import pyarrow as pa

from toolbox.config.model import Input, Limits
from toolbox.flows.arguments.configuration import limit_threads
from toolbox.store.input.files import InputFiles


def test_small_tables_take_one_thread_together(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a\n1234567\n")
    files, table = InputFiles(Input(path=file)), pa.table({"a": pa.array([1, 2], pa.int64())})
    assert limit_threads(Limits(), files, small=11) == Limits(threads=1)
    assert limit_threads(Limits(), table, small=17) == Limits(threads=1)
    assert limit_threads(Limits(memory="1GB"), files, table, small=27) == Limits(memory="1GB", threads=1)


def test_large_tables_and_such_of_unknown_size_take_all_threads(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a\n1234567\n")
    files, table = InputFiles(Input(path=file)), pa.table({"a": pa.array([1, 2], pa.int64())})
    assert limit_threads(Limits(), files, small=10) == Limits()
    assert limit_threads(Limits(), files, table, small=26) == Limits()
    assert limit_threads(Limits(), files, None) == Limits()


def test_threads_that_somebody_asks_for_are_taken() -> None:
    assert limit_threads(Limits(threads=4), pa.table({"a": [1]})) == Limits(threads=4)
