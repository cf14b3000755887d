"""Tables as the judges see them: the people, every label, and the release at a node."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.lattices import K2, people
from sqlalchemy import select

import toolbox
from toolbox.methods.lattice.loss_input import LossInput
from toolbox.store.engine.store import Store


def test_the_people_have_the_values_of_the_table(store: Store) -> None:
    beside = LossInput(people(store))
    assert beside.people.records == 7
    assert [(domain.name, domain.size, domain.height) for domain in beside.people.domains] == [
        ("age", 3, 2),
        ("sex", 2, 1),
    ]
    assert beside.people is beside.people


def test_every_label_has_a_meaning(store: Store) -> None:
    comparison = LossInput(people(store)).compare_labels()
    cells, meanings = comparison.release.cells[0], comparison.cells[0].meanings
    rows = select(cells.c.text, meanings.c.level, meanings.c["values"]).join_from(
        cells, meanings, cells.c.cell_id == meanings.c.cell_id
    )
    # Somebody who is old is 34.
    assert sorted(store.rows(rows)) == [
        ("*", 2, 3),
        ("21", 0, 1),
        ("22", 0, 1),
        ("34", 0, 1),
        ("old", 1, 1),
        ("young", 1, 2),
    ]


def test_the_release_at_a_node(store: Store) -> None:
    comparison = LossInput(people(store)).at((1, 0), K2)
    classes = comparison.release.classes
    sizes = store.rows(select(classes.c.size, classes.c.suppressed).order_by(classes.c.size, classes.c.suppressed))
    assert sizes == [(2, False), (2, True), (3, False)]
    assert comparison.pairs is not None
    assert store.count(comparison.pairs) == 5


@pytest.mark.slow
def test_names_of_values_that_only_the_population_has_cost_nothing() -> None:
    """The builder names 1030 as 103*, which nobody of the table knows."""
    town = pd.DataFrame({"postcode": ["1010", "1010", "1020", "1030", "8010", "8020"]})
    release = toolbox.anonymize(
        town.iloc[[0, 2, 4]].reset_index(drop=True),
        quasi_identifiers=["postcode"],
        hierarchies={"postcode": "prefix:3,1"},
        models=[toolbox.KMap(k=2)],
        population=town,
        method="Flash",
        suppression_threshold=0,
        order="input",
    ).release
    assert release["postcode"].tolist() == ["1***", "1***", "8***"]
