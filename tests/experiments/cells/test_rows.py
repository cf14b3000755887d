"""The rows of the long table."""

from __future__ import annotations

from toolbox.experiments.cells.rows import COLUMNS, ORIGINAL, Cell, Task, make_failed_row, make_row
from toolbox.experiments.plan.plan import DataSet, Wish

CELL = Cell(DataSet(name="people"), "Mondrian", Wish(k=2), 3, 7, ())


def test_a_row_says_which_cell_it_is_of_and_leaves_nothing_out() -> None:
    row = make_row(CELL, kind="loss", metric="NCP", value=0.5)
    assert tuple(row) == COLUMNS
    assert (row["data"], row["method"], row["required"], row["k"]) == ("people", "Mondrian", "k=2", 2)
    assert (row["repetition"], row["seed"], row["value"], row["status"], row["split"]) == (3, 7, 0.5, "done", None)
    assert make_row(Cell(CELL.data, ORIGINAL, Wish(), 1, 7, ()))["required"] == ""


def test_what_failed_says_what_it_was() -> None:
    for task, expected in (
        (Task("run"), ("size", "", "")),
        # As where it is measured.
        (Task("loss", "NCP"), ("loss", "normalised certainty penalty", "")),
        (Task("loss", "toolbox.loss.cells:Precision"), ("loss", "precision", "")),
        (Task("loss", "gone:Gone"), ("loss", "gone:Gone", "")),
        (Task("learn", "decision tree"), ("utility", "", "decision tree")),
    ):
        row = make_failed_row(CELL, task, "no")
        assert (row["kind"], row["metric"], row["learner"]) == expected
        assert (row["status"], row["reason"], row["value"]) == ("failed", "no", None)
