"""Each argument of each public call with a value that is wrong or odd, and what is said about it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

import toolbox
from toolbox.errors import ToolboxError

ONLY = ()
ODD: Final[tuple[object, ...]] = (
    None,
    "",
    "abc",
    5,
    -1,
    10**30,
    2.5,
    float("nan"),
    True,
    [],
    ["a", "b"],
    [None],
    {"town": 5},
    {"gone": "x"},
    object,
)
"""What says nothing, a word, numbers of all kinds, lists, dicts, and a class."""
PEOPLE: Final = pd.DataFrame(
    {"age": [21, 22, 34, 35, 48, 49], "town": ["Graz", "Linz"] * 3, "illness": ["flu", "cold"] * 3}
)
RELEASE: Final = pd.DataFrame(
    {"age": ["20-29"] * 2 + ["30-39"] * 2 + ["40-49"] * 2, "town": ["*"] * 6, "illness": ["flu", "cold"] * 3}
)
_COUNTS: Final = PEOPLE.groupby(["age", "town"], as_index=False).size().rename(columns={"size": "n"})
_JUDGED: Final = MappingProxyType({"quasi_identifiers": ["age", "town"], "sensitive": ["illness"]})
_ASKED: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "anonymize": {"source": PEOPLE, **_JUDGED, "k": 2},
        "check": {"release": RELEASE, **_JUDGED},
        "compare": {"source": PEOPLE, **_JUDGED, "methods": ["Mondrian"], "k": 2},
        "detect": {"data": PEOPLE},
        "experiment": {"plan": "study.toml"},
        "generalise": {"counts": _COUNTS, "quasi_identifiers": ["age", "town"], "k": 2},
        "load_config": {"path": "people.xml"},
        "measure": {"original": PEOPLE, "release": RELEASE, **_JUDGED},
        "open": {"source": PEOPLE, **_JUDGED},
        "risk": {"release": RELEASE, **_JUDGED, "original": PEOPLE},
        "singletons": {"data": PEOPLE, "quasi_identifiers": ["age", "town"]},
        "sniff": {"path": "people.csv"},
        "suggest": {"data": PEOPLE},
    }
)
_SETTINGS: Final = ("dimension", "cut", "time_limit")
"""Arguments that a call hands on."""


def write_files(folder: Path) -> None:
    """Write what the calls name."""
    PEOPLE.to_csv(folder / "people.csv", index=False)
    (folder / "people.xml").write_text(
        "<config k='2'><input filename='people.csv' header='true'/><output filename='made.csv'/>"
        "<qid><att name='age'/><att name='town'/></qid></config>",
        encoding="utf-8",
    )


def wrong_calls() -> Iterator[tuple[str, str, object]]:
    """Yield each call with each of its arguments and each odd value."""
    for name in ONLY or _ASKED:
        for argument, parameter in inspect.signature(getattr(toolbox, name)).parameters.items():
            is_rest = parameter.kind is inspect.Parameter.VAR_KEYWORD
            rest = ("k", "input", "gone") if name == "load_config" else (*_SETTINGS, "gone")
            for each in rest if is_rest else (argument,):
                for value in ODD:
                    yield name, each, value


def said_of(name: str, argument: str, value: object) -> str:
    """Call with one odd argument; return what is said, or that it is taken."""
    call: Callable[..., Any] = getattr(toolbox, name)
    arguments = {**_ASKED[name], argument: value}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = call(**arguments)
        except ToolboxError as error:
            return f"{type(error).__name__}: {error}"
        if hasattr(made, "close"):
            made.close()
    return ""


def written(name: str, argument: str, value: object) -> str:
    """Write a call as a reader would."""
    shown = value.__name__ if isinstance(value, type) else repr(value)
    return f"{name}({argument}={shown})"
