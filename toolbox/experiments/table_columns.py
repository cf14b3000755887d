"""The columns that a plan names, looked for in the headers of its tables before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from toolbox.config.file_kinds import has_types
from toolbox.config.inputs import input_files, is_table_with_names
from toolbox.config.model import Config, Input, Limits
from toolbox.errors import ToolboxError, did_you_mean, quote
from toolbox.experiments.data_set import configured
from toolbox.experiments.plan import DataSet
from toolbox.experiments.sections import Section
from toolbox.flows.text_input import text_input
from toolbox.store.compressed import require_regular
from toolbox.store.inputs import InputFiles
from toolbox.store.separators import guessed_input
from toolbox.store.store import Store
from toolbox.store.text_file import check_readable

_LISTS = ("quasi_identifiers", "sensitive", "identifiers", "features")
_PARQUET = b"PAR1"


def check_columns(section: Section, data: DataSet) -> None:
    """Note the columns that the table of a data set does not have; nothing of a table that cannot be read.

    Parameters
    ----------
    section : Section
        Of the data set.
    """
    named = list(_named(section, data))
    known = dict.fromkeys(_header(data, [name for word, name, _ in named if word in _LISTS[:2]]))
    if not known:
        return
    # Of text only the first line is a header, if it is one.
    is_header = any(name in known for _, name, _ in named) or (data.table is not None and has_types(data.table))
    unsure = "None of the names is in its first line: is that a header?"
    remedy = "Write it as the header has it." if is_header else unsure
    for word, name, place in named:
        if name not in known:
            found = f"{section.notation.called(word)} names {quote(name)}, which is no column of the table."
            section.fault(found, f"{remedy}{did_you_mean(name, list(known))}", word, *place)


def require_files(data: DataSet) -> None:
    """Stop where a table or the configuration of a data set cannot be found.

    Raises
    ------
    ToolboxError
    """
    # What the environment does not say is a fault already.
    if any("$" in str(path) for path in (data.configuration, data.table)):
        return
    reading = _reading(data)
    if reading is None or reading.remote is not None:
        return
    for file in input_files(reading):
        check_readable(file)


def _named(section: Section, data: DataSet) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield each column that is named, with the word that names it and its place there."""
    for word, names in (*data.columns.items(), ("features", data.features)):
        if word in _LISTS:
            places = section.first_places(word)
            yield from ((word, name, (places[name],)) for name in names)
    if data.label is not None:
        yield "label", data.label, ()
    try:
        config = configured(data)
    except ToolboxError:
        config = None
    if config is not None:
        yield from (("configuration", name, ()) for name in _declared(config))


def _declared(config: Config) -> list[str]:
    """Return the columns that a configuration names; others it knows by their positions."""
    columns = [*config.identifiers, *(each.column for each in (*config.quasi_identifiers, *config.sensitive))]
    return [column.name for column in columns if column.index is None and column.name is not None]


def _header(data: DataSet, wanted: Sequence[str]) -> Sequence[str]:
    """Return the header of a table; nothing if it has none, is one of a database, or cannot be read."""
    try:
        reading = _reading(data)
        if reading is None or reading.remote is not None or not is_table_with_names(reading):
            return ()
        if _is_parquet_by_another_name(input_files(reading)[0]):
            return ()
        known = guessed_input(reading, sorted(wanted)) if reading.guesses_separator else reading
        with Store(None, Limits()) as store:
            return InputFiles(known).source(store).headers or ()
    except (ToolboxError, OSError, ValueError):
        return ()


def _is_parquet_by_another_name(path: Path) -> bool:
    require_regular(path)
    if has_types(path):
        return False
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def _reading(data: DataSet) -> Input | None:
    config = configured(data)
    if config is not None:
        return config.input
    return None if data.table is None else replace(text_input(data.separator, data.encoding), path=data.table)
