"""One run with values learned from the first records, beside one that reads twice; the small tables of both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import toolbox.store.learning
import toolbox.store.load
from toolbox import ToolboxError, load_config
from toolbox.flows.anonymize import run
from toolbox.steps import Stage, Watcher

ONE_READING, TWO_READINGS, IN_VAIN = ["read"], ["count", "keep"], ["read", "count", "keep"]
"""The readings of a run: all was learned, nothing was, and something was learned that did not do."""


class Told(NamedTuple):
    """What is left of a run: its files, its summary or its error, and how often it has read the input."""

    files: Mapping[str, bytes]
    document: Mapping[str, Any]
    error: tuple[str, str]
    readings: list[str]

    @property
    def outcome(self) -> tuple[object, ...]:
        """What must not depend on how often the input is read."""
        return self.files, self.document, self.error


class Readings(Watcher):
    """Writes down each reading."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def begin(self, stage: Stage) -> None:
        self.last = stage
        if stage.part:
            self.names.append(stage.part)

    def end(self, stage: Stage) -> None:
        # The first reading begins within its step.
        if stage.part and stage.part not in self.names:
            self.names.append(stage.part)


def learn_from(monkeypatch: pytest.MonkeyPatch, records: int | None, *, most_values: int = 60_000) -> None:
    """Let texts of any size be learned from their first records; None: all are read twice."""
    least = toolbox.store.learning.WORTH_LEARNING if records is None else 0
    monkeypatch.setattr(toolbox.store.load, "WORTH_LEARNING", least)
    monkeypatch.setattr(toolbox.store.learning, "_SAMPLE", records or 0)
    monkeypatch.setattr(toolbox.store.learning, "_MOST_VALUES", most_values)


def told(folder: Path, **options: object) -> Told:
    """Run the configuration ``c.xml`` of a folder, whose releases begin with ``out``; they are taken away."""
    readings = Readings()
    document: dict[str, Any] = {}
    error = "", ""
    try:
        document = run(load_config(folder / "c.xml", **options), watcher=readings).summary.document()
    except ToolboxError as failed:
        error = type(failed).__name__, str(failed)
    document.pop("timings", None)
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("out*"))}
    for name in files:
        (folder / name).unlink()
    return Told(files, document, error, readings.names)


def both_ways(
    monkeypatch: pytest.MonkeyPatch, folder: Path, sample: int, *, most_values: int = 60_000, **options: object
) -> tuple[Told, Told]:
    """Run a configuration with learned values, and with two readings."""
    learn_from(monkeypatch, sample, most_values=most_values)
    learned = told(folder, **options)
    learn_from(monkeypatch, None)
    return learned, told(folder, **options)
