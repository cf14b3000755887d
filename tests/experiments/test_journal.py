"""What is kept of a study: also after a run was killed in the middle of a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import OutputError
from toolbox.experiments.cells import Cell
from toolbox.experiments.journal import FILE, Journal
from toolbox.experiments.plan import DataSet, Wish
from toolbox.experiments.rows import row_of

ROW = row_of(Cell(DataSet(name="Übersee"), "Mondrian", Wish(k=2), 1, 7, ()), metric="NCP", value=0.5)


def test_what_was_added_is_known_to_the_next_run(tmp_path: Path) -> None:
    with Journal(tmp_path / "deep" / "er") as journal:
        journal.add({"a": [ROW], "b": []})
        journal.add({"c": [ROW], "d": [ROW, {**ROW, "status": "failed"}], "e": [{**ROW, "status": "not measured"}]})
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
