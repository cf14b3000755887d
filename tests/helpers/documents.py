"""The JSON documents of the commands on the data of the examples, without what differs from run to run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.amounts import is_thorough
from helpers.hostile import run_here

CONFIGS = Path(__file__).parents[2] / "configs"
RECORDED = Path(__file__).parents[1] / "recorded" / "documents.json"

_MANUAL = ("-config", "manual_style.xml", "--order", "input")
_CLINIC = ("-config", "clinic_incognito.xml")
_PEOPLE, _RELEASE = "clinic_20.csv", "output/release.csv"
_RUN = (*_CLINIC, "-output", _RELEASE, "--order", "input")
COMMANDS: dict[str, tuple[str, ...]] = {
    "datafly": ("-config", "census_datafly.xml", "--order", "input"),
    "mondrian": ("-config", "census_mondrian.xml", "-outputFormat", "genValsDist", "--order", "input"),
    "anatomy": ("-config", "clinic_anatomy.xml", "--seed", "1"),
    "manual style": _MANUAL,
    "local recoding": (*_CLINIC, "-method", "LocalRecoding", "--order", "input"),
    "prioprivacy": (*_MANUAL, "-method", "PrioPrivacy"),
    "singletons method": (*_MANUAL, "-method", "Singletons"),
    "incognito": _RUN,
    "check": ("check", _RELEASE, *_CLINIC),
    "measure": ("measure", _PEOPLE, _RELEASE, *_CLINIC),
    "bounds": ("measure", _PEOPLE, _RELEASE, *_CLINIC, "--bound", "lm,precision"),
    "risk": ("risk", _RELEASE, *_CLINIC, "--original", _PEOPLE, "--population", _PEOPLE),
    "detect": ("detect", "census_5000.csv", "--max-columns", "2"),
    "singletons": ("singletons", _PEOPLE, *_CLINIC),
    "methods": ("methods",),
}
"""What each is called, in the order in which they run: those that judge read what `incognito` has released."""

_LINES = 200
_SHOWN = 5
"""Items of a long list that are kept."""
_CHANGING = {"timings", "versions", "toolbox_version"}


_REPEATED = ("datafly", "mondrian", "manual style", "local recoding", "singletons method")
_BY_DEFAULT = [name for name in COMMANDS if name not in _REPEATED]
"""Of runs one with each format of a release and kind of search; all of them with ``--slow``."""


def documents(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run every command in a copy of the examples, with fewer records; keep what it prints, and of what changes the names alone."""
    shutil.copytree(CONFIGS, folder / "configs", ignore=shutil.ignore_patterns("*release*"))
    monkeypatch.chdir(folder / "configs")
    census = Path("census_5000.csv")
    census.write_text("".join(census.open().readlines()[:_LINES]))
    found = {}
    for name in COMMANDS if is_thorough() else _BY_DEFAULT:
        run = run_here([*COMMANDS[name], "--json"], capsys)
        assert not run.status, f"{name}: {run.err}"
        found[name] = _steady(json.loads(run.out.replace(str(folder), "")))
    return found


def _steady(document: Any) -> Any:
    if isinstance(document, list):
        more = [f"and {len(document) - _SHOWN} more"] if len(document) > _SHOWN else []
        return [*map(_steady, document[:_SHOWN]), *more]
    if not isinstance(document, dict):
        return document
    return {key: _names(value) if key in _CHANGING else _steady(value) for key, value in document.items()}


def _names(value: Any) -> Any:
    return sorted(value) if isinstance(value, dict) else type(value).__name__
