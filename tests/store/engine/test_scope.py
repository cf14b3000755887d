"""What was made within a scope is dropped at its end; nothing else is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.session_tables import in_engine
from sqlalchemy import func, select

from toolbox.errors import EngineError
from toolbox.store.engine.store import Scope, Store


@pytest.fixture
def fresh() -> Iterator[Store]:
    with Store() as opened:
        yield opened


def numbers(store: Store, name: str = "numbers"):
    return store.create_constant(name, {"n": (int, [1, 2])})


def test_tables_views_and_enumerations_are_gone_when_the_scope_ends(fresh: Store) -> None:
    kept = numbers(fresh)
    with fresh.scope():
        made = numbers(fresh)
        fresh.create_view("view", select(made))
        words = fresh.create_constant("words", {"w": (str, ["a", "b"])})
        fresh.copy_with_enumerations(words, ["w"])
        fresh.drop(words)
        assert in_engine(fresh) == (3, 1, 1)
    assert in_engine(fresh) == (1, 0, 0)
    assert fresh.rows(select(kept.c.n)) == [(1,), (2,)]


def test_an_error_ends_a_scope_too(fresh: Store) -> None:
    with pytest.raises(ValueError, match="of the block"), fresh.scope():
        numbers(fresh)
        raise ValueError("of the block")
    with pytest.raises(EngineError), fresh.scope():
        made = numbers(fresh)
        # A table that could not be made is known by its name, and is not there.
        fresh.create("never", select(func.no_such_function(made.c.n)))
    assert in_engine(fresh) == (0, 0, 0)


def test_scopes_lie_within_each_other_and_one_may_be_kept_open(fresh: Store) -> None:
    load = Scope()
    with fresh.scope():
        with fresh.within(load):
            kept = numbers(fresh)
        numbers(fresh)
        with fresh.scope():
            numbers(fresh)
        assert in_engine(fresh) == (2, 0, 0)
    assert fresh.count(kept) == 2
    with fresh.within(load):
        numbers(fresh)
    fresh.clear(load)
    fresh.clear(load)
    assert in_engine(fresh) == (0, 0, 0)
