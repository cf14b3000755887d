"""Marchand's report on information loss: its four tables of five customers, by hand, and its lattice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import pandas as pd

import toolbox
from reproductions.frame import Data, Number, Source, Table

COLUMNS = ("Gender", "Age")
DECLARED: Mapping[str, Any] = {
    "quasi_identifiers": COLUMNS,
    "hierarchies": {
        "Gender": [("F", "{F,N}", "{F,M,N}"), ("N", "{F,N}", "{F,M,N}"), ("M", "{M}", "{F,M,N}")],
        "Age": [("24", "{24,29}"), ("29", "{24,29}")],
    },
    "kinds": {"Age": "category"},
}
METRICS = {
    "discernibility": "DM",
    "normalised certainty penalty": "NCP_weighted",
    "conditional entropy": "entropy_bits",
    "precision": "Prec_changed",
    "absolute distance": "Absdist",
    "relative distance": "Reldist",
    "full-domain precision": "Prec_level",
    "loss metric (LM)": "LM_(|v|-1)/(|A|-1)",
}
"""What the toolbox calls a metric, and how the tables computed by hand call it."""
LABELS = {"Balance": "CM_label_raw_balance", "rich": "CM_label_balance_ge_250"}
"""The labels of the classification metric: the balance itself, and whether it is at least 250."""
NO_SIZE = (
    "Eq. 7 as it is printed adds up the classes without their sizes, so that it cannot reach 1. Ours weighs each class "
    'with its records, as the text ("a value of 1 means that all records are fully generalized") demands.'
)
LITERAL = {1: Fraction(0), 2: Fraction(4, 15), 3: Fraction(1, 6), 4: Fraction(7, 30)}
"""NCP of the four tables by eq. 7 as it is printed."""


def reproduce(data: Data) -> Source:
    """Measure the four tables beside the first, and build the lattice of figure 4."""
    shown = {number: pd.read_csv(data.fixture("marchand", f"table{number}.csv"), dtype=str) for number in range(1, 5)}
    by_hand = json.loads(data.fixture("marchand", "marchand_tables.json").read_text(encoding="utf-8"))["tables"]
    losses = {number: measured(shown[1], table, "Balance") for number, table in shown.items()}
    formulas = [*_formulas(losses, by_hand), *_labels(shown, by_hand)]
    return Source(
        "marchand",
        {
            "said": Table(list(_said(shown, losses))),
            "formulas": Table(formulas, heading="by hand"),
            "eq7": Table(list(_eq_7(losses, by_hand)), heading="as printed"),
            "lattice": Table([Number("nodes of the lattice", "Figure 4", 6, lattice_nodes(shown[1]))]),
        },
    )


def measured(original: pd.DataFrame, table: pd.DataFrame, label: str) -> toolbox.LossReport:
    """Measure one table beside the first."""
    return toolbox.measure(original, table, label=label, sensitive=[label], **DECLARED)


def lattice_nodes(table: pd.DataFrame) -> int:
    """Count the nodes of the lattice in which Flash looks for a release of Table 1."""
    searched = toolbox.anonymize(table[list(COLUMNS)], method="Flash", k=2, **DECLARED).summary.searched
    assert searched is not None
    return searched.nodes


def _ncp(losses: toolbox.LossReport) -> float:
    return losses.value("normalised certainty penalty")


def _eq_7(losses: Mapping[int, toolbox.LossReport], by_hand: Any) -> Iterator[Number]:
    for number, report in losses.items():
        known = by_hand[f"table{number}"]["NCP_weighted"]["val"]
        yield Number(f"Table {number}", "NCP", float(LITERAL[number]), _ncp(report), 1e-9, NO_SIZE, known)


def _said(shown: Mapping[int, pd.DataFrame], losses: Mapping[int, toolbox.LossReport]) -> Iterator[Number]:
    checked = {number: toolbox.check(table, quasi_identifiers=COLUMNS) for number, table in shown.items()}
    yield Number("Table 1 is 2-anonymous", "it is", "no", "yes" if (checked[1].smallest_class or 0) >= 2 else "no")
    yield Number("Table 2 is 2-anonymous", "it is", "yes", "yes" if (checked[2].smallest_class or 0) >= 2 else "no")
    yield Number("classes of Table 2", "it is", 2, checked[2].classes)
    same = losses[2].value("discernibility") == losses[3].value("discernibility")
    yield Number("Tables 2 and 3 have the same discernibility", "it is", "yes", "yes" if same else "no")
    less = _ncp(losses[3]) < _ncp(losses[2])
    yield Number("Table 2 is generalised more than Table 3", "it is", "yes", "yes" if less else "no")


def _formulas(losses: Mapping[int, toolbox.LossReport], by_hand: Any) -> Iterator[Number]:
    for name, theirs in METRICS.items():
        for number, report in losses.items():
            expected = _value(by_hand[f"table{number}"][theirs])
            if expected is not None:
                yield Number(name, f"Table {number}", expected, report.value(name), within=1e-9)


def _labels(shown: Mapping[int, pd.DataFrame], by_hand: Any) -> Iterator[Number]:
    """Yield the classification metric, for which each customer needs a class."""
    with_class = {number: table.assign(rich=table.Balance.astype(int) >= 250) for number, table in shown.items()}
    for label, theirs in LABELS.items():
        for number, table in with_class.items():
            ours = measured(with_class[1], table, label).value("classification metric")
            expected = by_hand[f"table{number}"][theirs]["val"]
            name = "balance" if label == "Balance" else "balance of at least 250"
            yield Number(f"classification metric, label: {name}", f"Table {number}", expected, int(ours))


def _value(recorded: Any) -> float | int | None:
    """Read a number, a fraction as text, or the one of both that stands beside its arithmetic."""
    if isinstance(recorded, dict):
        return _value(recorded["frac"] if "frac" in recorded else recorded["val"])
    return float(Fraction(recorded)) if isinstance(recorded, str) else recorded
