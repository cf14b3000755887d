"""Tables that a caller names: files, their headers, and tables of counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.config.file_names import DelimitedText, find_compression, has_types, is_parquet, list_input_files
from toolbox.config.model import DEFAULT_MISSING, Config, Input, Kind, Limits
from toolbox.engines.objects import LocalCopies
from toolbox.errors import InputError, ToolboxError, UnknownColumnError, UsageError
from toolbox.flows.arguments.anonymize import find_hierarchy_kinds
from toolbox.flows.arguments.checks import AS_SAID, Reading, make_text_input
from toolbox.hierarchy.hierarchy import NUMBER
from toolbox.messages import format_count, is_asked_in_python, name_command_options, print_note, warn
from toolbox.queries.scales import Figures
from toolbox.store.engine.store import Store
from toolbox.store.input.files import ConvertedSource, InputFiles
from toolbox.store.input.formats.first_bytes import require_regular
from toolbox.store.input.memory import CallersTable, build_callers_table
from toolbox.store.input.text import DelimitedSource
from toolbox.store.input.text_file import guess_input

if TYPE_CHECKING:
    import pyarrow as pa


# A file that a caller names instead of a table, and whether it is a configuration.

_PARQUET = b"PAR1"
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_CODE = r"\s*[+-]?0[0-9].*"
"""With leading zeros, which a number would lose."""


def is_configuration(path: Path, *, is_described: bool) -> bool:
    """Return whether a file is a configuration or a table, by its extension or by how it begins.

    Parameters
    ----------
    is_described : bool
        Whether anything is said of the columns, as only of a table.

    Raises
    ------
    UsageError
        If it is neither, or a table of which nothing is said.
    """
    begin = _begin(path)
    is_text = path.suffix.lower() in DelimitedText.extensions or find_compression(path) is not None
    is_called_table = is_text or has_types(path)
    if path.suffix.lower() == ".xml" or (begin is None and not is_called_table and not is_described):
        return True
    text = (begin or b"").removeprefix(b"\xef\xbb\xbf").lstrip()
    if not is_called_table and begin is not None:
        if text.startswith(b"<"):
            return True
        if b"\0" in begin and not begin.startswith((_PARQUET, *_PACKED)):
            raise UsageError(
                f"{path} is neither a configuration (XML) nor a table (delimited text, Parquet). "
                "Save it as CSV or Parquet, or read it with pandas and give the DataFrame."
            )
    if not is_described:
        raise UsageError(
            f"{path} is a table, not a configuration. Say which columns an attacker may know, quasi_identifiers=[..], "
            "or give a configuration, which is XML."
        )
    return False


def _begin(path: Path) -> bytes | None:
    """Return the first bytes of a file; None if it cannot be read.

    Raises
    ------
    InputError
        If it is a pipe or a device.
    """
    require_regular(path)
    try:
        with path.open("rb") as file:
            return file.read(256)
    except OSError:
        return None


@dataclass(frozen=True)
class TableFile:
    """A table that was read from a file."""

    path: Path
    table: pa.Table
    is_text: bool
    reading: Reading = AS_SAID
    """What is said of the file."""

    def kinds(self, names: Sequence[object], hierarchies: Mapping[Any, Any]) -> dict[str, Kind]:
        """Return the kinds of the columns of text that hold numbers: all values look so, none has leading zeros.

        Parameters
        ----------
        names : sequence
            The quasi-identifiers; those whose hierarchy says what they hold are what it says.
        """
        described = find_hierarchy_kinds(hierarchies)
        candidates = [
            str(name) for name in names if str(name) not in described and self.table.column_names.count(str(name)) == 1
        ]
        figures = Figures(self.reading.decimal or ".", self.reading.thousands or "")
        mark = self._mark
        return {
            name: "number"
            for name in candidates
            if self.is_text and _has_only_numbers(self.table.column(name), figures, mark)
        }

    @property
    def _mark(self) -> str:
        return DEFAULT_MISSING if self.reading.missing is None else self.reading.missing

    def name_input(self, config: Config) -> Config:
        """Return the configuration with the path as the name of the table; in text ``?`` is a missing value."""
        assert config.input is not None
        said, mark = self.reading, self._mark if self.is_text else ""
        decimal, thousands = said.decimal or ".", said.thousands or ""
        file = replace(config.input, path=self.path, missing=mark, decimal=decimal, thousands=thousands)
        return replace(config, input=file)


def read_file(path: Path, names: Collection[str], limits: Limits | None, reading: Reading = AS_SAID) -> TableFile:
    """Read a table from delimited text, whose first record names the columns, or from a file that has types.

    Parameters
    ----------
    path : Path
        Of a file, or of an object of a store.
    names : collection of str
        Columns that it should have, by which the separator is found.
    reading : Reading
        How it is read, and which of its tables. Without a header its columns are called by their positions.

    Raises
    ------
    InputError
        If it cannot be read.
    UsageError
        If it has none of the columns, and another separator yields them all.
    """
    with LocalCopies.of_files([path], limits or Limits()) as copies:
        return replace(_read_file(copies.files[0], names, limits or Limits(), reading), path=path)


def _read_file(path: Path, names: Collection[str], limits: Limits, reading: Reading) -> TableFile:
    begin = _begin(path)
    if is_parquet(path) or (begin or b"").startswith(_PARQUET):
        return TableFile(path, _read_parquet(path), is_text=False)
    declared = replace(reading.input(), path=path)
    files = InputFiles(guess_input(declared, sorted(names)) if declared.guesses_separator else declared)
    with Store(limits.temp_dir, limits) as store, files.watch_reading():
        source = files.source(store)
        with name_command_options():  # nobody has written a configuration of it
            source.require_separator(sorted(names))
        if has_types(path):
            assert isinstance(source, ConvertedSource)
            for note in source.notes:
                warn(note)
            return TableFile(path, source.arrow(), is_text=False)
        table = store.arrow(select(source.relation()))
        rejected = source.account(table.num_rows).rejects.count
        headers = source.headers or [f"column {position}" for position in range(table.num_columns)]
    if rejected:
        left_out = format_count(rejected, f"line of {path} does", f"lines of {path} do")
        (warn if is_asked_in_python() else print_note)(
            f"{left_out} not fit the first one, and will not be in the release."
        )
    return TableFile(path, table.rename_columns(list(headers)), is_text=True, reading=reading)


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    files = list_input_files(Input(path=path))
    try:
        tables = [parquet.ParquetFile(file).read() for file in files]
        return pa.concat_tables(tables, promote_options="permissive") if len(tables) > 1 else tables[0]
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet ({type(error).__name__}). Get a complete copy.") from None


def _has_only_numbers(column: pa.ChunkedArray, figures: Figures, mark: str) -> bool:
    """Return whether all texts of a column, except the mark of a missing value, are numbers that are no codes."""
    from pyarrow import compute

    texts = compute.unique(column).drop_null()
    texts = texts.filter(compute.not_equal(texts, mark))
    if figures.thousands:
        texts = compute.replace_substring(texts, figures.thousands, "")
    if figures.decimal != ".":
        # A point means nothing there, and is made what no number holds.
        texts = compute.replace_substring(compute.replace_substring(texts, ".", "_"), figures.decimal, ".")
    numbers = compute.match_substring_regex(texts, rf"^\s*{NUMBER}\s*$")
    codes = compute.match_substring_regex(texts, f"^{_CODE}$")
    return len(texts) > 0 and bool(compute.all(compute.and_not(numbers, codes)).as_py())


# The files that a release was written to, as a table.


@dataclass(frozen=True)
class ReleasedFiles:
    """The files of one table of a release, and how to read them."""

    paths: tuple[Path, ...]
    separator: str
    has_header: bool

    def read(self) -> pa.Table:
        """Read the table; every value of delimited text stays text, and an empty field is null."""
        with LocalCopies.of_files(self.paths, Limits(network=True)) as copies:
            return self._read(copies.files)

    def _read(self, paths: tuple[Path, ...]) -> pa.Table:
        import pyarrow as pa

        if is_parquet(paths[0]):
            from pyarrow import parquet

            return pa.concat_tables([parquet.read_table(path) for path in paths])
        first, *more = paths
        if has_types(first):
            with Store() as store:
                return ConvertedSource(paths, Input(path=first), store).arrow()
        files = Input(path=first, more=tuple(more), separator=self.separator, header=self.has_header)
        with Store() as store:
            source = DelimitedSource(files, store, paths)
            table: pa.Table = store.arrow(select(source.relation()))
            source.account(table.num_rows)
        return table.rename_columns(list(source.headers or table.column_names))


# The names of the columns of a table, for whoever does not know them.

_NO_NAME = re.compile(r"\s*|.*@.*|[\s\d.,:/+-]+", re.DOTALL)
"""What is a value rather than the name of a column: nothing, an address, a number or a date."""


def read_header(paths: Sequence[Path], *, separator: str | None = None, encoding: str | None = None) -> tuple[str, ...]:
    """Return the header of a table; nothing if it cannot be read, or its first line may hold values.

    Parameters
    ----------
    separator, encoding : str, optional
        Of text; guessed, and UTF-8.
    """
    if not paths:
        return ()
    try:
        reading = replace(make_text_input(separator, encoding), path=paths[0], more=tuple(paths[1:]))
        known = guess_input(reading, ()) if reading.guesses_separator else reading
        with Store(None, Limits()) as store:
            names = InputFiles(known).source(store).headers or ()
    except (ToolboxError, OSError, ValueError):
        return ()
    # Values of people are shown to nobody, and here nobody has said that it is a header.
    may_be_values = len(set(names)) < len(names) or any(_NO_NAME.fullmatch(name) for name in names)
    return () if may_be_values else tuple(names)


# Tables of counts that a Python call gives: one row stands for several records.

_NANOSECONDS = 1000
"""Of a microsecond."""


def make_counts_table(source: Any, names: Sequence[str], called: str) -> CallersTable:
    """Return a table of counts in which each of some columns is there once.

    A zero has no sign in it: whoever counts and joins by values holds both zeros for equal, and so must we.

    Parameters
    ----------
    called : str
        What messages call the table.

    Raises
    ------
    InputError
        If it is no table, or holds times that the engine cannot tell apart.
    UsageError
        If a column is missing, or two are called the same.
    """
    table = build_callers_table(source, set(names))
    present = table.arrow.column_names
    for name in names:
        if name not in present:
            raise UnknownColumnError(name, called, present)
        if (found := present.count(name)) > 1:
            raise UsageError(f"{called.capitalize()} has {found} columns called {name!r}. Rename all but one.")
        _require_known_times(table.arrow, name)
    return replace(table, arrow=_merge_zeros(table.arrow, names))


def _require_known_times(table: pa.Table, name: str) -> None:
    """Stop where two values are one for the engine, which cuts them off: they would be mapped only once."""
    import numpy as np
    import pyarrow as pa

    column = table.column(name)
    # Of dates with a time, but without a zone, it keeps all digits.
    if getattr(column.type, "unit", None) != "ns" or column.type == pa.timestamp("ns"):
        return
    if np.any(column.drop_null().cast(pa.int64()).to_numpy() % _NANOSECONDS):
        remedy = "Round them where you count the records, and where you join."
        raise InputError(f"Column {name!r} holds times that are finer than a microsecond. {remedy}")


def _merge_zeros(table: pa.Table, names: Sequence[str]) -> pa.Table:
    import pyarrow as pa
    from pyarrow import compute

    for name in names:
        column = table.column(name)
        if pa.types.is_float32(column.type) or pa.types.is_float64(column.type):
            # By the rules of floating point -0.0 + 0.0 is 0.0; all else stays.
            unsigned = compute.add(column, pa.scalar(0.0, column.type))
            table = table.set_column(table.column_names.index(name), name, unsigned)
    return table
