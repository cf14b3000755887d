"""Ordered categories of a caller's table, and their order."""

import pandas as pd
import pyarrow as pa
import pytest

from toolbox.store.engine.store import Store
from toolbox.store.input.memory import convert_ordered_texts, is_ordered_type
from toolbox.store.input.source import _find_orders

QUARTERS = pd.Series(pd.PeriodIndex(["2021Q3", "2020Q1", None, "2021Q3"], freq="Q"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (QUARTERS, True),
        (pd.Series(pd.cut([1, 5], 2)), True),
        (pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2])), True),
        (pd.Series(["a"], dtype="category"), False),
        (pd.Series([1]), False),
    ],
)
def test_periods_and_intervals_have_an_order(values: pd.Series, expected: bool) -> None:
    assert is_ordered_type(values.dtype) is expected


def test_they_become_texts_that_keep_it() -> None:
    found = convert_ordered_texts(QUARTERS, str)
    assert found.tolist()[:2] == ["2021Q3", "2020Q1"]
    assert found.isna().tolist() == [False, False, True, False]
    assert (list(found.cat.categories), found.cat.ordered) == (["2020Q1", "2021Q3"], True)


def test_what_would_be_one_text_has_no_order() -> None:
    found = convert_ordered_texts(QUARTERS, lambda quarter: str(quarter)[4:5])
    assert found.tolist()[:2] == ["Q", "Q"]
    assert found.dtype == object


def test_the_order_of_categories_is_that_of_their_dictionary(store: Store) -> None:
    sizes = pd.Categorical(["mid", "low"], categories=["low", "mid", "high"], ordered=True)
    numbers = pd.Categorical([2.5, 1.0], categories=[1.0, 2.5], ordered=True)
    frame = pd.DataFrame({"size": sizes, "number": numbers, "plain": pd.Categorical(["b", "a"]), "text": ["x", "y"]})
    table = pa.Table.from_pandas(frame)
    assert _find_orders(store, table) == (("low", "mid", "high"), ("1.0", "2.5"), None, None)
