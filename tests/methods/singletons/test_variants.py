"""What each variant leaves standing out and what it modifies: by hand, and record by record on random tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.singletons import election
from toolbox.methods.singletons.columns import Column, Generalisation, Rows
from toolbox.methods.singletons.comparing import applied, classes, figures, rank, shown_codes
from toolbox.methods.singletons.election import compare
from toolbox.methods.singletons.finishing import generalised_further
from toolbox.methods.singletons.variants import Variant, all_variants, changes_of

Record = tuple[str, ...]
BOTH = ("local", "global")


def column(name: str, parents: dict[str, str], *, centroid: str | None = None) -> Column:
    """Make a column of these values, with their parents and a root; and a centroid, if there is one."""
    labels = tuple(parents)
    uppers = tuple(dict.fromkeys(parents.values()))
    group = np.array([uppers.index(parents[label]) for label in labels])
    nothing = np.zeros(len(labels), np.int64)
    found = [
        Generalisation("parent", group, uppers, np.arange(len(uppers))),
        Generalisation("any", nothing, ("*",), np.array([9])),
    ]
    if centroid is not None:
        found.append(Generalisation("middles", nothing, (centroid,), None))
    return Column(name, labels, tuple(found))


TOWN = column("town", {"Graz": "south", "Linz": "north", "Wels": "north", "north": "north"}, centroid="Linz")
SEX = column("sex", {"f": "any sex", "m": "any sex"})


def rows(records: Sequence[Record]) -> Rows:
    counts = Counter(records)
    values = [[one.labels.index(record[place]) for record in counts] for place, one in enumerate((TOWN, SEX))]
    sizes = np.array(list(counts.values()), np.int64)
    return Rows((TOWN, SEX), tuple(np.array(given) for given in values), sizes, np.arange(len(counts)))


def variant(given: Rows, name: str) -> Variant:
    """Find a variant by its name."""
    choices = [changes_of(number, one, BOTH, covering=False) for number, one in enumerate(given.columns)]
    return next(one for one in all_variants(choices) if one.name(given.columns) == name)


def outcome(given: Rows, name: str, k: int = 2) -> tuple[int, int, int]:
    found = figures(given, variant(given, name), k)
    return found.below_k, found.modified, found.distinct


# By hand: the one in Graz and the man in Linz are alone.

PEOPLE = rows([("Graz", "f"), *[("Linz", "f")] * 3, ("Linz", "m"), *[("Wels", "m")] * 2])


def test_as_it_is_nothing_is_modified() -> None:
    assert outcome(PEOPLE, "as it is") == (2, 0, 4)


def test_a_global_change_reaches_every_record() -> None:
    assert outcome(PEOPLE, "sex any") == (1, 7, 3)


def test_a_local_change_reaches_those_alone_who_stand_out() -> None:
    # South f, and north m alone: those of Wels still are in Wels.
    assert outcome(PEOPLE, "town parent (local)") == (2, 2, 4)
    assert outcome(PEOPLE, "town any (local), sex any (local)") == (0, 2, 3)


def test_who_stands_out_is_determined_anew_before_each_step() -> None:
    given = rows([*[("Linz", "f")] * 2, ("Linz", "m"), ("Wels", "f"), ("Wels", "m")])
    # At once all three become north and of any sex; one after the other the town alone brings nobody together but ...
    assert outcome(given, "town parent (local), sex any (local)") == (0, 3, 2)
    # ... the two men, so that only the woman of Wels gets another sex.
    assert outcome(given, "town parent (local); sex any (local)") == (1, 3, 3)


def test_a_text_that_stays_the_same_is_not_modified_and_tells_nobody_apart() -> None:
    given = rows([("north", "f"), ("Wels", "f")])
    assert outcome(given, "town parent") == (0, 1, 1)


def test_classes_smaller_than_k_stand_out() -> None:
    assert outcome(PEOPLE, "as it is", k=3) == (4, 0, 4)
    assert outcome(PEOPLE, "sex any (local)", k=3) == (4, 4, 4)


def test_fewest_below_k_is_elected_then_fewest_modified() -> None:
    compared = compare(PEOPLE, 2, BOTH)
    ranks = [rank(one.figures) for one in compared.ranked]
    assert ranks == sorted(ranks)
    assert compared.all_tried
    assert compared.ranked[0].figures.below_k == 0
    assert compared.unchanged.name == "as it is"


def test_centroids_are_told_apart_from_what_covers_its_values() -> None:
    assert not figures(PEOPLE, variant(PEOPLE, "town middles"), 2).covers
    assert all(one.figures.covers for one in compare(PEOPLE, 2, BOTH, covering=True).ranked)


def test_too_many_variants_are_chosen_one_change_after_the_other(monkeypatch) -> None:
    monkeypatch.setattr(election, "_LOOKS", 0)
    monkeypatch.setattr(election, "_LEAST", 5)
    compared = compare(PEOPLE, 2, BOTH)
    assert not compared.all_tried
    best = compared.ranked[0]
    assert best.figures.below_k < compared.unchanged.below_k
    assert figures(PEOPLE, best.variant, 2) == best.figures


def test_of_few_records_no_more_variants_are_tried_than_the_bound_allows(monkeypatch) -> None:
    # One column alone: 11 with that of none; both: 6 for all records, 12 for some in two ways, 6 local ones in three.
    monkeypatch.setattr(election, "_MOST", 58)
    assert not compare(PEOPLE, 2, BOTH).all_tried
    monkeypatch.setattr(election, "_MOST", 59)
    assert compare(PEOPLE, 2, BOTH).all_tried


# Record by record

TABLES = st.lists(st.tuples(st.sampled_from(TOWN.labels), st.sampled_from(SEX.labels)), min_size=1, max_size=15)


def recoded(records: Sequence[Record], chosen: Variant, k: int) -> list[Record]:
    """Follow the steps record by record."""
    shown = list(records)
    for step in chosen.steps:
        counts = Counter(shown)
        out = [counts[record] < k for record in shown]
        for change in step:
            one = (TOWN, SEX)[change.column]
            generalisation = one.generalisations[change.generalisation]
            for number, record in enumerate(records):
                if out[number] or change.scope == "global":
                    cells = list(shown[number])
                    group = generalisation.group[one.labels.index(record[change.column])]
                    cells[change.column] = generalisation.labels[group]
                    shown[number] = tuple(cells)
    return shown


@settings(deadline=None, max_examples=40)
@given(records=TABLES, k=st.integers(2, 4))
def test_every_variant_agrees_with_following_its_steps_record_by_record(records: list[Record], k: int) -> None:
    compared = compare(rows(records), k, BOTH)
    for one in compared.ranked:
        shown = recoded(records, one.variant, k)
        counts = Counter(shown)
        assert one.figures.below_k == sum(counts[record] < k for record in shown)
        assert one.figures.modified == sum(before != after for before, after in zip(records, shown, strict=True))
        assert one.figures.distinct == len(counts)
        assert one.figures.smallest_class == min(counts.values())


@settings(deadline=None, max_examples=40)
@given(records=TABLES.filter(lambda records: len(records) >= 4), k=st.integers(2, 4))
def test_generalised_further_nobody_stands_out_and_each_value_is_covered(records: list[Record], k: int) -> None:
    given_rows = rows(records)
    made = generalised_further(given_rows, applied(given_rows, Variant(), k), k)
    sizes, _ = classes(given_rows, made)
    assert sizes.min() >= k
    assert len(next(shown_codes(given_rows, made))) == len(given_rows.sizes)
    for one, how in zip(given_rows.columns, made, strict=True):
        assert all(how_row == 0 or one.generalisations[how_row - 1].covers for how_row in how)


def test_what_is_fewer_than_k_records_even_together_is_joined_by_the_smallest_class() -> None:
    given_rows = rows([("Graz", "f"), *[("Linz", "m")] * 3, *[("Wels", "f")] * 4])
    made = generalised_further(given_rows, applied(given_rows, Variant(), 3), 3)
    sizes, _ = classes(given_rows, made)
    assert sorted(sizes) == [4, 4]
