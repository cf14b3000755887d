"""An order that nobody can guess, or that a seed fixes."""

from sqlalchemy import select

from toolbox.queries.dialect import join_block_secrets, make_block_keys, shuffle_records
from toolbox.store.engine.store import Store


def order(store: Store, seed: int | None, purpose: str = "groups") -> list[int]:
    record = store.create_constant("record", {"record_id": (int, range(200))})
    joined, turns = join_block_secrets(record, record, store.create("keys", make_block_keys(200, seed, purpose)), seed)
    return [number for (number,) in store.rows(select(record.c.record_id).select_from(joined).order_by(*turns))]


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


def test_records_of_many_blocks_are_all_in_the_order(store: Store) -> None:
    many = 3000
    record = store.create_constant("record", {"record_id": (int, range(many))})
    for seed in (1, None):
        joined, turns = join_block_secrets(
            record, record, store.create("keys", make_block_keys(many, seed, "order")), seed
        )
        found = [number for (number,) in store.rows(select(record.c.record_id).select_from(joined).order_by(*turns))]
        assert sorted(found) == list(range(many))


def test_a_digest_of_each_record_orders_them_as_a_seed_says(store: Store) -> None:
    record = store.create_constant("record", {"record_id": (int, range(200))})
    orders = [
        [
            number
            for (number,) in store.rows(select(record.c.record_id).order_by(shuffle_records(record, seed, purpose)))
        ]
        for seed, purpose in ((1, "a"), (1, "a"), (2, "a"), (1, "b"), (None, "a"), (None, "a"))
    ]
    assert orders[0] == orders[1]
    assert len({tuple(found) for found in orders}) == 5
    assert all(sorted(found) == list(range(200)) for found in orders)
