"""The note of the AEPD, the Spanish data protection agency: six tables of six to eight records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

import toolbox
from reproductions.frame import Data, Number, Source, Table

COLUMNS = ("Postcode", "Age")
LABEL = "Cholesterol"
TABLES = {
    "Table 1": ("table1", 2),
    "Table 2": ("table2", 1),
    "Table 3": ("table3_global", 2),
    "Table 4": ("table4_local", 2),
    "Table 6": ("table6_as_printed", 2),
}
"""The file of each table, and the k that the note claims. It claims none of Table 5."""
BY_HAND = {
    **{name: file for name, (file, _) in TABLES.items()},
    "Table 5": "table5",
    "Table 5 at the levels of Table 3": "table5_global_lvl3_1_no_suppression",
    "Table 6, both outliers suppressed": "table6_fixed_suppress_both",
    "Table 6, a wider age": "table6_fixed_wider_age",
}
PRINTED_WRONG = (
    "Table 6 is not 2-anonymous as it is printed: the record 37891, 33 becomes (37\\*\\*\\*, 30 - 39), and nobody else "
    "has that. Two ways to put it right stand in the next table."
)
NEEDLESS = (
    "the note raises the postcodes to `37***` without need. In Table 2 each postcode occurs twice, so that ages of ten "
    "years alone give 2-anonymity. `Flash` finds that."
)


class Facts(NamedTuple):
    """What is counted in one table."""

    records: int
    classes: int
    k: int
    singletons: int
    highest_risk: float
    average_risk: float
    discernibility: int
    distinct_l: int
    t: float


HEADINGS = ("records", "classes", "k", "alone", "highest risk", "average risk", "discernibility", "distinct l", "t")
"""What the page calls them."""


def reproduce(data: Data) -> Source:
    """Judge the tables of the note, and make those that it generalises."""
    tables = {file: pd.read_csv(data.fixture("aepd", f"{file}.csv"), dtype=str) for file in BY_HAND.values()}
    facts = {file: counted(table) for file, table in tables.items()}
    return Source(
        "aepd",
        {
            "claims": Table(list(_claims(facts))),
            "counted": Table(list(_by_hand(data, facts)), is_compact=True),
            "generalised": Table(list(_generalised(data, tables)), heading="by hand"),
        },
    )


def counted(table: pd.DataFrame) -> Facts:
    """Ask the judges about one table."""
    checked = toolbox.check(table, quasi_identifiers=COLUMNS, sensitive=[LABEL])
    prosecutor = (risk := toolbox.risk(table, quasi_identifiers=COLUMNS).risk).prosecutor
    lost = toolbox.measure(table, table, quasi_identifiers=COLUMNS, kinds=dict.fromkeys(COLUMNS, "category"))
    assert prosecutor is not None
    distinct, distance = (checked.achieved(model, LABEL) for model in ("distinct l-diversity", "t-closeness"))
    assert distinct is not None
    assert distance is not None
    return Facts(
        records=checked.records,
        classes=checked.classes,
        k=checked.smallest_class or 0,
        singletons=sum(bar.records for bar in risk.histogram if bar.size == 1),
        highest_risk=prosecutor.highest,
        average_risk=prosecutor.average,
        discernibility=int(lost.value("discernibility")),
        distinct_l=int(distinct),
        t=distance,
    )


def _claims(facts: dict[str, Facts]) -> Iterator[Number]:
    for name, (file, claimed) in TABLES.items():
        yield Number(name, "k", claimed, facts[file].k, why=PRINTED_WRONG, known=1)


def _by_hand(data: Data, facts: dict[str, Facts]) -> Iterator[Number]:
    recorded = json.loads(data.fixture("aepd", "expected.json").read_text(encoding="utf-8"))
    for name, file in sorted(BY_HAND.items()):
        for heading, expected, ours in zip(HEADINGS, _expected(recorded[file]), facts[file], strict=True):
            yield Number(name, heading, expected, ours, within=1e-9, digits=3)


def _expected(of: dict[str, Any]) -> Facts:
    return Facts(
        of["rows"],
        len(of["classes"]),
        of["k"],
        of["singletons"],
        of["max_risk"],
        of["avg_risk"],
        of["DM"],
        of["l_distinct_cholesterol"],
        of["t_closeness_equal_distance"],
    )


def _generalised(data: Data, tables: dict[str, pd.DataFrame]) -> Iterator[Number]:
    before, after = tables["table2"], tables["table3_global"]
    columns: dict[str, Any] = {
        "quasi_identifiers": COLUMNS,
        "hierarchies": {name: str(data.fixture("aepd", f"hierarchy_{name.lower()}.csv")) for name in COLUMNS},
        "kinds": dict.fromkeys(COLUMNS, "category"),
    }
    asked: dict[str, Any] = {"method": "Flash", "k": 2, "suppression_threshold": 0, "order": "input"}
    as_printed = toolbox.anonymize(before, levels={"Postcode": (3, 3), "Age": (1, 1)}, **columns, **asked).release
    yield Number("records as in Table 3", "Table 3", 6, int((as_printed == after).all(axis="columns").sum()))
    lost = toolbox.measure(before, as_printed, **columns)
    for name, expected in {
        "absolute distance": 4,
        "relative distance": 3 / 5 + 1 / 2,
        "full-domain precision": 0.45,
        "discernibility": 12,
        "normalised certainty penalty": 2 / 9,
    }.items():
        yield Number(name, "Table 3", expected, lost.value(name), within=1e-9, digits=3)
    chosen = toolbox.anonymize(before, **columns, **asked).summary.minimal_nodes[0].levels
    for name, printed, ours, known in zip(COLUMNS, (3, 1), chosen, (0, 1), strict=True):
        yield Number(f"levels of {name} for k = 2", "Table 3", printed, ours, why=NEEDLESS, known=known)
