"""The variants that are compared, all of them or one change after the other, and the one that is elected."""

from __future__ import annotations

from helpers.towns import BOTH, PEOPLE, rows

from toolbox.methods.singletons import comparing as election
from toolbox.methods.singletons.comparing import compare, measure_variant, rank


def test_fewest_below_k_is_elected_then_fewest_modified() -> None:
    compared = compare(PEOPLE, 2, BOTH)
    ranks = [rank(one.figures) for one in compared.ranked]
    assert ranks == sorted(ranks)
    assert compared.all_tried
    assert compared.ranked[0].figures.below_k == 0
    assert compared.unchanged.name == "as it is"


def test_variants_whose_labels_do_not_cover_their_values_can_be_left_out() -> None:
    assert all(one.figures.covers for one in compare(PEOPLE, 2, BOTH, covering=True).ranked)
    assert not all(one.figures.covers for one in compare(PEOPLE, 2, BOTH).ranked)


def test_too_many_variants_are_chosen_one_change_after_the_other(monkeypatch) -> None:
    monkeypatch.setattr(election, "_LOOKS", 0)
    monkeypatch.setattr(election, "_LEAST", 5)
    compared = compare(PEOPLE, 2, BOTH)
    assert not compared.all_tried
    best = compared.ranked[0]
    assert best.figures.below_k < compared.unchanged.below_k
    assert measure_variant(PEOPLE, best.variant, 2) == best.figures


def test_of_few_records_no_more_variants_are_tried_than_the_bound_allows(monkeypatch) -> None:
    # One column alone: 11 with that of none; both: 6 for all records, 12 for some in two ways, 6 local ones in three.
    monkeypatch.setattr(election, "_MOST", 58)
    assert not compare(PEOPLE, 2, BOTH).all_tried
    monkeypatch.setattr(election, "_MOST", 59)
    assert compare(PEOPLE, 2, BOTH).all_tried


def test_one_change_after_the_other_goes_on_while_fewer_stand_out(monkeypatch) -> None:
    """All three are alone. One column brings two of them together, and only both bring all."""
    monkeypatch.setattr(election, "_LOOKS", 0)
    monkeypatch.setattr(election, "_LEAST", 5)
    compared = compare(rows([("Graz", "f"), ("Graz", "m"), ("Linz", "f")]), 2, BOTH)
    best = compared.ranked[0]
    assert (compared.unchanged.below_k, best.figures.below_k) == (3, 0)
    assert [len(step) for step in best.variant.steps] == [1, 1]
    assert min(one.figures.below_k for one in compared.ranked if len(one.variant.steps) == 1) == 1
