"""Child tables of a run: rows of the same persons, released together with the main table or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import FromClause

from toolbox.config.model import Config
from toolbox.flows.arguments.configuration import require_released_child
from toolbox.flows.release.databases import open_source
from toolbox.messages import name_child_table
from toolbox.release.columns import find_columns_around, make_columns
from toolbox.release.files.part import Part
from toolbox.release.kept_promises import count_keys, find_formula_columns, require_persons, require_promises
from toolbox.release.release import CodebookFacts, Written, release_parts, write_release
from toolbox.release.returned import ReleasedPart, fetch_part, sort_by_value
from toolbox.report.columns import (
    ChildTableResult,
    QuasiIdentifierResult,
    measure_quasi_identifiers,
)
from toolbox.risks.unmodified_columns import list_unmodified_columns
from toolbox.store.input.files import InputFiles
from toolbox.store.load.beside import ChildRows, ReleasedRows
from toolbox.store.load.loading import Loaded, Loader

if TYPE_CHECKING:
    import pyarrow as pa

    from toolbox.store.engine.store import Store


def write_children(
    children: Sequence[ChildRun],
    config: Config,
    loaded: Loaded,
    part: Part,
    written: Written,
    released: Sequence[ReleasedPart],
) -> None:
    """Write the child tables, and recount that each of their rows has a person in the finished main table.

    Parameters
    ----------
    config, loaded, part, written, released
        Of the main table: what it is, and what was finished of it.

    Raises
    ------
    ProofError
    """
    of_persons = count_keys(config, loaded.tables, loaded.layout, part, written, released)
    for child in children:
        child.write(of_persons)


class ChildRun:
    """The child table of a run: read beside the main table, left with those who are released, written and recounted."""

    rows: ChildRows
    kept: ReleasedRows
    written: Written
    released: list[ReleasedPart]

    def __init__(self, name: str, config: Config, given: pa.Table | None) -> None:
        self.name, self.config, self.given = name, config, given
        self.files = None if given is not None or config.input is None else InputFiles(config.input)

    def open(self, loader: Loader, store: Store) -> None:
        """Find the columns."""
        self.source = open_source(self.config, self.given, self.files, store)
        self.around = find_columns_around(self.config, self.source)
        with name_child_table(self.name):
            self._find_columns(loader, store)
        require_released_child(self.config, self.name, self.layout, self.source.width - self.source.added)

    def _find_columns(self, loader: Loader, store: Store) -> None:
        self._reader = loader.open_child(self.name, self.config, self.source)
        self.layout = self._reader.layout

    def read(self, everybody: FromClause, loaded: Loaded) -> None:
        """Read the rows, of which each must have a person."""
        watched = self.files.watch_reading() if self.files is not None else nullcontext()
        with watched, name_child_table(self.name):
            self._read(everybody, loaded)

    def _read(self, everybody: FromClause, loaded: Loaded) -> None:
        self.rows = self._reader.read(everybody)

    def keep(self, released: FromClause) -> None:
        """Keep the rows of persons who are released."""
        self._make_columns(self.rows.keep(released))

    def _make_columns(self, kept: ReleasedRows) -> None:
        drops = self.config.output.suppressed == "drop"
        self.kept = replace(kept, tables=make_columns(kept.tables, self.layout, drops=drops))

    def write(self, of_persons: FromClause | None) -> None:
        """Write the rows to files, or fetch them for a caller, and recount what is promised.

        Parameters
        ----------
        of_persons : Table, optional
            The keys of the finished main table; None: they are in no table.
        """
        config, layout, source, tables = self.config, self.layout, self.source, self.kept.tables
        store, self.written, self.released = tables.store, Written({}), []
        is_plain = layout.writes_plain and source.is_plain(config.release_separator)
        parts = self.parts = release_parts(config, tables, layout, source, passes_plain=is_plain)
        if self.given is not None:
            self.released = [fetch_part(store, part, self.given.num_columns) for part in parts]
            if config.output.order == "sorted":
                self.released = [sort_by_value(part, self.given) for part in self.released]
        else:
            self.written = write_release(config, parts, store, has_header=layout.has_header, around=self.around)
        with name_child_table(self.name):
            self.measured = require_promises(config, tables, layout, parts, self.written, self.released)
        keys = count_keys(config, tables, layout, parts[0], self.written, self.released)
        if keys is not None and of_persons is not None:
            require_persons(self.name, keys, of_persons, self.kept.count, tables)

    def describe(self) -> ChildTableResult:
        """Say what became of the table; its columns are called after it."""
        if self.files is not None:
            self.files.require_unchanged()
        tables, layout = self.kept.tables, self.layout
        treated = layout.describe_treatments(self.config)
        return ChildTableResult(
            name=self.name,
            key=str(self.config.person[0]),
            counts=self.kept.document(),
            release=tuple(self.written.files.values()),
            checksums=self.written.checksums,
            formulas=find_formula_columns(self.config, tables, layout, self.parts),
            passed=list_unmodified_columns(tables, layout, self.given),
            treatments=tuple({**each, "measured": dict(self.measured.get(each["column"], {}))} for each in treated),
        )

    def describe_columns(self) -> tuple[str, Sequence[Part], Written, CodebookFacts]:
        """Say what the columns of the release are, for the codebook."""
        treated = {str(each["column"]): each for each in self.layout.describe_treatments(self.config)}
        levels = {each.name: (each.level, each.height) for each in self._measure_columns()}
        return self.name, self.parts, self.written, CodebookFacts(treated, levels, {})

    def _measure_columns(self) -> tuple[QuasiIdentifierResult, ...]:
        """Measure how far its quasi-identifiers were generalised, where it has some."""
        return measure_quasi_identifiers(self.kept.tables)
