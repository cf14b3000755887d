"""The tables of a question in one store: the release, the original records, a population; from files or in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import FromClause, String, case, cast, func, null, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import DEFAULT_MISSING, Attribute, Column, Config, Input, Kind
from toolbox.errors import InputError, UnknownColumnError, UsageError
from toolbox.flows.arguments.configuration import SMALL_TO_COMPARE, limit_threads, read_figures
from toolbox.flows.judge.question import Question, StatisticsColumn, declare_released_columns
from toolbox.messages import choose_setting_name, name_command_options, say
from toolbox.published.comparing import (
    compare_release,
    count_persons_beside,
    find_combination_keys,
    list_ambiguity_notes,
    pair_people_by_class,
    pair_records,
)
from toolbox.published.domains import build_people
from toolbox.published.tables import Comparison, People, Records, Release, build_release_classes
from toolbox.queries.cells import escape_name
from toolbox.release.returned import prepare_for_engine
from toolbox.risks.risk import find_matches
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import Layout, complete_quasi_identifiers, find_columns
from toolbox.store.input.memory import as_arrow
from toolbox.store.input.source import Source, WeightColumn, find_counting_column, open_arrow_source

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from toolbox.hierarchy.builders.builder import Builder


TableSource: TypeAlias = "Path | Input | pa.Table"
"""A table to read: the path of one or more files, the files that a configuration names, or the table of a caller."""


@contextmanager
def open_judging_store(question: Question, *tables: TableSource | None) -> Iterator[Store]:
    """Open a store for the tables of a question; files that are read later are named now, and must not change."""
    suffixes = question.config.output.format.suffixes if question.is_anatomy else ()
    parts = [question.table(suffix) for suffix in suffixes]
    asked = [table for table in tables if table is not None and table not in parts]
    judged = [_list_table_files(table) for table in (*asked, *parts)]
    original = [] if question.original is None else [_list_table_files(question.original)]
    limits = limit_threads(question.config.limits, *judged, *original, small=SMALL_TO_COMPARE)
    with ExitStack() as stack:
        store = stack.enter_context(Store(limits.temp_dir, limits))
        stack.enter_context(translate_file_errors(store.folder))
        for files in (*judged, *original):
            if isinstance(files, InputFiles):
                for path in files.paths:
                    store.gate.expect(path)
        for files in judged:
            if isinstance(files, InputFiles):
                stack.enter_context(files.watch_reading())
        yield store


def _list_table_files(table: TableSource) -> InputFiles | pa.Table | None:
    """Return the files of a table, or the table of a caller; None for files with a fault, which is told on reading."""
    if not isinstance(table, (Path, Input)):
        return table
    with suppress(InputError):
        return InputFiles(Input(path=table) if isinstance(table, Path) else table)
    return None


@dataclass
class JudgedTables:
    """Opens and reads what a question needs, each table once.

    Parameters
    ----------
    question : Question
    store : Store
    released : path, Input or pyarrow.Table
        The release.
    original : path, Input or pyarrow.Table, optional
        The records that it was made from.
    key : str, optional
        A column of the release that names people, to link it to another one.
    with_statistics : bool, optional
        Whether statistics of classes are read where the release has some.
    is_reordered : bool, optional
        Whether the release is known to have the records of the original, in another order.
    counted : Release, optional
        The classes of the release, where they are known, so that it is not read.
    """

    question: Question
    store: Store
    released: TableSource
    original: TableSource | None = None
    key: str | None = None
    with_statistics: bool = False
    is_reordered: bool = False
    counted: Release | None = None
    release: Release = field(init=False)
    _ambiguities: tuple[str, ...] = field(default=(), init=False)
    statistics: Sequence[StatisticsColumn] = field(default=(), init=False)
    """The columns with statistics of classes; their texts are behind those of the sensitive attributes."""
    _released_records: Records = field(init=False)
    _original_records: Records = field(init=False)
    _readings: tuple[str, ...] = field(default=(), init=False)
    _orders: Sequence[Sequence[str] | None] = field(default=(), init=False)
    _judged_positions: tuple[Sequence[int], Sequence[int]] = field(default=((), ()), init=False)
    """The columns of the quasi-identifiers and of the sensitive attributes in the release."""
    _weight: WeightColumn | None = field(default=None, init=False)
    _among: tuple[TableSource, Comparison] | None = field(default=None, init=False)
    """The population that was read, and the release beside it."""

    def __post_init__(self) -> None:
        if self.question.is_anatomy and self.released != self.question.release:
            raise UsageError(
                "The configuration releases anatomy, two tables that are judged together. Leave the name of the file "
                f"out, or judge a table with {choose_setting_name('--qi NAMES', python='quasi_identifiers=')}."
            )
        self._config = declare_released_columns(self.question, self._find_original_layout())
        is_alone = self.original is None and self.question.by_name
        source = _open_declared_table(
            self.question, self.store, self.released, self._config, is_release=True, chooses=is_alone, key=self.key
        )
        _find_escaped(source, self._config)
        layout = find_columns(self._config, source)
        if self.with_statistics and not self.question.is_anatomy:
            self.statistics = StatisticsColumn.find_all(self._config, layout, source.headers)
        told = (column.position for column in self.statistics)
        positions = (*layout.quasi_identifiers, *layout.sensitive, *told, *self._find_key_position(layout, source))
        self._weight = self._find_weight(source)
        value, waits = self._select_released_value, self.counted is not None
        self._released_records = Records(self.store, source, positions, value=value, weight=self._weight, waits=waits)
        self._orders = [source.orders[position] for position in layout.sensitive]
        self._judged_positions = layout.quasi_identifiers, layout.sensitive
        self.release = self._form_release(self._released_records)
        texts = [self.release.held.c[text] for text in self.release.sensitive.values()]
        self._find_figures(texts, self._config.sensitive, [source.kinds[position] for position in layout.sensitive])

    def _form_release(self, records: Records, held: Sequence[str] | None = None) -> Release:
        if held is None and self.counted is not None:
            return replace(self.counted, name=records.source.name)
        declared = [] if self.question.is_anatomy else [str(each.column) for each in self.question.sensitive]
        release = build_release_classes(
            self.store,
            records.counted,
            name=records.source.name,
            quasi_identifiers=[str(attribute.column) for attribute in self.question.quasi_identifiers],
            sensitive=declared if held is None else held,
            roots=None if self.question.counts_roots else self.question.roots,
        )
        named = zip(release.sensitive.values(), self._orders, strict=False)
        return replace(release, orders={text: order for text, order in named if order})

    def _find_weight(self, source: Source) -> WeightColumn | None:
        """Find the column of the sampling weights; the release that a configuration describes may lack it."""
        name, headers = self.question.sample.weight, source.headers or ()
        if name is None or self.question.is_anatomy:
            return None
        if headers.count(name) == 1:
            return WeightColumn(headers.index(name), self.question.figures)
        if self.question.by_name:
            raise UnknownColumnError(name, source.name, source.own_headers)
        lacking = f"The release has no {name}, which holds the sampling weights: nothing is said of the population."
        self._readings = (*self._readings, lacking)
        return None

    @cached_property
    def sampled(self) -> Release | None:
        """The release as a sample, with households instead of sensitive attributes, or as it is where none are named.

        None where no sample is declared, or the release has no weights.
        """
        sample, has_weights = self.question.sample, self._weight is not None
        if not sample.is_declared or self.question.is_anatomy or has_weights != (sample.weight is not None):
            return None
        if sample.household is None:
            return self.by_person or self.release
        positions = (*self._judged_positions[0], *self.find_released_columns([sample.household]))
        records = Records(self.store, self.records.source, positions, weight=self._weight)
        release = self._form_release(records, [sample.household])
        person = self._find_person_columns()
        return release.count_persons(records, person) if person else release

    def find_released_columns(self, names: Sequence[str]) -> list[int]:
        """Find columns of the release by their names."""
        return [self.records.source.find_header(name) for name in names]

    def _find_person_columns(self) -> list[int]:
        """Find the columns that tell persons apart in the release.

        There are none where no persons are declared, or the release that a configuration describes lacks a column.
        """
        names, headers = self.question.person, self.records.source.headers or ()
        is_lacking = not self.question.by_name and any(headers.count(name) != 1 for name in names)
        return [] if is_lacking or self.question.is_anatomy else self.find_released_columns(names)

    @cached_property
    def records_by_person(self) -> Records | None:
        """The records of the release with what tells persons apart behind the judged columns, and the key last.

        None where persons are not known.
        """
        if not (person := self._find_person_columns()):
            return None
        positions = [*self._judged_positions[0], *self._judged_positions[1], *person]
        if self.key is not None:
            positions.append(self.records.positions[-1])
        return Records(
            self.store, self.records.source, positions, value=self._select_released_value, weight=self._weight
        )

    @cached_property
    def by_person(self) -> Release | None:
        """The release with persons in its classes instead of records; None where these are not known."""
        columns = self._find_person_columns()
        return self.release.count_persons(self.records, columns) if columns else None

    @property
    def notes(self) -> tuple[str, ...]:
        """How numbers were read, and texts that name several things."""
        return *self._readings, *self._ambiguities

    @property
    def records(self) -> Records:
        """The records of the release, by their texts in the declared columns, in statistics, and in that of the key."""
        return self._released_records

    def _find_key_position(self, layout: Layout, source: Source) -> tuple[int, ...]:
        if self.key is None:
            return ()
        if self.key not in (names := layout.names[: source.width - source.added]):
            raise UnknownColumnError(self.key, source.name, names)
        return (names.index(self.key),)

    @property
    def known_original(self) -> TableSource | None:
        """The original records: those that are given, or those that a configuration names."""
        return self.question.original if self.original is None else self.original

    def open_original(self, table: TableSource) -> Source:
        """Open the original records once more."""
        return _open_declared_table(self.question, self.store, table, self.question.config, chooses=True)

    def read_original_with(self, *names: str) -> Records:
        """Read the original records that were compared with more columns, in which a missing value is null.

        Raises
        ------
        UnknownColumnError
        """
        return self._read_with(self._original_records, names)

    def _read_with(self, records: Records, names: Sequence[str]) -> Records:
        width, missing, headers = len(records.positions), self.question.missing, records.source.headers or ()
        named = [Attribute(column=Column(index=None, name=name), kind=None) for name in names]

        def value(place: int, text: ColumnElement[str]) -> ColumnElement[str]:
            if place < width:
                return self._value(place, text)
            return case((missing.test(named[place - width], text), null()), else_=text)

        for name in names:
            if headers.count(name) != 1:
                raise UnknownColumnError(name, records.source.name, records.source.own_headers)
        return replace(records, positions=(*records.positions, *map(headers.index, names)), value=value)

    def count_persons(self, comparison: Comparison, *, by_pairs: bool = False) -> Comparison | None:
        """Return the release beside the original records with the persons of both; None where these are not known.

        Parameters
        ----------
        by_pairs : bool
            Whether the persons of its classes are those of the records that became it, instead of those it shows.
        """
        release, names = None if by_pairs else self.by_person, self.question.person
        if not by_pairs and release is None:
            return None
        return count_persons_beside(comparison, release, self.read_original_with(*names).counted, len(names))

    def read_known_people(
        self, table: TableSource, others: People | None = None
    ) -> tuple[Comparison, FromClause | None]:
        """Put the release beside people, and read what is true of them: ``combination_id, value_1 .., size``.

        Where the persons of the release are known, those of the people are as well: ``person`` instead of a size.
        """
        config = replace(self.question.config, identifiers=())
        records, people = self._people(table, config, chooses=False, others=others)
        comparison = compare_release(self.release, people, are_records=others is None)
        persons = self.question.person if self.by_person else ()
        if persons:
            counted = self._read_with(records, persons).counted
            comparison = count_persons_beside(comparison, self.by_person, counted, len(persons))
        has_truth = bool(self.question.sensitive)
        return comparison, self._read_truth(records, records.source, people, persons) if has_truth else None

    def read_original_truth(self, people: People) -> FromClause | None:
        """Read the sensitive attributes of the original records; None where these lack one, or there are none."""
        headers, declared = self._original_records.source.headers or (), self.question.sensitive
        has_all = all(each.column.index is not None or headers.count(str(each.column)) == 1 for each in declared)
        if not self.release.sensitive or not has_all or self.known_original is None:
            return None
        # What is sensitive was not read, if names declare it.
        return self._read_truth(self._original_records, self.open_original(self.known_original), people, ())

    def _read_truth(self, records: Records, source: Source, people: People, persons: Sequence[str]) -> FromClause:
        layout = find_columns(replace(self.question.config, identifiers=()), source)
        width, count = len(records.positions), len(layout.sensitive)

        def value(place: int, text: ColumnElement[str]) -> ColumnElement[str]:
            return self._value(place, text) if place < width else self._select_released_value(place, text)

        places = (*layout.sensitive, *map((records.source.headers or ()).index, persons))
        counted = replace(records, source=source, positions=(*records.positions, *places), value=value).counted
        person = Records.find_person(counted, width + count, len(persons)) if persons else counted.c.size
        keyed = self.store.create("keyed", select(counted, person.label("whom"), func.row_number().over().label("key")))
        found = find_combination_keys(people, keyed)
        texts = [keyed.c[f"text_{width + place}"].label(f"value_{place}") for place in range(1, count + 1)]
        columns = [found.c.combination_id, *texts, keyed.c.whom.label("person" if persons else "size")]
        return self.store.create("truth", select(*columns).join_from(keyed, found, found.c.key == keyed.c.key))

    def compare_with_original(self, *, pairs: bool, among: Comparison | None = None) -> Comparison:
        """Read the original records.

        Parameters
        ----------
        pairs : bool
            Whether to put each beside its released one, if that can be told.
        among : Comparison, optional
            The release beside the population, whose values it may name as well.
        """
        original = self.known_original
        assert original is not None, "the caller knows whether there is an original"
        others = None if among is None else among.people
        config = self.question.config
        if self.question.by_name or find_counting_column(original) is not None:
            # What is sensitive is read in the release alone; a configuration may say which records lack a value of it.
            config = replace(config, identifiers=(), sensitive=())
        self._original_records, people = self._people(original, config, chooses=True, others=others)
        chosen = compare_release(self.release, people, are_records=True)
        self._readings = tuple(dict.fromkeys((*self._readings, *chosen.notes)))
        if pairs:
            chosen = self.pair(chosen)
        elif chosen.ambiguous:
            chosen = self._pair_in_order(chosen)
        else:
            return chosen
        self._ambiguities = list_ambiguity_notes(chosen) or self._ambiguities
        return chosen

    def pair(self, comparison: Comparison) -> Comparison:
        """Put each original record beside its released one, if that can be told."""
        chosen = comparison if comparison.pairs is not None else self._pair_in_order(comparison)
        return chosen if chosen.pairs is not None or chosen.untrue else _pair_in_any_order(chosen)

    def _pair_in_order(self, narrowly: Comparison) -> Comparison:
        """Pair each record with the released one in its place, which takes a reading of both tables."""
        people, records = narrowly.people, self._original_records
        if self.is_reordered and people.records == self.release.records:
            return replace(narrowly, unpaired=say("the release is in another order than the records"))
        chosen = pair_records(narrowly, records, self._released_records)
        if chosen.pairs is None and narrowly.ambiguous:
            # That no narrow reading fits all records is the proof that some text means more.
            widely = pair_records(
                compare_release(self.release, people, widely=True, are_records=True), records, self._released_records
            )
            return chosen if widely.pairs is None else widely
        return chosen

    def compare_with_population(self, population: TableSource) -> Comparison:
        """Read the people among whom those of the release are."""
        if self._among is not None and self._among[0] is population:
            return self._among[1]
        # A register of people knows neither what is sensitive nor, perhaps, what identifies them.
        people = self._people(population, replace(self.question.config, identifiers=(), sensitive=()), chooses=False)[1]
        comparison = compare_release(self.release, people)
        self._ambiguities = self._ambiguities or list_ambiguity_notes(comparison)
        self._among = population, comparison
        return comparison

    def _people(
        self, table: TableSource, config: Config, *, chooses: bool, others: People | None = None
    ) -> tuple[Records, People]:
        """Read people as anonymising reads them."""
        source = _open_declared_table(self.question, self.store, table, config, chooses=chooses)
        layout = find_columns(config, source)
        is_left_out, tolerant = self._is_left_out(config, layout), not self.question.by_name
        records = Records(self.store, source, layout.quasi_identifiers, is_left_out, self._value, tolerant)
        kinds: list[Kind | None] = [source.kinds[position] for position in layout.quasi_identifiers]
        zones = [source.zones[position] for position in layout.quasi_identifiers]
        attributes = complete_quasi_identifiers(config, source, layout.quasi_identifiers)
        texts = [records.counted.c[f"text_{index}"] for index, _ in enumerate(layout.quasi_identifiers, start=1)]
        self._find_figures(texts, self.question.quasi_identifiers, kinds)
        written, missing = self.question.figures, self._find_kept_missing()
        people = build_people(
            self.store, records.counted, attributes, kinds, source.name, missing, written, zones, others
        )
        return records, people

    def _find_figures(
        self, columns: Sequence[ColumnElement[str]], attributes: Sequence[Attribute], kinds: Sequence[Kind | None]
    ) -> None:
        """Find out how numbers are written, where nobody says it; or say what would be numbers in another way."""
        texts = {
            str(attribute.column): select(text.label("text")).distinct().subquery()
            for text, attribute, kind in zip(columns, attributes, kinds, strict=True)
            if attribute.kind is None and attribute.categories is None and kind in (None, "category")
        }
        declared = self.question.config.input
        guesses = declared is not None and declared.guesses_figures and None in kinds
        with name_command_options(self.question.by_name):
            figures, notes = read_figures(self.store, texts, self.question.figures, guesses=guesses)
        if figures is not None:
            self.question = self.question.set_number_notation(figures)
        self._readings = tuple(dict.fromkeys((*self._readings, *notes)))

    def _find_original_layout(self) -> Layout | None:
        """Find the columns of the original, from which those of the release follow, if it can be read."""
        config, original = self.question.config, self.known_original
        if original is None or self.question.by_name or find_counting_column(original) is not None:
            return None
        with suppress(InputError) if self.original is None else nullcontext():
            return find_columns(config, _open_declared_table(self.question, self.store, original, config, chooses=True))
        return None

    def _select_released_value(self, position: int, text: ColumnElement[str]) -> ColumnElement[str]:
        """Return a text that passed through as a release shows it: all missing values that are kept have one name."""
        missing, count = self.question.missing, len(self.question.quasi_identifiers)
        if missing.kept is None or not count <= position < count + len(self.question.sensitive):
            return text
        return missing.value(self.question.sensitive[position - count], text)

    def _find_kept_missing(self) -> dict[str, str]:
        """Return the name of missing values where the release keeps them, by quasi-identifier.

        If this is not declared, they count as kept in the columns of the release that have no missing value.
        """
        kept, release = self.question.missing.kept, self.release
        columns = zip(release.quasi_identifiers, release.cells, strict=True)
        if self.question.by_name:
            lacks = {name: select(func.count()).where(cells.c.text.is_(None)) for name, cells in columns}
            shown = self.question.mark or DEFAULT_MISSING
            return {name: shown for name, count in lacks.items() if not self.store.scalar(count)}
        return {} if kept is None else {name: kept for name, _ in columns}

    def _value(self, position: int, text: ColumnElement[str]) -> ColumnElement[str]:
        """Return a text as a release shows it: all missing values that are kept have one name."""
        attribute, missing = self.question.quasi_identifiers[position], self.question.missing
        if self.question.mark:
            known: ColumnElement[str] = case((missing.test(attribute, text), null()), else_=text)
            return known
        return missing.value(attribute, text)

    def _is_left_out(self, config: Config, layout: Layout) -> Callable[[FromClause], ColumnElement[bool]] | None:
        """Return a test for the records that anonymising leaves out."""
        missing = self.question.missing
        if self.question.by_name:
            return None
        attributes = [*config.quasi_identifiers, *config.sensitive]
        positions = [*layout.quasi_identifiers, *layout.sensitive]
        rest = [position for position in range(len(layout.names)) if position not in positions]

        def lacks_a_value(relation: FromClause) -> ColumnElement[bool]:
            texts = [cast(relation.c[f"c{position}"], String) for position in positions]
            marked = missing.marked([cast(relation.c[f"c{position}"], String) for position in rest])
            return or_(missing.is_disqualifying(list(zip(attributes, texts, strict=True))), marked)

        return lacks_a_value


def _pair_in_any_order(comparison: Comparison) -> Comparison:
    matches = find_matches(comparison)
    fits = matches.pairs()
    chosen = pair_people_by_class(comparison, fits)
    comparison.store.drop(fits)
    # Who fits what, which the risk asks again, does not depend on who became what.
    chosen.known.update(comparison.known)
    return chosen


def _find_escaped(source: Source, config: Config) -> None:
    """Rename a column as it is declared, if an apostrophe keeps a spreadsheet from running its name."""
    attributes = (*config.quasi_identifiers, *config.sensitive)
    declared = [attribute.column.name for attribute in attributes if attribute.column.name]
    names = {escape_name(name): name for name in declared if escape_name(name) != name}
    if source.headers is not None and names:
        lacking = {shown: name for shown, name in names.items() if name not in source.headers}
        source.headers = tuple(lacking.get(header, header) for header in source.headers)


def _open_declared_table(
    question: Question,
    store: Store,
    table: TableSource,
    config: Config,
    *,
    is_release: bool = False,
    chooses: bool,
    key: str | None = None,
) -> Source:
    """Open a table in which a configuration declares columns.

    Parameters
    ----------
    chooses : bool
        Whether it is the one of which the question says what sheet or table of the file is meant.
    key : str, optional
        A column that is read, too, if the table has it.
    """
    if isinstance(table, Path):
        table = question.input_of(table, is_release=is_release)
        table = table if chooses else replace(table, table=None)
    if isinstance(table, Input):
        return InputFiles(table).source(store)
    names = table.column_names
    declared = [attribute.column for attribute in (*config.quasi_identifiers, *config.sensitive)]
    # A position wins over a name, which then is for messages only.
    read = {
        column.name if column.index is None else names[column.index]
        for column in declared
        if (column.index or 0) < len(names)
    }
    more = (key, find_counting_column(table), *question.identifiers, *question.person, *question.sample.columns)
    read |= {name for name in more if name in names}
    if is_release:
        read |= StatisticsColumn.find_names({name for name in read if name is not None}, names)
    return open_arrow_source(store, prepare_for_engine(table, {name for name in read if name is not None}), added=1)


TableArgument: TypeAlias = "str | Path | pd.DataFrame | pa.Table"
"""A table that a caller gives: a path, or a table in memory."""

Hierarchies: TypeAlias = "Mapping[str, str | Path | Builder | pd.DataFrame | Sequence[Sequence[object]]]"
"""The hierarchies of a call, by column."""


def convert_table(source: Any) -> TableSource:
    """Return the path that a caller names, or else the table as an Arrow table.

    Raises
    ------
    InputError
        If it is no table, or cannot be read.
    """
    return _check_path(source) if isinstance(source, (str, Path)) else as_arrow(source)


def check_judged_table(source: Any, question: Question, *more: str | None) -> TableSource:
    """Return a table that is judged; the columns that the question names must be readable.

    If it names columns by position, all columns must be.

    Parameters
    ----------
    *more : str, optional
        Further columns that must be readable.

    Raises
    ------
    InputError
        If it is no table, or cannot be read.
    """
    if isinstance(source, (str, Path)):
        return _check_path(source)
    names = {str(attribute.column) for attribute in (*question.quasi_identifiers, *question.sensitive)}
    names |= {*question.sample.columns}
    declared = {*names, *(str(name) for name in more if name is not None)} if question.by_name else None
    return as_arrow(source, declared=declared, mixed_as_texts=True)


def check_optional_table(source: Any, question: Question) -> TableSource | None:
    """Return a table that is judged, as `check_judged_table` does; None if there is none."""
    return None if source is None else check_judged_table(source, question)


def _check_path(named: str | Path) -> Path:
    """Return the path that a caller names.

    Raises
    ------
    UsageError
        If it is empty.
    """
    if not str(named).strip():
        raise UsageError("The path of a table is empty. Write the name of its file.")
    return Path(named)
