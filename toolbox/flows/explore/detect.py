"""The flow of `detect`: which columns of a table identify people, and which clearly do by their names or values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib.metadata import version
from math import comb
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import case, func, null, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Column, Config, Input, Limits
from toolbox.config.overrides import limits_of
from toolbox.errors import SettingError, UsageError, quote
from toolbox.flows.arguments.configuration import few_threads
from toolbox.flows.arguments.reading import AS_SAID, Reading, by_position
from toolbox.flows.judge.question import Question, no_configuration
from toolbox.flows.judge.tables import TableSource
from toolbox.messages import either
from toolbox.published.records import Records
from toolbox.report.explore.detect import DetectionReport, LeftOut
from toolbox.steps import Steps, Watcher
from toolbox.store.disk.folders import file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.guessing import guessed_input, with_separator
from toolbox.store.input.layout import find_columns, unknown_column
from toolbox.store.input.source import Source, arrow_source

# Columns that clearly identify, by their names or their values, so that `detect` need not elect them.


def clearly_identifying(store: Store, source: Source, positions: Sequence[int]) -> tuple[dict[int, str], list[LeftOut]]:
    """Find columns that name or reach a person, or hold free text; say why for each, and which persons repeat.

    A column in which all records differ is none of them: that is found and told by the search itself.

    Parameters
    ----------
    store : Store
    source : Source
    positions : sequence of int
        The columns that are looked at.
    """
    from toolbox.suggestions.profile import profiles_of
    from toolbox.suggestions.roles import guessed_role, repeated_people
    from toolbox.suggestions.texts import Drawn

    drawn = Drawn(store, source)
    names = source.headers or [f"column {index}" for index in range(drawn.width)]
    profiles = profiles_of(
        drawn, names[: drawn.width], source.said_kinds[: drawn.width], are_own=source.headers is not None
    )
    drawn.drop()
    found, repeated = {}, []
    for column in profiles.columns:
        guess = guessed_role(column)
        is_unique = column.alone == column.records
        if column.position in positions and guess.role == "identifier" and guess.sureness == "sure" and not is_unique:
            found[column.position] = guess.why
        several = repeated_people(column, is_sample=profiles.is_sample)
        if several and guess.role == "identifier":
            repeated.append(LeftOut(column.name, several))
    return found, repeated


# The flow of `detect`: which columns of a table identify people.

DEFAULT_MOST_COLUMNS = 4
MOST_SUBSETS = 1_000_000
"""More than these would take hours, and nobody reads them."""


class Wanted(NamedTuple):
    """The columns to look at."""

    columns: Sequence[str] = ()
    """None named: all."""
    exclude: Sequence[str] = ()
    everything: bool = False
    """Whether columns that clearly identify are looked at as well, though nobody names them."""


def detect_columns(
    data: TableSource,
    wanted: Wanted,
    *,
    max_columns: int = DEFAULT_MOST_COLUMNS,
    missing_is_a_value: bool = False,
    reading: Reading = AS_SAID,
    config: Config | None = None,
    limits: Limits | str | None = None,
    watcher: Watcher | None = None,
) -> DetectionReport:
    """Find the columns that identify people in a table; `toolbox.detect` explains the arguments.

    Raises
    ------
    ToolboxError
    """
    from toolbox.detection.election import detect_identifying
    from toolbox.detection.search import code_records

    if not isinstance(max_columns, Integral) or isinstance(max_columns, bool) or max_columns < 1:
        raise SettingError("max_columns", max_columns, "a whole number of at least 1")
    if config is not None and not isinstance(config, Config):
        raise no_configuration(config)
    steps, read = Steps(watcher), reading.input()
    bounds = limits_of(limits) or (config.limits if config else Limits())
    if isinstance(data, Path) and config is None and reading.header is False:
        wanted = Wanted(*(list(map(by_position, names)) for names in wanted[:2]), wanted.everything)
    files = InputFiles(_input(data, wanted, read, config)) if isinstance(data, Path) else None
    with Store(bounds.temp_dir, few_threads(bounds, files or data)) as store, file_errors(store.folder):
        with steps.step("read"), files.being_read() if files else nullcontext():
            source = files.source(store) if files else arrow_source(store, data)
            names = _unique_names(_names(source, config))
            positions = _positions(source, names, wanted, config)
            is_open = bool(wanted.columns) or wanted.everything
            left_out, repeated = ({}, []) if is_open else clearly_identifying(store, source, positions)
            if config is not None:
                left_out = {index: why for index, why in left_out.items() if index not in _declared(config, source)}
            positions = _without(positions, left_out, source)
            _require_few(len(positions), max_columns)
            records = Records(store, source, positions, value=_reading(source, positions, config, reading.missing))
            steps.records = int(store.scalar(select(func.sum(records.counted.c.size))))
            coded = code_records(store, records.counted, len(positions))
        with steps.step("search"):
            detection = detect_identifying(
                coded,
                [names[position] for position in positions],
                most_columns=max_columns,
                missing_is_a_value=missing_is_a_value,
                report=steps.say,
            )
    return DetectionReport(
        detection=detection,
        repeated=tuple(repeated),
        left_out=tuple(LeftOut(names[position], why) for position, why in left_out.items()),
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
    )


def _input(data: Path, wanted: Wanted, reading: Input, config: Config | None) -> Input:
    """Return how a file is read: by a configuration, or else by the arguments of the caller and the header."""
    if config is not None and config.input is not None:
        # The input of the configuration may be several files.
        declared = config.input if data == config.input.path else replace(config.input, path=data, more=())
        return with_separator(replace(config, input=declared)).input or declared
    file = replace(reading, path=data)
    return guessed_input(file, [*wanted.columns, *wanted.exclude]) if file.guesses_separator else file


def _names(source: Source, config: Config | None) -> Sequence[str]:
    if source.headers is not None:
        return source.headers
    if config is None:
        return [f"column {position}" for position in range(source.width - source.added)]
    return find_columns(config, source).names


def _unique_names(names: Sequence[str]) -> list[str]:
    """Add the position to the names of columns that share one, counted from 1.

    Examples
    --------
    >>> _unique_names(["a", "b", "a"])
    ['a (column 1)', 'b', 'a (column 3)']
    """
    numbered = enumerate(names, start=1)
    return [f"{name} (column {position})" if names.count(name) > 1 else name for position, name in numbered]


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


def _declared(config: Config, source: Source) -> set[int]:
    """Return the columns of which a configuration says what they are."""
    layout = find_columns(config, source)
    return {*layout.quasi_identifiers, *layout.sensitive}


def _without(positions: Sequence[int], left_out: Mapping[int, str], source: Source) -> list[int]:
    """Leave out some columns.

    Raises
    ------
    UsageError
        If none is left.
    """
    rest = [position for position in positions if position not in left_out]
    if not rest:
        problem = f"No column of {quote(source.name)} is left to look at: all look as if they identified a person."
        raise UsageError(f"{problem} Write {either('--all', python='everything=True')} to look at them.")
    return rest


def _reading(
    source: Source, positions: Sequence[int], config: Config | None, mark: str | None
) -> Callable[[int, ColumnElement[str]], ColumnElement[str]]:
    """Return how a text is read: as null if the configuration declares it as missing, in every column."""
    if config is None or config.input is None:
        return lambda _, text: case((text == mark, null()), else_=text) if mark else text
    missing, layout = Question(config=config).missing, find_columns(config, source)
    declared_positions = (*layout.quasi_identifiers, *layout.sensitive)
    declared = dict(zip(declared_positions, (*config.quasi_identifiers, *config.sensitive), strict=True))
    attributes = [
        declared.get(position, Attribute(column=Column(index=position, name=None), kind=None)) for position in positions
    ]

    def value(position: int, text: ColumnElement[str]) -> ColumnElement[str]:
        attribute = attributes[position]
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
