"""From the arguments of a call to a configuration."""

from __future__ import annotations

from typing import Any

import pytest

from toolbox.config.formats import FORMATS
from toolbox.config.model import Limits, Requirement
from toolbox.errors import SettingError, UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments, describe
from toolbox.methods.datafly import Datafly
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity

AGES = [(21, "twenties", "*"), (34, "thirties", "*")]
NEVER_SILENT = ("columns", "models", "settings", "call")
SILENT: dict[str, Any] = {name: None for name in AnonymizeArguments.__dataclass_fields__ if name not in NEVER_SILENT}


def arguments(*names: object, columns: dict[str, Any] | None = None, **said: Any) -> AnonymizeArguments:
    """Say something of some columns, and nothing else."""
    usual: dict[str, Any] = {name: {} for name in ("hierarchies", "kinds", "priorities", "weights")}
    described = ColumnArguments(
        **{**usual, "sensitive": (), "identifiers": (), **(columns or {}), "quasi_identifiers": names}
    )
    return AnonymizeArguments(**{**SILENT, "columns": described, "models": (), "settings": {}, **said})


def test_what_is_not_said_has_its_default() -> None:
    config = describe(arguments("age"))
    assert (config.source, config.method, config.k, config.seed) == ("anonymize()", "Mondrian", 10, None)
    assert config.requirements == (Requirement(model="k-anonymity", parameters={"k": 10}),)
    output = config.output
    assert (output.format, output.order, output.suppressed, output.statistics) == (
        FORMATS["genVals"],
        "shuffled",
        "keep",
        "exact",
    )
    assert config.input is not None
    assert (config.input.missing, config.input.on_missing, config.undeclared) == ("", None, "pass")
    assert config.limits == Limits()


def test_what_is_said_is_kept() -> None:
    columns = {"identifiers": [7], "sensitive": ["illness"], "priorities": {"age": 2}, "weights": {"age": 3}}
    config = describe(
        arguments(
            "age",
            columns=columns,
            k=2,
            seed=1,
            order="input",
            undeclared="drop",
            limits="2GB",
            settings={"cut": "classic"},
        )
    )
    assert (config.k, config.seed, config.output.order, config.undeclared) == (2, 1, "input", "drop")
    assert (config.settings, config.limits.memory) == ({"cut": "classic"}, "2GB")
    assert [str(column) for column in config.identifiers] == ["7"]
    assert [str(attribute.column) for attribute in config.sensitive] == ["illness"]
    assert (config.quasi_identifiers[0].priority, config.quasi_identifiers[0].weight) == (2, 3.0)


def test_models_stand_instead_of_requirements_and_the_largest_k_is_that_of_the_run() -> None:
    models = [KAnonymity(k=3), DistinctLDiversity(l=5, attribute="illness"), KAnonymity(k=4)]
    config = describe(arguments("age", columns={"sensitive": ["illness"]}, models=models))
    assert (config.k, config.requirements) == (4, ())


def test_a_method_says_its_only_format_and_whether_dates_have_periods() -> None:
    anatomy = describe(arguments("age", columns={"sensitive": ["illness"]}, method="Anatomy", l=2))
    assert (anatomy.output.format, anatomy.periods) == (FORMATS["anatomy"], ())
    datafly = describe(arguments("born", method=Datafly), dates={"born"})
    assert (datafly.method, datafly.periods) == ("Datafly", ("day", "month", "year", "decade"))


def test_the_names_of_what_is_said_are_those_of_the_call() -> None:
    said = arguments(
        "age", columns={"kinds": {"age": "number"}}, k=2, method=Mondrian, settings={"cut": "classic"}
    ).said
    assert said == ["quasi_identifiers", "kinds", "method", "k", "cut"]


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        ({"k": 0}, SettingError, "k is 0; write a whole number of at least 1, or None"),
        ({"seed": -1}, SettingError, "seed is -1"),
        ({"order": "random"}, SettingError, "order is 'random'; write one of 'input', 'shuffled', 'sorted'"),
        ({"t": 0.2}, UsageError, "t= means nothing to Mondrian, which takes k="),
        ({"models": [KAnonymity(k=2)], "l": 2}, UsageError, "l= cannot be combined with models="),
        ({"method": "Datafly"}, UsageError, "needs a hierarchy for 'age'"),
        ({"method": "Anatomy"}, UsageError, "Name one in sensitive=, or give privacy models in models="),
    ],
)
def test_what_is_wrong_is_refused(said: dict[str, Any], error: type[UsageError], message: str) -> None:
    with pytest.raises(error, match=message):
        describe(arguments("age", **said))
