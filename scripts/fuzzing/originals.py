"""What the input of a case holds, as the judge sees it: its lines, and which records a run keeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from fuzzing.cases import Told
from fuzzing.columns import Column
from fuzzing.dialects import Cell, Line
from fuzzing.parquet import cells_of
from fuzzing.reader import UnreadableError, read, text_of

Cells = Sequence[Cell]


class Originals:
    """The records of an input.

    Parameters
    ----------
    told : Told
    folder : Path
        Where its files are.

    Raises
    ------
    UnreadableError
        If they are damaged, and no reader could read them.
    """

    def __init__(self, told: Told, folder: Path) -> None:
        self._told = told
        self._keeps_missing = told.options.on_missing == "keep"
        self.kept_name = told.options.missing or "?"
        """What a kept missing value is called."""
        self.lines = list(told.lines) if told.lines is not None else self._read(folder)
        records = [line.cells for line in self.lines if line.kind == "record"]
        self.kept = [cells for cells in records if not self._is_skipped(cells)]
        """The records that a run keeps."""
        self.skipped = len(records) - len(self.kept)
        self.width = len(records[0]) if records else len(told.columns)
        """Values of a record; a damaged first line may have fewer than there were columns."""

    def value(self, position: int, cell: Cell) -> str:
        """Return what a cell of a column says; all that is missing has one name."""
        return self.kept_name if cell is None or self._is_missing(self._told.columns[position], cell) else cell

    def _is_missing(self, column: Column, cell: Cell) -> bool:
        is_declared = cell is not None and column.kind == "category" and column.generalisations.lists(cell)
        return cell is None or (cell in ("", self._told.options.missing) and not is_declared)

    def _is_skipped(self, cells: Cells) -> bool:
        columns = zip(self._told.columns, cells, strict=False)
        declared = (
            cell for column, cell in columns if column.role in ("qid", "sens") and self._is_missing(column, cell)
        )
        return not self._keeps_missing and any(True for _ in declared)

    def _read(self, folder: Path) -> list[Line]:
        lines: list[Line] = []
        for name in self._told.inputs:
            data, dialect = (folder / name).read_bytes(), self._told.dialect
            if dialect is not None:
                lines += read(text_of(data, dialect.encoding), dialect.separator, header=dialect.header).lines
                continue
            try:
                lines += [Line("record", cells) for cells in cells_of(data)]
            except (pa.ArrowException, OSError, UnicodeError) as error:
                if not self._told.before:
                    raise UnreadableError(str(error)) from error
                # A size in the footer that is wrong stops some readers, and others have no need of it.
                lines += self._told.before
        return lines
