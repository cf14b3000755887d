"""What is advised on what a run has written."""

from __future__ import annotations

from dataclasses import replace

from helpers.small_summary import PROOF

from toolbox.messages import is_asked_in_python, name_python_arguments
from toolbox.privacy.proof.proof import ProvedPersons
from toolbox.report.advice import advise_on_few_suppressed, advise_on_nothing_left, advise_on_order


def test_an_order_that_joins_releases_is_told() -> None:
    assert list(advise_on_order(False)) == []
    (advice,) = advise_on_order(True)
    assert (advice.severity, advice.remedy) == ("medium", "order='shuffled' keeps no order.")


def test_few_suppressed_records_stand_out_where_they_are_shown() -> None:
    two, five = replace(PROOF, records_suppressed=2), replace(PROOF, records_suppressed=5)
    assert [
        *advise_on_few_suppressed(two, 5, are_shown=False),
        *advise_on_few_suppressed(five, 5, are_shown=True),
    ] == []
    one = replace(PROOF, records_suppressed=1)
    assert [advice.in_words() for advice in advise_on_few_suppressed(one, 2, are_shown=True)] == [
        "Only 1 suppressed record is in the release, fewer than k = 2. Somebody who knows that a person is in the table, "
        "and in no class, can point at it. suppressed='drop' leaves it out."
    ]


def test_many_suppressed_records_of_few_persons_stand_out_as_well() -> None:
    proved = {"count": 13, "suppressed_wholly": 0, "suppressed_by": "row", "lacking": 0}
    one, three = (ProvedPersons(column="pid", suppressed=count, **proved) for count in (1, 3))
    proof = replace(PROOF, records_suppressed=5, persons=one)
    assert [advice.in_words() for advice in advise_on_few_suppressed(proof, 3, are_shown=True)] == [
        "The suppressed records in the release are of only 1 person, fewer than k = 3. Somebody who knows that a person "
        "is in the table, and in no class, can point at them. suppressed='drop' leaves them out."
    ]
    assert list(advise_on_few_suppressed(replace(proof, persons=three), 3, are_shown=True)) == []


def test_a_release_that_shows_nothing_is_told_in_the_words_of_whoever_asked() -> None:
    assert list(advise_on_nothing_left(3, in_python=False)) == []
    assert [advice.remedy for advice in advise_on_nothing_left(0, in_python=False)] == ["Lower suppThreshold or k."]
    with name_python_arguments():
        asked = is_asked_in_python()
    assert [advice.remedy for advice in advise_on_nothing_left(0, in_python=asked)] == [
        "Lower suppression_threshold or k."
    ]
