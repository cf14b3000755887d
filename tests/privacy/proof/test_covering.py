"""The people whom classes cover, counted on finished tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.population_tables import load_among
from helpers.small_tables import declared
from sqlalchemy import select

from toolbox.errors import ProofError, UsageError
from toolbox.methods.arrays.full_domain import at_node
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_map import KMap
from toolbox.privacy.proof.proof import count_covered_people, prove
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

ANYBODY = (KAnonymity(k=1),)


def counted(tables: Tables) -> list[tuple[int, ...]]:
    people = count_covered_people(tables, None)
    return sorted(tuple(row) for row in tables.store.rows(select(people.c.size, people.c.outside)))


@pytest.mark.slow
def test_a_class_covers_all_who_have_its_generalised_values(store: Store) -> None:
    """(young, south) covers two people, (young, north) one, (old, north) two; who lives in the east is outside."""
    tables = load_among(store).tables
    assert counted(at_node(tables, (1, 1), ANYBODY)) == [(1, 1), (2, 1), (2, 1)]
    assert counted(at_node(tables, (1, 2), ANYBODY)) == [(2, 0), (4, 0)]


def test_suppressed_classes_cover_nobody(store: Store) -> None:
    """Two people are south and young; nobody else is covered."""
    tables = load_among(store).tables
    assert counted(at_node(tables, (1, 1), (KMap(k=2),))) == [(2, 2), (2, 2)]


@pytest.mark.slow
def test_ranges_and_sets_cover_what_lies_within(store: Store) -> None:
    """One class [21:34], {Graz,Linz}: nobody of Wien, and nobody of 35."""
    tables = load_among(store, config=declared("age town")).tables
    finished = Mondrian(models=(KAnonymity(k=3),)).run(tables).tables
    assert counted(finished) == [(4, 2)]


@pytest.mark.slow
def test_the_proof_counts_anew(store: Store) -> None:
    tables = load_among(store).tables
    finished = at_node(tables, (1, 2), ANYBODY)
    (result,) = prove(tables, finished, [KMap(k=2)]).models
    assert (result.achieved, result.holds) == (2, True)
    with pytest.raises(ProofError, match="k-map requires 3, achieved 2"):
        prove(tables, finished, [KMap(k=3)])


@pytest.mark.slow
def test_a_method_that_changes_the_population_is_not_believed(store: Store) -> None:
    tables = load_among(store).tables
    assert tables.population is not None
    finished = at_node(tables, (1, 2), ANYBODY)
    spoilt = replace(finished, population=replace(tables.population, combinations=tables.combinations))
    (result,) = prove(tables, spoilt, [KMap(k=2)]).models
    assert result.achieved == 2


def test_without_a_population_nothing_is_proved(store: Store) -> None:
    tables = replace(load_among(store).tables, population=None)
    with pytest.raises(UsageError, match="compares classes with a population, and none is given"):
        count_covered_people(tables, None)
