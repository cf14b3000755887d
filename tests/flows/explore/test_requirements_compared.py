"""Which requirements are compared: all combinations of k, l and t, beside what a configuration requires."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from toolbox.config.model import Attribute, Column, Config, Output, Requirement
from toolbox.errors import SettingError, UsageError
from toolbox.flows.explore.compare import ComparedRequirements
from toolbox.flows.session.variants import Declared
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_with_values import AlphaKAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity
from toolbox.privacy.models.t_closeness import TCloseness

DISTINCT = Requirement(model="distinct l-diversity", attribute="ill", parameters={"l": 2})
CLOSE = Requirement(model="t-closeness", attribute="ill", parameters={"t": 0.5})
K_4 = Requirement(model="k-anonymity", parameters={"k": 4})


def listed(
    *requirements: Requirement, sensitive: Sequence[str] = ("ill",), **compared: object
) -> list[tuple[PrivacyModel, ...]]:
    config = Config(
        source="c.xml",
        path=None,
        input=None,
        output=Output(path=None),
        quasi_identifiers=(),
        sensitive=tuple(Attribute(column=Column(index=None, name=name), kind=None) for name in sensitive),
        requirements=requirements,
    )
    declared = Declared(config=config, asks=bool(requirements), kinds={}, said=frozenset(), dates=())
    return ComparedRequirements(**compared).listed(declared)


def entropy(value: float, name: str = "ill") -> PrivacyModel:
    return EntropyLDiversity(l=value, attribute=name)


def test_without_a_configuration_each_combination_is_a_requirement() -> None:
    assert listed() == [(KAnonymity(k=10),)]
    assert listed(k=(3, 5, 3)) == [(KAnonymity(k=3),), (KAnonymity(k=5),)]
    assert listed(k=(3, 5), l=(2,), sensitive=["ill", "pay"]) == [
        (KAnonymity(k=3), entropy(2), entropy(2, "pay")),
        (KAnonymity(k=5), entropy(2), entropy(2, "pay")),
    ]
    assert listed(t=(0.1, 0.2)) == [(TCloseness(t=0.1, attribute="ill"),), (TCloseness(t=0.2, attribute="ill"),)]


def test_what_a_configuration_requires_stays_but_for_what_is_varied() -> None:
    distinct = DistinctLDiversity(l=2, attribute="ill")
    assert listed(K_4, DISTINCT) == [(KAnonymity(k=4), distinct)]
    assert listed(K_4, DISTINCT, k=(3, 5)) == [(KAnonymity(k=3), distinct), (KAnonymity(k=5), distinct)]
    assert listed(DISTINCT, k=(3,)) == [(KAnonymity(k=3), distinct)]
    assert listed(K_4, CLOSE, t=(0.1,)) == [(KAnonymity(k=4), TCloseness(t=0.1, attribute="ill"))]
    alpha = Requirement(model="(alpha,k)-anonymity", attribute="ill", parameters={"alpha": 0.5, "k": 2})
    assert listed(alpha, k=(3,)) == [(AlphaKAnonymity(alpha=0.5, k=3, attribute="ill"),)]


def test_lists_of_models_are_taken_as_they_are() -> None:
    lists = [[KAnonymity(k=2)], KAnonymity(k=3), [KAnonymity(k=2), entropy(2)]]
    assert listed(K_4, models=lists) == [(KAnonymity(k=2),), (KAnonymity(k=3),), (KAnonymity(k=2), entropy(2))]


@pytest.mark.parametrize(
    ("compared", "message"),
    [
        ({"k": (0,)}, "k is 0"),
        ({"l": ("two",)}, "l is two|l is 'two'"),
        (
            {"l": (2,), "sensitive": ()},
            "-l protects a sensitive attribute, and none is declared. Write --sensitive NAME",
        ),
        ({"k": (2,), "models": [[KAnonymity(k=2)]]}, "k= cannot be combined with models="),
        ({"models": [[3]]}, "which is no privacy model"),
        ({"models": [[entropy(2, "pay")]]}, "no column 'pay'"),
    ],
)
def test_what_is_none_is_refused(compared: dict[str, object], message: str) -> None:
    with pytest.raises((UsageError, SettingError), match=message):
        listed(**compared)
