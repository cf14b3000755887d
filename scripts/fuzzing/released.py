"""The files of a release, read as anybody would read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fuzzing.cases import Told
from fuzzing.dialects import Cell
from fuzzing.formulas import is_formula, unescaped
from fuzzing.parquet import cells_of
from fuzzing.reader import UnreadableError, read, text_of

Cells = Sequence[Cell]


class Released:
    """A release.

    Parameters
    ----------
    told : Told
    paths : sequence of Path
        All of its files.
    width : int
        Values of a record of the input.

    Raises
    ------
    UnreadableError, pyarrow.ArrowException
        If one of them cannot be read as a table.
    """

    def __init__(self, told: Told, paths: Sequence[Path], width: int) -> None:
        self._dialect = told.dialect
        self._separator = told.options.separator or (told.dialect.separator if told.dialect else ",")
        self._is_escaped = told.options.is_escaped
        self._has_statistics = told.options.format == "genValsDist"
        columns = list(enumerate(told.columns[:width]))
        self.places = [position for position, column in columns if column.role != "id"]
        """The columns of the input that the release shows."""
        self.quasi = [position for position, column in columns if column.role == "qid"]
        self._paths = paths
        self._rows = {path: self._read(path) for path in paths}

    def rows(self, suffix: str = "") -> list[Cells]:
        """Return the records of one table, from all its files."""
        chosen = [row for path in self._paths if suffix in path.name for row in self._rows[path]]
        return [self._without_statistics(row) for row in chosen] if self._has_statistics else chosen

    def header(self) -> list[str] | None:
        """Return the names of the columns, statistics left out; None if there are none, or Parquet may rename them."""
        path = self._paths[0]
        if not self._has_header or path.suffix == ".parquet":
            return None
        header = read(text_of(path.read_bytes()), self._separator, header=True).header or ()
        names: Sequence[Any] = list(map(unescaped, header)) if self._is_escaped else header
        return list(self._without_statistics(names) if self._has_statistics else names)

    @property
    def _has_header(self) -> bool:
        return self._dialect is None or self._dialect.header

    def _read(self, path: Path) -> list[Cells]:
        data = path.read_bytes()
        if path.suffix == ".parquet":
            return list(cells_of(data))
        lines = read(text_of(data), self._separator, header=self._has_header).lines
        if wrong := [line.kind for line in lines if line.kind != "record"]:
            raise UnreadableError(f"{path.name} has {len(wrong)} lines that are no records, such as a {wrong[0]} one")
        if not self._is_escaped:
            return [line.cells for line in lines]
        if any(is_formula(cell) for line in lines for cell in line.cells):
            raise UnreadableError(f"{path.name} has formulas, which were to be escaped")
        return [tuple(map(unescaped, line.cells)) for line in lines]

    def _without_statistics(self, row: Sequence[Any]) -> Sequence[Any]:
        cells = iter(row)
        left = []
        for position in self.places:
            left.append(next(cells, None))
            if position in self.quasi:
                next(cells, None)
        return left
