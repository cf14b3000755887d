"""Child tables of a run: rows of the same persons, released together with the main table or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import FromClause, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.errors import InputError, UsageError, name_option
from toolbox.flows.arguments.configuration import require_declared
from toolbox.flows.release.databases import open_source
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import Anonymization, Anonymizer, require_person_support
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity, KMAnonymity
from toolbox.privacy.proof.proof import prove, prove_together, restore_tables
from toolbox.queries.dialect import count_where
from toolbox.release.around import find_columns_around, make_columns
from toolbox.release.files.part import Part, add_codebooks
from toolbox.release.recount import count_keys, find_formula_columns, require_persons, require_promises
from toolbox.release.release import CodebookFacts, Written, release_parts, write_release
from toolbox.release.returned import ReleasedPart, fetch_part, sort_by_value
from toolbox.report.columns import (
    ChildTableResult,
    QuasiIdentifierResult,
    measure_information,
    measure_quasi_identifiers,
)
from toolbox.risks.unmodified_columns import list_unmodified_columns
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import Layout
from toolbox.store.input.source import Source
from toolbox.store.load.beside import ChildRows, JoinedTables, ReleasedRows, refuse_orphans
from toolbox.store.load.combinations import PERSON, PersonReader
from toolbox.store.load.loading import Loaded, Loader
from toolbox.store.load.problems import ask_what_becomes
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    import pyarrow as pa


def write_children(
    children: Sequence[ChildRun],
    config: Config,
    loaded: Loaded,
    part: Part,
    written: Written,
    released: Sequence[ReleasedPart],
) -> None:
    """Write the child tables, and recount that each of their rows has a person in the finished main table.

    Parameters
    ----------
    config, loaded, part, written, released
        Of the main table: what it is, and what was finished of it.

    Raises
    ------
    ProofError
    """
    of_persons = count_keys(config, loaded.tables, loaded.layout, part, written, released)
    for child in children:
        child.write(of_persons)


class ChildRun:
    """The child table of a run: read beside the main table, left with those who are released, written and recounted."""

    layout: Layout
    source: Source
    rows: ChildRows
    kept: ReleasedRows
    written: Written
    released: list[ReleasedPart]

    def __init__(self, name: str, config: Config, given: pa.Table | None) -> None:
        self.name, self.config, self.given = name, config, given
        self.files = None if given is not None or config.input is None else InputFiles(config.input)

    def open(self, loader: Loader, store: Store) -> None:
        """Find the columns."""
        self.source = open_source(self.config, self.given, self.files, store)
        self.around = find_columns_around(self.config, self.source)
        self.layout = layout = self._find_layout(loader, store)
        require_declared(self.config, replace(layout, names=tuple(f"{self.name}.{each}" for each in layout.names)))
        own = self.source.width - self.source.added
        if not any(position < own for position in layout.released):
            raise UsageError(f"Nothing of the table {self.name} would be released. Release a column, or leave it out.")

    def _find_layout(self, loader: Loader, store: Store) -> Layout:
        self._reader = loader.open_child(self.name, self.config, self.source)
        return self._reader.layout

    def read(self, everybody: FromClause, loaded: Loaded) -> None:
        """Read the rows, of which each must have a person."""
        with self.files.watch_reading() if self.files is not None else nullcontext():
            self._read(everybody, loaded)

    def _read(self, everybody: FromClause, loaded: Loaded) -> None:
        self.rows = self._reader.read(everybody)

    def keep(self, released: FromClause) -> None:
        """Keep the rows of persons who are released."""
        self._make_columns(self.rows.keep(released))

    def _make_columns(self, kept: ReleasedRows) -> None:
        drops = self.config.output.suppressed == "drop"
        self.kept = replace(kept, tables=make_columns(kept.tables, self.layout, drops=drops))

    def write(self, of_persons: FromClause | None) -> None:
        """Write the rows to files, or fetch them for a caller, and recount what is promised.

        Parameters
        ----------
        of_persons : Table, optional
            The keys of the finished main table; None: they are in no table.
        """
        config, layout, source, tables = self.config, self.layout, self.source, self.kept.tables
        store, self.written, self.released = tables.store, Written({}), []
        is_plain = layout.writes_plain and source.is_plain(config.release_separator)
        parts = self.parts = add_codebooks(release_parts(config, tables, layout, passes_plain=is_plain), source)
        if self.given is not None:
            self.released = [fetch_part(store, part, self.given.num_columns) for part in parts]
            if config.output.order == "sorted":
                self.released = [sort_by_value(part, self.given) for part in self.released]
        else:
            self.written = write_release(config, parts, store, has_header=layout.has_header, around=self.around)
        self.measured = require_promises(config, tables, layout, parts, self.written, self.released)
        keys = count_keys(config, tables, layout, parts[0], self.written, self.released)
        if keys is not None and of_persons is not None:
            require_persons(self.name, keys, of_persons, self.kept.count, tables)

    def describe(self) -> ChildTableResult:
        """Say what became of the table; its columns are called after it."""
        if self.files is not None:
            self.files.require_unchanged()
        tables, layout = self.kept.tables, self.layout
        treated = layout.describe_treatments(self.config)
        return ChildTableResult(
            name=self.name,
            key=str(self.config.person[0]),
            counts=self.kept.document(),
            release=tuple(self.written.files.values()),
            checksums=self.written.checksums,
            formulas=find_formula_columns(self.config, tables, layout, self.parts),
            passed=list_unmodified_columns(tables, layout, self.given),
            treatments=tuple({**each, "measured": dict(self.measured.get(each["column"], {}))} for each in treated),
        )

    def describe_columns(self) -> tuple[str, Sequence[Part], Written, CodebookFacts]:
        """Say what the columns of the release are, for the codebook."""
        treated = {str(each["column"]): each for each in self.layout.describe_treatments(self.config)}
        levels = {each.name: (each.level, each.height) for each in self._measure_columns()}
        return self.name, self.parts, self.written, CodebookFacts(treated, levels, {})

    def _measure_columns(self) -> tuple[QuasiIdentifierResult, ...]:
        """Measure how far its quasi-identifiers were generalised, where it has some."""
        return measure_quasi_identifiers(self.kept.tables)


# Child tables with quasi-identifiers of their own: searched together with the main table.


class JudgedChildRun(ChildRun):
    """A child table of which somebody may know columns: its records are judged with those of the main table."""

    initial: Tables
    finished: Tables

    def _find_layout(self, loader: Loader, store: Store) -> Layout:
        self._loader = _ChildLoader(self.config, self.source, store, loader)
        return self._loader.layout

    def _read(self, everybody: FromClause, loaded: Loaded) -> None:
        self.loaded, orphans, lacking = self._loader.load_among(self.name, everybody, loaded)
        self.initial, rows = self.loaded.tables, self.loaded.tables.identified
        assert rows is not None, "persons are declared"
        read, rejected = self.loaded.records_read, self.loaded.account.rejects.count
        self.rows = ChildRows(self.initial.store, rows.table, read, orphans, rejected, lacking)

    def keep(self, released: FromClause) -> None:
        """Keep the rows of persons who are released: those of the others are suppressed in the finished tables."""
        tables, identified = self.finished, self.initial.identified
        assert identified is not None, "persons are declared"
        record, classes, who = tables.anon_record, tables.equivalence, identified.records
        is_shown = (classes.c.equivalence_id == record.c.equivalence_id) & ~classes.c.suppressed
        joined = record.join(classes, is_shown).join(who, who.c.record_id == record.c.record_id)
        counts = func.count(), func.count(who.c[PERSON].distinct())
        count, persons = map(int, tables.store.row(select(*counts).select_from(joined)))
        tables.store.drop_columns(identified.table, [PERSON])
        self._make_columns(ReleasedRows(self.rows, tables, count, persons, tables.store.count(released)))

    def describe(self) -> ChildTableResult:
        """Say what became of the table, and how far its quasi-identifiers were generalised."""
        kept, notes = measure_information(self.kept.tables), self.loaded.notes
        columns = self._measure_columns()
        return replace(super().describe(), quasi_identifiers=columns, information=kept, notes=notes)


class _ChildLoader(Loader):
    """Reads a child table as a main table is read, without the rows of persons who are not there."""

    _among: FromClause | None = None

    def __init__(self, config: Config, source: Source, store: Store, main: Loader) -> None:
        super().__init__(config, source, store)
        assert main.persons is not None, "persons are declared"
        self.persons: PersonReader = replace(main.persons, columns=self._layout.find_persons(config), joined=False)
        self._may_learn = main._may_learn

    def load_among(self, name: str, everybody: FromClause, loaded: Loaded) -> tuple[Loaded, int, int]:
        """Read the rows of persons of the main table; return how many have no person there, and how many lack a value.

        Parameters
        ----------
        name : str
            Of the table.
        everybody : FromClause
            ``person``, all persons of the main table.
        loaded : Loaded
            The main table: rows of persons who were left out of it are left out, too.

        Raises
        ------
        InputError
        UsageError
        """
        identified, store, nobody = loaded.tables.identified, self._store, self.persons.nobody
        assert identified is not None, "persons are declared"
        kept = select(identified.table.c[PERSON].label("person")).where(identified.table.c[PERSON] != nobody)
        self._among = among = store.create("among", kept.distinct())
        rows = select(self.persons.code(self._source.relation(), self._missing).label("person")).subquery()
        is_lacking, is_known = rows.c.person == nobody, rows.c.person.in_(select(everybody.c.person))
        tests = is_lacking, ~is_lacking & ~is_known, ~rows.c.person.in_(select(among.c.person))
        found = store.row(select(func.count(), *map(count_where, tests)).select_from(rows))
        read, lacking, unknown, strange = (int(count or 0) for count in found)
        refuse_orphans(self._source, self._config, name, lacking, unknown)
        if read == strange:
            raise InputError(f"{self._source.name}: no record is of a person of the main table. Is the key right?")
        made = self.load()
        skipped = made.records_skipped - strange
        if self._missing.needs_choice(read, skipped):
            ask_what_becomes(self._source.name, read, skipped, self._count_missing(rows))
        store.drop(among)
        return made, lacking + unknown, skipped

    def _has_other_missing(self, relation: FromClause) -> ColumnElement[bool]:
        lacks = super()._has_other_missing(relation)
        if self._among is None:
            return lacks
        return lacks | ~self.persons.code(relation, self._missing).in_(select(self._among.c.person))

    def _refuse_missing(self, skipped: int) -> None:
        if any(self._count_missing(self._source.relation()).values()):
            super()._refuse_missing(skipped)


def require_joinable(
    config: Config, method: type[Anonymizer], models: Sequence[PrivacyModel], *, repairs: bool
) -> None:
    """Stop where child tables have quasi-identifiers, and something cannot judge them together with the main table.

    Parameters
    ----------
    repairs : bool
        Whether the release is made anew where earlier ones tell too much.

    Raises
    ------
    UsageError
    """
    judged = [name for name, child in config.child_tables.items() if child.quasi_identifiers]
    if not judged:
        return
    column = f"{judged[0]}.{config.child_tables[judged[0]].quasi_identifiers[0].column}"
    for model in models:
        if not isinstance(model, (KAnonymity, KMAnonymity)):
            raise UsageError(
                f"{model} is counted in one table, and {column} is judged together with the main table. Require "
                "k-anonymity or k^m-anonymity, or declare the column as sensitive: then nobody judges it."
            )
    require_person_support(method, [KAnonymity(k=config.k)], by_profile=True)
    if config.output.recoding is not None or config.recoding is not None:
        raise UsageError(
            f"A recoding is of one table, and {column} is generalised together with the main table. Leave "
            f"{name_option('recoding' if config.recoding is not None else 'save-recoding')} out."
        )
    if repairs:
        raise UsageError(
            f"A repair for earlier releases makes the main table anew, and {column} is judged with it. Leave "
            f"{name_option('earlier-repair')} out: then the run stops where earlier releases tell too much."
        )
    is_whole = config.attacker != "rows" and not any(model.looks_beyond_class for model in models)
    if not is_whole and config.suppression_threshold != 0 and all(model.suppression_helps for model in models):
        none = choose_setting_name("suppThreshold='0'", python="suppression_threshold=0", options="--suppThreshold 0")
        raise UsageError(
            f"Where rows of {column} are judged one by one, a suppressed record would take others of its person along, "
            f"out of classes that need them. {none} suppresses nobody."
        )


def join_judged(config: Config, loader: Loader, loaded: Loaded, children: Sequence[ChildRun]) -> JoinedTables | None:
    """Join the tables whose records are judged together; None if only the main table has quasi-identifiers."""
    judged = {f"{child.name}.": child.initial for child in children if isinstance(child, JudgedChildRun)}
    if not judged:
        return None
    assert loader.persons is not None, "persons are declared"
    persons = replace(loader.persons, joined=config.attacker != "rows")
    return JoinedTables.join({"": loaded.tables, **judged}, persons)


def take_apart(joined: JoinedTables, made: Anonymization, children: Sequence[ChildRun], k: int) -> Anonymization:
    """Give each table what was made of it, and prove the finished tables once more, by themselves and together.

    Parameters
    ----------
    k : int
        Fewest persons who must be alike.

    Returns
    -------
    Anonymization
        Of the main table, with the proof of all.

    Raises
    ------
    ProofError
    """
    finished = []
    for initial, final in zip(joined.parts, joined.take_apart(made.tables), strict=True):
        own = prove(initial, final, (KAnonymity(k=k),))
        finished.append((restore_tables(initial, final), own))
    if made.proof.judges_profiles:
        prove_together([final for final, _ in finished], k)
    judged = [child for child in children if isinstance(child, JudgedChildRun)]
    for child, (final, _) in zip(judged, finished[1:], strict=True):
        child.finished = final
    main, own = finished[0]
    proof = replace(made.proof, records=own.records, records_suppressed=own.records_suppressed)
    return Anonymization(main, proof)
