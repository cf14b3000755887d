"""What is advised on values: those that statistics give back, that classes tell, and that a method gives away."""

from __future__ import annotations

from dataclasses import replace

from helpers.learned_values import ILLNESS
from helpers.solved_statistics import FOUND, TOWN

from toolbox.report.advice import Minimality, advise_on_minimality
from toolbox.report.judges.inferences import advise_on_beliefs, advise_on_disclosed, advise_on_sensitive
from toolbox.risks.figures import StatisticsRisk
from toolbox.risks.sensitive import SensitiveRisk, Similarity


def said(*found: SensitiveRisk) -> list[str]:
    return [advice.in_words() for advice in advise_on_sensitive(found)]


def test_cells_that_are_given_back() -> None:
    (advice,) = advise_on_disclosed(FOUND)
    assert advice.in_words() == (
        "Statistics give back 10 cells (25.0%) of age: only one multiset of values fits the class. "
        "statistics='rounded' leaves several, and outputFormat='genVals' releases none."
    )
    (advice,) = advise_on_disclosed(FOUND, in_python=True)
    assert "output_format='genVals' releases" in advice.remedy


def test_values_that_are_certain_believed_or_alike() -> None:
    assert said(ILLNESS) == [
        "illness is certain of 2 people, whose class has one value of it. Require l-diversity of illness, such as distinct "
        "l-diversity with l = 2. Every class then has at least two values of it.",
        "illness is known in part of 2 more people: the values of their class differ, and are all below one node of "
        "level 1 of the hierarchy. t-closeness with distance='hierarchical' limits that.",
    ]
    one = Similarity(levels=((0, 1), (1, 2)), narrow=())
    certain, believed, alike = said(replace(ILLNESS, certain=1, similarity=one))
    assert certain.startswith("illness is certain of 1 person, whose")
    assert believed == (
        "One value of illness is believed more strongly than 0.9 of 1 more person. Entropy l-diversity and t-closeness "
        "limit that."
    )
    assert [advice.in_words() for advice in advise_on_beliefs([replace(ILLNESS, certain=1, similarity=one)])] == [
        believed,
        alike,
    ]
    assert alike.startswith("illness is known in part of 1 more person: ")
    narrow = Similarity(levels=(), narrow=((0.05, 1), (0.1, 6)))
    assert said(replace(ILLNESS, similarity=narrow))[1:] == [
        "illness is nearly known of 1 more person: the numbers of their class differ, and lie in an interval that holds "
        "at most 5% of all records. t-closeness limits that."
    ]


def test_a_value_that_all_persons_of_a_class_have_besides_others() -> None:
    shared = replace(ILLNESS, certain=0, shared=2, similarity=None)
    assert said(shared) == [
        "All persons in the class of 2 people share one value of illness, beside others. (alpha,k)-anonymity limits "
        "that."
    ]


def test_a_method_that_stops_is_told_with_what_its_models_ask() -> None:
    (advice,) = advise_on_minimality(Minimality(method="OLA", models=("distinct l-diversity (l=2) of illness",)))
    assert advice.finding.startswith("OLA generalises only as much as the models require")
    assert advice.remedy == "Stricter parameters leave room for that."


def test_where_nothing_is_found_nothing_is_advised() -> None:
    nothing = replace(ILLNESS, certain=0, believed_above=((0.5, 0), (0.9, 0)))
    levels = [((), ((0.05, 0), (0.1, 2))), (((0, 2), (1, 2)), ()), (((0, 2),), ())]
    alike = [None, *(Similarity(levels=level, narrow=narrow) for level, narrow in levels)]
    assert [said(replace(nothing, similarity=similarity)) for similarity in alike] == [[]] * 4
    assert [
        *advise_on_disclosed(StatisticsRisk(columns=(TOWN,))),
        *advise_on_minimality(None),
    ] == []
