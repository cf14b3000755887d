"""What is advised on the classes of a release, written out."""

from __future__ import annotations

from dataclasses import replace

from helpers.small_reports import K_2, L_3, RISK

from toolbox.privacy.measures import MeasuredParameter
from toolbox.report.advice import advise_on_certain, advise_on_classes, advise_on_consistency, advise_on_models
from toolbox.risks.coarser import BelowK, Coarser
from toolbox.risks.risk import CertainValues

AGE, ZIP, SEX = Coarser("age", False, 30), Coarser("zip", False, 12), Coarser("sex", True, 0)
BELOW = BelowK(k=5, records=40, of=1000, coarser=(AGE, ZIP, SEX))


def said(below: BelowK | None) -> list[str]:
    return [advice.in_words() for advice in advise_on_classes(below)]


def test_the_level_that_helps_most_is_named_with_what_it_leaves() -> None:
    assert said(BELOW) == [
        "40 records are in classes of fewer than k = 5. Raise zip by one level of its hierarchy, the column that helps "
        "most, or suppress these 40. With zip raised, 12 records are left in such classes."
    ]


def test_a_column_is_left_out_where_no_level_helps_and_many_records_are_not_suppressed() -> None:
    assert said(BelowK(k=2, records=60, of=1000, coarser=(replace_records(AGE, 60), SEX))) == [
        "60 records are alone in their class. Leave sex out, the column that helps most. With sex left out, no record is "
        "left in such classes."
    ]


def replace_records(coarser: Coarser, records: int) -> Coarser:
    return coarser._replace(records=records)


def test_where_no_column_alone_helps_nothing_is_promised() -> None:
    found = BelowK(k=5, records=1, of=1000, coarser=(replace_records(AGE, 1),))
    (advice,) = advise_on_classes(found)
    assert advice.in_words() == (
        "1 record is in classes of fewer than k = 5. Suppress it, or make several columns coarser at once: no column "
        "alone is enough."
    )
    assert advice.effect is None


def test_a_k_that_is_larger_than_the_release_is_told_as_such() -> None:
    assert said(BelowK(k=50, records=20, of=20, coarser=(replace_records(AGE, 20),))) == [
        "20 records are in classes of fewer than k = 50. No class can be that large: the release has 20 records. Ask "
        "for a smaller k."
    ]


def test_a_required_model_that_does_not_hold_and_a_value_that_a_class_gives_away() -> None:
    assert [advice.in_words() for advice in advise_on_models((K_2, L_3), ())] == [
        "distinct l-diversity of illness is required with 3, and 2 is achieved. Do not publish this release. Make it "
        "again with this model among those that are required."
    ]
    uniform = MeasuredParameter(name="distinct l-diversity", attribute="illness", parameter="l", achieved=1)
    assert [advice.in_words() for advice in advise_on_models((K_2,), (uniform,))] == [
        "A class has one value of illness in all of its records. Require l-diversity of illness, such as "
        "distinct l-diversity with l = 2. Every class then has at least two values of it."
    ]
    assert list(advise_on_models((L_3,), (uniform,)))[1:] == []
    (nothing,) = advise_on_models((replace(K_2, achieved=None, holds=False),), ())
    assert nothing.finding == "k-anonymity is required with 2, and no value of it holds."


def test_people_whose_value_is_certain_by_their_class() -> None:
    (advice,) = advise_on_certain((CertainValues("illness", 2), CertainValues("income", 0)))
    assert advice.finding == "illness is certain of 2 people, whose class has one value of it."


def test_people_whom_few_records_fit() -> None:
    (advice,) = advise_on_consistency(RISK.consistency)
    assert advice.in_words() == (
        "1 of 5 people has fewer than k = 3 released records that could be theirs. Use a method that makes classes of k "
        "records: Mondrian, Datafly and LocalRecoding do. Everybody then fits at least k of them."
    )


def test_where_nothing_is_found_nothing_is_advised() -> None:
    assert RISK.consistency is not None
    safe = replace(RISK.consistency, below_k=0)
    varied = MeasuredParameter(name="distinct l-diversity", attribute="illness", parameter="l", achieved=2)
    found = (
        *advise_on_classes(None),
        *advise_on_models((K_2,), (varied,)),
        *advise_on_consistency(safe),
        *advise_on_consistency(None),
    )
    assert (*found, *advise_on_certain((CertainValues("illness", 0),))) == ()
