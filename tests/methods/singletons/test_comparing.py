"""What each variant leaves standing out and what it modifies: by hand, and record by record on random tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from helpers.towns import BOTH, PEOPLE, SEX, TOWN, Record, rows, variant
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.singletons.columns import SingletonsRows
from toolbox.methods.singletons.comparing import (
    VariantFigures,
    _apply_variant,
    _mark_singletons,
    _SingletonsVariant,
    compare,
    count_classes,
    measure_variant,
    rank,
)

TABLES = st.lists(st.tuples(st.sampled_from(TOWN.labels), st.sampled_from(SEX.labels)), min_size=1, max_size=15)


def outcome(given: SingletonsRows, name: str, k: int = 2) -> tuple[int, int, int]:
    found = measure_variant(given, variant(given, name), k)
    return found.below_k, found.modified, found.distinct


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


def test_centroids_are_told_apart_from_what_covers_its_values() -> None:
    assert not measure_variant(PEOPLE, variant(PEOPLE, "town middles"), 2).covers
    assert measure_variant(PEOPLE, variant(PEOPLE, "town any, sex any"), 2).covers


def test_shares_and_ratios_follow_from_the_classes() -> None:
    """Classes of 1, 3, 1 and 2: of 21 pairs of people 3 + 1 are not told apart."""
    found = measure_variant(PEOPLE, _SingletonsVariant(), 2)
    assert (found.name, found.columns, found.smallest_class) == ("as it is", 0, 1)
    assert (found.share, found.distinct_ratio) == (2 / 7, 4 / 7)
    assert found.separation_ratio == pytest.approx(17 / 21)
    assert measure_variant(rows([("Graz", "f")]), _SingletonsVariant(), 2).separation_ratio == 1


def test_who_stands_out_is_marked_and_what_becomes_of_a_value_counts_from_one() -> None:
    nothing = _apply_variant(PEOPLE, _SingletonsVariant(), 2)
    assert [how.tolist() for how in nothing] == [[0] * 4, [0] * 4]
    assert _mark_singletons(PEOPLE, nothing, 2).tolist() == [True, False, True, False]
    made = _apply_variant(PEOPLE, variant(PEOPLE, "town any (local), sex parent"), 2)
    assert [how.tolist() for how in made] == [[2, 0, 2, 0], [1] * 4]
    sizes, of_row = count_classes(PEOPLE, made)
    assert sizes[of_row].tolist() == [2, 3, 2, 2]


def test_ranks_look_at_records_below_k_first_and_at_columns_last() -> None:
    def ranked(below_k: int, modified: int, distinct: int, columns: int) -> VariantFigures:
        return VariantFigures(
            name="",
            columns=columns,
            below_k=below_k,
            share=0.0,
            modified=modified,
            distinct=distinct,
            distinct_ratio=0.0,
            separation_ratio=0.0,
            smallest_class=1,
            covers=True,
        )

    ordered = [ranked(0, 9, 1, 2), ranked(1, 3, 5, 2), ranked(1, 3, 4, 1), ranked(1, 3, 4, 2), ranked(1, 4, 9, 1)]
    mixed = [ordered[place] for place in (3, 1, 4, 2, 0)]
    assert sorted(mixed, key=rank) == ordered


def recoded(records: Sequence[Record], chosen: _SingletonsVariant, k: int) -> list[Record]:
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


@pytest.mark.slow
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
