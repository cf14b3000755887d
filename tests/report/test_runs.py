"""What is advised on what a run has written."""

from __future__ import annotations

from toolbox.messages import is_asked_in_python, name_python_arguments
from toolbox.report.advice import advise_on_few_suppressed, advise_on_nothing_left, advise_on_order


def test_an_order_that_joins_releases_is_told() -> None:
    assert list(advise_on_order(False)) == []
    (advice,) = advise_on_order(True)
    assert (advice.severity, advice.remedy) == ("medium", "order='shuffled' keeps no order.")


def test_few_suppressed_records_stand_out_where_they_are_shown() -> None:
    assert [*advise_on_few_suppressed(2, 5, are_shown=False), *advise_on_few_suppressed(5, 5, are_shown=True)] == []
    assert [advice.in_words() for advice in advise_on_few_suppressed(1, 2, are_shown=True)] == [
        "Only 1 suppressed record is in the release, fewer than k = 2. Somebody who knows that a person is in the table, "
        "and in no class, can point at it. suppressed='drop' leaves it out."
    ]


def test_a_release_that_shows_nothing_is_told_in_the_words_of_whoever_asked() -> None:
    assert list(advise_on_nothing_left(3, in_python=False)) == []
    assert [advice.remedy for advice in advise_on_nothing_left(0, in_python=False)] == ["Lower suppThreshold or k."]
    with name_python_arguments():
        asked = is_asked_in_python()
    assert [advice.remedy for advice in advise_on_nothing_left(0, in_python=asked)] == [
        "Lower suppression_threshold or k."
    ]
