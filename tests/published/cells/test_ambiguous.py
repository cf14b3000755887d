"""Texts that name several things: which of them they are taken for."""

import pytest
from helpers.judged import Meaning, cells_of, domain, meanings
from helpers.small_tables import quasi_identifier

from toolbox.store.engine.store import Store

TOWN = quasi_identifier("town", hierarchy="Salzburg Salzburg *\nHallein Salzburg *\nWien Wien *")
PEOPLE = ["Salzburg", "Salzburg", "Hallein", "Wien"]
PROVINCE = ["Salzburg", "Hallein"]


def test_a_town_called_like_its_province_is_the_town_where_as_many_people_live_there(store: Store) -> None:
    found = meanings(store, TOWN, PEOPLE, ["Salzburg", "Salzburg", "Hallein", "Wien"])
    assert found["Salzburg"] == Meaning("value", 0, ["Salzburg"])


def test_it_is_the_province_where_more_records_are_called_so_than_people_live_in_the_town(store: Store) -> None:
    found = meanings(store, TOWN, PEOPLE, ["Salzburg", "Salzburg", "Salzburg", "Wien"])
    assert found == {"Salzburg": Meaning("node", 1, PROVINCE), "Wien": Meaning("value", 0, ["Wien"])}


def test_a_star_is_a_value_or_suppressed(store: Store) -> None:
    mark = quasi_identifier("mark", kind="category")
    assert meanings(store, mark, ["*", "a", "b"], ["*", "a", "b"])["*"] == Meaning("value", 0, ["*"])
    assert meanings(store, mark, ["*", "a", "b"], ["*", "*", "b"])["*"] == Meaning("root", 1, ["*", "a", "b"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "count"),
    [(["Salzburg"], 1), (["Wien"], 0), (["Hallein", "*"], 0), (["Salzburg", "Salzburg", "Salzburg"], 1)],
)
def test_texts_are_counted_that_name_more_than_their_reading(store: Store, texts: list[str], count: int) -> None:
    assert cells_of(store, domain(store, TOWN, PEOPLE), texts)[1].ambiguous == count


def test_an_empty_declared_category_is_a_member_of_sets_and_nodes(store: Store) -> None:
    mark = quasi_identifier("mark", kind="category")
    assert meanings(store, mark, ["", "a", "b"], ["{,a}"])["{,a}"].labels == ["a", None]
