"""Numpy arrays as tables of the store, and back."""

import sys

import numpy as np
import pytest
from helpers import children
from numpy.typing import NDArray
from sqlalchemy import func, select

from toolbox.store.engine.store import Store


@pytest.mark.parametrize(
    "given",
    [
        np.array([True, False]),
        np.array([-(2**15), 2**15 - 1], np.int16),
        np.array([-(2**31), 2**31 - 1], np.int32),
        np.array([-(2**63), 2**63 - 1], np.int64),
        np.array([-1.7e308, 5e-324]),
    ],
    ids=lambda given: str(given.dtype),
)
def test_values_and_types_stay_what_they_are(store: Store, given: NDArray[np.generic]) -> None:
    back = store.to_arrays(select(store.from_arrays("numbers", {"number": given})))["number"]
    assert back.dtype == given.dtype
    assert back.tolist() == given.tolist()


def test_columns_stay_beside_each_other_in_their_order(store: Store) -> None:
    numbers = np.arange(100_000)
    table = store.from_arrays("pairs", {"a": numbers, "b": (numbers[::-1] * 2)[::-1]})
    assert store.row(select(func.count(), func.sum(table.c.b - 2 * table.c.a))) == (100_000, 0)


def test_a_table_is_a_copy(store: Store) -> None:
    numbers = np.arange(3)
    table = store.from_arrays("numbers", {"n": numbers})
    numbers[:] = 7
    assert store.rows(select(table)) == [(0,), (1,), (2,)]


def test_no_rows_have_types_too(store: Store) -> None:
    table = store.from_arrays("numbers", {"n": np.zeros(0, np.int32)})
    assert store.to_arrays(select(table))["n"].dtype == np.int32


@pytest.mark.slow
def test_neither_pandas_nor_arrow_is_loaded() -> None:
    """Pandas alone takes longer to load than a whole run on a small table."""
    program = (
        "import sys, numpy as np\n"
        "from sqlalchemy import select\n"
        "from toolbox.store.engine.store import Store\n"
        "with Store() as store:\n"
        "    store.to_arrays(select(store.from_arrays('numbers', {'n': np.arange(5)})))\n"
        "print(*(name for name in ('pandas', 'pyarrow') if name in sys.modules))"
    )
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
