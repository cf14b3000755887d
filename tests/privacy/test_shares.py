"""How the share of a sensitive value in a class compares with its share in the whole table."""

from collections import Counter
from fractions import Fraction

from helpers.model_classes import classes
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from toolbox.privacy.classes import select_share_ratios
from toolbox.store.engine.store import Store

VALUES = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)


def rows(store: Store, judged) -> list[tuple[int, float, float]]:
    return sorted(map(tuple, store.rows(select_share_ratios(judged))))


def test_each_value_of_a_class_has_its_gain_and_its_share_of_the_table(store: Store) -> None:
    """Of aabc half are a and a quarter b. In ab, a is as frequent as in the table, b twice as frequent."""
    judged = classes(store, "ab", "c", column="aabc")
    assert rows(store, judged) == [(1, 1.0, 0.5), (1, 2.0, 0.25), (2, 4.0, 0.25)]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(VALUES, min_size=1, max_size=4))
@example([["a"] * 3 + ["b"] * 7] * 7)
def test_it_is_what_a_plain_program_counts(store: Store, several: list[list[str]]) -> None:
    column = Counter(value for members in several for value in members)
    total = sum(column.values())
    expected = []
    for number, members in enumerate(several, start=1):
        for value, count in Counter(members).items():
            share = Fraction(column[value], total)
            expected.append((number, float(Fraction(count, len(members)) / share), float(share)))
    assert rows(store, classes(store, *several)) == sorted(expected)


def test_a_class_that_is_like_the_table_gains_exactly_nothing(store: Store) -> None:
    several = [[0] * 3 + [1] * 7 + [2] * 11] * 7
    assert {ratio for _, ratio, _ in rows(store, classes(store, *several))} == {1.0}
