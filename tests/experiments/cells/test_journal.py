"""What is kept of a study: also after a run was killed in the middle of a line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolbox.errors import OutputError
from toolbox.experiments.cells.rows import FILE, Cell, Journal, make_row
from toolbox.experiments.plan.plan import DataSet, Wish

ROW = make_row(Cell(DataSet(name="Übersee"), "Mondrian", Wish(k=2), 1, 7, ()), kind="loss", metric="NCP", value=0.5)
FAILED = {**ROW, "metric": "CM", "value": None, "status": "failed"}


def test_what_was_added_is_known_to_the_next_run(tmp_path: Path) -> None:
    with Journal(tmp_path / "deep" / "er") as journal:
        journal.add({"a": [ROW], "b": []})
        journal.add({"c": [ROW], "d": [ROW, FAILED], "e": [{**FAILED, "status": "not measured"}]})
        assert "d" in journal
    with Journal(tmp_path / "deep" / "er") as journal:
        assert [name for name in "abcde" if name in journal] == ["a", "b", "c", "e"], "what failed is tried again"
        assert journal["a"] == [ROW]
    assert sorted(path.name for path in (tmp_path / "deep" / "er").iterdir()) == [FILE]


def test_a_line_that_was_cut_off_is_computed_again_and_does_not_spoil_the_next(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.add({"a": [ROW]})
        journal.add({"b": [ROW]})
    whole = (tmp_path / FILE).read_bytes()
    for length in {*range(0, len(whole), 29), whole.index(b"\n"), whole.index(b"\n") + 1, len(whole) - 1}:
        (tmp_path / FILE).write_bytes(whole[:length])
        with Journal(tmp_path) as journal:
            assert ("b" in journal) is False
            assert ("a" in journal) is (length > whole.index(b"\n"))
            journal.add({"b": [ROW]})
        with Journal(tmp_path) as journal:
            assert "b" in journal


def test_a_line_that_nobody_can_read_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('nonsense\n{"a": []}\n')
    with Journal(tmp_path) as journal:
        assert "a" in journal
        assert journal.unread == 1


def test_without_a_folder_nothing_is_kept() -> None:
    with Journal(None) as journal:
        journal.add({"a": [ROW]})
        assert "a" in journal
    with Journal(None) as journal:
        assert "a" not in journal


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with (
        Journal(tmp_path),
        pytest.raises(OutputError, match="another run of the toolbox is writing there"),
        Journal(tmp_path),
    ):
        pass


def test_a_folder_that_cannot_be_is_said_with_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="Write --output FOLDER"), Journal(tmp_path / "file" / "below"):
        pass


def test_nothing_outside_the_folder_is_read_or_written(tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "results"
    victim.write_text("first\nlast")
    folder.mkdir()
    for make in (
        lambda: (folder / FILE).symlink_to(victim),
        lambda: (folder / FILE).symlink_to(tmp_path / "absent"),
        lambda: os.mkfifo(folder / FILE),
    ):
        make()
        with pytest.raises(OutputError, match=r"cells\.jsonl is no regular file"), Journal(folder):
            pass
        assert [path.name for path in folder.iterdir()] == [FILE]
        (folder / FILE).unlink()
    assert victim.read_text() == "first\nlast"
    assert not (tmp_path / "absent").exists()


def test_a_folder_of_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("mine")
    with pytest.raises(OutputError, match=r"no cells\.jsonl of a study among them"), Journal(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["results.csv"]
    # A run that was killed before its first cell leaves a lock.
    (tmp_path / "results.csv").rename(tmp_path / "lock")
    (tmp_path / "lock").write_text("")
    with Journal(tmp_path):
        assert (tmp_path / FILE).exists()


def test_an_interrupt_while_its_files_are_closed_leaves_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, interrupts = os.close, iter([KeyboardInterrupt])

    def close_interrupted(descriptor: int) -> None:
        for interrupt in interrupts:
            raise interrupt
        close(descriptor)

    with pytest.raises(KeyboardInterrupt), Journal(tmp_path):
        monkeypatch.setattr(os, "close", close_interrupted)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
