"""One run with values learned from the first records, beside one that reads twice; the small tables of both."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import toolbox.store.load.dictionary
import toolbox.store.load.loading
from toolbox import ToolboxError, load_config
from toolbox.flows.release.anonymize import run
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


def learn_from(
    monkeypatch: pytest.MonkeyPatch, records: int | None, *, most_values: int = 60_000, soon_found: int = 2_000
) -> None:
    """Let texts of any size be learned from their first records; None: all are read twice."""
    least = toolbox.store.load.dictionary.WORTH_LEARNING if records is None else 0
    monkeypatch.setattr(toolbox.store.load.loading, "WORTH_LEARNING", least)
    monkeypatch.setattr(toolbox.store.load.dictionary, "_SAMPLE", records or 0)
    monkeypatch.setattr(toolbox.store.load.dictionary, "_MOST_VALUES", most_values)
    monkeypatch.setattr(toolbox.store.load.dictionary, "_SOON_FOUND", soon_found)


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
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    sample: int,
    *,
    most_values: int = 60_000,
    soon_found: int = 2_000,
    **options: object,
) -> tuple[Told, Told]:
    """Run a configuration with learned values, and with two readings.

    Parameters
    ----------
    soon_found : int
        Values of a column beyond which numbers are read, not looked up.
    """
    learn_from(monkeypatch, sample, most_values=most_values, soon_found=soon_found)
    learned = told(folder, **options)
    learn_from(monkeypatch, None)
    return learned, told(folder, **options)


HEADER = "id,age,sex,illness,note\n"
KNOWN = "".join(
    f"{number},{20 + number % 4},{'FM'[number % 2]},{('flu', 'cold')[number % 2]},x\n" for number in range(8)
)
"""Each value that passes through more than once; the sample of most tests."""
AGE = "<att name='age' type='number'/>"
QID = f"{AGE}<att name='sex' type='category'/>"
SENS = "<att name='illness' type='category'/>"


def write(
    folder: Path,
    records: str | bytes,
    *,
    root: str = "method='Mondrian' k='2'",
    given: str = "header='true' onMissing='skip'",
    output: str = "order='input'",
    qid: str = QID,
    sens: str = SENS,
    rest: str = "<id><att name='id'/></id>",
) -> Path:
    """Write ``in.csv`` and the configuration that reads it; return the folder."""
    (folder / "in.csv").write_bytes(records if isinstance(records, bytes) else records.encode())
    (folder / "c.xml").write_text(
        f"<config {root}><input filename='in.csv' {given}/><output filename='out.csv' {output}/>"
        f"{rest}<qid>{qid}</qid><sens>{sens}</sens></config>"
    )
    return folder


def delimited(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()
