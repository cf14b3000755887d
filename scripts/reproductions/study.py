"""Marchand's study on 30,000 credit card holders: the records, the releases of the report's program, their losses."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import toolbox
from reproductions.frame import Data
from reproductions.report_mondrian import Rule, boxes

COLUMNS = ("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE")
"""Table 5 of the report: the amount of credit, gender, education, marital status and age, all taken as numbers."""
LABEL = "default"
SIZES = tuple(range(2, 11))
METRICS = {
    "number of classes": ("classes", 0),
    "discernibility": ("DM", 0),
    "normalised certainty penalty": ("NCP_weighted", 6),
    "conditional entropy": ("H_bits", 1),
    "classification metric": ("CM", 0),
}
"""What the toolbox calls a metric; how the recorded runs call it, and the digits behind its point."""
Recorded = Mapping[int, Mapping[str, str]]


NUMBERS = dict.fromkeys(COLUMNS, "number")


class Study(NamedTuple):
    """The records, and of each k what the report's program releases and loses. The k of the original is 1."""

    records: pd.DataFrame
    releases: Mapping[int, pd.DataFrame]
    losses: Mapping[int, toolbox.LossReport]


def study(data: Data) -> Study:
    """Cut the records for each k, and measure what is lost."""
    records = pd.read_csv(data.table("credit_default.csv.gz")).drop(columns="ID")
    values = records[list(COLUMNS)].to_numpy(np.int64)
    releases = {1: records, **{k: _shown(records, *boxes(values, k, Rule())) for k in SIZES}}
    return Study(records, releases, {k: measured(records, release) for k, release in releases.items()})


def _shown(records: pd.DataFrame, low: np.ndarray, high: np.ndarray) -> pd.DataFrame:
    ends = {name: zip(low[:, place], high[:, place], strict=True) for place, name in enumerate(COLUMNS)}
    return records.assign(**{name: [f"[{a}:{b}]" if a < b else f"{a}" for a, b in of] for name, of in ends.items()})


def measured(records: pd.DataFrame, release: pd.DataFrame) -> toolbox.LossReport:
    """Measure a release; the label is whether the client failed to pay."""
    before, after = (table[[*COLUMNS, LABEL]] for table in (records, release))
    return toolbox.measure(before, after, quasi_identifiers=COLUMNS, kinds=NUMBERS, label=LABEL, sensitive=[LABEL])


def recorded(path: Path, column: str, value: str) -> Recorded:
    """Read the recorded rows that have this value there, by their k."""
    with path.open(newline="", encoding="utf-8") as file:
        return {int(row["k"]): row for row in csv.DictReader(file) if row[column] == value}


def row_of(k: int) -> str:
    return "original" if k == 1 else f"k = {k}"
