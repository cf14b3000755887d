"""Cancelling: between two words of a method, and in the middle of a statement."""

from __future__ import annotations

import threading

import pytest
from helpers.small_tables import store
from sqlalchemy import func, select

from toolbox.errors import CancelledError, EngineError, SettingError
from toolbox.flows.session.run import Cancelling
from toolbox.store.engine.store import Store

__all__ = ["store"]
"""One for each test, as it is interrupted."""


def long_statement(store: Store) -> None:
    """Count so many pairs that nobody waits for the end."""
    numbers = store.create("numbers", select(func.range(3_000_000).table_valued("range").c.range.label("n")))
    other = numbers.alias()
    store.scalar(select(func.sum(numbers.c.n * other.c.n % 7)).where(numbers.c.n * other.c.n % 11 == 3))


def test_a_statement_is_interrupted_and_the_store_works_on(store: Store) -> None:
    event = threading.Event()
    threading.Timer(0.2, event.set).start()
    with pytest.raises(CancelledError), Cancelling(event).interrupt_when_cancelled(store):
        long_statement(store)
    assert store.scalar(select(func.count()).select_from(store.create_constant("t", {"n": (int, [1])}))) == 1


def test_what_is_cancelled_before_does_not_begin(store: Store) -> None:
    begun = []
    with pytest.raises(CancelledError), Cancelling(lambda: True).interrupt_when_cancelled(store):
        begun.append(1)
    assert not begun


def test_other_errors_stay_what_they_are(store: Store) -> None:
    with pytest.raises(EngineError), Cancelling(threading.Event()).interrupt_when_cancelled(store):
        store.scalar(select(func.no_such_function()))
    with pytest.raises(ValueError, match="own"), Cancelling(None).interrupt_when_cancelled(store):
        raise ValueError("own")


def test_nobody_asks_once_the_block_is_over(store: Store) -> None:
    asked = []
    with Cancelling(lambda: bool(asked.append(1))).interrupt_when_cancelled(store):
        pass
    count, threads = len(asked), threading.active_count()
    assert count >= 1
    assert threads == threading.active_count()
    assert len(asked) == count


def test_only_what_can_be_asked_is_taken() -> None:
    with pytest.raises(SettingError, match="cancel is 'now'"):
        Cancelling("now")
