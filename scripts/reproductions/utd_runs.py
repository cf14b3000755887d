"""Recorded runs of the toolbox of 2010, repeated by ours."""

from __future__ import annotations

import csv
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import toolbox
from reproductions.frame import Data, Number

Rows = list[tuple[str, ...]]


class Run(NamedTuple):
    """A recorded run of the program."""

    folder: Path

    @property
    def arguments(self) -> list[str]:
        return (self.folder / "args").read_text(encoding="utf-8").split()

    @property
    def outputs(self) -> list[Path]:
        return sorted(self.folder.glob("out*.data"))


def repeated(data: Data) -> Iterator[Number]:
    """Count by method, as the configurations name it, and by format."""
    recorded: Counter[tuple[str, str]] = Counter()
    equal: Counter[tuple[str, str]] = Counter()
    for folder in sorted(data.fixture("utd").iterdir()):
        kind, is_equal = repeat(Run(folder), data.table("census-income_463.data"))
        recorded[kind] += 1
        equal[kind] += is_equal
    for method, form in sorted(recorded):
        yield Number(method, form, recorded[method, form], equal[method, form])


def repeat(run: Run, census: Path) -> tuple[tuple[str, str], bool]:
    """Run one configuration again; return its method and format, and whether the release is as it was."""
    own = run.folder / "in.data"
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(own if own.exists() else census, folder / "in.data")
        shutil.copy(run.folder / "config.xml", folder)
        threshold = run.arguments[1] if run.arguments else None
        config = toolbox.load_config(folder / "config.xml", compatibility="utd", supp_threshold=threshold)
        toolbox.anonymize(config)
        pairs = [(folder / output.name, output) for output in run.outputs]
        form = config.output.format.name
        if form == "anatomy":
            is_equal = _groups([ours for ours, _ in pairs]) == _groups([theirs for _, theirs in pairs])
        else:
            is_equal = all(ours.read_bytes() == theirs.read_bytes() for ours, theirs in pairs)
        return (str(config.method), form), is_equal


def _groups(paths: list[Path]) -> list[tuple[Rows, Rows]]:
    """Return what each group holds in the two files, without its number, in a fixed order."""
    qit, st = sorted(paths)
    rows: dict[str, tuple[Rows, Rows]] = defaultdict(lambda: ([], []))
    for *values, group in _read(qit):
        rows[group][0].append(tuple(values))
    for group, *values in _read(st):
        rows[group][1].append(tuple(values))
    return sorted((sorted(ground), sorted(sensitive)) for ground, sensitive in rows.values())


def _read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
