"""What a run of a session does: as it was opened, but for what the run says."""

from __future__ import annotations

from typing import Any

import pytest

import toolbox
from toolbox.config.model import Attribute, Column, Config, Input, Output, QuasiIdentifier, Requirement
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.checks import TABLE
from toolbox.flows.session.variants import Declared, RunRequest, choose_columns, make_run_request
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_with_values import AlphaKAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity

AGE = QuasiIdentifier(column=Column(index=3, name="age"), kind="number", priority=2, weight=0.5)
TOWN = QuasiIdentifier(column=Column(index=None, name="town"), kind="category")
ILL = Attribute(column=Column(index=None, name="ill"), kind="category")
CONFIG = Config(
    source="c.xml",
    path=None,
    method="Mondrian",
    settings={"dimension": "distinct"},
    requirements=(
        Requirement(model="k-anonymity", parameters={"k": 4}),
        Requirement(model="distinct l-diversity", attribute="ill", parameters={"l": 2}),
    ),
    k=4,
    input=Input(path=TABLE),
    output=Output(path=None),
    quasi_identifiers=(AGE, TOWN),
    sensitive=(ILL,),
)
DIVERSE = DistinctLDiversity(l=2, attribute="ill")


def asked(asks: bool = True, quasi_identifiers: Any = (), hierarchies: Any = None, **said: Any) -> RunRequest:
    columns = ColumnArguments(quasi_identifiers, (), (), hierarchies or {}, {}, {}, {})
    declared = Declared(config=CONFIG, asks=asks, kinds={"age": "number"}, said=frozenset({"age"}), dates=())
    return make_run_request(declared, AnonymizeArguments.of_nothing(columns, "run", **said))


def test_a_run_that_says_nothing_is_that_of_the_configuration() -> None:
    run = asked()
    assert run.models == (KAnonymity(k=4), DIVERSE)
    assert (run.config.k, run.config.settings, run.config.quasi_identifiers) == (4, CONFIG.settings, (AGE, TOWN))
    assert [requirement.model for requirement in run.config.requirements] == ["k-anonymity", "distinct l-diversity"]


@pytest.mark.parametrize(
    ("said", "models", "k"),
    [
        ({"k": 2}, (KAnonymity(k=2), DIVERSE), 2),
        ({"models": (KAnonymity(k=3),)}, (KAnonymity(k=3),), 3),
        ({"models": (AlphaKAnonymity(alpha=0.5, k=7, attribute="ill"),)}, None, 7),
        ({"method": "Incognito_l", "l": 2}, (KAnonymity(k=4), EntropyLDiversity(l=2, attribute="ill")), 4),
    ],
)
def test_models_are_those_of_the_configuration_until_a_run_names_others(
    said: dict[str, Any], models: tuple[toolbox.PrivacyModel, ...] | None, k: int
) -> None:
    if said.get("method"):
        said = {**said, "hierarchies": {"age": [["1", "*"]], "town": {"a": "*"}}}
    run = asked(**said)
    assert run.models == (said["models"] if models is None else models)
    assert run.config.k == k


def test_a_table_asks_for_what_anonymize_would() -> None:
    assert asked(asks=False).models == (KAnonymity(k=10),)
    assert asked(asks=False, k=3).models == (KAnonymity(k=3),)
    assert asked(asks=False, k=3).config.requirements == ()


def test_settings_that_another_method_does_not_know_are_left_out() -> None:
    assert asked(method="mondrian", settings={"cut": "classic"}).config.settings == {
        "dimension": "distinct",
        "cut": "classic",
    }
    assert asked(method="LocalRecoding").config.settings == {}


def test_the_chosen_columns_keep_what_was_declared_but_for_their_hierarchies() -> None:
    (town, age) = asked(
        quasi_identifiers=["town", "age"], hierarchies={"age": [["1", "0-9", "*"]]}
    ).config.quasi_identifiers
    assert town is TOWN
    assert (age.column, age.priority, age.weight, age.hierarchy.height) == (AGE.column, 2, 0.5, 2)
    (bare,) = asked(quasi_identifiers=["age"], hierarchies={"age": None}).config.quasi_identifiers
    assert (bare.hierarchy, bare.kind) == (None, "number")
    seen = Declared(config=CONFIG, asks=True, kinds={"age": "number"}, said=frozenset(), dates=())
    (built, _) = choose_columns(seen, [], {"age": "auto"})
    assert built.kind == "number"
    assert asked(hierarchies={"ill": {"flu": "*"}}).config.sensitive[0].hierarchy.height == 1


def test_whole_columns_need_hierarchies_wherever_they_are_declared() -> None:
    with pytest.raises(
        toolbox.UsageError, match=r"for 'age', 'town'\. Declare it, as a <vgh> or by --hierarchy, or use"
    ):
        asked(method="Datafly")


def test_dates_are_generalised_by_methods_that_climb() -> None:
    nothing = ColumnArguments((), (), (), {}, {}, {}, {})
    climbs = AnonymizeArguments.of_nothing(nothing, "run", method="LocalRecoding")
    for dates, periods in (((), ()), (("town",), ("day", "month", "year", "decade"))):
        declared = Declared(config=CONFIG, asks=True, kinds={}, said=frozenset(), dates=dates)
        assert make_run_request(declared, climbs).config.periods == periods


class Homemade(KAnonymity):
    name = "homemade"


def test_a_configuration_cannot_list_a_model_that_is_not_installed() -> None:
    with pytest.raises(toolbox.UsageError, match="Homemade is none"):
        asked(models=(Homemade(k=2),))
    assert asked(asks=False, models=(Homemade(k=2),)).models == (Homemade(k=2),)
