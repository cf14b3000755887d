"""The records of a table of PostgreSQL, with the types of its columns, as `toolbox.engines.database` counts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func

from toolbox.engines.database import Expression, Records, constant, lacking
from toolbox.engines.engine import CountRequest
from toolbox.engines.postgresql_errors import Doing
from toolbox.engines.postgresql_types import ColumnType, field, seen
from toolbox.errors import UnknownColumnError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReadTable:
    """Something that is read, and the types of its columns."""

    name: str
    table: Any
    types: Mapping[str, ColumnType]
    doing: Doing
    is_plain: bool
    """Whether reading it runs nobody's expressions."""

    def value(self, name: str) -> Expression:
        """Return a column as it is compared."""
        if name not in self.types:
            raise UnknownColumnError(name, self.name, list(self.types))
        return seen(self.table.c[name], self.types[name])

    def field(self, name: str, label: str) -> pa.Field:
        return field(label, self.types[name])


def _hashed(values: Any, salt: int) -> Any:
    # A row hashes the places of its values as well. Its nulls are 0 with every salt, so that it is one of the values.
    return func.pg_catalog.hash_record_extended(func.row(constant(salt), *values), constant(salt))


def records_of(relation: ReadTable, request: CountRequest) -> Records:
    """Return the records that a request counts.

    Raises
    ------
    UnknownColumnError
    """
    import pyarrow as pa

    tests = []
    for each in request.lacking:
        value = relation.value(each.column)
        is_text = pa.types.is_string(relation.field(each.column, "").type)
        tests.append((value, each.marks if is_text else ()))
    return Records(
        table=relation.table,
        by=tuple(map(relation.value, request.by)),
        passed=tuple(map(relation.value, request.passed)),
        unusable=lacking(tests),
        salt=request.salt,
        hashes=_hashed,
    )
