"""Columns of Spark: how their names are quoted, what may be counted and hashed, and the key of a combination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolbox.errors import InputError, UnknownColumnError, quote

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType

_NESTED: Final = frozenset({"array", "map", "struct", "variant", "void", "geometry", "geography", "udt"})
_NEVER_HASHED: Final = frozenset({"variant", "void", "geometry", "geography", "udt", "interval"})
# Of all others (1e16, zones, 0E-9, bytes) engines make different texts.
_SAME_TEXTS: Final = frozenset(
    {"string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "date", "tinyint", "smallint", "int"}
    | {"bigint"}
)
HALF: Final = 32
_LOW: Final = (1 << HALF) - 1


class Columns:
    """The columns of one table, as expressions.

    Parameters
    ----------
    types : dict of str to DataType
        Each column by its name.
    functions : module
        Of the session.
    name : str
        What messages call the table.
    is_connect : bool
        Whether the session is one of Spark Connect.
    reads_texts : bool
        Whether it is delimited text, where a null and an empty text are the same.
    writes_texts : bool
        Whether what passes becomes delimited text, of which its hash is taken then.
    """

    def __init__(
        self,
        types: dict[str, DataType],
        functions: Any,
        name: str,
        *,
        is_connect: bool,
        reads_texts: bool = False,
        writes_texts: bool = False,
    ) -> None:
        self._types = types
        self._f = functions
        self._name = name
        self._is_connect = is_connect
        self._reads_texts = reads_texts
        self._writes_texts = writes_texts

    def __getitem__(self, column: str) -> Column:
        """Return a column by its name, which may hold dots and backticks."""
        kind = self._type(column)
        found: Column = self._f.col("`" + column.replace("`", "``") + "`")
        if getattr(kind, "collation", None) not in {None, "UTF8_BINARY"}:
            # A collation would make one value of texts that a release has to tell apart.
            found = self._f.collate(found, "UTF8_BINARY")
        if self._reads_texts and self.is_text(column):
            found = self._f.coalesce(found, self._f.lit(""))
        return found

    def is_text(self, column: str) -> bool:
        return self._type(column).typeName() in {"string", "char", "varchar"}

    def require_countable(self, columns: Sequence[str]) -> None:
        """Refuse columns whose values are no numbers, texts or times."""
        for column in columns:
            kind = self._type(column).typeName()
            if kind in _NESTED or "interval" in kind:
                remedy = "Make a number, a text or a date of it first."
                raise InputError(f"{self._name}: column {quote(column)} holds values of type {kind}. {remedy}")

    def key(self, columns: Sequence[str], salt: int) -> Column:
        """Return the hash of a combination, in which nulls and positions count; -0.0 is 0.0, as where Spark groups."""
        parts = [self._f.lit(salt).cast("long")]
        for column in columns:
            parts += self._hashed(column)
        return self._hash(parts)

    def halves(self, columns: Sequence[str]) -> tuple[Column, Column]:
        """Return the two unsigned halves of a hash of columns; 0 where there are none."""
        if not columns:
            return self._f.lit(0).cast("long"), self._f.lit(0).cast("long")
        texts = self._writes_texts
        parts = [[self.released(c, as_text=True)] if texts else self._hashed(c) for c in columns]
        whole = self._hash([part for column in parts for part in column])
        return self._f.shiftrightunsigned(whole, HALF), whole.bitwiseAND(self._f.lit(_LOW))

    def released(self, column: str, *, as_text: bool) -> Column:
        """Return a column as it is released.

        Raises
        ------
        InputError
            If it is to be a text, and engines do not agree which.
        """
        if not as_text:
            return self[column]
        kind = self._type(column).typeName()
        if kind not in _SAME_TEXTS:
            remedy = "Name an output that does not end with .csv: it will be Parquet."
            raise InputError(f"{self._name}: column {quote(column)} of type {kind} has no one text. {remedy}")
        return self._f.coalesce(self[column].cast("string"), self._f.lit(""))  # type: ignore[no-any-return]

    def lacks(self, column: str, marks: Sequence[str]) -> Column:
        """Return whether a record has no value in a column."""
        is_null: Column = self[column].isNull()
        return is_null | self[column].isin(*marks) if marks and self.is_text(column) else is_null

    def _hashed(self, column: str) -> list[Column]:
        # The hash of Spark passes over nulls: ("a", null) would be (null, "a").
        return [self[column].isNull(), self._without_maps(column)]

    def _without_maps(self, column: str) -> Column:
        """Return a column as Spark hashes it; it refuses maps, of which only the outermost is taken apart."""
        kind = self._type(column)
        inner = kind
        value = self[column]
        if kind.typeName() == "map":
            inner, value = kind.valueType, self._f.map_entries(value)  # type: ignore[attr-defined]
        if _holds(inner, _NEVER_HASHED | {"map"}):
            found = kind.simpleString().partition("<")[0]
            remedy = "Leave it out of the release, or make a text of it first."
            raise InputError(f"{self._name}: column {quote(column)} of type {found} cannot be proved. {remedy}")
        return value

    def _hash(self, parts: list[Column]) -> Column:
        if self._is_connect:
            # Sail 0.7 fails to hash columns that are constant throughout a file, unless another one varies. A null
            # changes no hash.
            parts = [*parts, self._f.when(self._f.monotonically_increasing_id() < 0, self._f.lit(0))]
        return self._f.xxhash64(*parts)  # type: ignore[no-any-return]

    def _type(self, column: str) -> DataType:
        try:
            return self._types[column]
        except KeyError:
            raise UnknownColumnError(column, self._name, list(self._types)) from None


def _holds(kind: Any, names: frozenset[str]) -> bool:
    """Return whether a type is, or holds anywhere, one of the names."""
    inner = [getattr(kind, part) for part in ("elementType", "keyType", "valueType") if hasattr(kind, part)]
    inner += [field.dataType for field in getattr(kind, "fields", ())]
    return kind.typeName() in names or any(_holds(part, names) for part in inner)
