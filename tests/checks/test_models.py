"""The judges of the checks: each class judged in plain Python, by values worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, exp, log
from typing import ClassVar

import pytest

from toolbox.checks.promises import _satisfies
from toolbox.checks.tables import EXAMPLES, ILLNESS, STAGE, supported_models
from toolbox.errors import UsageError
from toolbox.methods.datafly import Datafly
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import FewColumnsKAnonymity, KAnonymity, KMAnonymity
from toolbox.privacy.models.k_with_values import AlphaKAnonymity, PSensitiveKAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.models.likeness import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from toolbox.privacy.models.release_risk import AverageRisk, PopulationUniqueness, SampleUniqueness
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.registry import list_installed_models

SALARIES = [3, 4, 5, 6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize(
    ("model", "members", "expected"),
    [
        (KAnonymity(k=3), "aab", True),
        (KAnonymity(k=3), "ab", False),
        (DistinctLDiversity(l=2, attribute=ILLNESS), "aab", True),
        (DistinctLDiversity(l=3, attribute=ILLNESS), "aab", False),
        (EntropyLDiversity(l=3, attribute=ILLNESS), "abc", True),
        (EntropyLDiversity(l=3, attribute=ILLNESS), "aabbcc", True),
        (EntropyLDiversity(l=2.83, attribute=ILLNESS), "aabc", False),  # 2 * sqrt(2) = 2.828..
        (EntropyLDiversity(l=2.82, attribute=ILLNESS), "aabc", True),
        (EntropyLDiversity(l=1.5, attribute=ILLNESS), "aaaa", False),
        (RecursiveLDiversity(c=1, l=2, attribute=ILLNESS), "aabb", False),  # 2 < 1 * 2 is not
        (RecursiveLDiversity(c=1.5, l=2, attribute=ILLNESS), "aabb", True),
        (RecursiveLDiversity(c=2, l=2, attribute=ILLNESS), "aaab", False),
        (RecursiveLDiversity(c=4, l=2, attribute=ILLNESS), "aaab", True),
        (RecursiveLDiversity(c=9, l=3, attribute=ILLNESS), "aab", False),  # only two values
        (RecursiveLDiversity(c=2, l=1, attribute=ILLNESS), "aaaa", True),
        (AlphaKAnonymity(alpha=0.5, k=2, attribute=ILLNESS), "ab", True),
        (AlphaKAnonymity(alpha=0.5, k=3, attribute=ILLNESS), "ab", False),
        (AlphaKAnonymity(alpha=0.5, k=3, attribute=ILLNESS), "aab", False),
        (PSensitiveKAnonymity(p=2, k=3, attribute=ILLNESS), "aab", True),
        (PSensitiveKAnonymity(p=2, k=3, attribute=ILLNESS), "ab", False),
        (PSensitiveKAnonymity(p=2, k=3, attribute=ILLNESS), "aaa", False),
    ],
)
def test_a_class_is_judged_by_its_members(model: PrivacyModel, members: str, expected: bool) -> None:
    assert _satisfies(model, list(members), list(members)) is expected


@pytest.mark.parametrize(
    ("members", "distance"),
    [([3, 4, 5], 0.375), ([6, 8, 11], 1 / 6), (SALARIES, 0.0)],
)
def test_the_ordered_distance_is_that_of_the_paper(members: list[int], distance: float) -> None:
    for t, expected in ((distance + 1e-6, True), (distance - 1e-6, False)):
        if 0 < t < 1:
            assert _satisfies(TCloseness(t=t, attribute=STAGE), members, SALARIES) is expected
            by_name = TCloseness(t=t, attribute="salary", distance="ordered")
            assert _satisfies(by_name, members, SALARIES) is expected


@pytest.mark.parametrize(("members", "distance"), [("aa", 0.5), ("ab", 0.25), ("aabc", 0.0), ("c", 0.75)])
def test_the_equal_distance_is_half_the_differences_of_shares(members: str, distance: float) -> None:
    for t, expected in ((distance + 1e-6, True), (distance - 1e-6, False)):
        if 0 < t < 1:
            assert _satisfies(TCloseness(t=t, attribute=ILLNESS), list(members), list("aabc")) is expected


@pytest.mark.parametrize(
    ("model", "members", "expected"),
    [
        # of aabc half are a: in aab 4/3 as many, and b too; c is absent
        (DeltaDisclosure(delta=9, attribute=ILLNESS), "aab", False),
        (DeltaDisclosure(delta=0.3, attribute=ILLNESS, absent="ignored"), "aab", True),
        (DeltaDisclosure(delta=0.28, attribute=ILLNESS, absent="ignored"), "aab", False),  # ln 4/3 = 0.2877
        (DeltaDisclosure(delta=0.01, attribute=ILLNESS), "abca", True),
        (BasicBetaLikeness(beta=0.34, attribute=ILLNESS), "aab", True),
        (BasicBetaLikeness(beta=0.33, attribute=ILLNESS), "aab", False),
        # alone, b gains 3; -ln 1/4 = 1.386 is all that it may gain. Of two, it gains 1, which is all that beta allows
        (EnhancedBetaLikeness(beta=9, attribute=ILLNESS), "b", False),
        (EnhancedBetaLikeness(beta=9, attribute=ILLNESS), "bc", True),
        (EnhancedBetaLikeness(beta=0.9, attribute=ILLNESS), "bc", False),
        # alone, a gains 1; it may gain -ln 1/2 = 0.69
        (EnhancedBetaLikeness(beta=9, attribute=ILLNESS), "a", False),
    ],
)
def test_a_class_is_compared_with_the_table(model: PrivacyModel, members: str, expected: bool) -> None:
    assert _satisfies(model, list(members), list("aabc")) is expected


def test_equality_satisfies_in_spite_of_rounding() -> None:
    assert _satisfies(EntropyLDiversity(l=exp(log(7)), attribute=ILLNESS), list("abcdefg"), list("abcdefg"))
    assert _satisfies(TCloseness(t=0.375, attribute=STAGE), [3, 4, 5], SALARIES)
    assert _satisfies(EntropyLDiversity(l=e, attribute=ILLNESS), list("abc"), list("abc"))


@dataclass(frozen=True, kw_only=True)
class Unknown(KAnonymity):
    """A model that nobody here knows."""

    name: ClassVar[str] = "unknown"


def test_a_model_of_somebody_else_is_not_judged_here() -> None:
    assert _satisfies(Unknown(k=3), [1], [1]) is None


def test_there_is_an_example_of_every_model_of_ours() -> None:
    ours = {
        model
        for model in list_installed_models()
        if model.__module__.startswith("toolbox.")
        and not model.needs_population  # which tests/contract/test_populations.py tries
    }
    assert {type(model) for models in EXAMPLES for model in models} == ours


def test_the_examples_that_a_method_supports_are_chosen() -> None:
    of_classes = [(KAnonymity(k=3),), (FewColumnsKAnonymity(k=3, any="1"),), (KMAnonymity(k=3, m=2),)]
    of_release = [(AverageRisk(0.3),), (SampleUniqueness(0.1),), (PopulationUniqueness(0.05, fraction=0.2),)]
    assert supported_models(Datafly) == [*of_classes, *of_release]
    assert (KAnonymity(k=3),) in supported_models(Mondrian)


class Aloof(Datafly):
    """A method that honours nothing."""

    name = "Aloof"

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return False


def test_a_method_without_any_supported_model_must_say_which_to_try() -> None:
    with pytest.raises(UsageError, match=r"Aloof supports none of .*k-anonymity.*Say which models to try: models="):
        supported_models(Aloof)
