"""Hierarchies from the data alone."""

from helpers.built import HOSTILE_TEXTS, NUMBERS, TEXTS, assert_is_hierarchy, built, wrong
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchies import auto


def test_numbers_are_cut_at_round_numbers_with_as_many_records_on_both_sides():
    ages = [17, 18, 19, 22, 23, 25, 31, 36, 44, 45, 47, 58, 60, 61, 70, 88]
    assert [row[1:] for row in built("auto").rows(ages)][::2] == [
        ("<19", "<23", "<40", "*"),
        ("[19:23)", "<23", "<40", "*"),
        ("[23:30)", "[23:40)", "<40", "*"),
        ("[30:40)", "[23:40)", "<40", "*"),
        ("[40:46)", "[40:60)", ">=40", "*"),
        ("[46:60)", "[40:60)", ">=40", "*"),
        ("[60:70)", ">=60", ">=40", "*"),
        (">=70", ">=60", ">=40", "*"),
    ]


def test_words_are_neighbours_in_the_alphabet_and_a_frequent_one_stays_alone():
    towns = ["Graz"] * 10 + ["Linz", "Wien", "bern", "Basel", "Zell", "Salzburg"]
    assert built("auto").rows(towns) == [
        ("Basel", "Basel..bern", "Basel..Graz", "*"),
        ("bern", "Basel..bern", "Basel..Graz", "*"),
        ("Graz", "Graz", "Basel..Graz", "*"),
        ("Linz", "Linz..Zell", "Linz..Zell", "*"),
        ("Salzburg", "Linz..Zell", "Linz..Zell", "*"),
        ("Wien", "Linz..Zell", "Linz..Zell", "*"),
        ("Zell", "Linz..Zell", "Linz..Zell", "*"),
    ]


def test_a_value_that_is_called_as_the_root_has_a_label_of_its_own():
    assert auto().rows(["*", "*", "x", "y"]) == [("*", '"*"', "*"), ("x", "x..y", "*"), ("y", "x..y", "*")]


def test_dates_go_to_months_years_and_decades():
    assert built("auto").rows(["1971-03-05"]) == [("1971-03-05", "1971-03", "1971", "1970s", "*")]
    assert built("auto:1").rows(["1971-03-05"]) == [("1971-03-05", "1970s", "*")]


def test_few_values_have_few_levels():
    assert auto().rows(["a", "b"]) == [("a", "*"), ("b", "*")]
    assert auto().rows(["a", "b", "c"]) == [("a", "a", "*"), ("b", "b..c", "*"), ("c", "b..c", "*")]
    assert auto().rows([5]) == [("5", "*")]


def test_without_levels_there_is_a_value_or_nothing():
    assert built("auto:0").of("category").rows(["Aachen", "Bonn", "Kulmbach"]) == [
        ("Aachen", "*"),
        ("Bonn", "*"),
        ("Kulmbach", "*"),
    ]


def test_nothing_is_random():
    assert auto().rows([3, 1, 2, 9, 9, 4]) == auto().rows([9, 4, 2, 1, 9, 3])


def test_what_is_wrong_is_told():
    assert wrong("auto:99") == ["levels='99' is too many. Write at most 20."]
    assert wrong("auto:many")[0].startswith("levels='many' holds 'many', which is no whole number")


@given(st.lists(NUMBERS | st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 5))
def test_every_number_has_its_place(values, levels):
    rows = auto(levels).rows(values)
    assert_is_hierarchy(rows, [row[0] for row in rows])


@given(st.lists(HOSTILE_TEXTS | TEXTS, min_size=1, max_size=30), st.integers(1, 5))
def test_every_word_has_its_place(values, levels):
    rows = auto(levels, root="everything").of("category").rows(values)
    assert_is_hierarchy(rows, values)


@given(st.lists(st.integers(0, 60), min_size=8, max_size=60))
def test_halves_are_as_even_as_a_frequent_number_allows(values):
    rows = {int(row[0]): row[-2] for row in auto(1).rows(values)}
    if len(set(values)) > 2:
        sides = [sum(rows[value] == label for value in values) for label in set(rows.values())]
        most = max(values.count(value) for value in values)
        assert abs(sides[0] - sides[-1]) <= max(most, len(values) / 4) + 1
