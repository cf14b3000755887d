"""Those who still stand out are generalised further, until nobody does."""

from __future__ import annotations

from helpers.towns import SEX, TOWN, Record, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.singletons.comparing import (
    _apply_variant,
    _generalise_further,
    _SingletonsVariant,
    count_classes,
    list_shown_codes,
)

TABLES = st.lists(st.tuples(st.sampled_from(TOWN.labels), st.sampled_from(SEX.labels)), min_size=1, max_size=15)


@settings(deadline=None, max_examples=40)
@given(records=TABLES.filter(lambda records: len(records) >= 4), k=st.integers(2, 4))
def test_generalised_further_nobody_stands_out_and_each_value_is_covered(records: list[Record], k: int) -> None:
    given_rows = rows(records)
    made = _generalise_further(given_rows, _apply_variant(given_rows, _SingletonsVariant(), k), k)
    sizes, _ = count_classes(given_rows, made)
    assert sizes.min() >= k
    assert len(next(list_shown_codes(given_rows, made))) == len(given_rows.sizes)
    for one, how in zip(given_rows.columns, made, strict=True):
        assert all(how_row == 0 or one.generalisations[how_row - 1].covers for how_row in how)


def test_what_is_fewer_than_k_records_even_together_is_joined_by_the_smallest_class() -> None:
    given_rows = rows([("Graz", "f"), *[("Linz", "m")] * 3, *[("Wels", "f")] * 4])
    made = _generalise_further(given_rows, _apply_variant(given_rows, _SingletonsVariant(), 3), 3)
    sizes, _ = count_classes(given_rows, made)
    assert sorted(sizes) == [4, 4]
