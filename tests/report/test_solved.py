"""Notes on classes whose statistics give their values back."""

from __future__ import annotations

from toolbox.report.solved import SolvedResult, solved_notes


def test_columns_whose_classes_keep_their_values_have_no_note() -> None:
    assert solved_notes([SolvedResult("age", classes=4, looked_at=3, solved=0)], k=2) == ()


def test_each_other_column_has_a_note_with_how_many_classes_give_their_values_back() -> None:
    columns = [
        SolvedResult("age", classes=3, looked_at=3, solved=1),
        SolvedResult("pay", classes=3400, looked_at=1200, solved=1100),
    ]
    said = "classes only one multiset of values fits the interval, the mean and the variance."
    assert solved_notes(columns, k=5) == (
        f"The statistics of age give values back: in 1 of 3 {said} statistics='rounded' leaves at least 5.",
        f"The statistics of pay give values back: in 1,100 of 1,200 {said} 2,200 larger classes were not tried. "
        "statistics='rounded' leaves at least 5.",
    )
