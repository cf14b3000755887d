"""What each cell costs, beside what `toolbox.measure` says of the same release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pytest
from helpers.small_tables import arrow, declared, load, quasi_identifier

import toolbox
from toolbox.config.model import QuasiIdentifier
from toolbox.loss.metric import list_installed_metrics
from toolbox.methods.local_recoding.rows import (
    METRICS,
    RecodingRows,
    _compute_cell_costs,
    _RecodingCellCosts,
    fetch_intervals,
)
from toolbox.store.engine.store import Store

# Nobody has s; d stands alone below its node; 7 and 9 are listed, and nobody's.
LETTERS = "p soft loose *\nq soft loose *\nr hard still *\ns hard still *\nd dental still *"
NUMBERS = "3 low *\n5 low *\n7 low *\n8 high *\n9 high *"
PEOPLE = "a n free word\np 3 10 x\np 5 20 y\nq 8 50 z\nr 8 10 x\nd 3 10 x\nr 5 10 x\nq 3 50 x"
MEASURED = {
    "lm": "loss metric (LM)",
    "granularity": "granularity",
    "ncp": "normalised certainty penalty",
    "precision": "precision",
    "generalisation-intensity": "generalisation intensity",
    "normalised-conditional-entropy": "normalised conditional entropy",
}


def columns() -> list[QuasiIdentifier]:
    hierarchies = {"a": LETTERS, "n": NUMBERS, "free": None, "word": None}
    each = [quasi_identifier(name, hierarchy=rows) for name, rows in hierarchies.items()]
    return [replace(each[0], weight=3.0), *each[1:]]


def shown(levels: Sequence[int]) -> pa.Table:
    """Generalise whole columns."""
    people = arrow(PEOPLE)
    chains = [{line.split()[0]: line.split() for line in rows.splitlines()} for rows in (LETTERS, NUMBERS)]
    columns = {}
    for index, (name, level) in enumerate(zip(people.column_names, levels, strict=True)):
        texts = [str(value) for value in people[name].to_pylist()]
        columns[name] = [(chains[index][text] if index < 2 else [text, "*"])[level] for text in texts]
    return pa.table(columns)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("levels", [(2, 2, 1, 0), (1, 1, 0, 1), (0, 0, 1, 1), (3, 1, 0, 0), (3, 2, 1, 1)], ids=str)
def test_the_costs_of_a_release_are_what_it_is_measured_at(store: Store, levels: tuple[int, ...]) -> None:
    tables = load(store, PEOPLE, declared(columns())).tables
    rows = RecodingRows.fetch(tables)
    hierarchies = {
        name: [tuple(line.split()) for line in given.splitlines()] for name, given in (("a", LETTERS), ("n", NUMBERS))
    }
    report = toolbox.measure(
        arrow(PEOPLE),
        shown(levels),
        quasi_identifiers=["a", "n", "free", "word"],
        hierarchies=hierarchies,
        weights={"a": 3},
    )
    at_levels = rows.histograms([[level] * len(rows.sizes) for level in levels])  # type: ignore[arg-type]
    worst = rows.histograms([[column.height] * len(rows.sizes) for column in rows.columns])  # type: ignore[arg-type]
    for name, called in MEASURED.items():
        costs = _RecodingCellCosts(_compute_cell_costs(tables, rows.columns, name))
        lost = costs.lost(at_levels) / (costs.lost(worst) if "entropy" in name else rows.records)
        kept = called in ("granularity", "precision", "generalisation intensity")
        assert (1 - lost if kept else lost) == pytest.approx(report.value(called)), name


def test_a_node_covers_no_number_that_its_file_does_not_list(store: Store) -> None:
    numbers = replace(quasi_identifier("n", hierarchy=NUMBERS), other="root")
    tables = load(store, "n\n3\n4\n4\n5\n8\n", declared([numbers])).tables
    (column,) = RecodingRows.fetch(tables).columns
    found = fetch_intervals(tables, tables.quasi_identifiers[0], column)
    # 3, 4, 5 and 8; then *, low and high. 7 and 9 are listed, and nobody's.
    assert found.known.tolist() == [1, 1, 1, 1, 6, 3, 2]
    assert found.occurring.tolist() == [1, 0, 1, 1, 4, 2, 1]
    assert found.entropy.round(3).tolist() == [0, 0, 0, 0, 1.922, 1, 0]


def test_metrics_have_the_names_of_their_entry_points() -> None:
    from importlib.metadata import entry_points

    installed = {entry.name: entry.load().name for entry in entry_points(group="toolbox.loss_metrics")}
    assert {name: installed[name] for name in METRICS if name in MEASURED} == MEASURED
    assert set(METRICS) == {*MEASURED, "conditional-entropy"}
    assert {metric.name for metric in list_installed_metrics()} >= set(MEASURED.values())


def test_an_interval_covers_what_occurs_and_what_is_listed(store: Store) -> None:
    tables = load(store, PEOPLE, declared(columns())).tables
    rows = RecodingRows.fetch(tables)
    numbers = fetch_intervals(tables, tables.quasi_identifiers[1], rows.columns[1])
    low, high = int(rows.columns[1].codes[1][0]), int(rows.columns[1].codes[1][2])
    assert (numbers.size, numbers.known[low], numbers.known[high]) == (5, 3, 2)
    assert (numbers.occurring[low], numbers.occurring[high]) == (2, 1)
    assert numbers.levels[[0, low, tables.quasi_identifiers[1].root]].tolist() == [0, 1, 2]
