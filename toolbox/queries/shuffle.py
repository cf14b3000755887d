"""An order that nobody can guess, or that a seed fixes."""

from __future__ import annotations

import secrets

from sqlalchemy import FromClause, String, cast, func, literal
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
    # Behind a secret key MD5 is as unpredictable as SHA-256, and its 128 bits as a number sort twice as fast.
    return func.md5_number(func.concat(literal(f"{key}:{purpose}:"), cast(record.c.record_id, String)))
