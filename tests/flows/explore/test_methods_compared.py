"""The methods that are compared: each once, with the settings that its name brings along."""

from __future__ import annotations

import pytest

from toolbox.errors import UsageError
from toolbox.flows.explore.compare import find_compared_methods
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.methods.datafly import Datafly


def test_each_method_is_there_once_with_its_settings() -> None:
    named = [
        "datafly",
        "Mondrian:DIMENSION= distinct",
        "Mondrian",
        "toolbox.methods.datafly:Datafly",
        Datafly,
        "Mondrian",
    ]
    assert [(method.method, dict(method.settings), method.called) for method in find_compared_methods(named)] == [
        ("datafly", {}, "Datafly"),
        ("Mondrian", {"dimension": "distinct"}, "Mondrian:dimension=distinct"),
        ("Mondrian", {}, "Mondrian"),
        ("toolbox.methods.datafly:Datafly", {}, "toolbox.methods.datafly:Datafly"),
        (Datafly, {}, "Datafly"),
    ]


def test_where_none_is_named_all_are_there_that_release_no_groups() -> None:
    every = {method.name for method in list_installed_methods().values()} - {"Anatomy"}
    assert [method.called for method in find_compared_methods([])] == sorted(every)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (["Mondrin"], "Did you mean 'Mondrian'"),
        (
            ["Mondrian:dimensions=range"],
            r"no setting 'dimensions'\. Did you mean 'dimension'\? It has: dimension, objective, cut",
        ),
        (["PrioPrivacy", "Datafly:x=1"], r"Datafly has no setting 'x'\. It has none"),
        ("Mondrian", "methods is a text"),
    ],
)
def test_what_is_none_is_refused(named: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_compared_methods(named)
