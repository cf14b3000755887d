"""A file system that fails at any one call: the complete release or none, an older one untouched, and a helpful word."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import os
from pathlib import Path

import pytest
from helpers.amounts import times
from helpers.faults import REASONS, failing
from helpers.hostile import Run, run_here, write

from toolbox.store.disk.workspace import remove_dead

ROWS = [("x" if number % 2 else "y", str(number % 3), f"{'note ' * 6}{number}") for number in range(90)]
LINES = "a,b,c\n" + "".join(",".join(row) + "\n" for row in ROWS) + "one,too,many,values\n"
CONFIG = """<config {root}><input filename='in.csv' header='true'/><output filename='out/{target}' {output}/>
<qid><att name='a' type='category'/><att name='b'/></qid><sens><att name='c' type='category'/></sens></config>"""

FORMS: dict[str, tuple[str, str, str, list[str]]] = {
    "plain": ("k='5'", "o.csv", "", []),
    "gz": ("k='5'", "o.csv.gz", "", []),
    "parquet": ("k='5'", "o.parquet", "", []),
    "split": ("k='5'", "o.csv", "splitSize='1KB'", []),
    "split parquet": ("k='5'", "o.parquet", "splitSize='1KB'", []),
    "anatomy": ("method='Anatomy' l='2'", "o.csv", "format='anatomy'", []),
    "beside": ("k='5'", "o.csv", "", ["--report", "out/report.json", "--rejects", "out/rejects", "--store", "out/db"]),
    "elsewhere": ("k='5'", "o.csv", "", ["--temp-dir", "far", "--report", "out/report.json"]),
}


class Desk:
    """A folder with an input and an older release of the same form."""

    def __init__(self, folder: Path, form: str) -> None:
        self.folder = folder
        root, target, output, self._options = FORMS[form]
        write(folder / "in.csv", LINES)
        write(folder / "c.xml", CONFIG.format(root=root, target=target, output=output))
        for name in ("out", "far"):
            (folder / name).mkdir()

    def run(self, capsys: pytest.CaptureFixture[str], *more: str) -> Run:
        return run_here(["-config", "c.xml", "--quiet", *self._options, *more], capsys)

    def released(self) -> dict[str, bytes]:
        """Read what has a name of its own in the folder of the release; temporary names begin with a dot."""
        found = (path for path in sorted((self.folder / "out").iterdir()) if not path.name.startswith("."))
        return {path.name: path.read_bytes() for path in found}

    def restore(self, before: dict[str, bytes]) -> None:
        """Put the older release back."""
        for path in (self.folder / "out").iterdir():
            path.unlink()
        for name, content in before.items():
            (self.folder / "out" / name).write_bytes(content)

    def leftovers(self) -> list[str]:
        """List what runs have left, after the next one has cleared up."""
        for name in ("out", "far"):
            remove_dead(self.folder / name)
        return [str(path) for name in ("out", "far") for path in (self.folder / name).glob(".toolbox-*")]


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_fault(
    desk: Desk, number: int, reason: int, before: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> bool:
    """Run with a fault at one call, and look at everything that is left; tell whether the run got that far."""
    where = f"call {number}, {errno.errorcode[reason]}"
    with failing(number, reason) as faults:
        run = desk.run(capsys)
    where += f" ({[*faults.calls, 'none'][min(number, len(faults.calls)) - 1]})"
    assert run.status in (0, 2, 4), where
    assert "Traceback" not in run.err, where
    after = desk.released()
    if run.status == 0:
        assert complete(after) == 90, where
    else:
        assert after == before, where
        assert run.err.startswith("toolbox: "), where
        # Why, and where or what to do.
        assert "disk is full" in run.err or os.strerror(reason) in run.err, (where, run.err)
        assert any(word in run.err for word in ("out", "in.csv", "far", "released")), (where, run.err)
    assert desk.leftovers() == [], where
    desk.restore(before)
    return faults.happened


def complete(released: dict[str, bytes]) -> int:
    """Count the records of a release."""
    records = 0
    for name, content in released.items():
        if name.endswith(".parquet"):
            from pyarrow import parquet

            records += parquet.read_metadata(io.BytesIO(content)).num_rows
        elif ".csv" in name and "_ST" not in name:
            text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
            records += len(list(csv.reader(io.StringIO(text)))) - 1
    return records


def prepared(folder: Path, form: str, capsys: pytest.CaptureFixture[str]) -> tuple[Desk, dict[str, bytes]]:
    """Write an older release of the same form, from other requirements."""
    desk = Desk(folder, form)
    more = ["-l", "3"] if form == "anatomy" else ["-k", "7"]
    assert desk.run(capsys, *more).status == 0
    before = desk.released()
    assert complete(before) == 90
    return desk, before


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["beside", "split"])
def test_some_calls_that_fail(form: str, older: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A few in every run of the tests, from the first call to the last move; all of them with ``--slow``."""
    desk, before = prepared(older, form, capsys)
    # A run that replaces a release makes other calls than the first one.
    with failing(10_000, errno.EIO) as faults:
        assert desk.run(capsys).status == 0
    desk.restore(before)
    last = max(number for number, call in enumerate(faults.calls, 1) if call == "replace")
    for place in range(count := times(4, slow=6)):
        number = 1 + place * (last - 1) // (count - 1)
        assert check_fault(desk, number, REASONS[place % 3], before, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: errno.errorcode[reason])
@pytest.mark.parametrize("form", FORMS)
def test_every_call_that_fails(form: str, reason: int, older: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk, before = prepared(older, form, capsys)
    number = 1
    while check_fault(desk, number, reason, before, capsys):
        number += 1
    assert number > 20
