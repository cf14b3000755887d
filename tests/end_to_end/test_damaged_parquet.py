"""Parquet in which a bit was turned, or whose end is gone: the release of what can be read, or exit status 4.

What no reader can notice is read as it stands: a bit in a value, unless the file has checksums, which the engine does not
look at.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.running import run_in_process
from pyarrow import parquet
from sqlalchemy import select

from toolbox.config.model import Input, Limits
from toolbox.errors import ToolboxError
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles

POSITIONS = 60
CONFIG = (
    "<config method='Mondrian' k='5'><input filename='in.parquet'/><output order='input' filename='out.csv'/>"
    "<qid><att name='age'/><att name='town' type='category'/></qid><sens><att name='ill' type='category'/></sens></config>"
)


def content(folder: Path) -> bytes:
    draw = random.Random(1)
    rows = range(600)
    table = pa.table({
        "age": [draw.randrange(90) for _ in rows],
        "town": [draw.choice(["Graz", "Linz", "Wien", "Wels"]) for _ in rows],
        "ill": [draw.choice(["secret flu", "secret cold", "secret gout"]) for _ in rows],
    })  # fmt: skip
    parquet.write_table(table, folder / "whole.parquet", row_group_size=250)
    return (folder / "whole.parquet").read_bytes()


def damaged(whole: bytes) -> Iterator[tuple[str, bytes]]:
    """Turn single bits, half of them in the footer, which is most easily hurt; and cut the file off."""
    draw = random.Random(2)
    footer = len(whole) - int.from_bytes(whole[-8:-4], "little") - 8
    for number in range(POSITIONS):
        first, last = (0, footer) if number % 2 else (footer, len(whole))
        place, bit = draw.randrange(first, last), draw.randrange(8)
        yield f"bit {bit} of byte {place}", whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]
    for length in (1, 4, 8, footer - 1, footer, footer + 20, len(whole) - 9, len(whole) - 4, len(whole) - 1):
        yield f"{length} bytes", whole[:length]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_what_was_turned_or_cut_off_is_read_or_told_as_a_fault_of_the_input(every: int, tmp_path: Path) -> None:
    given = tmp_path / "in.parquet"
    outcomes: dict[str, list[str]] = {"read": [], "refused": []}
    for what, data in list(damaged(content(tmp_path)))[::every]:
        given.write_bytes(data)
        files = InputFiles(Input(path=given))
        try:
            with Store(tmp_path, Limits(threads=1)) as store, files.watch_reading():
                store.arrow(select(files.source(store).relation()))
        except ToolboxError as error:
            assert error.exit_status == 4, what
            assert "in.parquet" in str(error), what
            assert "secret" not in str(error), what
            outcomes["refused"].append(what)
        else:
            outcomes["read"].append(what)
    assert outcomes["refused"]
    assert outcomes["read"], "some bits belong to nothing that is read"


def run_damaged(whats: Iterator[tuple[str, bytes]]) -> None:
    for what, data in whats:
        Path("in.parquet").write_bytes(data)
        Path("out.csv").unlink(missing_ok=True)
        finished = run_in_process("-config", "c.xml", "--quiet")
        assert finished.status in (0, 4), what
        assert Path("out.csv").exists() == (finished.status == 0), what
        assert "secret" not in finished.stderr, what
        assert sorted(path.name for path in Path().iterdir() if path.name.startswith(".")) == [], what


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.chdir(tmp_path)
    Path("c.xml").write_text(CONFIG)
    return content(tmp_path)


@pytest.mark.slow
def test_the_command_line_releases_it_or_leaves_with_status_4(whole: bytes) -> None:
    run_damaged(one for number, one in enumerate(damaged(whole)) if number % 20 == 5)


@pytest.mark.slow
def test_the_command_line_releases_each_or_leaves_with_status_4(whole: bytes) -> None:
    run_damaged(damaged(whole))
