"""The privacy models in words, and what they do not promise."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import rows, words
from helpers.small_reports import K_2, L_3

from toolbox.privacy.measures import MeasuredParameter
from toolbox.privacy.models.k_map import KMap
from toolbox.privacy.models.k_with_values import AlphaKAnonymity
from toolbox.privacy.models.l_diversity import EntropyLDiversity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.registry import list_installed_models
from toolbox.report.html.findings import UntoldModel
from toolbox.report.html.protection import render_limits, render_models


def test_each_required_model_has_what_it_achieves_and_a_sentence() -> None:
    _, k, diverse, *_ = rows(render_models(replace(INTERNAL, models=(K_2, L_3))))
    assert k[:4] == ["k-anonymity", "2", "2", "holds"]
    assert (
        k[4]
        == "Somebody who knows the quasi-identifiers of a person finds at least 2 records that could be that person's."
    )
    assert diverse[:4] == ["distinct l-diversity, illness", "3", "2", "does not hold"]


def test_what_holds_besides_is_told_without_what_is_required() -> None:
    assert rows(render_models(INTERNAL))[3:] == [
        ["(alpha,k)-anonymity, illness", "alpha", "0.5", "In no class does one value of illness have more than this share of the records: 0.5."],
    ]  # fmt: skip
    assert "basic beta-likeness, illness: there is a class that satisfies it with no parameter" in words(
        render_models(INTERNAL)
    )


def test_what_protects_nothing_does_not_stand_among_what_holds() -> None:
    alone = [
        MeasuredParameter(
            name="(alpha,k)-anonymity",
            attribute="illness",
            parameter="alpha",
            achieved=1.0,
            given={"k": 2},
            model=AlphaKAnonymity,
        ),
        MeasuredParameter(
            name="entropy l-diversity",
            attribute="illness",
            parameter="l",
            achieved=1.0000000001,
            model=EntropyLDiversity,
        ),
    ]
    said = words(render_models(replace(INTERNAL, measured=tuple(alone))))
    assert "What else holds" not in said
    assert "(alpha,k)-anonymity, illness: it holds with alpha = 1 alone, as in every table, which protects" in said
    assert "entropy l-diversity, illness: it holds with l = 1 alone" in said


def test_a_model_that_was_measured_several_times_shows_with_which_setting() -> None:
    far = [
        MeasuredParameter(
            name="t-closeness",
            attribute="pay",
            parameter="t",
            achieved=0.25,
            given={"distance": distance},
            model=TCloseness,
        )
        for distance in ("equal", "ordered")
    ]
    found = rows(render_models(replace(INTERNAL, measured=tuple(far))))[3:]
    assert [row[0] for row in found] == ["t-closeness, pay, distance = equal", "t-closeness, pay, distance = ordered"]


def test_a_model_without_a_figure_stays_among_the_required_ones() -> None:
    untold = (UntoldModel("k-map", None, {"k": 3000}, 3000),)
    row = ["k-map", "3,000", "-", "not told", "Required. It compares with a population, so this page shows no figure."]
    assert rows(render_models(replace(INTERNAL, models=(), untold=untold)))[1] == row


def test_large_figures_are_written_in_full() -> None:
    people = replace(K_2, name="k-map", achieved=45_220, model=KMap)
    assert "at least 45,220 people" in words(render_models(replace(INTERNAL, models=(people,))))


def test_where_nothing_is_required_that_is_said() -> None:
    assert "Nothing is required of this release." in words(render_models(replace(INTERNAL, models=(), measured=())))


def test_every_model_of_ours_has_a_sentence() -> None:
    for model in list_installed_models():
        found = replace(
            INTERNAL,
            measured=(MeasuredParameter(name=model.name, attribute="{s}", parameter="x", achieved=0.5, model=model),),
        )
        sentences = [row[3] for row in rows(render_models(found))[3:]]
        assert model.name == "k-anonymity" or "0.5" in sentences[0]


def test_what_is_not_promised_is_always_said_and_notes_only_inside() -> None:
    for findings in (INTERNAL, PUBLIC):
        assert "A class whose members all have the same sensitive value gives that value away" in words(
            render_limits(findings)
        )
    assert "Nobody declared visits." in words(render_limits(INTERNAL))
    assert "Notes" not in words(render_limits(PUBLIC))
