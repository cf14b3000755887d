"""What is asked by a description or by a configuration."""

from __future__ import annotations

import pytest

from toolbox.config.model import Column, Config, Output, QuasiIdentifier
from toolbox.errors import UsageError
from toolbox.flows.arguments.checks import Reading
from toolbox.flows.judge.question import TableDescription, make_described_question, make_question
from toolbox.privacy.models.k_anonymity import KAnonymity

CONFIG = Config(
    source="c.xml",
    path=None,
    input=None,
    output=Output(path=None),
    quasi_identifiers=(QuasiIdentifier(column=Column(index=None, name="age"), kind=None),),
)


def test_k_is_the_largest_that_is_required() -> None:
    models = [KAnonymity(k=3), KAnonymity(k=7)]
    assert (
        make_described_question("test", TableDescription(quasi_identifiers=["age"], models=models)).smallest_class == 7
    )
    assert make_described_question("test", TableDescription(quasi_identifiers=["age"])).smallest_class is None


def test_weights_of_unknown_columns_are_an_error() -> None:
    with pytest.raises(UsageError, match="twon"):
        make_described_question("test", TableDescription(quasi_identifiers=["town"], weights={"twon": 2}))


def test_a_configuration_and_a_description_contradict_each_other() -> None:
    description = TableDescription(kinds={"age": "number"}, reading=Reading(separator=";"))
    assert description.said == ["kinds", "separator"]
    with pytest.raises(UsageError, match="so kinds= cannot be combined with it"):
        make_question("check()", CONFIG, description, None)


def test_arguments_that_say_nothing_are_none_and_have_a_place_beside_a_configuration() -> None:
    nothing = dict.fromkeys(("quasi_identifiers", "sensitive", "hierarchies", "kinds", "weights", "models"))
    assert TableDescription(**nothing).said == []  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="models is 5; write a list of models"):
        TableDescription(models=5)  # type: ignore[arg-type]


def test_limits_may_stand_beside_a_configuration() -> None:
    question = make_question("check()", CONFIG, TableDescription(), "2GB")
    assert question.config.limits.memory == "2GB"
    assert not question.by_name
