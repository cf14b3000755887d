"""Python values as the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import BigInteger, Boolean, Double, String, case, cast, func, literal, null, select, type_coerce
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine

from toolbox.queries.dialect import pieces_of
from toolbox.queries.query import Query
from toolbox.store.statements import HugeInteger

_TYPES: dict[type, TypeEngine[Any]] = {bool: Boolean(), int: BigInteger(), float: Double(), str: String()}


def constant_rows(columns: Mapping[str, tuple[type, Sequence[object]]]) -> Query:
    """Write Python sequences of one length as a select.

    Parameters
    ----------
    columns : mapping of column name to (type, values)
        The type is one of bool, int, float, str; a value may be None.
    """
    length = len(list(zip(*(values for _, values in columns.values()), strict=True)))
    types = {label: _type_of(kind, values) for label, (kind, values) in columns.items()}
    if not length:
        nothing = (cast(null(), kind).label(label) for label, kind in types.items())
        return select(*nothing).where(literal(False))
    pieces = select(*(_unnested(values).label(label) for label, (_, values) in columns.items())).subquery()
    texts = {label: case((pieces.c[label] != "", func.substr(pieces.c[label], 2))) for label in columns}
    return select(*(cast(texts[label], kind).label(label) for label, kind in types.items()))


def _type_of(kind: type, values: Sequence[object]) -> TypeEngine[Any]:
    """Choose the type of a column of constants; whole numbers may be too large for 64 bits."""
    is_huge = kind is int and any(abs(value) >= 2**63 for value in values if isinstance(value, int))
    return HugeInteger() if is_huge else _TYPES[kind]


def _unnested(values: Sequence[object]) -> ColumnElement[str]:
    """Write constants as one text that the engine cuts up, which is much faster than a literal for each of many.

    Every value has a mark in front, so that a missing one differs from an empty text.
    """
    written = ["" if value is None else f"={value!r}" if isinstance(value, float) else f"={value}" for value in values]
    used = set().union(*written)
    unused = (chr(code) for code in chain(range(31, 0, -1), range(0xE000, 0x110000)) if chr(code) not in used)
    separator, nul = next(unused), next(unused)
    pieces = pieces_of(literal(separator.join(written).replace("\0", nul)), separator)
    # A statement ends at this character.
    return type_coerce(func.replace(pieces, nul, func.chr(0)) if "\0" in used else pieces, String())
