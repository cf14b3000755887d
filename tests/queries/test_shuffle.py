"""An order that nobody can guess, or that a seed fixes."""

from sqlalchemy import select

from toolbox.queries.shuffle import block_keys, in_turn
from toolbox.store.store import Store


def order(store: Store, seed: int | None, purpose: str = "groups") -> list[int]:
    record = store.create_constant("record", {"record_id": (int, range(200))})
    joined, turn = in_turn(record, record, store.create("keys", block_keys(200, seed, purpose)))
    return [number for (number,) in store.rows(select(record.c.record_id).select_from(joined).order_by(turn))]


def test_a_seed_fixes_the_order(store: Store) -> None:
    assert order(store, 7) == order(store, 7)
    assert order(store, 7) != order(store, 8)


def test_without_a_seed_every_order_is_another(store: Store) -> None:
    assert order(store, None) != order(store, None)


def test_orders_for_different_purposes_are_independent(store: Store) -> None:
    assert order(store, 7, "QIT") != order(store, 7, "ST")


def test_every_record_is_in_the_order_once_and_not_in_its_old_place(store: Store) -> None:
    found = order(store, 1)
    assert sorted(found) == list(range(200))
    assert sum(place == number for place, number in enumerate(found)) < 20
