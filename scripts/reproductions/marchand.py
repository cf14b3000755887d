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
REFERENCE = (
    "Thomas Marchand: *The limits of current information loss metrics as a measure for data utility in "
    "k-anonymization*. MSc report, Imperial College London, 2019."
)
NO_SIZE = (
    "Eq. 7 as it is printed adds up the classes without their sizes, so that it cannot reach 1. Ours weighs each class "
    "with its records, as the text (\"a value of 1 means that all records are fully generalized\") demands."
)
LITERAL = {1: Fraction(0), 2: Fraction(4, 15), 3: Fraction(1, 6), 4: Fraction(7, 30)}
"""NCP of the four tables by eq. 7 as it is printed."""


def reproduce(data: Data) -> Source:
    """Measure the four tables beside the first, and build the lattice of figure 4."""
    shown = {number: pd.read_csv(data.fixture("marchand", f"table{number}.csv"), dtype=str) for number in range(1, 5)}
    by_hand = json.loads(data.fixture("marchand", "marchand_tables.json").read_text(encoding="utf-8"))["tables"]
    losses = {number: measured(shown[1], table, "Balance") for number, table in shown.items()}
    return Source(
        name="marchand",
        title="Marchand: the tables and formulas",
        reference=REFERENCE,
        introduction="Tables 1 to 4 have no numbers of their own: they are five customers, and three ways to generalise "
        "them. What the report's formulas give for them was computed by hand, in fractions.",
        tables=[
            Table(
                "What the text says of Tables 1 to 4",
                "Sections 2.3, 2.4 and 3.2, and `toolbox.check` and `toolbox.measure`.",
                list(_said(shown, losses)),
            ),
            Table(
                "Tables 1 to 4, by the formulas of section 3",
                "Each table beside Table 1, by `toolbox.measure`: eqs. 1 to 11. Entropy is in bits. Precision counts a "
                "cell that stayed as it was as not generalised; full-domain precision counts the level of its column.",
                [*_formulas(losses, by_hand), *_labels(shown, by_hand)],
                heading="by hand",
            ),
            Table(
                "Eq. 7 as it is printed",
                "The normalised certainty penalty.",
                [
                    Number(f"Table {number}", "NCP", float(LITERAL[number]), _ncp(one), 1e-9, NO_SIZE, _by_eq_7(by_hand, number))
                    for number, one in losses.items()
                ],
                heading="eq. 7, by hand",
            ),
            Table(
                "Figure 4 and eq. 12",
                "A column of three domains and one of two have a lattice of 3 x 2 nodes. `Flash` searches that of Table 1.",
                [Number("nodes of the lattice", "Figure 4", 6, lattice_nodes(shown[1]))],
            ),
        ],
        errata=[
            "Section 2.3: \"indistinguishable from at least k others\" must be k - 1 others, as in the abstract.",
            "Section 2.3: the class e1 of Table 2 is ({F,N}, {24,29}), not ({F,M}, {24,29}).",
            "Section 2.4: |DGH| is called p - 1 and is 2 for three domains, which is p. It is the number of steps, the "
            "height.",
            "Eq. 7 lacks the size of a class; see above. Its weights must have the mean 1 for a sum of at most 1.",
        ],
        remarks=[
            "Figures 1, 2, 3, 5, 6 and 7 are drawings without numbers. The six points of figure 6 cannot be read from the "
            "text.",
        ],
    )  # fmt: skip


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


def _by_eq_7(by_hand: Any, number: int) -> float:
    return float(by_hand[f"table{number}"]["NCP_weighted"]["val"])


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
