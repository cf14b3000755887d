"""What `toolbox.anonymize` returns: the release, as any kind of table, and its summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.config.file_kinds import has_types, is_parquet
from toolbox.config.model import Input, ReportKind
from toolbox.errors import UsageError
from toolbox.flows.arguments import one_of
from toolbox.flows.outcome import AskedRelease
from toolbox.messages import asked_in_python
from toolbox.release.faithful import to_pandas
from toolbox.report.notebook import Shown
from toolbox.report.summary import Summary
from toolbox.store.delimited import DelimitedSource
from toolbox.store.locking import hear_interrupts
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_TWO = "An anatomy release has two tables. Take result.{} instead of result.{}."


@dataclass(frozen=True)
class ReleasedFiles:
    """The files of one table of a release, and how to read them."""

    paths: tuple[Path, ...]
    separator: str
    has_header: bool

    def read(self) -> pa.Table:
        """Read the table; every value of delimited text stays text, and an empty field is null."""
        import pyarrow as pa

        if is_parquet(self.paths[0]):
            from pyarrow import parquet

            return pa.concat_tables([parquet.read_table(path) for path in self.paths])
        first, *more = self.paths
        if has_types(first):
            from toolbox.store.readers.converted import ConvertedSource

            with Store() as store:
                return ConvertedSource(self.paths, Input(path=first), store).arrow()
        files = Input(path=first, more=tuple(more), separator=self.separator, header=self.has_header)
        with Store() as store:
            source = DelimitedSource(files, store, self.paths)
            table: pa.Table = store.arrow(select(source.relation()))
            source.account(table.num_rows)
        return table.rename_columns(list(source.headers or table.column_names))


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """A release and its summary.

    Parameters
    ----------
    summary : Summary

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> ages = pd.DataFrame({"age": [25, 27, 61, 64]})
    >>> toolbox.anonymize(ages, quasi_identifiers=["age"], k=2)
    <Result: Mondrian, 4 records in 2 classes, smallest 2; k-anonymity 2 (required 2); columns: age>
    """

    summary: Summary
    _held: tuple[Any, ...] = field(repr=False)
    """The tables, or the files that hold them."""
    _asked: AskedRelease | None = field(default=None, repr=False, compare=False)
    """What was asked for, so that judges can look at the release."""

    @cached_property
    def tables(self) -> tuple[Any, ...]:
        """The tables of the release as the source was: DataFrames of pandas or Polars, or Arrow tables.

        One, or for anatomy the QIT and the ST. A release that was written to files is read as Arrow.
        """
        return tuple(table.read() if isinstance(table, ReleasedFiles) else table for table in self._held)

    @cached_property
    def parts(self) -> tuple[pd.DataFrame, ...]:
        """The tables of the release as DataFrames of pandas: one, or for anatomy the QIT and the ST."""
        return tuple(table if hasattr(table, "iloc") else to_pandas(_arrow(table)) for table in self.tables)

    @property
    def release(self) -> pd.DataFrame:
        """The release as a DataFrame of pandas; what passed through has the types that it had.

        Raises
        ------
        UsageError
            If it has two parts, as anatomy has.
        """
        frame: pd.DataFrame = self._only(self.parts, "release")
        return frame

    def to_arrow(self) -> pa.Table:
        """Return the release as an Arrow table; an index that was kept is a column.

        Raises
        ------
        UsageError
            If it has two parts, as anatomy has.
        """
        return _arrow(self._only(self.tables, "to_arrow()"))

    def to_polars(self) -> pl.DataFrame:
        """Return the release as a DataFrame of Polars, which must be installed.

        Raises
        ------
        UsageError
            If it has two parts, as anatomy has, or Polars is not installed.
        """
        table = self._only(self.tables, "to_polars()")
        try:
            import polars
        except ImportError:
            raise UsageError("Polars is not installed. Install polars, or take result.to_arrow().") from None
        hear_interrupts()
        if isinstance(table, polars.DataFrame):
            return table
        frame = polars.from_arrow(_arrow(table))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_html(self, kind: ReportKind = "internal", path: str | Path | None = None, *, matching: bool = False) -> str:
        """Return the report as one page for people: what the release protects, what it cost, who is still at risk.

        The judges measure the release when this is called; for an internal page they read the source once more, which
        must be as it was. A result that was pickled has no page any more.

        Parameters
        ----------
        kind : {'internal', 'public'}
            For those who may know what the original records hold, or for everybody: then the page tells nothing that
            the release does not tell.
        path : str or Path, optional
            A file to write as well; one of this name is replaced.
        matching : bool
            Whether an internal page also tells what an attacker learns who matches everybody at once.

        Returns
        -------
        str
            HTML with its style in it and no script.

        Raises
        ------
        UsageError
            If the kind is unknown, the result was pickled, the release became a table of a database, or a public page
            is to tell what an attacker learns who knows people.
        OutputError
            If the file cannot be written.

        Examples
        --------
        >>> import pandas as pd
        >>> import toolbox
        >>> ages = pd.DataFrame({"age": [25, 27, 61, 64]})
        >>> toolbox.anonymize(ages, quasi_identifiers=["age"], k=2).to_html(kind="public")[:15]
        '<!doctype html>'
        """
        from toolbox.flows.matching import attack_of
        from toolbox.flows.result_page import page_of_result

        with asked_in_python():
            kind = one_of("kind", kind, ReportKind)
            return page_of_result(self.summary, self._asked, self.tables, kind, path, attack_of(matching, (), None))

    def _only(self, tables: Sequence[Any], call: str) -> Any:
        if len(tables) > 1:
            raise UsageError(_TWO.format("parts" if call == "release" else "tables", call))
        return tables[0]

    def headline(self) -> str:
        """Return the most important facts in one line."""
        is_unread = any(isinstance(table, ReleasedFiles) for table in self._held)
        return self.summary.headline() + ("" if is_unread else f"; columns: {_names(self.tables)}")

    def show_on(self, console: Any) -> None:
        """Print the summary on a console of rich."""
        self.summary.show_on(console)


def _names(tables: Sequence[Any]) -> str:
    names = list(map(str, getattr(tables[-1], "column_names", tables[-1].columns)))
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _arrow(table: Any) -> pa.Table:
    import pandas as pd
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    if isinstance(table, pd.DataFrame):
        plain = isinstance(table.index, pd.RangeIndex) and table.index.name is None
        return pa.Table.from_pandas(table, preserve_index=not plain).replace_schema_metadata(None)
    return table.to_arrow()
