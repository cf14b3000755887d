"""A table or a view of a DuckDB database, which is opened apart from the engine of the store, to be read only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb
from duckdb_sqlalchemy import Dialect
from sqlalchemy import String, cast, column, select, table
from sqlalchemy.sql.expression import quoted_name

from toolbox.errors import InputError
from toolbox.store.readers.choosing import chosen_table
from toolbox.store.readers.columns import digits
from toolbox.store.readers.file_table import BATCH, FileTable

_SETTINGS: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "enable_external_access": False,
    "lock_configuration": True,
}
"""A view could name another file, or an extension of the network."""
_NUMBERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_CARRIED: Final = frozenset((*_NUMBERS, "BOOLEAN", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR", "BLOB"))
"""Types that Parquet holds as they are; of all others but decimals and moments with a zone the texts are read."""
_ZONED: Final = "TIMESTAMP WITH TIME ZONE"
_HUGE: Final = ("HUGEINT", "UHUGEINT")
"""Numbers that no type of Arrow holds."""


class DuckdbTable(FileTable):
    """A table or a view of a DuckDB database.

    Parameters
    ----------
    path : Path
    wanted : str, optional
        Its name, behind that of its schema if this is not ``main``; None: the only one.
    """

    def __init__(self, path: Path, wanted: str | None) -> None:
        super().__init__()
        self._path = path
        with _errors_translated(path):
            self._connection = duckdb.connect(str(path.resolve()), read_only=True, config=_SETTINGS)
            try:
                places = self._places()
                schema, name = places[chosen_table(path, wanted, list(places))]
                origin = table(_quoted(name), schema=_quoted(schema))
                described = self._run(select(column("*", is_literal=True)).select_from(origin).limit(0)).description
                self.names = [str(entry[0]) for entry in described]
                self._huge = [index for index, entry in enumerate(described) if str(entry[1]) in _HUGE]
                read = [_readable(str(entry[0]), str(entry[1])) for entry in described]
                shown = (value.label(f"c{index}") for index, value in enumerate(read))
                self._query = select(*shown).select_from(origin)
            except BaseException:
                self._connection.close()
                raise

    def _run(self, query: Any) -> duckdb.DuckDBPyConnection:
        written = query.compile(dialect=Dialect(paramstyle="named"), compile_kwargs={"literal_binds": True})
        return self._connection.execute(str(written))

    def _places(self) -> dict[str, tuple[str, str]]:
        """Return schema and name of each table and view, by what users call it."""
        schema: Any = column("table_schema")
        name: Any = column("table_name")
        known = select(schema, name).select_from(table("tables", schema="information_schema")).order_by(schema, name)
        found = [(str(schema), str(name)) for schema, name in self._run(known).fetchall()]
        return {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found}

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        with _errors_translated(self._path):
            for batch in self._run(self._query).to_arrow_reader(BATCH):
                columns = list(batch.columns)
                for position in self._huge:
                    columns[position] = digits(columns[position])
                yield batch.num_rows, columns

    def close(self) -> None:
        self._connection.close()


def _quoted(name: str) -> quoted_name:
    return quoted_name(name, quote=True)


def _readable(name: str, kind: str) -> Any:
    value: Any = column(_quoted(name))
    is_carried = kind in _CARRIED or kind == _ZONED or kind.startswith("DECIMAL")
    return value if is_carried else cast(value, String)


@contextmanager
def _errors_translated(path: Path) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        said = str(error)
        if "set lock" in said or "Conflicting lock" in said:
            problem, remedy = "is open in another program, which may write to it", "Close it there."
        elif "different configuration" in said:
            problem, remedy = "is open in this program", "Close it, or give toolbox a relation of it."
        elif "version" in said:
            problem, remedy = "was written by another version of DuckDB", "Export its table there, as Parquet."
        elif isinstance(error, (duckdb.PermissionException, duckdb.CatalogException, duckdb.BinderException)):
            problem = "has a view that reads other files, or what is not there"
            remedy = "Read a table, or make one of the view."
        else:
            problem, remedy = "cannot be read: it is damaged", "Get a complete copy."
        raise InputError(f"{path} {problem}. {remedy}") from error
