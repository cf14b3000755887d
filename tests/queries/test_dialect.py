"""What each word of the dialect means; a second engine says the same of all of them."""

from hashlib import md5
from typing import Any

import pytest
from sqlalchemy import BigInteger, Double, String, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries import dialect as d
from toolbox.store.engine.store import Store

NAN = float("nan")


def text(value: str) -> ColumnElement[str]:
    return literal(value, String)


def number(value: float) -> ColumnElement[float]:
    return cast(text(repr(value)), Double)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (d._combine_bits(literal(6), literal(3)), 5),
        (d.nth_bit(literal(0)), 1),
        (d.nth_bit(literal(61)), 2**61),
        (d.number_of_bits(literal(11)), 3),
        (d.number_of_bits(literal(2**61 + 1, BigInteger)), 2),
        (d.number_or_null(text("1.5e2")), 150.0),
        (d.number_or_null(text("1,5")), None),
        (d.is_finite(number(1.0)), True),
        (d.is_finite(number(NAN)), False),
        (d.is_nan(number(NAN)), True),
        (d.binary_logarithm(literal(8)), 3.0),
        (d.whole_quotient(literal(7), literal(2)), 3),
        (d.contains(text("a_b"), "_"), True),
        (d.contains(text("ab"), "_"), False),
        (d.starts_with(text("%a"), "%"), True),
        (d.matches(text("ab"), "a"), False),
        (d.has_match(text("ab"), "b$"), True),
        (d.find_first_match(text("x17y"), "[0-9]+"), "17"),
        (d.find_first_match(text("x17y"), "x([0-9])", 1), "1"),
        (d.find_first_match(text("xy"), "[0-9]"), ""),
        (d.join_texts([text("a"), text("b")], func.upper, ", "), "A, B"),
    ],
    ids=lambda value: None if isinstance(value, ColumnElement) else repr(value),
)
def test_a_value_of_one_row(store: Store, expression: ColumnElement[Any], expected: object) -> None:
    assert store.scalar(select(expression)) == expected


def test_rows_keep_the_order_in_which_they_were_created_and_have_numbers(store: Store) -> None:
    given = store.create_constant("given", {"n": (int, [30, 10, 20])})
    made = store.create("made", select(given).order_by(given.c.n.desc()))
    assert store.rows(select(d.find_row_place(made), made.c.n)) == [(0, 30), (1, 20), (2, 10)]


def test_the_bits_of_several_numbers_are_gathered_and_null_has_none(store: Store) -> None:
    given = store.create_constant("given", {"n": (int, [5, None, 4, 2**61])})
    assert store.scalar(select(d.collect_bits(given.c.n))) == 2**61 + 5


def test_whole_numbers_end_before_the_last(store: Store) -> None:
    assert store.rows(select(d.list_whole_numbers(2, 5).c.number)) == [(2,), (3,), (4,)]


def test_a_hash_depends_on_all_values_and_on_their_order(store: Store) -> None:
    one, other = text("a"), text("b")
    hashes = store.row(
        select(d.hash_values(one), d.hash_values(one, other), d.hash_values(other, one), d.hash_values(one))
    )
    assert len(set(hashes)) == 3
    assert all(0 <= value < 2**64 for value in hashes)


def test_aggregates(store: Store) -> None:
    rows = store.create_constant("rows", {"n": (int, [3, 1, 2, 2]), "x": (float, [0.1, 0.2, 1e100, -1e100])})
    n, x = rows.c.n, rows.c.x
    found = store.row(
        select(
            d.choose_any_value(literal(7)),
            d.find_first_by(x, n),
            d.find_last_by(x, n),
            d.count_where(n > 1),
            d.compute_quantile(n, 0.5),
            d.collect_sorted(n),
            d.is_listed(literal(2), d.collect_sorted(n)),
        ).select_from(rows)
    )
    assert found == (7, 0.2, 0.1, 3, 2, [1, 2, 2, 3], True)


def test_ranks_and_texts_are_collected_in_one_order(store: Store) -> None:
    """The order is that of the ranks, not of the texts, nor as the rows come."""
    rows = store.create_constant("rows", {"rank": (int, [10, 2, 7]), "name": (str, ["a", "c", "b,b"])})
    ranks, names = d.collect_sorted_texts(rows.c.rank, rows.c.name, "; ")
    assert store.row(select(ranks, names)) == ([2, 7, 10], "c; b,b; a")


def test_a_stable_sum_loses_no_small_numbers(store: Store) -> None:
    rows = store.create_constant("rows", {"x": (float, [0.1] * 10)})
    assert store.scalar(select(d.sum_stably(rows.c.x))) == 1.0
    assert store.scalar(select(func.sum(rows.c.x))) != 1.0


def test_pieces_and_columns_by_number(store: Store) -> None:
    pieces = select(d.split_text(text("b|a|b"), "|").label("piece")).subquery()
    counted = select(pieces.c.piece, func.count()).group_by(d.nth_column(1)).order_by(pieces.c.piece)
    assert store.rows(counted) == [("a", 1), ("b", 2)]


def test_two_secret_numbers_are_the_halves_of_one_hash(store: Store) -> None:
    first, second = store.row(select(*d._make_secret_numbers(text("a"))))
    digest = md5(b"a").digest()
    assert {first, second >> 1} == {int.from_bytes(half, "little") >> 1 for half in (digest[:8], digest[8:])}
