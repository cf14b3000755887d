"""An order that nobody can guess, or that a seed fixes."""

from __future__ import annotations

import secrets

from sqlalchemy import BigInteger, FromClause, String, cast, func, literal
from sqlalchemy.sql.elements import ColumnElement


def shuffled(record: FromClause, seed: int | None, purpose: str) -> ColumnElement[int]:
    """Order records by a keyed hash: without the key nobody can tell the order they came in.

    Parameters
    ----------
    record : FromClause
        With ``record_id``.
    seed : int, optional
        The key; None: one from the operating system.
    purpose : str
        Two orders for different purposes are independent.
    """
    key = secrets.token_hex(16) if seed is None else f"{seed}"
    # Behind a secret key MD5 is as unpredictable as SHA-256, and so is any part of its 128 bits. The engine sorts by up
    # to 16 bytes several times as fast as by more: 63 bits leave room for what the records are sorted by first.
    number = func.md5_number(func.concat(literal(f"{key}:{purpose}:"), cast(record.c.record_id, String)))
    return cast(number.op(">>")(128 - 63), BigInteger)
