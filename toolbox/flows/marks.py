"""Texts that stand for missing values, where an engine holds no text in which it could find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolbox.config.model import Config
from toolbox.errors import UsageError, quote
from toolbox.report.columns import listed
from toolbox.store.layout import Layout
from toolbox.store.missing import MissingValues

if TYPE_CHECKING:
    import pyarrow as pa

_WORDS = {"nan", "inf", "infinity", "true", "false"}
"""Texts of numbers and flags without a digit."""


def require_known_marks(config: Config, layout: Layout, schema: pa.Schema, name: str) -> None:
    """Stop where a missing value of a sensitive attribute may be written as a number, a date or a flag.

    An engine leaves out the records that lack a sensitive value; in columns that hold no texts it knows null alone.

    Raises
    ------
    UsageError
    """
    missing = MissingValues.of(config)
    if missing.policy == "keep" or not _may_be_a_value(missing.mark):
        return
    typed = [
        layout.names[position]
        for attribute, position in zip(config.sensitive, layout.sensitive, strict=True)
        if missing.mark in missing.marks(attribute) and not _holds_texts(schema, position)
    ]
    if typed:
        raise UsageError(
            f"missing={quote(missing.mark)} marks values of {listed(typed)} as missing, but {name} holds no texts "
            "there, and an engine only finds null. Let a query or a view make these values null."
        )


def _may_be_a_value(mark: str) -> bool:
    return any(letter.isdigit() for letter in mark) or mark.lower().lstrip("+-") in _WORDS


def _holds_texts(schema: pa.Schema, position: int) -> bool:
    from pyarrow import types

    held = schema.field(position).type
    held = held.value_type if types.is_dictionary(held) else held
    return bool(types.is_string(held) or types.is_large_string(held) or types.is_string_view(held))
