"""A table that is open in a session: its combinations, loaded anew for other columns, hierarchies or dates."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import comb

from sqlalchemy import BigInteger, FromClause, String, cast, func, select

from toolbox.config.model import Config, QuasiIdentifier
from toolbox.detection.election import Detection, detect_identifying
from toolbox.detection.search import code_records
from toolbox.loss.bound import LossBound
from toolbox.published.comparing import KnownPeople, find_known_people
from toolbox.published.domains import build_people
from toolbox.queries.dialect import Query, Table
from toolbox.queries.scales import Figures
from toolbox.steps import Steps
from toolbox.store.engine.store import Scope, Store
from toolbox.store.input.layout import MissingValues, complete_quasi_identifiers
from toolbox.store.input.source import Source
from toolbox.store.load.combinations import PERSON
from toolbox.store.load.loading import Loaded
from toolbox.store.load.session import KeptLoader, KeptSource

_MOST_COMBINATIONS = 50_000
"""Up to here a run of all records takes a few seconds."""
USUAL_SAMPLE = 5_000
"""About how many records the application's previews draw where there are more combinations."""
_MOST_COLUMNS = 4
"""Columns in the largest subsets that are looked at by default, as `toolbox.detect` does."""
_MOST_SUBSETS = 2_000
_WORK = 20_000_000
"""Combinations that are looked at for all subsets: about a second."""
_MOST = 2
"""Loads that are held at once: methods that climb hierarchies and others read dates differently."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What a session knows of its columns since it was opened."""

    config: Config
    """Declares all candidate columns."""
    asks: bool
    """Whether it also says what is required of classes, and by which method, as a configuration file does."""
    kinds: Mapping[str, str]
    """What columns hold, by their names, where somebody said it, or the texts of a file show it."""
    said: frozenset[str]
    """The columns whose kind somebody said."""
    dates: Collection[str]
    """The columns that hold dates as their type says."""

    @property
    def candidates(self) -> dict[str, QuasiIdentifier]:
        """The candidate columns by their names."""
        return {str(attribute.column): attribute for attribute in self.config.quasi_identifiers}


@dataclass(eq=False)
class Load:
    """What was loaded for some columns with their hierarchies, and the people behind it once they are asked for."""

    config: Config
    judged: Mapping[str, bool]
    loader: KeptLoader
    loaded: Loaded
    scope: Scope
    with_people: bool = False
    """Whether its values are also those of the population."""
    is_sample: bool = False
    """Whether it has only some of the records."""
    holders: int = 0
    """Variants that were kept and show what was loaded; while there are any, it stays."""
    spreads: dict[str, Table] = field(default_factory=dict)
    """How the records of each value spread over classes, for the columns asked for; see `count_class_spread`."""
    bounds: dict[Hashable, LossBound] = field(default_factory=dict)
    """What was proved that every release of these people loses at least; see `prove_bounds`."""
    _people: KnownPeople | None = None
    _rows: Table | None = None
    _persons: Table | None = None

    def can_serve(self, config: Config, judged: Mapping[str, bool]) -> bool:
        """Return whether a run of this configuration finds here what it needs."""
        same = (config.quasi_identifiers, config.sensitive, config.periods) == (
            self.config.quasi_identifiers,
            self.config.sensitive,
            self.config.periods,
        )
        return same and all(name in self.judged and (self.judged[name] or not kind) for name, kind in judged.items())

    def rows(self, store: Store) -> Table:
        """Return the rows that were kept and are not skipped: ``row, key, records, class_id, size, people``.

        The class of a row is its combination; its size counts the records of all rows of that combination, and its
        people are the persons whom these are about, or as many as records.
        """
        if self._rows is None:
            keys, combination = self.loaded.tables.keys, select_combinations(self.loaded).subquery()
            assert keys is not None, "the class of a record follows from its combination"
            kept = self.loader.select_numbered_rows().subquery()
            number = combination.c.combination_id
            found = select(kept.c.row, kept.c.key, kept.c.size.label("records"), number.label("class_id"))
            joined = kept.join(keys, keys.c.key == kept.c.key).join(combination, number == keys.c.combination_id)
            with store.within(self.scope):
                self._rows = store.create(
                    "rows", found.add_columns(combination.c.size, combination.c.people).select_from(joined)
                )
        return self._rows

    def persons(self, store: Store, source: KeptSource) -> Table | None:
        """Return the persons of each key: ``key, person``, each pair once; None where records count."""
        if self._persons is None and source.persons is not None:
            rows, relation = self.rows(store), source.relation()
            found = select(rows.c.key, relation.c[PERSON].label("person"))
            found = found.join_from(rows, relation, source.row_number() == rows.c.row).distinct()
            with store.within(self.scope):
                self._persons = store.create("persons", found)
        return self._persons

    def people(self, store: Store, source: KeptSource) -> KnownPeople:
        """Return the people as a judge reads them, with what releases are compared by."""
        if self._people is None:
            with store.within(self.scope):
                self._people = self._read_people(store, source)
        return self._people

    def _read_people(self, store: Store, source: KeptSource) -> KnownPeople:
        config, positions = self.config, self.loaded.layout.quasi_identifiers
        missing, declared = MissingValues.of(config), config.input
        counted = store.create("counted", self._shown(missing))
        kept = {} if missing.kept is None else {str(each.column): missing.kept for each in config.quasi_identifiers}
        people = build_people(
            store,
            counted,
            complete_quasi_identifiers(config, source, positions),
            [source.kinds[position] for position in positions],
            source.name,
            kept,
            Figures(declared.decimal, declared.thousands) if declared else Figures(),
            [source.zones[position] for position in positions],
        )
        return find_known_people(store, people, counted)

    def detect(self, store: Store, source: KeptSource, most: int | None) -> Detection:
        """Find out which quasi-identifiers tell records apart, or persons, alone and together.

        Parameters
        ----------
        most : int, optional
            Columns in the largest subsets; by default as many as take about a second, and at most 4.
        """
        names = [str(attribute.column) for attribute in self.config.quasi_identifiers]
        counted, person = store.create("told_apart", self._select_told_apart(store, source)), None
        if source.persons is not None:
            person = counted.c.person
        if most is None:
            most = _find_most_columns(len(names), store.count(counted))
        # What lacks a value is left out before, unless missing is a category.
        coded = code_records(store, counted, len(names), person)
        return detect_identifying(coded, names, most_columns=most, missing_is_a_value=True)

    def _select_told_apart(self, store: Store, source: KeptSource) -> Query:
        """Select the distinct combinations, ``text_1 .., size``; those of each person where these count, ``person``."""
        shown = self._shown(MissingValues.of(self.config)).subquery()
        texts = [shown.c[f"text_{index}"] for index, _ in enumerate(self.config.quasi_identifiers, start=1)]
        if source.persons is None:
            return select(*texts, cast(func.sum(shown.c.size), BigInteger).label("size")).group_by(*texts)
        rows, relation = self.rows(store), source.relation()
        joined = shown.join(rows, rows.c.key == shown.c.key).join(relation, source.row_number() == rows.c.row)
        person = relation.c[PERSON].label("person")
        counted = select(*texts, person, cast(func.sum(rows.c.records), BigInteger).label("size"))
        return counted.select_from(joined).group_by(*texts, person)

    def select_by_person(self, persons: Table) -> Query:
        """Select the combinations of each person: ``text_1 ..``, as `_shown`, and behind them who this is.

        Parameters
        ----------
        persons : Table
            As `persons` returns it.
        """
        shown, behind = self._shown(MissingValues.of(self.config)).subquery(), len(self.config.quasi_identifiers) + 1
        texts = [column for column in shown.c if column.name not in ("key", "size")]
        who = cast(persons.c.person, String).label(f"text_{behind}")
        return select(*texts, who).join_from(shown, persons, persons.c.key == shown.c.key)

    def _shown(self, missing: MissingValues) -> Query:
        """Select the combinations as a release would show them where nothing is generalised."""
        usable = self.loader.select_usable_texts().subquery()
        texts = [
            func.nullif(missing.value(attribute, usable.c[f"text_{index}"]), "").label(f"text_{index}")
            for index, attribute in enumerate(self.config.quasi_identifiers, start=1)
        ]
        return select(usable.c.key, *texts, usable.c.size)


def select_combinations(loaded: Loaded) -> Query:
    """Select all combinations with their ``people`` beside their size, which counts records.

    The people are the different persons of a combination, whom classes count where persons are declared; otherwise
    they are as many as its records.
    """
    combinations, persons = loaded.tables.combinations, loaded.tables.persons
    number = combinations.c.combination_id
    if persons is None or (persons.combinations is None and persons.pairs is None):
        return select(*combinations.c, combinations.c.size.label("people"))
    counted: FromClause | None = persons.combinations
    if counted is None:
        assert persons.pairs is not None
        pair = persons.pairs.c.combination_id
        counted = select(pair, cast(func.count(), BigInteger).label("size")).group_by(pair).subquery()
    same = counted.c.combination_id == number
    return select(*combinations.c, counted.c.size.label("people")).join_from(combinations, counted, same)


def _find_most_columns(columns: int, combinations: int) -> int:
    """Return the columns of the largest subsets that are looked at: all of them together are not too many."""
    sizes = range(2, _MOST_COLUMNS + 1)
    subsets = {size: sum(comb(columns, part) for part in range(1, size + 1)) for size in sizes}
    affordable = [size for size, count in subsets.items() if count <= _MOST_SUBSETS and count * combinations <= _WORK]
    return max(affordable, default=1)


@dataclass(eq=False)
class OpenedTable:
    """A table that was read once: its combinations, out of which runs load what they need.

    Parameters
    ----------
    store : Store
    source : KeptSource
        The combinations of all candidate and sensitive columns.
    declared : Declared
    positions : mapping of str to int
        Of all columns that were kept, by their names.
    population : Source, optional
        All people who could be in it.
    """

    store: Store
    source: KeptSource
    declared: Declared
    positions: Mapping[str, int]
    population: Source | None = None
    sampled_from: int | None = None
    """The records of the table of which this is a sample; None: it is no sample."""
    notes: dict[str, None] = field(default_factory=dict)
    """What was noticed in the columns that were loaded, in this order, each note once."""
    _loads: list[Load] = field(default_factory=list)
    _over: list[Scope] = field(default_factory=list)
    """What nobody needs any more, or was cut off, and is still to be dropped."""
    _counts: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """The records and the combinations of columns, by their positions."""
    _samples: dict[int, OpenedTable] = field(default_factory=dict)
    """By their records."""

    def find_sample(self, config: Config, most: int) -> OpenedTable:
        """Return a sample of about so many records, if there are many and most of them differ; else the table itself.

        A run takes as long as there are combinations. Where most records share theirs with others there are not so
        many, and a sample would tell little of the classes of the table.
        """
        positions = tuple(self.positions[str(attribute.column)] for attribute in config.quasi_identifiers)
        if positions not in self._counts:
            self._counts[positions] = self.source.count_different(self.store, positions)
        records, combinations = self._counts[positions]
        if records <= most or combinations <= max(_MOST_COMBINATIONS, records / 2):
            return self
        if most not in self._samples:
            with self.keep_beyond_scope():
                source = self.source.draw_sample(self.store, most / records)
            self._samples[most] = replace(self, source=source, sampled_from=records, notes={}, _loads=[], _samples={})
        return self._samples[most]

    def load(
        self, config: Config, judged: Mapping[str, bool], steps: Steps | None = None, *, with_people: bool = False
    ) -> Load:
        """Load the columns of a configuration, unless they are loaded.

        Parameters
        ----------
        judged : mapping of str to bool
            The sensitive attributes that are judged, and whether it must be known if they are numbers.
        with_people : bool
            Whether a model compares with the population.

        Raises
        ------
        InputError
            If a value does not fit its column.
        """
        for load in self._loads:
            if load.with_people == with_people and load.can_serve(config, judged):
                self._loads.remove(load)
                self._loads.append(load)
                return load
        with self.keep_beyond_scope() as scope:
            loader = KeptLoader(config, self.source, self.store, judged, steps or Steps())
            loaded = loader.load(self.population if with_people else None)
        self.notes.update(dict.fromkeys(loaded.notes))
        self._loads.append(Load(config, judged, loader, loaded, scope, with_people, self.sampled_from is not None))
        free = [load for load in self._loads if not load.holders]
        for load in free[:-_MOST]:
            self._loads.remove(load)
            self.forget(load.scope)
        return self._loads[-1]

    @contextmanager
    def keep_beyond_scope(self) -> Iterator[Scope]:
        """Keep what the block makes until its scope is forgotten; if the block fails, keep nothing."""
        scope = Scope()
        self._over.append(scope)
        with self.store.within(scope):
            yield scope
        self._over.remove(scope)

    def forget(self, scope: Scope) -> None:
        """Drop at the end of the next `temporary_scope` what was made in a scope."""
        self._over.append(scope)

    @contextmanager
    def temporary_scope(self) -> Iterator[None]:
        """Drop everything that was made in the block at its end, except the last loads.

        Nothing is dropped within the block, where an interrupt may come at any time.
        """
        try:
            with self.store.scope():
                yield
        finally:
            while self._over:
                self.store.clear(self._over.pop())
