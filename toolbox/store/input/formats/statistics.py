"""Files of SPSS, Stata and SAS as tables, with the labels that they give to codes.

A column whose values all have labels shows the labels, as a person reads it. Where some have none, such as ages with a
code for `refused`, the column stays as it is, and a note says so. Missing values of all kinds are missing: those that
the user has defined, `.a` to `.z`, and empty texts.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from toolbox.errors import InputError
from toolbox.messages import choose_setting_name, format_count
from toolbox.store.input.formats.table import Codebook, FileTable, import_library
from toolbox.store.input.text_file import PLAIN

_READERS: Final = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_SHOWN: Final = 5
"""Columns that a note names."""


class StatisticsFile(FileTable):
    """One file of a statistics package.

    Parameters
    ----------
    path : Path
    encoding : str
        Of its texts, where it is not UTF-8; the file itself says it otherwise.

    Raises
    ------
    InputError
        If it cannot be read.
    """

    def __init__(self, path: Path, encoding: str) -> None:
        super().__init__()
        codec = codecs.lookup(encoding).name
        columns, facts = _read(path, None if codec in PLAIN else codec)
        self.names = list(columns)
        texts = {name for name, kind in facts.readstat_variable_types.items() if kind == "string"}
        self._columns = [
            [None if value == "" else value for value in values] if name in texts else values
            for name, values in columns.items()
        ]
        self.rows = len(self._columns[0]) if self._columns else 0
        if facts.number_rows is not None and facts.number_rows != self.rows:
            found = f"{self.rows:,} of {format_count(facts.number_rows, 'row')} could be read"
            raise InputError(f"{path}: {found}. Get a complete copy.")
        self.codebooks = self._read_codebooks(facts)
        self._tell(path, facts)

    def _read_codebooks(self, facts: Any) -> Mapping[int, Codebook]:
        books = {}
        for position, name in enumerate(self.names):
            labels = facts.variable_value_labels.get(name, {})
            codes = dict(sorted(labels.items(), key=lambda pair: (isinstance(pair[0], str), pair[0])))
            is_ordered = facts.variable_measure.get(name) == "ordinal"
            shown = _find_shown_labels(codes, self._columns[position])
            books[position] = Codebook(facts.column_names_to_labels.get(name) or "", shown, is_ordered)
        return books

    def _tell(self, path: Path, facts: Any) -> None:
        labelled = [name for name in self.names if facts.variable_value_labels.get(name)]
        shown = {self.names[position] for position, book in self.codebooks.items() if book.codes}
        plain = [name for name in labelled if name not in shown]
        if plain:
            names = ", ".join(plain[:_SHOWN]) + (", .." if len(plain) > _SHOWN else "")
            columns = format_count(len(plain), "column has", "columns have")
            self.notes.append(
                f"{path}: {columns} values without a label, or one label twice, and keep their codes: {names}."
            )

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        yield self.rows, self._columns


def _read(path: Path, encoding: str | None) -> tuple[Mapping[str, Sequence[Any]], Any]:
    package = import_library("pyreadstat", path)
    try:
        read = getattr(package, _READERS[path.suffix.lower()])
        # Portable files have an encoding of their own, which is always the same.
        options = {} if encoding is None or path.suffix.lower() == ".por" else {"encoding": encoding}
        columns, facts = read(str(path), output_format="dict", **options)
    except (package.ReadstatError, package.PyreadstatError, UnicodeError) as error:
        if "convert string" in str(error) or isinstance(error, UnicodeError):
            remedy = choose_setting_name(
                "encoding='windows-1252' (--encoding windows-1252)", python="encoding='windows-1252'"
            )
            problem = f"{path}: its texts are in another encoding than it says"
            raise InputError(f"{problem}. Name the right one, such as {remedy}.") from error
        raise InputError(f"{path} cannot be read: it is damaged, or of a version that is not known.") from error
    except OverflowError as error:
        raise InputError(f"{path} holds a date beyond the year 9999. Correct it, or make it missing.") from error
    return columns, facts


def _find_shown_labels(codes: Mapping[Any, str], values: Sequence[Any]) -> Mapping[Any, str]:
    """Return the labels by their codes if they can stand in the place of the values."""
    labels = codes.values()
    present = set(values) - {None}
    can_stand = present and present <= codes.keys() and len(set(labels)) == len(labels) and "" not in labels
    return codes if can_stand else {}
