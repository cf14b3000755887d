"""An order that nobody can guess, or that a seed fixes."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from sqlalchemy import FromClause, String, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import (
    combine_bits,
    first_bits,
    hash_values,
    last_bits,
    list_whole_numbers,
    make_secret_number,
    make_secret_numbers,
)
from toolbox.queries.query import Query

_BLOCK = 10
"""Records that share their keys, as a power of two."""
# The engine sorts by up to 8 bytes, one of each column for null, in two thirds of the time that more take. So an
# order that nobody repeats takes 46 bits of a turn, 31 behind the number of a bucket, 15 within a group of few records.
FEW = 50
"""Records that may share 15 bits: of a thousand groups of so many, 37 have two records in one turn."""


def shuffle_records(record: FromClause, seed: int | None, purpose: str) -> ColumnElement[int]:
    """Order records by a keyed digest of each, where the order itself protects somebody.

    It costs more than `in_turn`, and no number of known turns tells the key or another turn.

    Parameters
    ----------
    record : FromClause
        With ``record_id``.
    seed : int, optional
        The key; None: one from the operating system.
    purpose : str
        Two orders for different purposes are independent.
    """
    # Behind a secret key MD5 is as unpredictable as SHA-256, and so is any part of its 128 bits.
    turn = make_secret_number(func.concat(literal(f"{_make_key(seed)}:{purpose}:"), cast(record.c.record_id, String)))
    # Without a seed nobody asks for the same order again, in which two records must not have one turn.
    return first_bits(turn, 63) if seed is None else turn


def make_block_keys(records: int, seed: int | None, purpose: str) -> Query:
    """Make secret numbers for each block of records, from which their turns follow.

    Parameters
    ----------
    records : int
        How many there are, numbered from 0.
    seed : int, optional
        Makes them reproducible; None: from the operating system.
    purpose : str
        Two orders for different purposes are independent.

    Returns
    -------
    Select, one row per block
        ``block, first, second``.
    """
    block = list_whole_numbers(0, (records >> _BLOCK) + 1).c.number
    first, second = make_secret_numbers(func.concat(literal(f"{_make_key(seed)}:{purpose}:"), cast(block, String)))
    return select(block.label("block"), first.label("first"), second.label("second"))


def join_block_secrets(
    joined: FromClause, record: FromClause, keys: FromClause, seed: int | None, *, in_groups: bool = False
) -> tuple[FromClause, Sequence[ColumnElement[int]]]:
    """Join the secrets of its block to every record; return the join and the numbers that sort records at random.

    Hashing each record with a secret, by MD5 say, would take as long as all else that is done with it. So a block of
    records has two secrets, and the engine's hash, which is fast and known to everybody, mixes each of them in. Whoever
    found out the secrets of one block from records that they know would have learned nothing about others. This is for
    the order in which records are shown; where the order decides what is shown, take `shuffled`.

    Parameters
    ----------
    joined : FromClause
        With the record.
    record : FromClause
        With ``record_id``.
    keys : FromClause
        Of `make_block_keys`.
    seed : int, optional
        That of the keys. With one, the order is the same again, so no two records may have one turn.
    in_groups : bool
        Whether records are sorted by the number of a group first, which has at most `FEW` records.
    """
    turn = hash_values(combine_bits(hash_values(combine_bits(record.c.record_id, keys.c.first)), keys.c.second))
    joined = joined.join(keys, keys.c.block == record.c.record_id.op(">>")(_BLOCK))
    if seed is not None:
        return joined, [turn]
    return joined, [last_bits(turn)] if in_groups else [first_bits(turn, 64), last_bits(turn)]


def _make_key(seed: int | None) -> str:
    return secrets.token_hex(16) if seed is None else f"{seed}"
