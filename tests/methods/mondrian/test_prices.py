"""What cells cost a partition is what the metric says of the release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from helpers.small_tables import arrow, declared, load, quasi_identifier, released
from sqlalchemy import select

from toolbox import KAnonymity, measure
from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.mondrian import Mondrian
from toolbox.methods.mondrian.gains import compute_column_prices
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

TABLE = """
age height town pet
20  150    a    cat
21  152    b    cat
22  190    d    dog
30  170    d    dog
30  151    c    eel
41  151    a    cat
60  199    b    fox
61  150    d    fox
62  170    c    eel
"""
# Nobody is 40 or lives in e, and heights are listed one by one.
HEIGHTS = [(150, "low", "*"), (151, "low", "*"), (152, "low", "*"), (160, "mid", "*"), (170, "mid", "*")]
HEIGHTS += [(190, "high", "*"), (199, "high", "*")]
TOWNS = [("a", "north", "*"), ("b", "north", "*"), ("c", "south", "*"), ("e", "south", "*"), ("d", "west", "*")]
METRICS = {
    "lm": "loss metric (LM)",
    "granularity": "granularity",
    "ncp": "normalised certainty penalty",
    "conditional-entropy": "conditional entropy",
    "normalised-conditional-entropy": "normalised conditional entropy",
}


def of_classes(tables: Tables, finished: Tables, metric: str) -> tuple[float, float]:
    """Add up what all cells cost; also what the shares of the columns add up to."""
    _, sizes, columns = combinations_of(tables)
    placed = finished.placed().subquery()
    rows = tables.store.to_arrays(select(placed.c.equivalence_id).order_by(placed.c.combination_id))["equivalence_id"]
    total = 0.0
    prices = compute_column_prices(tables, columns, sizes, metric)
    for (price, share), ranks in zip(prices, columns, strict=True):
        for number in np.unique(rows):
            own = rows == number
            values = np.unique(ranks[own])
            (cost,) = price.of(values, np.ones(len(values), np.bool_), np.zeros(1, np.int64))
            total += share * cost * sizes[own].sum()
    return total, sum(share for _, share in prices)


@pytest.mark.slow
def test_prices_add_up_to_the_metric(store: Store) -> None:
    trees = {"height": HEIGHTS, "town": TOWNS}
    text = {name: "\n".join(" ".join(map(str, row)) for row in tree) for name, tree in trees.items()}
    names = ["age", "height", "town", "pet"]
    table = arrow(TABLE)
    loaded = load(store, table, declared([quasi_identifier(name, hierarchy=text.get(name)) for name in names]))
    made = Mondrian(models=(KAnonymity(k=2),), objective="ncp").run(loaded.tables)
    assert made.proof.classes == 4
    shown = pa.table(dict(zip(names, map(list, zip(*released(made.tables, loaded), strict=True)), strict=True)))
    report = measure(table, shown, quasi_identifiers=names, hierarchies=trees)
    for metric, name in METRICS.items():
        total, shares = of_classes(loaded.tables, made.tables, metric)
        if metric == "conditional-entropy":
            assert report.value(name) == pytest.approx(total)
        elif metric == "normalised-conditional-entropy":
            # A constant factor is no other objective.
            assert report.value(name) == pytest.approx(total / 9 / sum(map(_bits, table.to_pydict().values())))
        else:
            average = total / 9 / shares
            assert report.value(name) == pytest.approx(1 - average if metric == "granularity" else average)


def _bits(values: list[object]) -> float:
    counts = np.unique(np.array(list(map(str, values))), return_counts=True)[1]
    return float(-(counts / counts.sum() * np.log2(counts / counts.sum())).sum())
