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
from toolbox.config.reading.overrides import parse_limits
from toolbox.detection import election, search
from toolbox.detection.suda import SpecialUniques, find_special
from toolbox.errors import SettingError, UsageError, quote
from toolbox.flows.arguments.checks import AS_SAID, Reading, SampleDesign, name_column_position
from toolbox.flows.arguments.configuration import limit_threads, read_objects
from toolbox.flows.judge.question import Question, make_configuration_error
from toolbox.flows.judge.tables import TableSource
from toolbox.messages import choose_setting_name
from toolbox.published.tables import Records
from toolbox.report.explore.detect import DetectionReport, ExcludedColumn
from toolbox.steps import Steps, Watcher
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import find_columns, make_column_error
from toolbox.store.input.source import Source, open_arrow_source
from toolbox.store.input.text_file import find_separator, guess_input

# Columns that clearly identify, by their names or their values, so that `detect` need not elect them.


def find_clear_identifiers(
    store: Store, source: Source, positions: Sequence[int]
) -> tuple[dict[int, str], list[ExcludedColumn]]:
    """Find columns that name or reach a person, or hold free text; say why for each, and which persons repeat.

    A column in which all records differ is none of them: that is found and told by the search itself.

    Parameters
    ----------
    store : Store
    source : Source
    positions : sequence of int
        The columns that are looked at.
    """
    from toolbox.suggestions.profile import profile_columns
    from toolbox.suggestions.roles import find_repeated_people, guess_role
    from toolbox.suggestions.texts import Drawn

    drawn = Drawn(store, source)
    names = source.headers or [f"column {index}" for index in range(drawn.width)]
    profiles = profile_columns(
        drawn, names[: drawn.width], source.said_kinds[: drawn.width], are_own=source.headers is not None
    )
    drawn.drop()
    found, repeated = {}, []
    for column in profiles.columns:
        guess = guess_role(column)
        is_unique = column.alone == column.records
        if column.position in positions and guess.role == "identifier" and guess.sureness == "sure" and not is_unique:
            found[column.position] = guess.why
        several = find_repeated_people(column, is_sample=profiles.is_sample)
        if several and guess.role == "identifier":
            repeated.append(ExcludedColumn(column.name, several))
    return found, repeated


# The flow of `detect`: which columns of a table identify people.

DEFAULT_MOST_COLUMNS = 4
MOST_SUBSETS = 1_000_000
"""More than these would take hours, and nobody reads them."""


class ChosenColumns(NamedTuple):
    """The columns to look at."""

    columns: Sequence[str] = ()
    """None named: all."""
    exclude: Sequence[str] = ()
    everything: bool = False
    """Whether columns that clearly identify are looked at as well, though nobody names them."""
    person: Sequence[str] = ()
    """What tells persons apart, who are counted then; these columns are not looked at."""


class SudaWanted(NamedTuple):
    """Whether to look for records that few values single out, and how."""

    columns: int | None = None
    """Columns in the largest subsets; None to look for none."""
    fraction: float | None = None
    """The share of the population that is in the table, for DIS scores."""

    def require_sound(self) -> None:
        """Check what a caller has named.

        Raises
        ------
        SettingError
        UsageError
        """
        if self.columns is not None and not _is_count(self.columns):
            raise SettingError("suda", self.columns, "a whole number of at least 1")
        SampleDesign(fraction=self.fraction)
        if self.fraction is not None and self.columns is None:
            fraction = choose_setting_name("--sampling-fraction", python="sampling_fraction=")
            suda = choose_setting_name("--suda 3", python="suda=3")
            raise UsageError(f"{fraction} goes with the scores of SUDA. Also write {suda}.")


NO_SUDA = SudaWanted()


def _is_count(value: object) -> bool:
    """Return whether a value is a whole number of at least 1."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def detect_columns(
    data: TableSource,
    wanted: ChosenColumns,
    *,
    max_columns: int = DEFAULT_MOST_COLUMNS,
    missing_is_a_value: bool = False,
    suda: SudaWanted = NO_SUDA,
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
    _require_sound_arguments(max_columns, suda, config, wanted)
    steps, read = Steps(watcher), reading.input()
    bounds = parse_limits(limits) or (config.limits if config else Limits())
    if isinstance(data, Path) and config is None and reading.header is False:
        wanted = _name_positions(wanted)
    with read_objects(bounds):
        files = InputFiles(_find_input(data, wanted, read, config)) if isinstance(data, Path) else None
        with Store(bounds.temp_dir, limit_threads(bounds, files or data)) as store, translate_file_errors(store.folder):
            watched = files.watch_reading if files else nullcontext
            with steps.step("read"), watched():
                source = files.source(store) if files else open_arrow_source(store, data)
                names = _number_repeated_names(_find_names(source, config))
                persons = _find_persons(source, names, wanted, config)
                positions = _find_positions(source, names, wanted, config, persons)
                left_out, repeated = _find_left_out(store, source, positions, wanted, config)
                positions = _choose_positions(positions, left_out, source, max(max_columns, suda.columns or 0))
                value = _make_reading(source, [*positions, *persons], config, reading.missing)
                records = Records(store, source, [*positions, *persons], value=value)
                steps.records = int(store.scalar(select(func.sum(records.counted.c.size))))
                coded = _code_records(records, len(positions), len(persons))
            with steps.step("search"):
                detection = election.detect_identifying(
                    *(coded, [names[position] for position in positions]),
                    most_columns=max_columns,
                    missing_is_a_value=missing_is_a_value,
                    report=steps.say,
                )
            with steps.step("suda") if suda.columns else nullcontext(), watched():
                special = _score_special(records, coded, detection, suda, missing_is_a_value, steps)
    return DetectionReport(
        detection=detection,
        special=special,
        person=tuple(names[position] for position in persons),
        repeated=tuple(repeated),
        left_out=tuple(ExcludedColumn(names[position], why) for position, why in left_out.items()),
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
    )


def _code_records(records: Records, columns: int, persons: int) -> search.CodedTable:
    """Code the records by some columns; the columns behind these tell persons apart, if there are any."""
    person = Records.find_person(records.counted, columns, persons) if persons else None
    return search.code_records(records.store, records.counted, columns, person)


def _require_sound_arguments(max_columns: int, suda: SudaWanted, config: Config | None, wanted: ChosenColumns) -> None:
    suda.require_sound()
    if both := [name for name in wanted.person if name in wanted.columns]:
        person = choose_setting_name("--person", python="person=")
        columns = choose_setting_name("--columns", python="columns=")
        raise UsageError(f"{both[0]} tells persons apart ({person}): it finds everybody. Leave it out of {columns}.")
    if not _is_count(max_columns):
        raise SettingError("max_columns", max_columns, "a whole number of at least 1")
    if config is not None and not isinstance(config, Config):
        raise make_configuration_error(config)


def _score_special(
    records: Records,
    coded: search.CodedTable,
    detection: election.Detection,
    suda: SudaWanted,
    keeps_all: bool,
    steps: Steps,
) -> SpecialUniques | None:
    if suda.columns is None:
        return None
    return find_special(
        *(records.store, records.counted, coded, [column.name for column in detection.columns]),
        identifiers=[subset[0] for subset in detection.identifiers if len(subset) == 1],
        keeps_all=keeps_all,
        find_keys=records.find_record_keys,
        most_columns=suda.columns,
        sampling_fraction=suda.fraction,
        report=steps.say,
    )


def _name_positions(wanted: ChosenColumns) -> ChosenColumns:
    columns, exclude, person = (
        list(map(name_column_position, names)) for names in (wanted.columns, wanted.exclude, wanted.person)
    )
    return ChosenColumns(columns, exclude, wanted.everything, person)


def _find_persons(source: Source, names: Sequence[str], wanted: ChosenColumns, config: Config | None) -> list[int]:
    """Find the columns that tell persons apart: those that are named, or else those of the configuration.

    Raises
    ------
    UsageError
        If one is not there.
    """
    for name in wanted.person:
        if name not in names:
            raise make_column_error(name, source, names, wanted.person)
    if wanted.person or config is None:
        return [names.index(name) for name in dict.fromkeys(wanted.person)]
    return list(find_columns(config, source).find_persons(config))


def _find_input(data: Path, wanted: ChosenColumns, reading: Input, config: Config | None) -> Input:
    """Return how a file is read: by a configuration, or else by the arguments of the caller and the header."""
    if config is not None and config.input is not None:
        # The input of the configuration may be several files.
        declared = config.input if data == config.input.path else replace(config.input, path=data, more=())
        return find_separator(replace(config, input=declared)).input or declared
    file = replace(reading, path=data)
    return guess_input(file, [*wanted.columns, *wanted.exclude]) if file.guesses_separator else file


def _find_names(source: Source, config: Config | None) -> Sequence[str]:
    if source.headers is not None:
        return source.headers
    if config is None:
        return [f"column {position}" for position in range(source.width - source.added)]
    return find_columns(config, source).names


def _number_repeated_names(names: Sequence[str]) -> list[str]:
    """Add the position to the names of columns that share one, counted from 1.

    Examples
    --------
    >>> _number_repeated_names(["a", "b", "a"])
    ['a (column 1)', 'b', 'a (column 3)']
    """
    numbered = enumerate(names, start=1)
    return [f"{name} (column {position})" if names.count(name) > 1 else name for position, name in numbered]


def _find_positions(
    source: Source, names: Sequence[str], wanted: ChosenColumns, config: Config | None, persons: Sequence[int]
) -> list[int]:
    """Find the columns to look at, in the order of the table.

    Raises
    ------
    UsageError
        If one that is named is not there, or none is left.
    """
    named = (*wanted.columns, *wanted.exclude)
    for name in named:
        if name not in names:
            raise make_column_error(name, source, names, named)
    chosen = {names.index(name) for name in wanted.columns} or set(range(len(names)))
    chosen -= {*persons, *(names.index(name) for name in wanted.exclude)}
    if not chosen:
        raise UsageError(f"No column of {quote(source.name)} is left to look at. Exclude fewer of them.")
    if config is not None and not (chosen := chosen - set(find_columns(config, source).identifiers)):
        declared = ", ".join(str(column) for column in config.identifiers)
        raise UsageError(
            f"No column of {quote(source.name)} is left to look at: {config.source} declares {declared} "
            "as identifiers. Declare fewer of them."
        )
    return sorted(chosen)


def _find_left_out(
    store: Store, source: Source, positions: Sequence[int], wanted: ChosenColumns, config: Config | None
) -> tuple[dict[int, str], list[ExcludedColumn]]:
    """Return why columns are left out that clearly identify, none that is declared, and what tells people apart.

    Nothing is left out if somebody has asked for columns.
    """
    if wanted.columns or wanted.everything:
        return {}, []
    left_out, repeated = find_clear_identifiers(store, source, positions)
    repeated = [] if wanted.person or (config is not None and config.person) else repeated
    declared = set() if config is None else _list_declared_columns(config, source)
    return {index: why for index, why in left_out.items() if index not in declared}, repeated


def _list_declared_columns(config: Config, source: Source) -> set[int]:
    """Return the columns of which a configuration says what they are."""
    layout = find_columns(config, source)
    return {*layout.quasi_identifiers, *layout.sensitive}


def _choose_positions(positions: Sequence[int], left_out: Mapping[int, str], source: Source, most: int) -> list[int]:
    """Leave out some columns.

    Raises
    ------
    UsageError
        If none is left, or too many for sets of so many columns.
    """
    rest = [position for position in positions if position not in left_out]
    if not rest:
        problem = f"No column of {quote(source.name)} is left to look at: all look as if they identified a person."
        raise UsageError(f"{problem} Write {choose_setting_name('--all', python='everything=True')} to look at them.")
    _require_few(len(rest), most)
    return rest


def _make_reading(
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
        naming = choose_setting_name("--columns", python="columns=")
        raise UsageError(
            f"{columns} columns have {subsets:,} subsets of up to {most} columns, more than {MOST_SUBSETS:,}. "
            f"Name the columns that an attacker could know ({naming}), or lower "
            f"{choose_setting_name('--max-columns', python='max_columns=')}."
        )
