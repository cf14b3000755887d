"""Which columns of a table identify people: the flow of `toolbox detect`, from a table to the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib.metadata import version
from math import comb
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import case, func, null, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.limits import limits_of
from toolbox.config.model import Attribute, Column, Config, Input, Limits
from toolbox.errors import SettingError, UsageError, quote
from toolbox.flows.question import Question, read_as
from toolbox.flows.tables import Given
from toolbox.published.records import Records
from toolbox.report.detect import DetectionReport
from toolbox.steps import Steps, Watcher
from toolbox.store.caller import as_arrow
from toolbox.store.inputs import InputFiles
from toolbox.store.layout import find_columns, unknown_column
from toolbox.store.room import file_errors
from toolbox.store.separators import guessed_input, with_separator
from toolbox.store.source import Source, arrow_source
from toolbox.store.store import Store
from toolbox.wording import asked_in_python, either

DEFAULT_MOST_COLUMNS = 4
MOST_SUBSETS = 1_000_000
"""More than these would take hours, and nobody reads them."""


class Wanted(NamedTuple):
    """The columns to look at."""

    columns: Sequence[str] = ()
    """None named: all."""
    exclude: Sequence[str] = ()


def detect(
    data: Any,
    *,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_columns: int = DEFAULT_MOST_COLUMNS,
    missing_is_a_value: bool = False,
    separator: str | None = None,
    encoding: str | None = None,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> DetectionReport:
    """Find the columns that identify people, before anything is anonymised.

    Identifiers are columns, or combinations of them, whose values differ in all records. Of all other subsets the
    quasi-identifier is elected by its singletons, the records that agree with no other: most singletons, then fewest
    columns. Records that lack a value of one of the columns are left out of the election, but not where identifiers are
    looked for: there a missing value is a value.

    Parameters
    ----------
    data : path, pandas.DataFrame or pyarrow.Table
    columns : sequence of str
        Those that an attacker could know; by default all.
    exclude : sequence of str
        Columns to leave out.
    max_columns : int, >= 1, default 4
        Columns in the largest subsets to look at.
    missing_is_a_value : bool
        Whether a missing value counts as a value in the election, too; then no record is left out.
    separator : str, optional
        What stands between the values of a text file; by default the first of ``, ; tab |`` that fits its header.
    encoding : str, default 'utf-8'
        Of a text file, such as ``'latin-1'``.
    config : Config, optional
        Says how the file is read, and which columns are identifiers, which are left out; see `toolbox.load_config`.
    limits : Limits or str, optional

    Returns
    -------
    DetectionReport
        ``.detection`` with ``.identifiers``, ``.best``, ``.subsets`` and ``.columns``; ``.document()``.

    Raises
    ------
    UsageError
        If a column does not exist, or there are too many subsets.
    InputError
        If the table cannot be read, or each of its records lacks a value.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({
    ...     "card": [1, 2, 3, 4, 5],
    ...     "born": [1960, 1960, 1971, 1971, 1971],
    ...     "sex": ["f", "m", "f", "f", "m"],
    ... })
    >>> found = detect(people).detection
    >>> found.identifiers
    (('card',),)
    >>> found.best[0].columns, found.best[0].singletons
    (('born', 'sex'), 3)
    """
    with asked_in_python():
        return find_identifying(
            Path(data) if isinstance(data, (str, Path)) else as_arrow(data),
            Wanted(columns, exclude),
            max_columns=max_columns,
            missing_is_a_value=missing_is_a_value,
            separator=separator,
            encoding=encoding,
            config=config,
            limits=limits,
        )


def find_identifying(
    data: Given,
    wanted: Wanted,
    *,
    max_columns: int = DEFAULT_MOST_COLUMNS,
    missing_is_a_value: bool = False,
    separator: str | None = None,
    encoding: str | None = None,
    config: Config | None = None,
    limits: Limits | str | None = None,
    watcher: Watcher | None = None,
) -> DetectionReport:
    """Find what identifies people in a table; `toolbox.detect` explains the arguments.

    Raises
    ------
    ToolboxError
    """
    from toolbox.detection.coded import code_records
    from toolbox.detection.election import detect_identifying

    if not isinstance(max_columns, Integral) or isinstance(max_columns, bool) or max_columns < 1:
        raise SettingError("max_columns", max_columns, "a whole number of at least 1")
    steps = Steps(watcher)
    bounds = limits_of(limits) or (config.limits if config else Limits())
    reading = read_as(separator, encoding)
    files = InputFiles(_input(data, wanted, reading, config)) if isinstance(data, Path) else None
    with Store(bounds.temp_dir, bounds) as store, file_errors(store.folder):
        with steps.step("read"), files.being_read() if files else nullcontext():
            source = files.source(store) if files else arrow_source(store, data)
            names = _unique(_names(source, config))
            positions = _positions(source, names, wanted, config)
            _require_few(len(positions), max_columns)
            records = Records(store, source, positions, value=_reading(source, positions, config))
            steps.records = int(store.scalar(select(func.sum(records.counted.c.size))))
            table = code_records(store, records.counted, len(positions))
        with steps.step("search"):
            detection = detect_identifying(
                table,
                [names[position] for position in positions],
                most_columns=max_columns,
                missing_is_a_value=missing_is_a_value,
                report=steps.say,
            )
    return DetectionReport(
        detection=detection, timings=steps.timings(), toolbox_version=version("anonymisation-toolbox")
    )


def _input(data: Path, wanted: Wanted, reading: Input, config: Config | None) -> Input:
    """Say how a file is read: as a configuration says, or else as is said and fits its header."""
    if config is not None and config.input is not None:
        # The input of the configuration may be several files.
        given = config.input if data == config.input.path else replace(config.input, path=data, more=())
        return with_separator(replace(config, input=given)).input or given
    given = replace(reading, path=data)
    return guessed_input(given, [*wanted.columns, *wanted.exclude]) if given.guesses_separator else given


def _names(source: Source, config: Config | None) -> Sequence[str]:
    if source.headers is not None:
        return source.headers
    assert config is not None, "without a configuration the first line is a header"
    return find_columns(config, source).names


def _unique(names: Sequence[str]) -> list[str]:
    """Tell columns of one name apart by their numbers, from 1.

    Examples
    --------
    >>> _unique(["a", "b", "a"])
    ['a (column 1)', 'b', 'a (column 3)']
    """
    counted = enumerate(names, start=1)
    return [f"{name} (column {number})" if names.count(name) > 1 else name for number, name in counted]


def _positions(source: Source, names: Sequence[str], wanted: Wanted, config: Config | None) -> list[int]:
    """Find the columns to look at, in the order of the table.

    Raises
    ------
    UsageError
        If one that is named is not there, or none is left.
    """
    named = (*wanted.columns, *wanted.exclude)
    for name in named:
        if name not in names:
            raise unknown_column(name, source, names, named)
    chosen = {names.index(name) for name in wanted.columns} or set(range(len(names)))
    chosen -= {names.index(name) for name in wanted.exclude}
    if not chosen:
        raise UsageError(f"No column of {quote(source.name)} is left to look at. Exclude fewer of them.")
    if config is not None and not (chosen := chosen - set(find_columns(config, source).identifiers)):
        declared = ", ".join(str(column) for column in config.identifiers)
        raise UsageError(
            f"No column of {quote(source.name)} is left to look at: {config.source} declares {declared} "
            "as identifiers. Declare fewer of them."
        )
    return sorted(chosen)


def _reading(
    source: Source, positions: Sequence[int], config: Config | None
) -> Callable[[int, ColumnElement[str]], ColumnElement[str]]:
    """Read texts as the configuration does: what its input calls missing is null, in every column."""
    if config is None or config.input is None:
        return lambda _, text: text
    missing, layout = Question(config=config).missing, find_columns(config, source)
    places = (*layout.quasi_identifiers, *layout.sensitive)
    declared = dict(zip(places, (*config.quasi_identifiers, *config.sensitive), strict=True))
    open_ones = [Attribute(column=Column(index=position, name=None), kind=None) for position in positions]
    attributes = [declared.get(position, one) for position, one in zip(positions, open_ones, strict=True)]

    def value(place: int, text: ColumnElement[str]) -> ColumnElement[str]:
        attribute = attributes[place]
        return case((missing.test(attribute, text), null()), else_=missing.value(attribute, text))

    return value


def _require_few(columns: int, most: int) -> None:
    subsets = sum(comb(columns, size) for size in range(1, min(most, columns) + 1))
    if subsets > MOST_SUBSETS:
        raise UsageError(
            f"{columns} columns have {subsets:,} subsets of up to {most} columns, more than {MOST_SUBSETS:,}. "
            f"Name the columns that an attacker could know ({either('--columns', python='columns=')}), or lower "
            f"{either('--max-columns', python='max_columns=')}."
        )
