"""Arrays of a search get their room within the memory limit, or the run stops before it takes it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.small_tables import load
from sqlalchemy import func, literal, select

from toolbox.config.model import Limits
from toolbox.errors import UsageError
from toolbox.methods.arrays.memory import in_memory
from toolbox.store.engine.store import Store

TABLE = """
    age sex
    23  f
    25  m
    25  m
    61  f
"""


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path, Limits(memory="1GB")) as store:
        yield store


def engine_limit(store: Store) -> str:
    return str(store.scalar(select(func.current_setting(literal("memory_limit")))))


def test_while_arrays_are_there_the_engine_has_less(limited: Store) -> None:
    tables = load(limited, TABLE, "age sex").tables
    before = engine_limit(limited)
    # 600 MB, of which 300 have room beside the engine's 1,000.
    with in_memory(tables, 200_000_000):
        assert engine_limit(limited) == "667.5 MiB"
    assert engine_limit(limited) == before == "953.6 MiB"


def test_the_engine_has_its_memory_again_after_an_error(limited: Store) -> None:
    tables = load(limited, TABLE, "age sex").tables
    with pytest.raises(KeyboardInterrupt), in_memory(tables, 200_000_000):
        raise KeyboardInterrupt
    assert engine_limit(limited) == "953.6 MiB"


def test_small_arrays_take_nothing_from_it(limited: Store) -> None:
    tables = load(limited, TABLE, "age sex").tables
    with in_memory(tables, 100_000_000):
        assert engine_limit(limited) == "953.6 MiB"


def test_where_there_is_no_room_the_search_does_not_begin(limited: Store) -> None:
    tables = load(limited, TABLE, "age sex").tables
    expected = (
        "3 distinct combinations of 2 quasi-identifiers need 3.0 GB beside the tables, for which the memory limit has "
        "no room. Raise --memory-limit to 5.4GB, declare fewer quasi-identifiers, or choose Datafly, which spills to "
        "disk."
    )
    with pytest.raises(UsageError) as error, in_memory(tables, 1_000_000_000):
        pytest.fail("it began")
    assert str(error.value) == expected


@pytest.mark.slow
def test_without_a_limit_the_machine_says_what_is_too_much(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        tables = load(store, TABLE, "age sex").tables
        with (
            pytest.raises(UsageError, match=r"need more memory than there is\. Declare fewer"),
            in_memory(tables, 10**12),
        ):
            raise MemoryError
