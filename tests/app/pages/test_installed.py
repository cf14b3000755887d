"""What is installed, and why it cannot be chosen."""

from __future__ import annotations

from toolbox import DistinctLDiversity, KAnonymity
from toolbox.app.children.worker import _make_models
from toolbox.app.pages.protection import (
    describe,
    find_method_called,
    find_methods,
    find_models,
    find_refusal,
    list_parameters,
)
from toolbox.config.model import Requirement


class _Unnamed(KAnonymity):
    """One of somebody else."""

    summary = ""


def test_methods_are_found_by_any_of_their_names() -> None:
    assert list(find_methods())[:2] == ["Mondrian", "LocalRecoding"]
    found = find_method_called("INCOGNITO_k")
    assert found is not None and found.name == "Incognito"
    assert find_method_called("nothing") is None


def test_models_are_made_of_what_a_configuration_requires() -> None:
    asked = [
        Requirement(model="k-anonymity", parameters={"k": 5}),
        Requirement(model="distinct l-diversity", attribute="illness", parameters={"l": 3.0}),
    ]
    assert _make_models(asked) == [KAnonymity(k=5), DistinctLDiversity(l=3.0, attribute="illness")]


def test_parameters_know_what_may_be_written() -> None:
    (k,) = list_parameters(find_models()["k-anonymity"])
    t, distance = list_parameters(find_models()["t-closeness"])
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
    assert find_refusal(find_methods()["Mondrian"], required, ["age"]) == ""
    assert find_refusal(find_methods()["Datafly"], required, []) == ""
    assert find_refusal(find_methods()["Datafly"], required, ["age"]).startswith(
        "It needs a hierarchy for every quasi-identifier, and age has none."
    )
    assert "a, b, c, .. have none" in find_refusal(find_methods()["Flash"], required, ["a", "b", "c", "d"])
    diverse = [DistinctLDiversity(l=2, attribute="illness")]
    assert find_refusal(find_methods()["Datafly"], diverse, []) == "It cannot satisfy distinct l-diversity."
    assert describe(find_models()["k-anonymity"]) == "Everybody looks like at least k - 1 others."
    assert describe(_Unnamed) == "One of somebody else."
