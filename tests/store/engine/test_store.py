"""The tables of a store: created from selects and constants, and dropped."""

import pytest
from helpers import amounts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import String, cast, func, select

from toolbox.errors import EngineError
from toolbox.store.engine.store import Store

NUMBERS = {"n": (int, [3, 1, 2]), "word": (str, ["c", None, "it's"])}


@pytest.mark.parametrize("times", [1, 30])
def test_constants_keep_their_values_types_and_order(store: Store, times: int) -> None:
    columns: dict[str, tuple[type, list[object]]] = {
        "b": (bool, [True, None, False]),
        "i": (int, [2**62, None, -1]),
        "f": (float, [1e308, None, 0.1]),
        "s": (str, ['it\'s "quoted"; DROP TABLE x --', None, "Île 🦆 :name %s \\ {}\n"]),
    }
    columns = {name: (kind, values * times) for name, (kind, values) in columns.items()}
    made = store.create_constant("constants", columns)
    assert store.rows(select(made)) == list(zip(*(values for _, values in columns.values()), strict=True))
    types = store.row(select(*(func.any_value(func.typeof(one)) for one in made.c)))
    assert types == ("BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR")


def test_a_constant_table_may_be_empty(store: Store) -> None:
    empty = store.create_constant("nothing", {"n": (int, []), "s": (str, [])})
    assert store.count(empty) == 0
    assert store.rows(select(empty.c.n, empty.c.s)) == []


def test_columns_of_a_constant_table_have_one_length(store: Store) -> None:
    with pytest.raises(ValueError, match="zip"):
        store.create_constant("ragged", {"n": (int, [1, 2]), "s": (str, ["a"])})


@settings(
    max_examples=amounts.times(20, slow=60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(st.none() | st.text(st.characters(exclude_characters="\0", codec="utf-8")), max_size=5),
    times=st.sampled_from([1, 30]),
)
def test_any_text_comes_back_as_it_went_in(store: Store, texts: list[str | None], times: int) -> None:
    made = store.create_constant("texts", {"s": (str, texts * times)})
    assert store.rows(select(made.c.s)) == [(text,) for text in texts * times]
    numbered = store.copy_with_enumerations(made, ["s"])
    assert store.rows(select(cast(numbered.c.s, String))) == [(text,) for text in texts * times]
    store.drop(made, numbered)


def test_tables_of_one_name_live_side_by_side_until_they_are_dropped(store: Store) -> None:
    first = store.create_constant("numbers", {"n": (int, [1])})
    second = store.create_constant("numbers", {"n": (int, [1, 2])})
    assert (store.count(first), store.count(second)) == (1, 2)
    store.drop(first)
    assert store.count(second) == 2
    with pytest.raises(EngineError):
        store.count(first)


def test_a_table_keeps_its_rows_and_a_view_follows_its_source(store: Store) -> None:
    source = store.create_constant("numbers", {"n": (int, [1, 2])})
    kept, followed = store.create("kept", select(source)), store.create_view("followed", select(source))
    assert (store.count(kept), store.count(followed)) == (2, 2)
    store.drop(source)
    assert store.rows(select(kept)) == [(1,), (2,)]
    with pytest.raises(EngineError):
        store.count(followed)
