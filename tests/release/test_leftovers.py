"""What an earlier release of more files has left."""

import shutil
from pathlib import Path

import pytest

from toolbox.errors import OutputError
from toolbox.release.leftovers import leftovers, set_aside


def test_pieces_that_are_not_replaced_are_left_over(tmp_path: Path) -> None:
    paths = [tmp_path / f"out_{table}-{number:05}.csv" for table in ("QIT", "ST") for number in (1, 2, 3)]
    for path in paths:
        path.touch()
    (tmp_path / "out-00009.csv").touch()
    tables = [tmp_path / "out_QIT.csv", tmp_path / "out_ST.csv"]
    assert leftovers(tables, paths[:2]) == [paths[2], *paths[3:]]


def test_what_is_set_aside_is_gone_when_all_goes_well(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "old").write_text("old")
    with set_aside([tmp_path / "old"], tmp_path / "folder"):
        assert not (tmp_path / "old").exists()
    shutil.rmtree(tmp_path / "folder")
    assert not (tmp_path / "old").exists()


def test_what_is_set_aside_comes_back_after_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    with pytest.raises(KeyboardInterrupt), set_aside([tmp_path / "one", tmp_path / "two"], tmp_path / "folder"):
        raise KeyboardInterrupt
    assert [(tmp_path / name).read_text() for name in ("one", "two")] == ["one", "two"]


def test_what_cannot_be_set_aside_stops_the_release(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "one").write_text("one")
    with (
        pytest.raises(OutputError, match="absent is left from an earlier release and cannot be removed: No such file"),
        set_aside([tmp_path / "one", tmp_path / "absent"], tmp_path / "folder"),
    ):
        raise AssertionError("not reached")
    assert (tmp_path / "one").read_text() == "one"
