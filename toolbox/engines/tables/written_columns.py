"""The columns of a table of Arrow, made ready to be written to a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolbox.errors import OutputError, quote

if TYPE_CHECKING:
    import pyarrow as pa


def in_microseconds(records: pa.Table) -> pa.Table:
    """Return a table whose timestamps have the smallest steps that databases know, and the zone UTC if they have one.

    Raises
    ------
    OutputError
        If a value is between two of these steps.
    """
    import pyarrow as pa

    for place, each in enumerate(records.schema):
        if not pa.types.is_timestamp(each.type):
            continue
        kind = pa.timestamp("us", None if each.type.tz is None else "UTC")
        try:
            column = records.column(place).cast(kind)
        except pa.ArrowException:
            problem = f"The column {quote(each.name)} has times in nanoseconds, which a database would round"
            raise OutputError(f"{problem}. Round them first.") from None
        records = records.set_column(place, pa.field(each.name, kind, metadata=each.metadata), column)
    return records


def decimals_as_texts(records: pa.Table) -> pa.Table:
    """Return a table without decimals, and without whole numbers beyond those of 64 bits with a sign."""
    import pyarrow as pa

    for place, each in enumerate(records.schema):
        if pa.types.is_decimal(each.type) or pa.types.is_uint64(each.type):
            records = records.set_column(place, each.name, records.column(place).cast(pa.string()))
    return records


def unknown_type(of: pa.Field) -> OutputError:
    """Return the error that a column has a type that no database has."""
    return OutputError(f"The column {quote(of.name)} is of type {of.type}, which is not written. Make it text first.")
