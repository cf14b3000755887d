"""Python values as the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import BigInteger, Boolean, Double, String, case, cast, column, func, literal, null, select, type_coerce
from sqlalchemy import values as values_of
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine

from toolbox.queries.dialect import pieces_of
from toolbox.queries.query import Query
from toolbox.store.statements import HugeInteger

_TYPES: dict[type, TypeEngine[Any]] = {bool: Boolean(), int: BigInteger(), float: Double(), str: String()}
_FEW = 60
"""Most values that are written one by one: each of them takes longer than it does in a long text, which costs more to
begin with."""


def constant_rows(columns: Mapping[str, tuple[type, Sequence[object]]]) -> Query:
    """Write Python sequences of one length as a select.

    Parameters
    ----------
    columns : mapping of column name to (type, values)
        The type is one of bool, int, float, str; a value may be None.
    """
    length = len(list(zip(*(cells for _, cells in columns.values()), strict=True)))
    types = {label: _type_of(kind, cells) for label, (kind, cells) in columns.items()}
    if not length:
        nothing = (cast(null(), kind).label(label) for label, kind in types.items())
        return select(*nothing).where(literal(False))
    texts = {label: [_text(value) for value in cells] for label, (_, cells) in columns.items()}
    listed = _listed(texts) if length * len(columns) <= _FEW and not _holds_nul(texts) else _cut_up(texts)
    return select(*(cast(listed[label], kind).label(label) for label, kind in types.items()))


def _type_of(kind: type, cells: Sequence[object]) -> TypeEngine[Any]:
    """Choose the type of a column of constants; whole numbers may be too large for 64 bits."""
    is_huge = kind is int and any(abs(value) >= 2**63 for value in cells if isinstance(value, int))
    return HugeInteger() if is_huge else _TYPES[kind]


def _text(value: object) -> str | None:
    return None if value is None else repr(value) if isinstance(value, float) else str(value)


def _holds_nul(texts: Mapping[str, Sequence[str | None]]) -> bool:
    """Return whether a text holds U+0000, at which a statement would end."""
    return any("\0" in text for column_texts in texts.values() for text in column_texts if text is not None)


def _listed(texts: Mapping[str, Sequence[str | None]]) -> Mapping[str, ColumnElement[Any]]:
    """Write every value as a literal."""
    rows = list(zip(*texts.values(), strict=True))
    return dict(values_of(*(column(label, String()) for label in texts), name="given").data(rows).c)


def _cut_up(texts: Mapping[str, Sequence[str | None]]) -> Mapping[str, ColumnElement[Any]]:
    """Write the values of each column as one text."""
    pieces = select(*(_unnested(cells).label(label) for label, cells in texts.items())).subquery()
    return {label: case((pieces.c[label] != "", func.substr(pieces.c[label], 2))) for label in texts}


def _unnested(texts: Sequence[str | None]) -> ColumnElement[str]:
    """Write constants as one text that the engine cuts up, which is much faster than a literal for each of many.

    Every value has a mark in front, so that a missing one differs from an empty text.
    """
    written = ["" if text is None else f"={text}" for text in texts]
    used = set().union(*written)
    unused = (chr(code) for code in chain(range(31, 0, -1), range(0xE000, 0x110000)) if chr(code) not in used)
    separator, nul = next(unused), next(unused)
    pieces = pieces_of(literal(separator.join(written).replace("\0", nul)), separator)
    # A statement ends at this character.
    return type_coerce(func.replace(pieces, nul, func.chr(0)) if "\0" in used else pieces, String())
