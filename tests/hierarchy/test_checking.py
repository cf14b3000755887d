"""The check of a hierarchy that can be read: what its author did not mean."""

from __future__ import annotations

import pytest
from helpers.outlines import outline_of

from toolbox.hierarchy.checking import Coverage, list_outline_findings
from toolbox.hierarchy.outline import Outline
from toolbox.messages import show, speak


def found(outline: Outline, **options: object) -> list[tuple[str, int, str, bool]]:
    return [
        (finding.kind, finding.line, finding.text, finding.is_fault)
        for finding in list_outline_findings(outline, **options)  # type: ignore[arg-type]
    ]


def test_nothing_is_said_of_a_hierarchy_as_it_should_be() -> None:
    tree = outline_of("20 20-24 20-29", "24 20-24 20-29", "25 25-29 20-29", "30 30-34 30-39", "31 30-34 30-39")
    assert found(tree) == []


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["a a x", "b b x", "c c y"], "Level 1 changes nothing: it is as level 0. Leave it out."),
        (["a A x", "b B x", "c C y"], "Level 1 joins nothing: each of its 3 labels stands for one value."),
        (
            ["a p P x", "b p P x", "c q Q y", "e r R y"],
            "Level 2 joins nothing: each of its 3 labels stands for one label of level 1.",
        ),
        (["a p all *", "b p all *", "c q all *"], "Level 3 has one label, as level 2 has. Leave one out."),
    ],
)
def test_a_level_that_joins_nothing_is_told(rows: list[str], said: str) -> None:
    assert ("level", 0, said, False) in found(outline_of(*rows))


def test_a_root_alone_is_told() -> None:
    text = "There is no level below the root '*': values stay, or are suppressed."
    assert found(outline_of("a *", "b *")) == [("root", 0, text, False)]


def test_leaves_at_unequal_depth_are_told_with_the_methods_that_refuse_them() -> None:
    deep = Outline("a", (Outline("b", values=("1", "2"), line=2),))
    tree = Outline("*", (deep, Outline("c", values=("3", "4"), line=3)))
    assert found(tree, full_domain=["Datafly", "Incognito"]) == [
        (
            "depth",
            3,
            "The label 'c' has values directly below, others have labels there. "
            "Methods that generalise whole columns refuse that: Datafly, Incognito.",
            False,
        )
    ]


def test_a_label_of_two_meanings_is_told_once() -> None:
    tree = outline_of("Aosta Aosta Italy", "Arnad Aosta Italy", "Bard Ivrea Aosta", "Fiano Turin Aosta")
    texts = [text for kind, _, text, _ in found(tree) if kind == "label"]
    assert texts == ["The label 'Aosta' stands for different values on two levels. Give one another name."]


def test_a_value_that_is_the_label_of_others_is_told_unless_values_are_nobodys_business() -> None:
    tree = outline_of("Aosta Aosta", "Arnad Aosta", "Bard Turin", "Ivrea Turin")
    text = "'Aosta' is a value, and a label of others: a release does not tell which it shows. Give the label another name."
    assert found(tree) == [("label", 1, text, False)]
    assert found(tree, quotes_values=False) == []


def test_a_label_of_one_value_alone_or_on_several_levels_means_one_thing() -> None:
    tree = outline_of("Wien Wien Wien", "Graz Styria Austria", "Leoben Styria Austria", "Linz Upper Austria")
    assert [kind for kind, *_ in found(tree)] == []


def test_blanks_at_the_ends_are_told_for_labels_by_name_and_for_values_by_number() -> None:
    tree = outline_of(["a ", "x"], ["b", "x"], [" c", "y "])
    assert [text for kind, _, text, _ in found(tree) if kind == "blank"] == [
        "2 values begin or end with a blank, and are another value without it.",
        "The label 'y ' begins or ends with a blank.",
    ]


def test_each_finding_is_said_in_the_language_of_whoever_looks() -> None:
    (remark,) = list_outline_findings(outline_of("a A x", "b B x", "c C y"))
    assert remark.text == "Level 1 joins nothing: each of its 3 labels stands for one value."
    covered = Coverage({}, {"Graz": 2, "Wien": 1}, unused=1, nearly=1).findings(shows_values=True)
    with speak("de"):
        assert show(remark.text) == "Stufe 1 fasst nichts zusammen: Jede ihrer 3 Bezeichnungen steht für einen Wert."
        assert [show(one.text) for one in covered] == [
            "In der Hierarchie fehlt etwas: 2 Werte in 3 Datensätzen. Mit anderer Groß- und Kleinschreibung oder ohne "
            "Leerzeichen am Rand hat sie davon 1. Es sind: 'Graz', 'Wien'.",
            "1 Wert der Hierarchie kommt in den Daten nicht vor.",
        ]
