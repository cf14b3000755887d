"""An input that is deleted, cut short, emptied or replaced while it is read: an error that names it, and no release."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.hostile import OLDER, configuration, files, run_here, write
from pyarrow import parquet

from toolbox.store.load.loading import Loader

pytestmark = pytest.mark.sampled(6)

Change = Callable[[Path], object]
ROWS = [(number % 50, "xyz"[number % 3], f"note {number}") for number in range(5_000)]
TEXT = "a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)
NAMES = {"plain": "in.csv", "gzip": "in.csv.gz", "parquet": "in.parquet"}


def prepare(kind: str, folder: Path) -> Path:
    path = folder / NAMES[kind]
    if kind == "plain":
        write(path, TEXT)
    elif kind == "gzip":
        write(path, gzip.compress(TEXT.encode()))
    else:
        parquet.write_table(pa.table(dict(zip("abc", zip(*ROWS, strict=True), strict=True))), path, row_group_size=500)
    write(folder / "c.xml", configuration("<att name='a'/><att name='b' type='category'/>", source=path.name))
    write(folder / "out.csv", OLDER)
    # As if it had been there for long.
    os.utime(path, (1_600_000_000, 1_600_000_000))
    return path


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_at_a_line(path: Path) -> None:
    content = path.read_bytes()
    os.truncate(path, content.rfind(b"\n", 0, len(content) // 2) + 1)


def replaced(path: Path) -> None:
    other = path.with_name("other")
    write(other, path.read_bytes() + b"7,x,note\n")
    other.replace(path)


def replaced_by_its_twin(path: Path) -> None:
    """Replace it by a file of its size and its time, as copying with ``cp -p`` over a mounted archive does."""
    other = path.with_name("other")
    shutil.copy2(path, other)
    status = path.stat()
    write(other, other.read_bytes().replace(b"note 1", b"note 2"))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("when", ["before the first reading", "between the readings"])
@pytest.mark.parametrize(
    "change",
    [
        Path.unlink,
        cut_short,
        cut_at_a_line,
        emptied,
        replaced,
        replaced_by_its_twin,
    ],
    ids=lambda change: change.__name__,
)
@pytest.mark.parametrize("kind", NAMES)
def test_an_input_that_changes_is_named_and_nothing_is_released(
    kind: str,
    change: Change,
    when: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = prepare(kind, tmp_path)
    reading = "_count" if when.startswith("before") else "_keep"
    read = getattr(Loader, reading)

    def changed_first(loader: Loader, *given: object, **options: object) -> object:
        change(path)
        return read(loader, *given, **options)

    monkeypatch.setattr(Loader, reading, changed_first)
    run = run_here(["-config", tmp_path / "c.xml", "--quiet"], capsys)
    assert run.status == 4, run.err
    assert run.err.startswith(f"toolbox: {path} ")
    assert "note" not in run.err
    assert set(files(tmp_path)) <= {"c.xml", "out.csv", path.name}
    assert (tmp_path / "out.csv").read_text() == OLDER


@pytest.mark.parametrize("kind", NAMES)
def test_an_input_whose_permission_goes_is_named(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = prepare(kind, tmp_path)
    keep = Loader._keep

    def taken_away(loader: Loader, *given: object, **options: object) -> object:
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("Nothing can be hidden from root.")
        return keep(loader, *given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Loader, "_keep", taken_away)
    run = run_here(["-config", tmp_path / "c.xml", "--quiet"], capsys)
    assert (run.status, "Permission denied" in run.err) == (4, True)
    assert run.err.startswith(f"toolbox: {path} ")
