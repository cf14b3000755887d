"""What is installed, and why it cannot be chosen."""

from __future__ import annotations

from toolbox import DistinctLDiversity, KAnonymity
from toolbox.app.pages.protection import method_called, methods, models, models_of, parameters_of, refusal, sentence
from toolbox.config.model import Requirement


def test_methods_are_found_by_any_of_their_names() -> None:
    assert list(methods())[:2] == ["Mondrian", "LocalRecoding"]
    found = method_called("INCOGNITO_k")
    assert found is not None and found.name == "Incognito"
    assert method_called("nothing") is None


def test_models_are_made_of_what_a_configuration_requires() -> None:
    asked = [
        Requirement(model="k-anonymity", parameters={"k": 5}),
        Requirement(model="distinct l-diversity", attribute="illness", parameters={"l": 3.0}),
    ]
    assert models_of(asked) == [KAnonymity(k=5), DistinctLDiversity(l=3.0, attribute="illness")]


def test_parameters_know_what_may_be_written() -> None:
    (k,) = parameters_of(models()["k-anonymity"])
    t, distance = parameters_of(models()["t-closeness"])
    assert [k.fault(text) for text in ("5", "", "5.5", "five")] == [
        "",
        "k is missing. Write a number.",
        "k is not a whole number. Write one, such as 5.",
        "k is not a whole number. Write one, such as 5.",
    ]
    assert (t.fault("0.2"), t.fault("x")) == ("", "t is not a number. Write one, such as 0.2.")
    assert (distance.default, distance.is_needed, distance.fault("")) == ("auto", False, "")


def test_a_method_that_cannot_be_chosen_says_why() -> None:
    required = [KAnonymity(k=5)]
    assert refusal(methods()["Mondrian"], required, ["age"]) == ""
    assert refusal(methods()["Datafly"], required, []) == ""
    assert refusal(methods()["Datafly"], required, ["age"]).startswith(
        "It needs a hierarchy for every quasi-identifier, and age has none."
    )
    assert "a, b, c, .. have none" in refusal(methods()["Flash"], required, ["a", "b", "c", "d"])
    diverse = [DistinctLDiversity(l=2, attribute="illness")]
    assert refusal(methods()["Datafly"], diverse, []).startswith("Datafly cannot honour distinct l-diversity")
    assert sentence(models()["k-anonymity"]) == "Every equivalence class has at least k records."
