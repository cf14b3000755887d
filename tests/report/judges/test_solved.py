"""Advice on classes whose statistics give their values back."""

from __future__ import annotations

from toolbox.report.judges.risk import SolvedResult, advise_on_statistics


def test_each_column_whose_classes_give_their_values_back_is_told_with_how_many_do() -> None:
    columns = [
        SolvedResult("hours", classes=4, looked_at=3, solved=0),
        SolvedResult("age", classes=3, looked_at=3, solved=1),
        SolvedResult("pay", classes=3400, looked_at=1200, solved=1100),
    ]
    said = "classes only one multiset of values fits the interval, the mean and the variance."
    assert [advice.in_words() for advice in advise_on_statistics(columns, k=5)] == [
        f"The statistics of age give values back: in 1 of 3 {said} statistics='rounded' leaves at least 5.",
        f"The statistics of pay give values back: in 1,100 of 1,200 {said} 2,200 larger classes were not tried. "
        "statistics='rounded' leaves at least 5.",
    ]
