"""Tables of MariaDB and MySQL: which there are, their types in Arrow, and how their values are compared and hashed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from sqlalchemy import (
    BINARY,
    BigInteger,
    MetaData,
    Select,
    Table,
    Text,
    cast,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    type_coerce,
)
from sqlalchemy.dialects.mysql import CHAR
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import DropTable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.expression import ClauseElement, Executable

from toolbox.engines.engine import Lacking, ReleasedColumn, TableName
from toolbox.engines.mysql.connection import MySQLConnection
from toolbox.engines.records import Expression, ReadTable, RowHashing
from toolbox.errors import InputError, OutputError, ToolboxError, UsageError, did_you_mean, name_replacing, quote

if TYPE_CHECKING:
    import pyarrow as pa


# The few statements that SQLAlchemy has no words for.


class _ShowVariable(Executable, ClauseElement):
    """Show a variable that a server may not have."""

    inherit_cache = False

    def __init__(self, name: str) -> None:
        self.name = name


@compiles(_ShowVariable)
def _compile_show_variable(statement: _ShowVariable, compiler: SQLCompiler, **options: Any) -> str:
    return f"SHOW VARIABLES LIKE {compiler.process(literal(statement.name), **options)}"


# The types of MySQL: what each is in Arrow, and how its values are compared.
#
# | type | in Arrow | note |
# |---|---|---|
# | whole numbers, bit, year, also tinyint(1) | int64; decimal128(20, 0) for bigint unsigned and bit(64) | |
# | float, double | float, double | -0 is 0 |
# | decimal(p, s), p at most 38 | decimal128(p, s) | |
# | other decimal | string, metadata ``kind=number`` | |
# | date | date32 | one such as 0000-00-00 is an error |
# | datetime, timestamp | timestamp[us] | a timestamp in UTC |
# | char, varchar, text, enum, set, json, uuid, inet | string | compared byte by byte, whatever their collation |
# | binary, blob, geometry | string | ``\x`` and hexadecimal digits |
# | time | string | |

_WHOLE: Final = ("tinyint", "smallint", "mediumint", "int", "integer", "bigint", "year", "bit")
_BYTES: Final = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "vector")
_SHAPES: Final = ("geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon")
_SHAPES_AND_BYTES: Final = (*_BYTES, *_SHAPES, "geometrycollection", "geomcollection")
_TYPE: Final = re.compile(r"(\w+)(?:\(([^)]*)\))?(.*)", re.DOTALL)
_MOST_DIGITS: Final = 38
_LARGEST_BIT: Final = 64


class MySQLType(NamedTuple):
    """The type of a column as the server writes it, such as ``decimal(9,2)`` or ``int(10) unsigned``."""

    written: str
    collation: str = ""
    """That of texts, which begins with their encoding."""

    @property
    def word(self) -> str:
        """The name of the type alone."""
        return self._parts[0].lower()

    @property
    def is_text(self) -> bool:
        """Whether its values are compared as texts."""
        return self.word not in (*_WHOLE, "float", "double", "date", "datetime", "timestamp") and not self.is_decimal

    @property
    def is_decimal(self) -> bool:
        """Whether a decimal of Arrow holds it."""
        return self.word == "decimal" and self._numbers[0] <= _MOST_DIGITS

    @property
    def _parts(self) -> tuple[str, str, str]:
        found = _TYPE.fullmatch(self.written)
        assert found is not None, "a server writes a type"
        return found[1], found[2] or "", found[3]

    @property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(int(number) for number in self._parts[1].split(",") if number.strip().isdigit())

    def make_field(self, name: str) -> pa.Field:
        """Return a column in Arrow."""
        import pyarrow as pa

        if self.word in _WHOLE:
            is_large = self.word == "bigint" and "unsigned" in self._parts[2]
            is_large = is_large or (self.word == "bit" and self._numbers == (_LARGEST_BIT,))
            return pa.field(name, pa.decimal128(20, 0) if is_large else pa.int64())
        if self.is_decimal:
            return pa.field(name, pa.decimal128(*self._numbers))
        known = {
            "float": pa.float32(),
            "double": pa.float64(),
            "date": pa.date32(),
            "datetime": pa.timestamp("us"),
            "timestamp": pa.timestamp("us"),
        }
        metadata = {"kind": "number"} if self.word == "decimal" else None
        return pa.field(name, known.get(self.word, pa.string()), metadata=metadata)

    def compare(self, value: Expression) -> Expression:
        """Return a value as it is grouped, compared and hashed: texts as their bytes in UTF-8."""
        if self.word in ("float", "double"):
            # All digits of a short one, and of two zeros one.
            return value + literal_column("0e0")
        if self.word in ("bit", "year"):
            return value + literal_column("0")
        if self.word in _SHAPES_AND_BYTES:
            value = func.concat("\\x", func.lower(func.hex(value)))
        if self.collation.startswith(("utf8", "ascii")):
            # Its bytes are those that all texts are compared by.
            return type_coerce(cast(value, BINARY()), Text)
        return _as_bytes(value) if self.is_text else value


def _as_bytes(value: Expression) -> Expression:
    """Return a text as its bytes in UTF-8, as collations take some texts, and blanks at their ends, for the same."""
    return type_coerce(cast(cast(value, CHAR(charset="utf8mb4")), BINARY()), Text)


_KEYS: Final = 9
"""Places in a digest from which eight bytes follow: more than there are salts that a run tries."""


class DigestHashes:
    """The hashes of MariaDB and MySQL: records are grouped by a digest, since to sort long texts would cut them."""

    groups_values = False

    def digest(self, values: Sequence[Expression]) -> Expression:
        """Return 16 bytes: of some values, of their places and of their nulls."""
        # Each text ends at its own quote, and null is a word without quotes.
        return func.left(func.unhex(_hash(func.concat("", *map(func.quote, values)))), 16)

    def number(self, values: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Return a number of 64 bits with a sign."""
        return self.number_group([self.digest([literal(str(salt)), *values])], 0)

    def number_group(self, group: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Return the same of a digest: eight of its bytes, as to hash once more takes long."""
        (digest,) = group
        number = cast(func.conv(func.hex(func.substr(digest, 1 + salt % _KEYS, 8)), 16, -10), BigInteger)
        # Salts that take the same bytes still make other keys of them.
        return cast(number.op("^")(salt % 2**64), BigInteger) if salt else number

    def halves(self, digest: Expression) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Return two numbers of 32 bits without a sign."""
        first, second = (func.hex(func.substr(digest, place, 4)) for place in (1, 5))
        return cast(func.conv(first, 16, 10), BigInteger), cast(func.conv(second, 16, 10), BigInteger)


def _hash(value: Expression) -> Expression:
    return func.sha2(value, 256)


@dataclass(frozen=True)
class MySQLTable(ReadTable):
    """Something that is read, and the types of its columns."""

    digests: Mapping[tuple[str, ...], str] = field(default_factory=lambda: MappingProxyType({}))
    """The columns that hold the digest of some columns: to make it takes longer than to group by it."""
    skipped: tuple[Sequence[Lacking], str] | None = None
    """The column that tells whether a record lacks one of some values: to look at each again takes long."""
    place: str | None = None
    """The column that holds a random number: then records are sorted before they are joined, while they are narrow."""
    hashing: ClassVar[RowHashing] = DigestHashes()

    def find_digest(self, names: Sequence[str]) -> Expression | None:
        held = self.digests.get(tuple(names))
        return None if held is None else self.table.c[held]

    def test_unusable(self, lacking: Sequence[Lacking]) -> ColumnElement[bool]:
        if self.skipped is None or self.skipped[0] != lacking:
            return super().test_unusable(lacking)
        return self.table.c[self.skipped[1]] != 0  # type: ignore[no-any-return]

    def find_random_place(self) -> Expression:
        return super().find_random_place() if self.place is None else self.table.c[self.place]

    def compare(self, name: str) -> Expression:
        of: MySQLType = self.types[name]
        return of.compare(self.table.c[name])

    def field(self, name: str, label: str) -> pa.Field:
        of: MySQLType = self.types[name]
        return of.make_field(label)

    def release(self, column: ReleasedColumn) -> Expression:
        if column.treatment.changes:
            raise UsageError(
                f"{quote(column.header)} cannot be treated in MariaDB or MySQL, where the records stay. Let a query or "
                "a view treat it, such as left(zip, 3), choose drop, or read the records here."
            )
        return self.table.c[str(column.source)]  # type: ignore[no-any-return]

    def compare_released(self, column: ReleasedColumn) -> Expression:
        return _as_bytes(self.release(column))


# What a server knows of tables.

_tables = table(
    "tables",
    *map(column, ("table_schema", "table_name", "table_type")),
    schema="information_schema",
)
_schemas = table("schemata", column("schema_name"), schema="information_schema")
_references = table(
    "key_column_usage", column("referenced_table_schema"), column("referenced_table_name"), schema="information_schema"
)
_READING: Final = "reading the input"
_WRITING: Final = "writing the release"
_PLAIN_TABLE: Final = "BASE TABLE"
_MOST_NAMES: Final = 1_000
_STAGED: Final = re.compile("(toolbox_run_[0-9a-f]{16})(_old)?")


class Catalog:
    """The tables that a connection sees, and what earlier runs have left."""

    def __init__(self, connection: MySQLConnection) -> None:
        self._connection = connection
        sensitive = self._scalar(select(literal_column("@@lower_case_table_names")))
        self._folds_names = bool(int(sensitive))

    def _scalar(self, statement: Select[Any]) -> Any:
        ((value,),) = self._connection.rows(statement, doing=_READING)
        return value

    def complete(self, name: TableName) -> TableName:
        """Return a name with its database."""
        return TableName(name.table, name.schema or str(self._scalar(select(func.database()))))

    def find(self, name: TableName) -> tuple[TableName, str] | None:
        """Return the name of a table as the server has it, and what it is; None if there is none."""
        sought = self.complete(name)
        rows = self._connection.rows(
            select(*_tables.c).where(_tables.c.table_schema == sought.schema, _tables.c.table_name == sought.table),
            doing=_READING,
        )
        for schema, found, kind in rows:
            have = TableName(str(found), str(schema))
            if have == sought or self._folds_names:
                return have, str(kind)
        return None

    def find_input(self, name: TableName) -> TableName:
        """Find the input.

        Raises
        ------
        InputError
            If there is no such table.
        """
        if (found := self.find(name)) is not None:
            return found[0]
        schema = self.complete(name).schema
        known = self._connection.rows(
            select(_tables.c.table_name).where(_tables.c.table_schema == schema).limit(_MOST_NAMES), doing=_READING
        )
        near = did_you_mean(name.table, [str(each) for (each,) in known])
        raise InputError(
            f"There is no table {name} in the database {schema}, or you may not read it.{near} Capital letters count, "
            "and a table of another database is written DATABASE.TABLE."
        )

    def check_output(self, name: TableName, *, replace: bool, origin: TableName | None) -> TableName:
        """Check that a release can be written under a name; return the name with its database.

        Raises
        ------
        OutputError
        """
        place = self.complete(name)
        schemas = [str(each) for (each,) in self._connection.rows(select(_schemas.c.schema_name), doing=_WRITING)]
        if place.schema not in schemas and not (self._folds_names and str(place.schema).lower() in schemas):
            near = did_you_mean(str(place.schema), schemas)
            raise OutputError(
                f"There is no database {place.schema}, or you have no rights on it.{near} Write the release as TABLE, "
                "or as DATABASE.TABLE with a database that is there."
            )
        if (old := self.find(place)) is None:
            return place
        there, kind = old
        if there == origin:
            raise OutputError(f"{place} is the input, and would be lost. Choose another table for the release.")
        if kind != _PLAIN_TABLE:
            raise OutputError(f"{place} is there, and is no plain table. Choose another name for the release.")
        if not replace:
            raise OutputError(f"{place} exists. Write {name_replacing()} to replace it, or choose another table.")
        self._require_no_references(there)
        return there

    def _require_no_references(self, place: TableName) -> None:
        columns = _references.c
        rows = select(func.count()).where(
            columns.referenced_table_schema == place.schema, columns.referenced_table_name == place.table
        )
        if self._scalar(rows):
            raise OutputError(
                f"The foreign keys of other tables refer to {place}. Drop them first, or choose another table."
            )

    def remove_leftovers(self, schema: str | None) -> None:
        """Drop what runs have left that were killed: whoever still runs holds a lock by the name of its table."""
        galera = self._connection.rows(_ShowVariable("wsrep_on"), doing=_WRITING)
        if galera and str(galera[0][1]).upper() == "ON":
            # Its nodes do not know the locks of each other.
            return
        of_runs = _tables.c.table_name.like("toolbox\\_run\\_%")
        rows = self._connection.rows(
            select(_tables.c.table_name).where(_tables.c.table_schema == schema, of_runs), doing=_WRITING
        )
        for (name,) in rows:
            parts = _STAGED.fullmatch(str(name))
            if parts and self._scalar(select(func.is_free_lock(parts[1]))):
                with suppress(ToolboxError):
                    self._connection.run(make_drop_statement(str(name), schema), doing=_WRITING)


def make_drop_statement(name: str, schema: str | None) -> DropTable:
    """Return what drops a table that may be there."""
    return DropTable(Table(name, MetaData(), schema=schema), if_exists=True)
