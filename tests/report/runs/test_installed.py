"""The list of what is installed: a document with stable names, and the same for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any, ClassVar

import pytest
from helpers.running import run_in_process
from rich.console import Console

from toolbox.methods.anonymizer import list_installed_methods, setting
from toolbox.methods.datafly import Datafly
from toolbox.privacy.registry import list_installed_models
from toolbox.report.runs.installed import build_installed_document, print_installed


def entry(document: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    (found,) = (one for one in document[kind] if one["name"] == name)
    return found


def shown(width: int = 200) -> str:
    stream = StringIO()
    print_installed(build_installed_document(), Console(file=stream, width=width))
    return stream.getvalue()


@dataclass(frozen=True, kw_only=True)
class Plugin(Datafly):
    """A method that says itself what its setting means.

    References
    ----------
    Somebody (1999).
    A paper [with brackets]. doi:10.1/2
    """

    name: ClassVar[str] = "Plugin"
    reference: ClassVar[str] = ""
    mood: str = setting("idle", ("idle", "busy"), meaning="How it feels.")
    undocumented: int = 3


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put a method of somebody else's among the installed ones."""
    methods = list_installed_methods()
    monkeypatch.setattr("toolbox.report.runs.installed.list_installed_methods", lambda: {**methods, "plugin": Plugin})
    yield


def test_the_document_has_stable_names() -> None:
    document = build_installed_document()
    assert set(document) == {
        *(
            "toolbox_version",
            "methods",
            "privacy_models",
            "metrics",
            "hierarchy_builders",
            "release_formats",
            "file_kinds",
            "engines",
            "treatments",
            "broken",
        ),
    }
    for kind in ("methods", "privacy_models"):
        names = [one["name"] for one in document[kind]]
        assert names == sorted(names)
        for one in document[kind]:
            assert {"name", "summary", "reference", "parameters"} <= set(one)
            assert one["summary"] and one["reference"]
            for parameter in one["parameters"]:
                assert set(parameter) == {"name", "words", "type", "default", "meaning"}
                assert parameter["type"] and parameter["meaning"]


def test_everything_installed_is_listed_once() -> None:
    document = build_installed_document()
    methods = {method.name for method in list_installed_methods().values()}
    assert [one["name"] for one in document["methods"]] == sorted(methods)
    assert [one["name"] for one in document["privacy_models"]] == [model.name for model in list_installed_models()]


def test_a_setting_shows_its_words_its_default_and_its_meaning() -> None:
    mondrian = entry(build_installed_document(), "methods", "Mondrian")
    assert mondrian["settings"]["cut"] == ["fallback", "classic"]
    (cut,) = (one for one in mondrian["parameters"] if one["name"] == "cut")
    meaning = cut.pop("meaning")
    assert cut == {"name": "cut", "words": ["fallback", "classic"], "type": "word", "default": "fallback"}
    assert meaning.startswith("``fallback`` also tries")


def test_a_parameter_without_words_shows_its_type() -> None:
    (threshold,) = entry(build_installed_document(), "methods", "Datafly")["parameters"]
    assert threshold == {
        "name": "suppression_threshold",
        "words": None,
        "type": "int, >= 0",
        "default": None,
        "meaning": "Most records that may be suppressed; 0 suppresses nobody.",
    }


def test_a_privacy_model_shows_what_it_is_and_its_parameters_but_not_the_attribute() -> None:
    model = entry(build_installed_document(), "privacy_models", "k-anonymity")
    assert model == {
        "name": "k-anonymity",
        "summary": "Every equivalence class has at least k records.",
        "reference": "Sweeney 2002, doi:10.1142/S0218488502001648",
        "needs_attribute": False,
        "monotone": True,
        "suppression_helps": True,
        "parameters": [
            {
                "name": "k",
                "words": None,
                "type": "int, >= 1",
                "default": None,
                "meaning": "Smallest class, in records or persons. 1 protects nobody.",
            }
        ],
    }


def test_words_may_also_stand_in_the_docstring() -> None:
    parameters = entry(build_installed_document(), "privacy_models", "t-closeness")["parameters"]
    (distance,) = (one for one in parameters if one["name"] == "distance")
    assert (distance["words"], distance["default"]) == (["auto", "equal", "ordered", "hierarchical"], "auto")


@pytest.mark.usefixtures("plugin")
def test_what_a_plugin_says_of_itself_goes_before_its_docstring() -> None:
    found = entry(build_installed_document(), "methods", "Plugin")
    assert found["reference"] == "Somebody (1999). A paper [with brackets]. doi:10.1/2"
    assert found["parameters"][-2:] == [
        {"name": "mood", "words": ["idle", "busy"], "type": "word", "default": "idle", "meaning": "How it feels."},
        {"name": "undocumented", "words": None, "type": "int", "default": 3, "meaning": ""},
    ]
    assert "mood: idle | busy (default idle). How it feels." in shown()
    assert "A paper [with brackets]" in shown()


def test_people_see_every_name_reference_and_parameter() -> None:
    document, text = build_installed_document(), shown()
    for one in (*document["methods"], *document["privacy_models"]):
        for said in (one["name"], one["summary"], one["reference"], *one.get("aliases", ())):
            assert said in text
        for parameter in one["parameters"]:
            assert f"{parameter['name']}: " in text
    assert "cut: fallback | classic (default fallback). fallback also tries" in text


def test_it_fits_a_narrow_terminal() -> None:
    assert max(map(len, shown(width=60).splitlines())) <= 60


def test_the_command_prints_the_same_as_json() -> None:
    assert run_in_process("methods", "--json").succeeded().document == build_installed_document()
    assert "Mondrian" in run_in_process("methods").succeeded().stdout


def test_a_metric_says_its_unit_its_range_and_which_values_are_better() -> None:
    found = entry(build_installed_document(), "metrics", "normalised certainty penalty")
    assert (found["unit"], found["range"], found["direction"]) == ("share", "0 .. 1", "lower")
    assert [one["name"] for one in found["parameters"]] == ["numbers"]
    assert "Xu" in found["reference"]
    assert "loss metrics" in shown()
