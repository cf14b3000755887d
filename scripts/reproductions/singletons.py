"""Pastore, Pellegrino and Scarano on singletons: what the records of Valle d'Aosta allow of their Table 1."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import reproduce_singletons as script

import toolbox
from reproductions.frame import Data, Number, Source, Table, Value

COLUMNS = {
    script.BIRTH: "year",
    script.TOWN: "municipality",
    "provincia_residenza": "province",
    script.SEX: "sex",
}
"""What the paper calls personal information, in section 4.1."""
PERCENT = (1.93, 1.45, 0, 0, 0.71, 0, 0.002, 0.001, 0, 0, 0, 0, 0, 0, 0)
"""%S of the rows of Table 1; ``~0`` is 0."""
SHARE = "here the paper prints the share, .002, where all others are percent."
NEITHER = "9 of 87,464 are 0.010 %, or a share of .0001: a typing error."
ABOUT_NONE = "the paper prints ~0 for 0.08 %."
SWAPPED = (
    "the columns Molise and Umbria are exchanged, but for this percentage: 869 of 597,243 are 0.15 %, and 2,569 of "
    "198,312 are 1.30 %. Molise is the smaller region."
)
NOT_ITS_SHARE = "2,219 of 198,312 are 1.12 %: a typing error in one of the three."
NOT_AVOIDED = "the text says that the global recoding avoids singletons completely; Table 1 says 4, and so do we."
ELSEWHERE = {
    ("best QID", "Molise"): (1.30, 869, 597_243, SWAPPED),
    ("best QID", "Umbria"): (0.15, 2_569, 198_312, SWAPPED),
    ("S_loc", "Molise"): (0.12, 745, 597_243, ""),
    ("S_loc", "Umbria"): (1.07, 2_219, 198_312, NOT_ITS_SHARE),
    ("S", "Molise"): (0.05, 295, 597_243, ""),
    ("S", "Umbria"): (0.46, 909, 198_312, ""),
}
"""Printed percentages of the other two regions, with the printed counts and sizes."""
NOT_AT_HAND = 2 * (4 + 14 * 4) - len(ELSEWHERE)
"""Numbers of the columns Molise and Umbria that only their records could repeat."""


def reproduce(data: Data) -> Source:
    """Detect the quasi-identifier, and measure every variant."""
    _, compared = script.compare(data.folder / "data")
    detected = toolbox.detect(data.table("driver_licences_valle_d_aosta.csv.gz"), columns=tuple(COLUMNS))
    elsewhere = [
        Number(row, f"{region}: %S", printed, 100 * count / size, 0.006, why, digits=2)
        for (row, region), (printed, count, size, why) in ELSEWHERE.items()
    ]
    return Source(
        "singletons",
        {
            "head": Table(list(_head(detected, compared))),
            "table1": Table(list(_rows(compared))),
            "text": Table(list(_text(compared))),
            "elsewhere": Table(elsewhere),
            "subsets": Table(list(_subsets(data, detected)), heading="recorded", is_compact=True),
        },
        lacking=NOT_AT_HAND,
    )


def _head(detected: toolbox.DetectionReport, compared: toolbox.SingletonsReport) -> Iterator[Number]:
    (best,) = detected.detection.best
    facts: dict[str, tuple[Value, Value]] = {
        "best quasi-identifier": ("year, municipality, sex", _english(best.columns)),
        "complete rows": (87_464, compared.records - compared.incomplete),
        "singletons": (1_684, best.singletons),
        "distinct values": (9_174, best.distinct),
    }
    for name, (published, ours) in facts.items():
        yield Number(name, "Valle d'Aosta", published, ours)
    yield Number("singletons, percent", "Valle d'Aosta", 1.93, 100 * best.share, within=0.005, digits=2)


def _english(columns: tuple[str, ...]) -> str:
    return ", ".join(COLUMNS[name] for name in columns)


def _rows(compared: toolbox.SingletonsReport) -> Iterator[Number]:
    complete = compared.records - compared.incomplete
    for row, percent in zip(script.TABLE, PERCENT, strict=True):
        singletons, modified, distinct = script.ours(row, compared)
        yield Number(row.name, "#S", row.singletons, singletons)
        yield _percent(row.name, percent, 100 * singletons / complete)
        yield Number(row.name, "MR", row.modified, modified, why=_reason(row, "MR"), known=64_957)
        yield Number(row.name, "DV", row.distinct, distinct, why=_reason(row, "DV"), known=8)


def _percent(row: str, printed: float, ours: float) -> Number:
    why = {"Y_ran": SHARE, "Y_avg": NEITHER, "S, Y_ran": ABOUT_NONE}.get(row, "")
    # Half of the last printed digit; ~0 stands for up to 0.006.
    is_finer = why in (SHARE, NEITHER)
    return Number(row, "%S", float(printed), ours, 0.0005 if is_finer else 0.006, why, digits=3 if is_finer else 2)


def _reason(row: script.Row, column: str) -> str:
    is_of = {script.SAME_NAME: "MR", script.TYPING_ERROR: "DV"}
    return f"{row.reason}." if row.reason and is_of[row.reason] == column else ""


def _text(compared: toolbox.SingletonsReport) -> Iterator[Number]:
    complete = compared.records - compared.incomplete
    found = {row.name: script.ours(row, compared) for row in script.TABLE}
    ranges, medians = found["Y_ran"], found["Y_avg"]
    percent = {
        "percent fewer singletons by medians than by ranges": (95.0, 1 - medians[0] / ranges[0]),
        "percent fewer rows modified by medians": (7.0, 1 - medians[1] / ranges[1]),
        "percent of rows that M_loc modifies": (2.0, found["M_loc"][1] / complete),
    }
    for name, (published, share) in percent.items():
        yield Number(name, "section 4.2", published, 100 * share, within=0.5, digits=1)
    yield Number("singletons that M leaves", "section 4.2", 0, found["M"][0], why=NOT_AVOIDED, known=4)


def _subsets(data: Data, detected: toolbox.DetectionReport) -> Iterator[Number]:
    found = {frozenset(subset.columns): subset for subset in detected.detection.subsets}
    with data.fixture("singletons", "qid_ValleAosta_4cols.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            columns = tuple(row["columns"].split("|"))
            ours, name = found[frozenset(columns)], _english(columns)
            yield Number(name, "singletons", int(row["singletons"]), ours.singletons)
            yield Number(name, "distinct values", int(row["distinct"]), ours.distinct)
            yield Number(name, "distinct ratio", float(row["distinct_ratio"]), ours.distinct_ratio, 1e-12)
            yield Number(name, "separation ratio", float(row["separation_ratio"]), ours.separation_ratio, 1e-12)
